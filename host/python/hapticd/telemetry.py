"""What a running daemon publishes, read from its shared memory without disturbing it."""
from __future__ import annotations

import time
from typing import Any, Iterator, NamedTuple, Optional

import numpy as np
from numpy.typing import NDArray

from . import _hapticd
from .blocks import Blocks, PhysicalWarning, Samples
from .errors import InputError, LayoutMismatch, NoDaemon, OperationError

#: dtypes of the shared records, made from the C++ structs: {"SampleRecord": dtype, ...}
record_types: dict[str, np.dtype[Any]] = _hapticd.record_types
#: Names of the numbers in SampleRecord's `state` and `fault`.
STATES: tuple[str, ...] = _hapticd.STATES
FAULTS: tuple[str, ...] = _hapticd.FAULTS


class Parameter(NamedTuple):
    """A parameter of `set`, SI units."""
    value: float
    minimum: float
    maximum: float


class Latency(NamedTuple):
    """Percentiles of a histogram [us]; a value is exact to 1.6 %."""
    p50: float
    p99: float
    p999: float
    max: float


def text_of(field: Any) -> str:
    """Text of a zero-terminated field."""
    return bytes(field).split(b"\0", 1)[0].decode("utf-8", "replace")


def as_number(key: str, value: Any) -> float:
    """The value of a parameter. @raises InputError if it is no number"""
    if not isinstance(key, str):
        raise InputError(f"key: found {key!r}, expected the name of a parameter")
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InputError(f"{key}: found {value!r}, expected a number") from None


