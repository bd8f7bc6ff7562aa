"""Commands to a running daemon."""
from __future__ import annotations

import os
import time
from typing import Optional, Sequence, Union

from . import _hapticd
from .errors import InputError, OperationError
from .telemetry import FAULTS, STATES, Parameter, Telemetry, as_number


class Session:
    """The operator's side of the daemon `name`.

    Every command waits for the daemon's answer and returns the cycle that executed it. A refusal raises Refused with
    the daemon's text; NoDaemon is raised if no daemon can be reached.
    """

    def __init__(self, name: str = "hapticd", timeout_s: float = 2.0):
        if not 0.0 < timeout_s <= 3600.0:
            raise InputError(f"timeout_s: found {timeout_s}, expected a number > 0 and at most 3600 [s]")
        self.name = name
        self.loads = 0  #: scenes that this session has loaded
        self._timeout_ms = max(1, round(timeout_s * 1000))
        self._telemetry: Optional[Telemetry] = None

    def __repr__(self) -> str:
        return f'<Session with hapticd "{self.name}">'

    def _send(self, command: str) -> int:
        return _hapticd.send(self.name, command, self._timeout_ms)

    def engage(self) -> int:
        """The force ramps in."""
        return self._send("engage")

    def release(self) -> int:
        """Zero force."""
        return self._send("release")

    def stop(self) -> int:
        """Stops the output until reset; any operator may."""
        return self._send("stop")

    def reset(self) -> int:
        """Leaves the fault state, the world at rest."""
        return self._send("reset")

    def home(self) -> int:
        """The device is in its reference pose."""
        return self._send("home")

    def takeover(self) -> int:
        """Become the operator in place of another."""
        return self._send("takeover")

    def set(self, key: str, value: float) -> int:
        """Changes a parameter, SI units; parameters() lists them."""
        return _hapticd.set(self.name, key, as_number(key, value), self._timeout_ms)

    def load(self, scene: Union[str, os.PathLike[str]], timeout_s: float = 120.0) -> int:
        """Another scene, without stopping the loop; waits until it runs."""
        cycle = _hapticd.load(self.name, scene, max(1, round(timeout_s * 1000)))
        self.loads += 1
        return cycle

    def pull(self, body: str = "", point: Sequence[float] = (0.0, 0.0, 0.0), *,
             to: Optional[Sequence[float]] = None, by: Optional[Sequence[float]] = None,
             stiffness: float = 200.0, limit: float = 5.0) -> int:
        """Pulls a point of a body with a spring; without a body, lets it go.

        `point` at rest in the model [m]; `to` in the world or `by` from where it is [m]; `stiffness` [N/m];
        `limit` of the force [N].
        """
        if body and (to is None) == (by is None):
            raise InputError("pull: expected one of to and by")
        wanted = to if to is not None else by
        target = wanted if body and wanted is not None else (0.0, 0.0, 0.0)
        return _hapticd.pull(self.name, body, [float(x) for x in point], [float(x) for x in target], to is None,
                             stiffness, limit, self._timeout_ms)

    def mark(self, text: str) -> int:
        """Notes a text in the events of telemetry and logs: one line, at most 200 bytes of UTF-8; any operator may."""
        if not isinstance(text, str) or any("\ud800" <= c <= "\udfff" for c in text):
            raise InputError(f"mark: found {text!r}, expected a text")
        return _hapticd.mark(self.name, text, self._timeout_ms)

    def telemetry(self) -> Telemetry:
        """Of the daemon and scene that run now."""
        if self._telemetry is None:
            self._telemetry = Telemetry(self.name)
        elif self._telemetry.life != "alive":
            self._telemetry.reopen(0.0)
        return self._telemetry

    def parameters(self) -> dict[str, Parameter]:
        """{key: Parameter(value, minimum, maximum)}."""
        return self.telemetry().parameters()

    def state(self) -> tuple[str, str]:
        """("engaged", "none"): state and fault of the newest cycle."""
        record = self.telemetry().newest().records[0]
        return STATES[record["state"]], FAULTS[record["fault"]]

    def wait_for(self, state: str, seconds: float = 5.0) -> None:
        """Until the servo is in this state; OperationError after `seconds`."""
        if state not in STATES:
            raise InputError(f"state: found {state}, expected one of {', '.join(STATES)}")
        give_up = time.monotonic() + seconds
        while (now := self.state())[0] != state:
            if time.monotonic() > give_up:
                raise OperationError(f'hapticd "{self.name}": state {now[0]}, fault {now[1]}, waited for {state}')
            time.sleep(0.005)
