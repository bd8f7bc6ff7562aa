"""Whether the log of `haptic record` beside an experiment has the cycles of a trial."""
from __future__ import annotations

import datetime
import math
import os
import re
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._file_lock import is_being_written
from .errors import InputError
from .log import Log

_PAUSE_S = 0.05
_BETWEEN_SCENES_S = 1.0  # from the end of LOG.h5 to the beginning of LOG.2.h5
_PATIENCE_S = 6.0        # the ring of four seconds and the flush: what the log lacks then, it does not get


class TrialLog:
    """LOG and its continuations LOG.2, LOG.3, ... for other scenes, as far as they are of one daemon."""

    def __init__(self, path: str):
        self.path = path
        self._dates: dict[tuple[int, int], str] = {}  # of the daemon, by file

    def why_not_recorded(self, daemon_date: str) -> str:
        """Why no file of the series is being recorded of the daemon; empty if one is."""
        give_up = time.monotonic() + _BETWEEN_SCENES_S
        while problem := self._why_not_recorded_now(daemon_date):
            if time.monotonic() > give_up:
                return problem
            time.sleep(_PAUSE_S)
        return ""

    def lacks(self, daemon_date: str, first: int, last: int) -> str:
        """What the log lacks of the cycles, which the daemon has run; empty if it has all. Waits for its flush."""
        give_up, ended = time.monotonic() + _PATIENCE_S, math.inf
        while True:
            problem = self._why_not_recorded_now(daemon_date)  # before reading: then the file is whole
            found, newest = self._cycles(daemon_date, first, last)
            lacking = last - first + 1 - len(found)
            if lacking == 0:
                return ""
            now = time.monotonic()
            ended = min(ended, now) if problem else math.inf
            if newest >= last or now > min(give_up, ended + _BETWEEN_SCENES_S):
                return f"{self.path} lacks {lacking} of {last - first + 1} cycles" + (f": {problem}" if problem else "")
            time.sleep(_PAUSE_S)

    def _why_not_recorded_now(self, daemon_date: str) -> str:
        problem = f"{self.path} is not being recorded"
        for path in self._files():
            if not is_being_written(path):
                continue
            date = self._date_in(path)
            if _is_one_moment(date, daemon_date):
                return ""
            if date:
                problem = f"{path} is being recorded of another daemon"
        return problem

    def _cycles(self, daemon_date: str, first: int, last: int) -> tuple[NDArray[Any], int]:
        """The cycles from the first to the last one that are in the series, and its newest."""
        found, newest = np.zeros(0, np.uint64), -1
        for path in self._files():
            if not _is_one_moment(self._date_in(path), daemon_date):
                continue
            try:
                with Log(path) as log:
                    cycles = log._cycles_from(first)
            except InputError:
                continue
            if len(cycles) == 0:
                continue
            newest = max(newest, int(cycles[-1]))
            found = np.union1d(found, cycles[(cycles >= first) & (cycles <= last)])
            if int(cycles[0]) <= first:
                break  # the files before it end before the trial
        return found, newest

    def _date_in(self, path: str) -> str:
        """Empty if there is no log yet, or none that can be read."""
        try:
            status = os.stat(path)
            key = status.st_dev, status.st_ino
            if key not in self._dates:
                with Log(path) as log:
                    self._dates[key] = log.daemon_date
            return self._dates[key]
        except (InputError, OSError):
            return ""

    def _files(self) -> list[str]:
        """The newest first."""
        stem, ending = os.path.splitext(self.path)
        pattern = re.compile(re.escape(os.path.basename(stem)) + r"\.([1-9][0-9]{0,8})" + re.escape(ending))
        folder = os.path.dirname(self.path)
        try:
            matches = [pattern.fullmatch(name) for name in os.listdir(folder or ".")]
        except OSError:
            return []
        numbers = sorted((int(match[1]) for match in matches if match), reverse=True)
        return [f"{stem}.{number}{ending}" for number in numbers] + [self.path]


def _is_one_moment(date: str, other: str) -> bool:
    """The recorder may have another time zone."""
    try:
        return _moment(date) == _moment(other)
    except ValueError:
        return False


def _moment(date: str) -> datetime.datetime:
    return datetime.datetime.strptime(date, "%Y-%m-%dT%H:%M:%S.%f%z")
