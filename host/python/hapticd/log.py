"""Logs of `haptic record`, `haptic simulate` and fault records, through h5py."""
from __future__ import annotations

import difflib
import hashlib
import math
import os
from typing import Any, Iterable, Iterator, NamedTuple, Optional, Union

import h5py
import numpy as np
from numpy.typing import NDArray

from . import _hapticd
from ._log_columns import EVENT_TEXTS, EVENT_WHOLE, EVENTS, OF_ALL, OF_BLOCK, OF_BODY, OF_DAEMON
from ._log_columns import OF_FILE, OF_SESSION, SAMPLES, TIMING
from ._log_completeness import completeness
from .blocks import Block, Blocks, PhysicalWarning
from .errors import InputError
from .hdf5 import attributes, common_rows, find, open_hdf5, read, reading, text

_FORMAT = "hapticd log 2"
_MIN_RATE_HZ, _MAX_RATE_HZ = 1e-3, 1e9
_LONGEST_S = 1e9


class LoggedBody(NamedTuple):
    """A body of the logged scene."""
    name: str
    model: str
    held: bool
    first_coordinate: int
    coordinate_count: int


class Mark(NamedTuple):
    """A text that an operator noted."""
    cycle: int
    time_s: float
    text: str


class Log:
    """A log: `log["device_force_N"]` is a column (n x 3 [N]), `log.block(name)` a state block (n x shape).

    A log that is being written can be opened if its writer flushes it; refresh() takes in the rows since. Raises
    Truncated for a file that was cut off.
    """

    def __init__(self, path: Union[str, os.PathLike[str]]):
        self.path = os.fspath(path)
        self._open()

    def _open(self) -> None:
        self._file, self._is_closed = open_hdf5(self.path, "a log of hapticd")
        try:
            with reading(self.path, "a log of hapticd"):
                self._read_description()
        except InputError:
            self._file.close()
            raise

    def _read_description(self) -> None:
        self.metadata = attributes(self._file, OF_FILE)
        self.format = self._one("/", self.metadata, "format", str) if "format" in self.metadata else ""
        if self.format != _FORMAT:
            raise InputError(f"{self.path}: format: found {self.format or 'none'}, expected a log of hapticd "
                             f"({_FORMAT})")
        rate = self._one("/", self.metadata, "rate_hz", float)
        if not _MIN_RATE_HZ <= rate <= _MAX_RATE_HZ:
            raise InputError(f"{self.path}: rate_hz: found {rate}, expected {_MIN_RATE_HZ:g} to {_MAX_RATE_HZ:g}")
        for group in OF_ALL if self.metadata.get("source") != "hapticd" else (*OF_ALL, *OF_DAEMON):
            if not isinstance(find(self._file, self.path, group), h5py.Group):
                raise InputError(f"{self.path}: /{group}: no such group, expected one in a log of hapticd")
        self.blocks = Blocks(self._read_blocks())
        self.bodies = [LoggedBody(self._one(name, a, "name", str), self._one(name, a, "model", str),
                                  self._one(name, a, "held", float) != 0.0,
                                  int(self._one(name, a, "first_coordinate", float)),
                                  int(self._one(name, a, "coordinate_count", float)))
                       for name, a in self._described("bodies", OF_BODY)]
        samples, timing = self._datasets("samples", SAMPLES), self._datasets("timing", TIMING)
        state = self._datasets("state", [b.name for b in self.blocks if b.rate == "cycle" and b.size > 0])
        columns = [*samples.values(), *timing.values(), *state.values()]
        if not columns:
            raise InputError(f"{self.path}: /samples: found no columns, expected a log of hapticd")
        self._columns = [*samples, *timing]
        self._check_widths({**{d.name: (d, SAMPLES[name]) for name, d in samples.items()},
                            **{d.name: (d, 1) for d in timing.values()}})
        #: Rows that every column has. A writer that was killed between two columns leaves some longer.
        self.rows = common_rows(columns, self.path, by_reading=not self._is_finished)
        self.stated_rows = max(len(d) for d in columns)  #: of the longest column, whether they can be read or not
        self.uneven = self.rows != self.stated_rows

    def _one(self, where: str, values: dict[str, Any], key: str, kind: type) -> Any:
        """An attribute that is one text or one number."""
        value = values.get(key)
        if isinstance(value, str) if kind is str else isinstance(value, (int, float)):
            return kind(value)
        raise InputError(f"{self.path}: {where}: attribute '{key}': found {'none' if value is None else 'another kind'}, "
                         f"expected one {'text' if kind is str else 'number'}")

    def _datasets(self, group: str, names: Iterable[str]) -> dict[str, h5py.Dataset]:
        """Those that the log has."""
        found = {name: find(self._file, self.path, f"{group}/{name}") for name in names}
        for name, thing in found.items():
            if thing is not None and not isinstance(thing, h5py.Dataset):
                raise InputError(f"{self.path}: /{group}/{name}: found no dataset, expected a dataset")
        return {name: thing for name, thing in found.items() if thing is not None}

    def _described(self, group: str, names: tuple[str, ...]) -> Iterator[tuple[str, dict[str, Any]]]:
        """Attributes of the groups 0, 1, 2, ... in a group, which has no others."""
        with reading(self.path, f"the groups in /{group}"):
            count = find(self._file, self.path, group).id.get_num_objs()
        for number in range(count):
            found = find(self._file, self.path, f"{group}/{number}")
            if found is None:
                raise InputError(f"{self.path}: /{group}: {count} entries, but no '{number}', expected groups numbered "
                                 "from 0")
            yield f"/{group}/{number}", attributes(found, names)

    def _read_blocks(self) -> Iterator[dict[str, Any]]:
        offsets = {"cycle": 0, "display": 0}
        for name, a in self._described("blocks", OF_BLOCK):
            rate = "cycle" if self._one(name, a, "rate", float) == 1 else "display"
            shape = tuple(int(n) for n in self._one(name, a, "shape", str).split())
            yield dict(name=self._one(name, a, "name", str), unit=self._one(name, a, "unit", str),
                       meaning=self._one(name, a, "description", str), shape=shape,
                       display=int(self._one(name, a, "display", float)), rate=rate, measured="measured" in a,
                       offset=offsets[rate])
            offsets[rate] += int(np.prod(shape, dtype=int))

    @staticmethod
    def _dataset(block: Block) -> str:
        return ("state/" if block.rate == "cycle" else "display/") + block.name

    def refresh(self) -> int:
        """Reads the file again. @returns rows that are new"""
        before = self.rows
        self.close()
        self._open()
        return self.rows - before

    @property
    def _is_finished(self) -> bool:
        return self._is_closed and self.lost is not None

    @property
    def complete(self) -> bool:
        """False for a log whose writer has not finished, or was killed: the rows are those that every column has."""
        return self._is_finished and not self.uneven

    @property
    def lost(self) -> Optional[int]:
        """Cycles that are missing because the reader of the daemon was too slow. None, not known, of a log whose
        writer has not finished or was killed."""
        total = self.metadata.get("lost_samples")
        return int(total) if isinstance(total, (int, float)) and 0.0 <= total < 2.0 ** 63 else None

    @property
    def missing(self) -> list[str]:
        """What the log lacks, a sentence each; empty for a whole one. The words are those of `haptic`."""
        cycles = self["cycle"] if "cycle" in self.columns else np.zeros(0)
        return completeness(self.lost, self._is_closed, (self.rows, self.stated_rows), cycles, self.events,
                            max((len(d) for d in self._event_columns().values()), default=0))

    def physical_warnings(self) -> list[PhysicalWarning]:
        """Where the hand felt, or a body did, something else than what the scene describes; empty if all was well."""
        watched = {b.name: self.block(b.name) for b in self.blocks if b.name in _hapticd.WATCHED_BLOCKS
                   and b.rate == "cycle" and b.shape == ()}
        return [PhysicalWarning(**found)
                for found in _hapticd.logged_warnings(self["cycle"], self["limited"], watched, self.rate_hz)]

    @property
    def rate_hz(self) -> float:
        return float(self.metadata["rate_hz"])

    @property
    def columns(self) -> list[str]:
        """Names for `log[name]`, without those of the state blocks."""
        return list(self._columns)

    def _find(self, name: str) -> h5py.Dataset:
        for path in (name, f"samples/{name}", f"timing/{name}", f"events/{name}"):
            found = find(self._file, self.path, path)
            if isinstance(found, h5py.Dataset):
                if not path.startswith("events/"):
                    self._check_column(found)
                return found
        near = [column for column in self.columns if name in column] or difflib.get_close_matches(name, self.columns)
        hint = f"did you mean {' or '.join(near)}?" if near else f"expected one of {', '.join(self.columns)}"
        raise InputError(f"{self.path}: {name}: found no such column, {hint}")

    def _check_widths(self, columns: dict[str, tuple[h5py.Dataset, int]]) -> None:
        for name, (dataset, expected) in columns.items():
            width = math.prod(dataset.shape[1:])
            if width != expected:
                raise InputError(f"{self.path}: {name}: {width} numbers per row, expected {expected}")

    def _check_column(self, dataset: h5py.Dataset) -> None:
        if dataset.name.startswith(("/samples/", "/timing/", "/state/", "/display/")):
            if dataset.dtype.kind == "S":
                raise InputError(f"{self.path}: {dataset.name}: found texts, expected numbers")
            if len(dataset.shape) > 2:
                raise InputError(f"{self.path}: {dataset.name}: found {len(dataset.shape)} dimensions, expected 0 to 2")

    def __getitem__(self, name: str) -> NDArray[Any]:
        dataset = self._find(name)
        values = read(dataset, self.path, self.rows)
        if dataset.name == "/samples/time_s":
            self._check_ascends("/samples/time_s", values, 0.0, _LONGEST_S)
        if dataset.name == "/samples/cycle":
            self._check_ascends("/samples/cycle", values, 1.0, 2.0 ** 53 - 1.0)
        return values

    def _check_ascends(self, name: str, values: NDArray[Any], step: float, most: float) -> None:
        found = values.astype(float)
        least = np.concatenate([[0.0], found[:-1] + step])
        bad = np.flatnonzero(~((found >= least) & (found <= most)))
        if len(bad):
            raise InputError(f"{self.path}: {name}: found {found[bad[0]]:.15g} in row {bad[0]}, expected "
                             f"{least[bad[0]]:.15g} to {most:.15g}, ascending")

    def _cycles_from(self, first: int) -> NDArray[Any]:
        """The cycles of the last rows, which are all those from this cycle on, and some before it at most."""
        dataset = self._find("cycle")
        if self.rows == 0:
            return np.zeros(0, np.uint64)
        newest = int(read(dataset, self.path, self.rows, self.rows - 1)[0])
        count = min(max(newest - first + 1, 1), self.rows)
        return read(dataset, self.path, self.rows, self.rows - count)

    def unit(self, name: str) -> str:
        """Unit of a column."""
        dataset = self._find(name)
        with reading(self.path, f"{dataset.name} with a unit"):
            return text(attributes(dataset, ["unit"]).get("unit", "1"))

    def block(self, name: str) -> NDArray[Any]:
        """Values of a state block in every cycle, or in every display snapshot: n x shape, in its unit."""
        block = self.blocks[name]
        path = self._dataset(block)
        if block.size == 0:  # a rigid scene's coordinates: no dataset
            return np.zeros((self.rows, *block.shape))
        found = find(self._file, self.path, path)
        if not isinstance(found, h5py.Dataset):
            raise InputError(f"{self.path}: {path}: found no such dataset")
        self._check_column(found)
        values = read(found, self.path, self.rows if block.rate == "cycle" else None)
        with reading(self.path, f"{path} with {block.size} numbers per row"):
            return values.reshape(len(values), *block.shape)

    @property
    def time_s(self) -> NDArray[Any]:
        return self["time_s"]

    time = time_s

    def between(self, first_cycle: int, last_cycle: int) -> slice:
        """The rows of these cycles, both included: log["device_force_N"][log.between(row["start_cycle"], ...)]."""
        cycles = self["cycle"]
        return slice(int(np.searchsorted(cycles, first_cycle)), int(np.searchsorted(cycles, last_cycle, "right")))

    @property
    def daemon_date(self) -> str:
        """When the daemon started: cycles of logs with one daemon_date are those of one run. Empty if offline."""
        return str(self._session().get("daemon_date", ""))

    @property
    def scene_hash(self) -> str:
        """SHA-256 of the scene's text; empty if it was changed after the daemon read it, or if offline."""
        scene = find(self._file, self.path, "session/scene")
        if not isinstance(scene, h5py.Dataset) or self._session().get("scene_is_newer", 1) != 0:
            return ""
        return hashlib.sha256(bytes(read(scene, self.path)[()])).hexdigest()

    def _session(self) -> dict[str, Any]:
        group = find(self._file, self.path, "session")
        with reading(self.path, "a session"):
            return attributes(group, OF_SESSION) if isinstance(group, h5py.Group) else {}

    @property
    def marks(self) -> list[Mark]:
        """Marks in order."""
        events = self.events
        if "command" not in (events.dtype.names or ()):
            return []
        found = events[(events["kind"] == 1) & (events["command"] == 10) & (events["answer"] == 1)]
        return [Mark(int(e["cycle"]), int(e["cycle"]) / self.rate_hz, text(bytes(e["text"]).split(b"\0")[0]))
                for e in found]

    def __repr__(self) -> str:
        return f"<Log {self.path}, {self.rows} cycles at {self.rate_hz:g} Hz>"

    @property
    def events(self) -> NDArray[Any]:
        """Commands, marks, faults, scenes: a structured array with the columns of /events; empty if there are none."""
        found = self._event_columns()
        if not found:
            return np.zeros(0, dtype=[("number", "u8")])
        rows = common_rows(list(found.values()), self.path, by_reading=not self._is_finished)
        table = np.zeros(rows, dtype=[(name, d.dtype) for name, d in found.items()])
        for name, d in found.items():
            table[name] = read(d, self.path, rows)
            if name in EVENT_WHOLE and not np.isfinite(table[name]).all():
                raise InputError(f"{self.path}: /events/{name}: found a value that is no number, expected "
                                 "whole numbers")
        return table

    def _event_columns(self) -> dict[str, h5py.Dataset]:
        found = self._datasets("events", EVENTS)
        for name, d in found.items():
            if (d.dtype.kind == "S") != (name in EVENT_TEXTS):
                raise InputError(f"{self.path}: /events/{name}: found {'texts' if d.dtype.kind == 'S' else 'numbers'}, "
                                 f"expected {'texts' if name in EVENT_TEXTS else 'numbers'}")
            if len(d.shape) != 1 or self._is_finished and len(d) != len(next(iter(found.values()))):
                raise InputError(f"{self.path}: /events/{name}: found {d.shape} elements, expected a row for "
                                 "each event")
        return found

    def parameters(self) -> list[tuple[int, str, float]]:
        """Changes by `set` during the log: (cycle, key, value), in order."""
        events = self.events
        if "command" not in (events.dtype.names or ()):
            return []
        applied = events[(events["kind"] == 1) & (events["command"] == 5) & (events["answer"] == 1)]
        return [(int(e["cycle"]), text(bytes(e["key"]).split(b"\0")[0]), float(e["value"])) for e in applied]

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Log:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        return self.rows
