"""Experiments at a running daemon: trial lists, conditions by `set`, marks in the log, results that survive.

Example: examples/stiffness_staircase.py.
"""
from __future__ import annotations

import csv
import io
import itertools
import json
import os
import random
import time
from typing import Any, Callable, Iterable, Mapping, Optional, Sequence, Union

from .errors import Error, InputError
from .session import Session
from .staircase import Quest, Staircase, weibull

__all__ = ["Experiment", "Quest", "Staircase", "Trial", "full_factorial", "trial_list", "weibull"]

Condition = Mapping[str, Any]


class Trial:
    """A trial in progress: what participant() is given."""

    def __init__(self, number: int, condition: Condition, experiment: Experiment):
        self.number = number              #: 1, 2, ...
        self.condition = dict(condition)
        self.experiment = experiment
        self.session = experiment.session
        self.notes: dict[str, Any] = {}   #: further columns of the result

    def mark(self, text: str) -> None:
        """A mark in the log, with the trial's number."""
        self.session.mark(mark_text(f"trial {self.number} {text}"))


def mark_text(text: str) -> str:
    """The text as a mark can be: one line, at most 200 bytes of UTF-8."""
    line = "".join(c if c.isprintable() else " " for c in text)
    return line.encode("utf-8", "replace")[:200].decode("utf-8", "ignore")


def full_factorial(**factors: Sequence[Any]) -> list[dict[str, Any]]:
    """Every combination: full_factorial(stiffness=[200, 400], friction=[0, 0.3]) has four conditions."""
    return [dict(zip(factors, values)) for values in itertools.product(*factors.values())]


def trial_list(conditions: Iterable[Condition], *, repeat: int = 1, seed: Optional[int] = None,
               order: str = "blocked") -> list[dict[str, Any]]:
    """Every condition `repeat` times.

    order: "sequential", as given; "random", all shuffled; "blocked", each block has every condition once, shuffled.
    The same `seed` gives the same order on every machine; shuffled orders must have one.
    """
    given = [dict(condition) for condition in conditions]
    if not given:
        raise InputError("conditions: found none")
    if repeat < 1:
        raise InputError(f"repeat: found {repeat}, expected a number >= 1")
    if order not in ("sequential", "random", "blocked"):
        raise InputError(f'order: found "{order}", expected sequential, random or blocked')
    if order != "sequential" and seed is None:
        raise InputError(f'seed: found none, expected a number for order "{order}"')
    source = random.Random(seed)
    blocks = [[dict(condition) for condition in given] for _ in range(repeat)]
    if order == "blocked":
        for block in blocks:
            source.shuffle(block)
    trials = [condition for block in blocks for condition in block]
    if order == "random":
        source.shuffle(trials)
    return trials


def write_atomically(path: Union[str, os.PathLike[str]], text: str) -> None:
    """Replaces the file: after a crash or a full disk it has the old or the new text, never a part."""
    path = os.path.abspath(os.fspath(path))
    temporary = f"{path}.tmp-{os.getpid()}"
    try:
        with open(temporary, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise
    folder = os.open(os.path.dirname(path), os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


class Experiment:
    """Runs trials and writes results to `results` (.csv or .json) after every one.

    For each trial: the keys of its condition that contain a "." are parameters and are `set`; the others are notes for
    the participant callback, which gets the Trial and returns the response (any value of JSON). Marks "trial N start",
    "trial N response R" and "trial N end" go to the events of the log.

    An exception in a trial, also KeyboardInterrupt, releases the force, is named in the result's row and in a mark,
    and is raised again; the rows before it are in the file. An existing results file is refused.
    """

    def __init__(self, session: Union[Session, str], results: Union[str, os.PathLike[str]], *, engage: bool = True,
                 clock: Callable[[], float] = time.monotonic):
        self.session = Session(session) if isinstance(session, str) else session
        self.results = os.fspath(results)
        self.rows: list[dict[str, Any]] = []
        self._engage, self._clock = engage, clock
        if os.path.splitext(self.results)[1] not in (".csv", ".json"):
            raise InputError(f"{self.results}: results must end in .csv or .json")
        if os.path.exists(self.results):
            raise InputError(f"{self.results}: the file exists, expected a new name: results are not overwritten")

    def run(self, trials: Iterable[Condition], participant: Callable[[Trial], Any]) -> list[dict[str, Any]]:
        """Trials in order. @returns the rows: trial, condition, response, response_s, notes, error"""
        with self:
            for condition in trials:
                self.trial(condition, participant)
        return self.rows

    def run_adaptive(self, procedure: Union[Staircase, Quest], condition_at: Callable[[float], Condition],
                     participant: Callable[[Trial], Any],
                     is_correct: Callable[[Trial, Any], bool]) -> list[dict[str, Any]]:
        """Trials until the procedure is finished; condition_at(level) makes the condition of each."""
        with self:
            while not procedure.finished:
                level = procedure.level
                row = self.trial({**condition_at(level), "level": level}, participant, is_correct)
                procedure.answer(row["correct"])
        return self.rows

    def __enter__(self) -> Experiment:
        self._write()  # a results file that cannot be written is found out before the first trial
        if self._engage:
            self.session.engage()
        return self

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException], _: object) -> None:
        if self._engage or kind is not None:
            self._release(must=kind is None)

    def trial(self, condition: Condition, participant: Callable[[Trial], Any],
              is_correct: Optional[Callable[[Trial, Any], bool]] = None) -> dict[str, Any]:
        """One trial; the row is in the file when it returns or raises."""
        trial = Trial(len(self.rows) + 1, condition, self)
        row: dict[str, Any] = {"trial": trial.number, **{k: v for k, v in trial.condition.items()}}
        try:
            for key, value in trial.condition.items():
                if "." in key:
                    self.session.set(key, float(value))
            trial.mark("start")
            begin = self._clock()
            response = participant(trial)
            row["response_s"] = self._clock() - begin
            row["response"] = response
            json.dumps(response)  # a response that no file can hold is the trial's error
            trial.mark(f"response {response}")
            if is_correct is not None:
                row["correct"] = bool(is_correct(trial, response))
            trial.mark("end")
        except BaseException as error:
            self._release(must=False)
            row["error"] = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            if not _is_json(row.get("response")):
                row["response"] = repr(row["response"])
            try:
                trial.mark(f"error {row['error']}")
            except Error:
                pass  # the daemon may be what failed
            self._keep(row, trial)
            raise
        self._keep(row, trial)
        return row

    def _release(self, *, must: bool) -> None:
        try:
            self.session.release()
        except Error:
            # Not engaged any more: a fault or a stop. Otherwise the caller's exception is what counts.
            if must and self.session.state()[0] == "engaged":
                raise

    def _keep(self, row: dict[str, Any], trial: Trial) -> None:
        row.update({key: value for key, value in trial.notes.items() if key not in row})
        self.rows.append(row)
        self._write()

    def _write(self) -> None:
        if self.results.endswith(".json"):
            write_atomically(self.results, json.dumps({"trials": self.rows}, indent=1, default=repr) + "\n")
            return
        columns = list(dict.fromkeys(itertools.chain(["trial"], *self.rows)))
        text = io.StringIO()
        writer = csv.DictWriter(text, columns, restval="")
        writer.writeheader()
        writer.writerows(self.rows)
        write_atomically(self.results, text.getvalue())


def _is_json(value: Any) -> bool:
    try:
        json.dumps(value)
    except (TypeError, ValueError):
        return False
    return True
