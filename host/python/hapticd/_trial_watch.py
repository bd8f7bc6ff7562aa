"""Looks at every cycle of a trial."""
from __future__ import annotations

import hashlib
import threading
import time
from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from .errors import Error
from .session import Session
from .telemetry import FAULTS, STATES, Telemetry

_PAUSE_S = 0.02  # the ring holds seconds


def daemon_columns(telemetry: Telemetry) -> dict[str, Any]:
    """Columns of results that say which daemon and scene a trial ran in."""
    text = telemetry.scene_text
    return {"daemon_date": iso_date(int(telemetry.header["start_realtime_ns"])), "scene": telemetry.scene,
            "scene_hash": hashlib.sha256(text).hexdigest() if text else ""}


def iso_date(realtime_ns: int) -> str:
    """As in logs: "2026-05-01T12:34:56.789+0200"."""
    local = time.localtime(realtime_ns // 1_000_000_000)
    date, offset = time.strftime("%Y-%m-%dT%H:%M:%S", local), time.strftime("%z", local)
    return f"{date}.{realtime_ns // 1_000_000 % 1000:03}{offset}"


class TrialWatch:
    """Reads the daemon's cycles in a thread from begin() to end(); problem() and missed tell what it has seen.

    A context: the thread ends with it at the latest.
    """

    def __init__(self, session: Session, *, must_be_engaged: bool):
        self.missed = 0  #: slots, between the first and the last cycle
        self._session, self._must_be_engaged = session, must_be_engaged
        self._telemetry = Telemetry(session.name)  # a reader of its own: it belongs to the thread
        self.daemon = daemon_columns(self._telemetry)  #: before the trial
        newest = self._telemetry.newest()
        self._telemetry._reader.skip_to_newest()
        self._lost_before = self._telemetry.lost
        self._loads_before = session.loads
        self._first = 0
        self._last: Optional[int] = None
        self._bad: Optional[tuple[int, str]] = None   # first cycle that was not as it must be, and its state
        self._fault = ""                              # that followed
        self._skips: list[tuple[int, int]] = []       # cycles before which slots were missed, and how many
        self._missed_before = int(newest["missed"][0])
        self._lost, self._scenes, self._end = 0, 0, ""
        self._closing = threading.Event()
        self._thread: Optional[threading.Thread] = None

    def begin(self, cycle: int) -> None:
        """The trial's first cycle, which must not be older than the watch."""
        self._first = cycle
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def end(self, cycle: int) -> None:
        """The trial's last cycle, which the daemon has published."""
        self._last = cycle
        self._close()
        self.missed = sum(count for at, count in self._skips if self._first < at <= cycle)

    def __enter__(self) -> TrialWatch:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def problem(self) -> str:
        """Why the trial is invalid; empty if it is not."""
        if self._bad is not None and (self._last is None or self._bad[0] <= self._last):
            cycle, state = self._bad
            return f"state {state}{': ' if self._fault else ''}{self._fault} in cycle {cycle}"
        if self._end:
            return self._end
        if self._scenes > self._session.loads - self._loads_before:
            return "another scene was loaded"
        if self._lost:
            return f"{self._lost} cycles were overwritten before they were seen"
        return ""

    def _close(self) -> None:
        self._closing.set()
        if self._thread is not None:
            self._thread.join()
        elif (life := self._telemetry.life) not in ("alive", "replaced"):  # the trial has not begun
            self._end = f'hapticd "{self._session.name}" is {life}'

    def _run(self) -> None:
        try:
            while True:
                is_last = self._closing.is_set()
                life = self._telemetry.life  # before reading: what a dead daemon wrote is read to its end
                while len(records := self._telemetry._reader.read(4096)[0]):
                    self._look_at(records)
                self._lost += self._telemetry.lost - self._lost_before
                self._lost_before = self._telemetry.lost
                if life == "replaced":
                    self._telemetry.reopen()
                    self._telemetry._reader.rewind_to_oldest()
                    self._lost_before = self._telemetry.lost
                    self._scenes += 1
                elif life != "alive":
                    self._end = f'hapticd "{self._session.name}" is {life}'
                    return
                elif is_last:
                    return
                else:
                    self._closing.wait(_PAUSE_S)
        except Error as error:
            self._end = str(error)

    def _look_at(self, records: NDArray[Any]) -> None:
        missed = records["missed"].astype(np.int64)
        steps = np.diff(missed, prepend=self._missed_before)
        self._skips += [(int(records["cycle"][i]), int(steps[i])) for i in np.flatnonzero(steps > 0)]
        self._missed_before = int(missed[-1])
        records = records[records["cycle"] >= self._first]
        if not len(records):
            return
        states = records["state"]
        bad = states != STATES.index("engaged") if self._must_be_engaged else states == STATES.index("fault")
        if self._bad is None and bad.any():
            record = records[int(np.argmax(bad))]
            self._bad = int(record["cycle"]), STATES[record["state"]]
        if self._bad is not None and not self._fault and (faults := records["fault"]).any():
            self._fault = FAULTS[faults[np.flatnonzero(faults)[0]]]  # a stop latches it a cycle later
