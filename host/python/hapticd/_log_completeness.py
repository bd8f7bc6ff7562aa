"""What a log lacks, in the words of `haptic` (host/log/log_completeness.cpp)."""
from __future__ import annotations

from typing import Any, Iterable, Optional

import numpy as np
from numpy.typing import NDArray

_MOST = 1e15  # of a place, whatever a damaged log says


def completeness(lost: Optional[int], is_closed: bool, rows: tuple[int, int], cycles: NDArray[Any],
                 events: NDArray[Any], stated_events: int) -> list[str]:
    """@param rows  that can be read, and that the columns state. @returns a sentence for each kind"""
    lacks = []
    if lost is None:
        lacks.append("the recording was not finished: it is still going on, its recorder was killed, or the disk was "
                     "full; how many cycles were lost at its end is not known")
    elif not is_closed:
        lacks.append("the file was not closed by its writer: its last rows may be missing")
    if rows[1] > rows[0]:
        lacks.append(f"{rows[0]} of its {rows[1]} cycles can be read")
    steps = np.diff(np.asarray(cycles, dtype=float)) - 1.0
    gaps = np.minimum(steps[steps > 0], _MOST)
    missing = sum(int(gap) for gap in gaps)
    if len(gaps):
        lacks.append(f"{missing} cycles are missing in {len(gaps)} {'place' if len(gaps) == 1 else 'places'}")
    if (lost or 0) > missing:
        lacks.append(f"{(lost or 0) - missing} cycles were lost outside of its rows")
    if stated_events > len(events):
        lacks.append(f"{len(events)} of its {stated_events} events can be read")
    if sentence := _lost_events(events):
        lacks.append(sentence)
    return lacks


def _lost_events(events: NDArray[Any]) -> str:
    numbers = [int(number) for number in events["number"]] if "number" in (events.dtype.names or ()) else []
    overwritten = sum(max(number - before - 1, 0) for before, number in zip(numbers, numbers[1:]))
    left_out = 0
    if {"kind", "value"} <= set(events.dtype.names or ()):
        values: Iterable[float] = events["value"][events["kind"] == 4]
        left_out = sum(int(value) for value in values if 0.0 <= value < _MOST)
    parts = [f"{overwritten} {'event' if overwritten == 1 else 'events'} lost"] if overwritten else []
    if left_out:
        parts.append(f"{left_out} {'command' if left_out == 1 else 'commands'} beyond the quota of events")
    return ", ".join(parts)
