"""What the row of a trial may contain, and whether stored rows are of a list of trials."""
from __future__ import annotations

import json
import math
from typing import Any, Iterable, Mapping, Sequence

from .errors import InputError

#: Columns of every row, and those that follow the condition.
COLUMNS = ("trial", "planned", "valid", "reason", "participant", "started", "start_cycle", "end_cycle", "daemon_date",
           "scene", "scene_hash", "missed")
OUTCOMES = ("response", "response_s", "correct", "error")


def check_condition(condition: Mapping[str, Any], *, is_judged: bool) -> None:
    """@param is_judged  rows get a column "correct". @raises InputError naming the column"""
    taken = {*COLUMNS, *OUTCOMES} - (set() if is_judged else {"correct"})
    _check_entries("condition", condition, taken)


def check_notes(notes: Mapping[str, Any], row: Mapping[str, Any]) -> None:
    """@raises InputError naming the column"""
    _check_entries("notes", notes, {*COLUMNS, *OUTCOMES, *row})


def check_response(response: Any) -> None:
    """@raises TypeError, ValueError if JSON has no such value, InputError if no text file can hold it"""
    json.dumps(response)
    check_storable("response", response)


def check_storable(name: str, value: Any) -> None:
    """@raises InputError if a file of results cannot hold the value"""
    if not _is_storable(value):
        raise InputError(f"{name}: found {_described(value)}, expected a value that JSON and UTF-8 can hold")


def storable(value: Any) -> Any:
    """The value, or its description where no file can hold it."""
    return value if _is_storable(value) else _described(value)


def as_response(response: Any) -> Any:
    """The response of a row, or its description where JSON has no such value."""
    try:
        check_response(response)
    except (RecursionError, TypeError, ValueError):
        return _described(response)
    return response


def as_text(text: str) -> str:
    """The text with what UTF-8 cannot hold as escapes."""
    return text.encode("utf-8", "backslashreplace").decode()


def check_same_trials(results: str, rows: Iterable[Mapping[str, Any]], trials: Sequence[Mapping[str, Any]]) -> None:
    """@raises InputError if a row is not of the trial of its number in the list"""
    for row in rows:
        planned = int(row["planned"])
        where = f"{results}: trial {row['trial']}: found a row of trial {planned} of the list"
        if not 1 <= planned <= len(trials):
            raise InputError(f"{where}, which has {len(trials)}, expected the list and seed of the results")
        condition = trials[planned - 1]
        names = list(row)
        begin = names.index("missed") + 1 if "missed" in names else len(names)
        end = min((names.index(name) for name in OUTCOMES if name in names[begin:]), default=begin)
        stored = [name for name in names[begin:end] if row[name] != ""]  # a CSV file has all columns in all rows
        for name in [*condition, *(name for name in stored if name not in condition)]:
            if name not in row or name not in condition or not is_same(row[name], condition[name]):
                raise InputError(f"{where} with {name} {row.get(name, 'missing')!r}, which has "
                                 f"{condition.get(name, 'none')!r}, expected the list and seed of the results")


def is_same(stored: Any, given: Any) -> bool:
    """Whether a value of a results file is this one; of CSV files it is a text, and a spreadsheet may have saved it."""
    if str(stored) == ("" if given is None else str(given)):
        return True
    if isinstance(given, bool):
        return str(stored).strip().lower() == str(given).lower()
    try:
        return math.isclose(float(stored), float(given), rel_tol=1e-9)
    except (TypeError, ValueError, OverflowError):
        pass
    try:
        return bool(json.loads(json.dumps(given, default=repr)) == stored)
    except (TypeError, ValueError):
        return False


def _check_entries(what: str, entries: Mapping[str, Any], taken: Iterable[str]) -> None:
    for name in entries:
        if not isinstance(name, str):
            raise InputError(f"{what}: found the name {name!r}, expected a text")
        check_storable(what, name)
    if clash := sorted(set(taken) & set(entries)):
        raise InputError(f"{what}: found {', '.join(clash)}, which is a column of the results, expected another name")
    for name, value in entries.items():
        check_storable(f"{what}: {name}", value)


def _is_storable(value: Any) -> bool:
    try:
        json.dumps(value, default=repr, ensure_ascii=False).encode()
        str(value).encode()
    except (RecursionError, TypeError, ValueError):
        return False
    return True


def _described(value: Any) -> str:
    try:
        return as_text(repr(value))
    except RecursionError:
        return f"a {type(value).__name__} that is nested too deeply"
