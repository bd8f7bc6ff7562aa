"""Ctrl-C at a moment when it loses nothing."""
from __future__ import annotations

import contextlib
import signal
import threading
from types import FrameType
from typing import Iterator, Optional


class DelayedInterrupts:
    """A context in which SIGINT waits for the end, but for the parts in allowed().

    Only the main thread is interrupted by Python; in others this does nothing.
    """

    def __init__(self) -> None:
        self._handler = signal.getsignal(signal.SIGINT)
        self._is_active = threading.current_thread() is threading.main_thread() and callable(self._handler)
        self._is_allowed = False
        self._came: Optional[FrameType] = None
        self._has_come = False

    def __enter__(self) -> DelayedInterrupts:
        if self._is_active:
            signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        if self._is_active:
            if signal.getsignal(signal.SIGINT) == self._note:  # the callback may have set its own
                signal.signal(signal.SIGINT, self._handler)
            self._pass_on()

    @contextlib.contextmanager
    def allowed(self) -> Iterator[None]:
        self._is_allowed = True
        try:
            self._pass_on()
            yield
        finally:
            self._is_allowed = False

    def _note(self, _: int, frame: Optional[FrameType]) -> None:
        self._has_come, self._came = True, frame
        if self._is_allowed:
            self._pass_on()

    def _pass_on(self) -> None:
        if self._has_come and callable(self._handler):
            self._has_come = False
            self._handler(signal.SIGINT, self._came)
