"""The file of an experiment's results: one writer, replaced atomically, never what somebody else wrote."""
from __future__ import annotations

import csv
import io
import itertools
import json
import os
import secrets
import stat
import sys
from typing import Any, Optional, Sequence

from ._file_lock import lock, writer_of
from .errors import InputError, OperationError

Row = dict[str, Any]
_State = tuple[int, int, int, int]
_EXPECTED = "expected a new name (results are not overwritten), or resume=True"


class ResultsFile:
    """Rows in `path`, .csv or .json.

    hold() takes the name and a lock, which `haptic` respects, too, until release(). The file is replaced only if it is
    still as this object has read or written it.
    """

    def __init__(self, path: str):
        self.path = path
        self._state: Optional[_State] = None  # of the file, as it was read or written
        self._file: Optional[int] = None      # held
        self._is_new = False                  # and empty: nobody has written rows
        if os.path.splitext(path)[1] not in (".csv", ".json") or "\0" in path:
            raise InputError(f"{path}: results must end in .csv or .json")
        self._check_kind()

    def exists(self) -> bool:
        return os.path.lexists(self.path)

    def refuse_existing(self) -> None:
        if self.exists():
            raise InputError(f"{self.path}: the file exists, {_EXPECTED}")

    def hold(self) -> None:
        """@raises InputError if the name is taken, busy or not as it was"""
        if self._file is not None:
            return
        if self._state is not None and self.exists():
            self._check_kind()
            file = self._open(os.O_RDWR | os.O_NONBLOCK | os.O_NOFOLLOW)
            try:
                if not lock(file):
                    raise InputError(f"{self.path}: {writer_of(self.path)} is writing the file, expected a new name")
                self._check_unchanged(file)
            except BaseException:
                os.close(file)
                raise
        else:
            file = self._open(os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW)
            lock(file)
            self._state, self._is_new = _state_of(os.fstat(file)), True
        self._file = file

    def release(self) -> None:
        if self._file is None:
            return
        if self._is_new and self.exists() and _state_of(os.lstat(self.path)) == self._state:
            os.unlink(self.path)
        os.close(self._file)
        self._file, self._is_new = None, False

    def write(self, rows: Sequence[Row]) -> None:
        """After a crash or a full disk the file has the old or the new rows, never a part.

        @raises OSError, InputError
        """
        if self._file is None:
            self.hold()
            try:
                return self.write(rows)
            finally:
                self.release()
        if self.exists():
            self._check_unchanged(self._file)
        text = _as_json(rows) if self.path.endswith(".json") else _as_csv(rows)
        path = os.path.abspath(self.path)
        temporary = f"{path}.tmp{secrets.token_hex(8)}"  # as of `haptic`, which removes what a killed writer left
        file = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
        try:
            lock(file)
            with open(file, "wb", closefd=False) as content:
                content.write(text.encode())
            os.fsync(file)
            os.replace(temporary, path)
        except BaseException:
            os.close(file)
            if os.path.lexists(temporary):
                os.unlink(temporary)
            raise
        os.close(self._file)
        self._file, self._state, self._is_new = file, _state_of(os.fstat(file)), False
        folder = os.open(os.path.dirname(path), os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def read(self) -> list[Row]:
        """The rows of an earlier run; none if there is no file. Of a CSV file their values stay text."""
        if not self.exists():
            return []
        file = self._open(os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
        with open(file, encoding="utf-8-sig", newline="") as content:
            if not stat.S_ISREG(os.fstat(file).st_mode):
                raise InputError(f"{self.path}: found something that is not a regular file, {_EXPECTED}")
            try:
                self._state = _state_of(os.fstat(file))
                rows = list(json.load(content)["trials"]) if self.path.endswith(".json") else _from_csv(content)
                for row in rows:
                    int(row["trial"]), int(row["planned"])
                    row["valid"] = as_bool(row["valid"])
                return rows
            except (csv.Error, KeyError, RecursionError, TypeError, ValueError) as error:
                raise InputError(f"{self.path}: found no results of an experiment ({type(error).__name__}: "
                                 f"{error}), expected a file to resume") from None

    def _open(self, flags: int) -> int:
        try:
            return os.open(self.path, flags | os.O_CLOEXEC, 0o666)
        except FileExistsError:
            raise InputError(f"{self.path}: the file exists, {_EXPECTED}") from None
        except OSError as error:
            raise InputError(f"{self.path}: cannot be opened: {error.strerror}, expected a file in a folder that you "
                             "may write to") from None

    def _check_kind(self) -> None:
        """Renaming would replace a link, a pipe or a device by a file."""
        try:
            mode = os.lstat(self.path).st_mode
        except OSError:
            return
        found = ("a symbolic link" if stat.S_ISLNK(mode) else "a folder" if stat.S_ISDIR(mode) else
                 "" if stat.S_ISREG(mode) else "something that is not a regular file")
        if found:
            raise InputError(f"{self.path}: found {found}, expected the name of a file to write")

    def _check_unchanged(self, file: int) -> None:
        named = _state_of(os.lstat(self.path))
        if named != self._state or named != _state_of(os.fstat(file)):
            raise InputError(f"{self.path}: the file was changed by another program since this experiment read or "
                             "wrote it, expected no other writer")


def as_bool(value: Any) -> bool:
    """True, or the text of a CSV file; spreadsheets write it in capitals. @raises ValueError"""
    text = str(value).strip().lower()
    if text not in ("true", "false"):
        raise ValueError(f"{value!r} instead of True or False")
    return text == "true"


def _state_of(status: os.stat_result) -> _State:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def _as_json(rows: Sequence[Row]) -> str:
    return json.dumps({"trials": rows}, indent=1, default=repr) + "\n"


def _as_csv(rows: Sequence[Row]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(dict.fromkeys(itertools.chain(["trial"], *rows))), restval="")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _from_csv(content: io.TextIOWrapper) -> list[Row]:
    before = csv.field_size_limit(sys.maxsize)  # a response may be long
    try:
        rows: list[Row] = list(csv.DictReader(content, strict=True))
    finally:
        csv.field_size_limit(before)
    if any(None in row or None in row.values() for row in rows):
        raise ValueError("a row that does not fit the header")
    return rows
