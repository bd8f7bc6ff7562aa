"""Experiments at a running daemon: trial lists, conditions by `set`, marks in the log, results that survive.

Example: examples/stiffness_staircase.py.
"""
from __future__ import annotations

import collections
import itertools
import json
import os
import random
import sys
import time
from typing import Any, Callable, Iterable, Mapping, NoReturn, Optional, Sequence, Union

from ._interrupts import DelayedInterrupts
from ._results_file import ResultsFile, as_bool
from ._trial_log import TrialLog
from ._trial_row import as_response, as_text, check_condition, check_notes, check_response, check_same_trials
from ._trial_row import check_storable, is_same, storable
from ._trial_watch import TrialWatch, daemon_columns, iso_date
from .errors import Error, InputError, OperationError
from .session import Session
from .staircase import Quest, Staircase, weibull
from .telemetry import FAULTS, STATES

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

    def mark(self, text: str) -> int:
        """A mark in the log, with the trial's number. @returns its cycle"""
        return self.session.mark(mark_text(f"trial {self.number} {text}"))


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


_FORCE_IS_OFF = "the force is off"


class Experiment:
    """Runs trials and writes results to `results` (.csv or .json) after every one.

    For each trial: the keys of its condition that contain a "." are parameters and are `set`; the others are notes for
    the participant callback, which gets the Trial and returns the response (any value of JSON). Marks "trial N start",
    "trial N response R" and "trial N end" go to the events of the log.

    A trial begins once the daemon is engaged with full force, which is awaited for `wait_s`. It is valid if every cycle
    from its start to its end was engaged, in one run of the daemon, in a scene that only the callback changed, and at
    most the fraction `most_missed` of its slots was missed. An invalid trial stays in the results with its `reason`,
    and "trial N invalid REASON" is marked. `on_invalid` says what follows:

    "repeat": it is repeated at the end of the run, as often as it takes, at most `attempts` times in all
    "stop":   OperationError; a daemon that is not ready before a trial is one, too
    "keep":   the run goes on

    An exception of the callback, also KeyboardInterrupt, releases the force, is named in the result's row and in a
    mark, and is raised again; the rows before it are in the file. Ctrl-C ends the callback only: a trial is kept first.
    An existing results file is refused, or continued with `resume`: planned trials that have a row are not run again
    (with "repeat": a valid row). Of one results file there is one experiment at a time, and what another program has
    changed is not replaced.

    engage:  the experiment engages the daemon, also before a trial after an operator's reset, and releases it at its
             end. False: it leaves that to the callback, and a trial is valid if no cycle was in a fault
    log:     the log of `haptic record` that runs beside the experiment, and its continuations LOG.2.h5, ... for other
             scenes: a trial of which it lacks a cycle is invalid; its flush, a quarter of a second, is awaited
    """

    def __init__(self, session: Union[Session, str], results: Union[str, os.PathLike[str]], *, participant: str = "",
                 engage: bool = True, on_invalid: str = "repeat", attempts: int = 3, wait_s: float = 300.0,
                 most_missed: float = 0.01, log: Union[str, os.PathLike[str], None] = None, resume: bool = False,
                 clock: Callable[[], float] = time.monotonic):
        self.session = Session(session) if isinstance(session, str) else session
        self.results = os.fspath(results)
        self.rows: list[dict[str, Any]] = []
        self._participant, self._engage, self._on_invalid = participant, engage, on_invalid
        self._attempts, self._wait_s, self._most_missed = attempts, wait_s, most_missed
        self._log = None if log is None else TrialLog(os.fspath(log))
        self._clock = clock
        if on_invalid not in ("repeat", "stop", "keep"):
            raise InputError(f'on_invalid: found "{on_invalid}", expected repeat, stop or keep')
        if attempts < 1:
            raise InputError(f"attempts: found {attempts}, expected a number >= 1")
        if not wait_s >= 0.0:
            raise InputError(f"wait_s: found {wait_s}, expected a number >= 0 [s]")
        if not 0.0 <= most_missed <= 1.0:
            raise InputError(f"most_missed: found {most_missed}, expected 0 to 1")
        check_storable("participant", participant)
        self._file = ResultsFile(self.results)
        if resume:
            self.rows = self._file.read()
        else:
            self._file.refuse_existing()

    def run(self, trials: Iterable[Condition], participant: Callable[[Trial], Any]) -> list[dict[str, Any]]:
        """Trials in order, without those that have a row already (as for `resume`).

        @returns all rows, those of invalid trials included

        A row has: trial, planned (its place in `trials`, 1, 2, ...), valid, reason, participant, started (ISO 8601),
        start_cycle, end_cycle, daemon_date (as in the log), scene, scene_hash (SHA-256 of the text that the daemon
        read, as in the log), missed, the condition, response, response_s, notes, error. Conditions and notes may not
        have these names.

        InputError if a row that is there already is of another list of trials.
        """
        trials = list(trials)
        for condition in trials:
            check_condition(condition, is_judged=False)
        check_same_trials(self.results, self.rows, trials)
        done = {int(row["planned"]) for row in self.rows if row["valid"] or self._on_invalid != "repeat"}
        waiting = collections.deque((planned, condition) for planned, condition in enumerate(trials, 1)
                                    if planned not in done)
        failures: collections.Counter[int] = collections.Counter()
        with self:
            while waiting:
                planned, condition = waiting.popleft()
                row = self.trial(condition, participant, planned=planned)
                if row["valid"] or self._on_invalid == "keep":
                    continue
                failures[planned] += 1
                self._give_up_after(failures[planned], row)
                waiting.append((planned, condition))
        return self.rows

    def run_adaptive(self, procedure: Union[Staircase, Quest], condition_at: Callable[[float], Condition],
                     participant: Callable[[Trial], Any],
                     is_correct: Callable[[Trial, Any], bool]) -> list[dict[str, Any]]:
        """Trials until the procedure is finished; condition_at(level) makes the condition of each.

        The procedure gets the answers of valid trials only; an invalid one is repeated at once, also with "keep".
        """
        for row in [row for row in self.rows if row["valid"]][len(procedure.history):]:
            if not is_same(row.get("level"), procedure.level):
                raise InputError(f"{self.results}: trial {row['trial']}: found level {row.get('level')}, expected "
                                 f"{procedure.level}, as this procedure begins")
            procedure.answer(self._answer_in(row))
        failures = 0
        with self:
            while not procedure.finished:
                level = procedure.level
                condition = dict(condition_at(level))
                if condition.setdefault("level", level) != level:
                    raise InputError(f"condition: found level {condition['level']!r}, expected {level} or another name")
                row = self.trial(condition, participant, is_correct)
                if row["valid"]:
                    procedure.answer(row["correct"])
                    failures = 0
                else:
                    failures += 1
                    self._give_up_after(failures, row)
        return self.rows

    def _answer_in(self, row: dict[str, Any]) -> bool:
        try:
            return as_bool(row.get("correct"))
        except ValueError:
            raise InputError(f"{self.results}: trial {row['trial']}: found correct {row.get('correct')!r}, expected "
                             "True or False") from None

    def __enter__(self) -> Experiment:
        self.results = os.fspath(self.results)
        if self.results != self._file.path:  # the rows move to another disk
            self._file = ResultsFile(self.results)
        try:
            self._file.hold()
            self._write()  # a results file that cannot be written is found out before the first trial
            if self._engage:
                self.session.engage()
        except BaseException as error:
            self._file.release()
            if not isinstance(error, Error):  # Ctrl-C while the daemon engages
                self._release(must=False)
            raise
        return self

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException], _: object) -> None:
        try:
            if self._engage or kind is not None:
                self._release(must=kind is None)
        finally:
            self._file.release()

    def trial(self, condition: Condition, participant: Callable[[Trial], Any],
              is_correct: Optional[Callable[[Trial, Any], bool]] = None, *,
              planned: Optional[int] = None) -> dict[str, Any]:
        """One trial; the row is in the file when it returns or raises."""
        check_condition(condition, is_judged=is_correct is not None)
        trial = Trial(len(self.rows) + 1, condition, self)
        watch = self._begin_watch(trial.number)
        row: dict[str, Any] = {
            "trial": trial.number, "planned": trial.number if planned is None else planned, "valid": False,
            "reason": "", "participant": self._participant, "started": iso_date(time.time_ns()), "start_cycle": "",
            "end_cycle": "", **watch.daemon, "missed": "", **trial.condition}
        with DelayedInterrupts() as interrupts:
            self._run_trial(trial, watch, row, participant, is_correct, interrupts)
        return self.rows[-1]

    def _run_trial(self, trial: Trial, watch: TrialWatch, row: dict[str, Any], participant: Callable[[Trial], Any],
                   is_correct: Optional[Callable[[Trial, Any], bool]], interrupts: DelayedInterrupts) -> None:
        try:
            with watch:
                for key, value in trial.condition.items():
                    if "." in key:
                        self.session.set(key, float(value))
                row["start_cycle"] = trial.mark("start")
                watch.begin(row["start_cycle"])
                with interrupts.allowed():
                    begin = self._clock()
                    response = participant(trial)
                row["response_s"] = self._clock() - begin
                row["response"] = response
                check_response(response)  # what no file can hold is the trial's error
                check_notes(trial.notes, row)
                trial.mark(f"response {response}")
                if is_correct is not None:
                    row["correct"] = bool(is_correct(trial, response))
                row["end_cycle"] = trial.mark("end")
                watch.end(row["end_cycle"])
            row["reason"] = self._why_invalid(watch, row)
            self._note_end(row)
        except BaseException as error:
            text = as_text(f"{type(error).__name__}: {error}" if str(error) else type(error).__name__)
            if "response" in row:
                row["response"] = as_response(row["response"])
            # A command that failed because the trial was cut short makes it invalid; what else fails ends the run.
            cause = (watch.problem() or self._why_stopped()) if isinstance(error, Error) else ""
            row["reason"], row["error"] = cause or text, text
            if not cause or self._on_invalid == "stop":
                self._release(must=False)
                self._try_mark(trial, f"error {text}")
                self._keep(row, trial)
                raise
        row["missed"] = watch.missed
        row["valid"] = not row["reason"]
        if not row["valid"]:
            self._try_mark(trial, f"invalid {row['reason']}")
        self._keep(row, trial)
        if not row["valid"] and self._on_invalid == "stop":
            self._release(must=False)
            raise OperationError(f"trial {trial.number}: {row['reason']}")

    def _why_invalid(self, watch: TrialWatch, row: dict[str, Any]) -> str:
        if problem := watch.problem():
            return problem
        slots = row["end_cycle"] - row["start_cycle"] + 1 + watch.missed
        if watch.missed > self._most_missed * slots:
            return f"{watch.missed} of {slots} slots were missed"
        return "" if self._log is None else self._log.lacks(row["daemon_date"], row["start_cycle"], row["end_cycle"])

    def _obstacle(self) -> tuple[str, bool]:
        """Why no trial can begin now, and whether that passes by itself; an empty text if one can."""
        try:
            telemetry = self.session.telemetry()
            newest = telemetry.newest().records[0]
        except Error as error:
            return str(error), False
        state, fault = STATES[newest["state"]], FAULTS[newest["fault"]]
        age_s = 1e-9 * (time.monotonic_ns() - int(newest["time_ns"]))
        if telemetry.life != "alive":
            return f'hapticd "{self.session.name}" is {telemetry.life}', False
        if age_s > 1.0:
            return f'hapticd "{self.session.name}" has run no cycle for {age_s:.1f} s', False
        if state == "fault":
            return f"state fault: {fault}", False
        if self._engage:
            if state == "idle":  # released, or reset by an operator after a fault
                return _FORCE_IS_OFF, True
            if state != "engaged":
                return f"state {state}", state in ("starting", "stopping")
            if newest["ramp"] < 1.0:
                return "the force is ramping in", True
        if self._log is None:
            return "", True
        return self._log.why_not_recorded(iso_date(int(telemetry.header["start_realtime_ns"]))), False

    def _why_stopped(self) -> str:
        problem, passes = self._obstacle()
        return "" if passes else problem

    def _begin_watch(self, number: int) -> TrialWatch:
        """Waits until a trial can begin."""
        give_up, is_told = time.monotonic() + self._wait_s, False
        while True:
            problem, passes = self._obstacle()
            if not problem:
                try:
                    return TrialWatch(self.session, must_be_engaged=self._engage)
                except Error as error:
                    problem = str(error)
            if problem == _FORCE_IS_OFF:
                try:
                    self.session.engage()
                except Error as error:
                    problem, passes = str(error), False
            if not passes and self._on_invalid == "stop" or time.monotonic() > give_up:
                raise OperationError(f"trial {number} cannot begin: {problem}")
            if not passes and not is_told:
                print(f"hapticd.experiment: trial {number} waits: {problem}", file=sys.stderr, flush=True)
                is_told = True
            time.sleep(0.005)

    def _give_up_after(self, failures: int, row: dict[str, Any]) -> None:
        if failures >= self._attempts:
            raise OperationError(f"trial {row['trial']}: {row['reason']}; invalid {failures} times")

    def _note_end(self, row: dict[str, Any]) -> None:
        """The scene at the end: the callback may have loaded it. The cycles of a row are of one daemon."""
        try:
            now = daemon_columns(self.session.telemetry())
        except Error:
            return
        if now["daemon_date"] == row["daemon_date"]:
            row.update(now)
        else:
            row["end_cycle"] = ""

    def _release(self, *, must: bool) -> None:
        try:
            self.session.release()
        except Error:
            # Not engaged any more: a fault or a stop. Otherwise the caller's exception is what counts.
            if must and self.session.state()[0] == "engaged":
                raise

    def _try_mark(self, trial: Trial, text: str) -> None:
        try:
            trial.mark(text)
        except Error:
            pass  # the daemon may be what failed

    def _keep(self, row: dict[str, Any], trial: Trial) -> None:
        notes = {key if key not in row else f"note {key}": value for key, value in trial.notes.items()}
        self.rows.append({as_text(str(key)): storable(value) for key, value in {**row, **notes}.items()})
        try:
            self._write()
        except Exception as error:
            self._tell_unsaved(error)
        except BaseException:  # whatever interrupts it: the row first
            try:
                self._write()
            except Exception as error:
                self._tell_unsaved(error)
            raise

    def _tell_unsaved(self, error: Exception) -> NoReturn:
        raise OperationError(f"{error}; the file has the rows before this one: "
                             f"{json.dumps(self.rows[-1], default=repr)}") from error

    def _write(self) -> None:
        try:
            self._file.write(self.rows)
        except OSError as error:
            raise OperationError(f"{self.results}: cannot be written: {error.strerror}") from error