class Telemetry:
    """The telemetry of the daemon `name`, of the scene that it runs now.

    Raises NoDaemon if none runs under the name, LayoutMismatch if it is of another version or build.
    """

    def __init__(self, name: str = "hapticd"):
        self.name = name
        self._open()

    def _open(self) -> None:
        reader = _hapticd.TelemetryReader(self.name)
        if reader.life() == "replaced":  # it was opened during a change of the scene
            reader = _hapticd.TelemetryReader(self.name)
        if reader.life() in ("closed", "dead"):
            raise NoDaemon(f'hapticd "{self.name}" (process {int(reader.header["daemon_pid"])}) is {reader.life()}')
        self._reader = reader
        self.header = self._reader.header             #: record TelemetryHeader
        self.instance = int(self.header["instance"])  #: differs between daemons and scenes
        self.blocks = Blocks(self._reader.blocks)
        self.bodies = self._reader.bodies             #: records BodyRecord

    @property
    def rate_hz(self) -> float:
        """Cycles a second."""
        return float(self.header["rate_hz"])

    @property
    def scene(self) -> str:
        """Path of the scene file."""
        return text_of(self.header["scene_path"])

    @property
    def scene_text(self) -> Optional[bytes]:
        """The scene's file as the daemon read it, and as logs have it. None if the daemon runs another scene by now, has
        ended, or does not let this user read it."""
        return self._reader.scene_text()

    @property
    def device(self) -> str:
        return text_of(self.header["device"])

    @property
    def life(self) -> str:
        """"alive", "closed" (it exited), "dead" (killed), "restarted" or "replaced" (it changed the scene)."""
        return self._reader.life()

    @property
    def age_s(self) -> Optional[float]:
        """Time since the newest cycle [s]; None before the first. The loop of a daemon that is alive and has run no
        cycle for a second stands still: the process is stopped, or the loop hangs."""
        return self._reader.age_s()

    @property
    def lost(self) -> int:
        """Cycles that were overwritten before this reader came to them."""
        return self._reader.lost

    def reopen(self, seconds: float = 5.0) -> None:
        """Continues with the daemon and the scene that run under the name now; waits for them this long."""
        give_up = time.monotonic() + seconds
        while True:
            try:
                return self._open()
            except NoDaemon:
                if time.monotonic() > give_up:
                    raise
                time.sleep(0.01)

    def _require_alive(self) -> None:
        if (life := self.life) != "alive":
            raise NoDaemon(f'hapticd "{self.name}" is {life}, expected alive (reopen() continues with what runs now)')

    def __repr__(self) -> str:
        return f'<Telemetry of hapticd "{self.name}", {self.life}, scene {self.scene}, {self.rate_hz:g} Hz>'

    def newest(self) -> Samples:
        """The newest cycle, as Samples of one row. Waits up to 5 s for the first cycle of a daemon that starts.

        NoDaemon if `life` is not "alive": there are no newer cycles.
        """
        self._require_alive()
        give_up = time.monotonic() + 5.0
        while (found := self._reader.newest()) is None:
            if self.life != "alive" or time.monotonic() > give_up:
                raise OperationError(f'hapticd "{self.name}" has not run a cycle')
            time.sleep(0.002)
        record, state = found
        return Samples(np.asarray(record).reshape(1), state.reshape(1, -1), self.blocks, 0, self.instance)

    def snapshot(self, *names: str) -> dict[str, NDArray[Any]]:
        """The newest values of state blocks, {name: array of the block's shape}; all without names.

        Blocks of rate "cycle" are of one cycle; blocks of rate "display" are of the newest complete display snapshot
        and are absent before the first. NoDaemon as of newest().
        """
        self._require_alive()
        wanted = [self.blocks[name] for name in names] if names else list(self.blocks)
        values: dict[str, NDArray[Any]] = {}
        newest = self.newest() if any(block.rate == "cycle" for block in wanted) else None
        display = self._reader.display() if any(block.rate == "display" for block in wanted) else None
        for block in wanted:
            if newest is not None and block.rate == "cycle":
                values[block.name] = newest.block(block.name)[0]
            elif display is not None and block.rate == "display":
                part = display[2][block.offset:block.offset + block.size]
                values[block.name] = part.reshape(block.shape)
        return values

    def follow(self, seconds: Optional[float] = None, *, from_oldest: bool = False, reconnect: bool = False,
               most: int = 1024, pause_s: float = 0.002) -> Iterator[Samples]:
        """Every cycle in order, in batches of at most `most`; `lost` of a batch counts the cycles missing before it.

        Ends after `seconds` of daemon time (never without), or when the daemon exits or changes the scene: `life`
        then tells. With `reconnect` it continues with the next scene or daemon, whose batches have another
        `instance` and other `blocks`; NoDaemon is raised if none comes within 5 s.
        """
        if seconds is not None and not seconds >= 0.0:
            raise InputError(f"seconds: found {seconds}, expected a number >= 0 [s]")
        if from_oldest:
            self._reader.rewind_to_oldest()
        else:
            self._reader.skip_to_newest()
        counted, first_ns = self._reader.lost, None
        while True:
            alive = self._reader.life() == "alive"  # before reading: what a dead daemon wrote is read to its end
            records, state = self._reader.read(most)
            if len(records):
                if first_ns is None:
                    first_ns = int(records["scheduled_ns"][0])
                kept = len(records)
                if seconds is not None:
                    kept = int(np.count_nonzero((records["scheduled_ns"] - first_ns) * 1e-9 < seconds))
                lost, counted = self._reader.lost - counted, self._reader.lost
                if kept:
                    yield Samples(records[:kept], state[:kept], self.blocks, lost, self.instance)
                if kept < len(records):
                    return
            elif not alive:
                if not reconnect:
                    return
                self.reopen()
                self._reader.rewind_to_oldest()
                counted = self._reader.lost
            else:
                time.sleep(pause_s)

    @property
    def statistics(self) -> np.void:
        """Counters and histograms since the daemon's start: record Statistics."""
        return self._reader.statistics()

    def counters(self) -> dict[str, int]:
        """{"cycles": ..., "missed": ..., "overruns": ...}; faults by name under "faults.NAME" where not zero."""
        record = self.statistics["counters"]
        found = {name: int(record[name]) for name in record.dtype.names if name != "faults"}
        found.update({f"faults.{name}": int(count) for name, count in zip(FAULTS, record["faults"]) if count})
        return found

    def physical_warnings(self) -> list[PhysicalWarning]:
        """Where the hand has felt, or a body has done, something else than what the scene describes, since the scene
        began; empty if all is well."""
        return [PhysicalWarning(**found) for found in self._reader.physical_warnings()]

    def latency(self, which: str = "compute") -> Latency:
        """Percentiles [us] of "wake" (lateness), "compute" (a cycle's work) or "device" (its exchange)."""
        names = [name for name in record_types["Statistics"].names or () if name not in ("counters", "warnings")]
        if which not in names:
            raise InputError(f"histogram {which}: found no such histogram, expected {', '.join(names)}")
        one = np.asarray(self.statistics[which]).reshape(1)
        p50, p99, p999 = (_hapticd.percentile_ns(one, p) * 1e-3 for p in (0.5, 0.99, 0.999))
        return Latency(p50, p99, p999, int(one["maximum_ns"][0]) * 1e-3)

    def histogram(self, which: str = "compute") -> tuple[NDArray[Any], NDArray[Any]]:
        """(upper edges [ns], counts) of the histogram's buckets."""
        self.latency(which)
        return _hapticd.bucket_edges_ns(), self.statistics[which]["buckets"].copy()

    def events(self, from_number: int = 0) -> NDArray[Any]:
        """The events still kept (the last 2048), oldest first: records EventRecord."""
        return self._reader.events(from_number)

    def parameters(self) -> dict[str, Parameter]:
        """Of `set`: {"coupling.stiffness": Parameter(value, minimum, maximum), ...}."""
        return {text_of(p["name"]): Parameter(float(p["value"]), float(p["minimum"]), float(p["maximum"]))
                for p in self._reader.parameters()}

    @property
    def holder(self) -> np.void:
        """The operator, record OperatorRecord; since_ns is 0 where there is none."""
        return self._reader.holder()
