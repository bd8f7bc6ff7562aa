"""Logs of `haptic record`, `haptic simulate` and fault records, through h5py."""
from __future__ import annotations

import difflib
import hashlib
import math
import os
from typing import Any, Iterator, NamedTuple, Optional, Union

import h5py
import numpy as np
from numpy.typing import NDArray

from .blocks import Block, Blocks
from .errors import InputError
from .hdf5 import attributes, find, open_hdf5, read, reading, text


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
        self._file = open_hdf5(self.path, "a log of hapticd")
        try:
            with reading(self.path, "a log of hapticd"):
                self._read_description()
        except InputError:
            self._file.close()
            raise

    def _read_description(self) -> None:
        self.metadata = attributes(self._file)
        self.format = self._one("/", self.metadata, "format", str) if "format" in self.metadata else ""
        if not self.format.startswith("hapticd log"):
            raise InputError(f"{self.path}: format: found {self.format or 'none'}, expected a log of hapticd")
        rate = self._one("/", self.metadata, "rate_hz", float)
        if not (math.isfinite(rate) and rate > 0.0):
            raise InputError(f"{self.path}: rate_hz: found {rate}, expected a number > 0")
        self.blocks = Blocks(self._read_blocks())
        self.bodies = [LoggedBody(self._one(name, a, "name", str), self._one(name, a, "model", str),
                                  self._one(name, a, "held", float) != 0.0,
                                  int(self._one(name, a, "first_coordinate", float)),
                                  int(self._one(name, a, "coordinate_count", float)))
                       for name, a in self._described("bodies")]
        names = [f"{group}/{name}" for group in ("samples", "timing") for name in self._names(group)]
        names += [self._dataset(b) for b in self.blocks if b.rate == "cycle" and b.size > 0]
        columns = [d for d in (find(self._file, self.path, name) for name in names) if isinstance(d, h5py.Dataset)]
        if not columns:
            raise InputError(f"{self.path}: /samples: found no columns, expected a log of hapticd")
        #: Rows that every column has. A writer that was killed between two columns leaves some longer.
        self.rows = min(len(d) for d in columns)
        self.uneven = any(len(d) != self.rows for d in columns)

    def _one(self, where: str, values: dict[str, Any], key: str, kind: type) -> Any:
        """An attribute that is one text or one number."""
        value = values.get(key)
        if isinstance(value, str) if kind is str else isinstance(value, (int, float)):
            return kind(value)
        raise InputError(f"{self.path}: {where}: attribute '{key}': found {'none' if value is None else 'another kind'}, "
                         f"expected one {'text' if kind is str else 'number'}")

    def _names(self, group: str) -> list[str]:
        found = find(self._file, self.path, group)
        return list(found) if isinstance(found, h5py.Group) else []

    def _described(self, group: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """Attributes of the numbered groups in a group, in the order of their numbers."""
        for key in sorted(self._names(group), key=int):
            yield f"/{group}/{key}", attributes(find(self._file, self.path, f"{group}/{key}"))

    def _read_blocks(self) -> Iterator[dict[str, Any]]:
        offsets = {"cycle": 0, "display": 0}
        for name, a in self._described("blocks"):
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
    def complete(self) -> bool:
        """False for a log whose writer has not finished, or was killed: the rows are those that every column has."""
        return self.lost is not None and not self.uneven

    @property
    def lost(self) -> Optional[int]:
        """Cycles that are missing because the reader of the daemon was too slow. None, not known, of a log whose
        writer has not finished or was killed."""
        total = self.metadata.get("lost_samples")
        return int(total) if isinstance(total, (int, float)) and math.isfinite(total) else None

    @property
    def missing(self) -> list[str]:
        """What the log lacks, a sentence each; empty for a whole one. The words are those of `haptic plot`."""
        lacks = []
        if self.lost is None:
            lacks.append("the recording was not finished: it is still going on, its recorder was killed, or the disk "
                         "was full; how many cycles were lost at its end is not known")
        if self.uneven:
            lacks.append(f"its columns differ in length: {self.rows} cycles are in all of them")
        for kind, numbers in (("cycles", self["cycle"] if "cycle" in self.columns else []),
                              ("events", self.events["number"])):
            steps = np.diff(np.asarray(numbers, dtype=float)) - 1.0
            steps = steps[steps > 0]
            if len(steps):
                lacks.append(f"{int(steps.sum())} {kind} are missing in {len(steps)} "
                             f"{'place' if len(steps) == 1 else 'places'}")
        return lacks

    @property
    def rate_hz(self) -> float:
        return float(self.metadata["rate_hz"])

    @property
    def columns(self) -> list[str]:
        """Names for `log[name]`, without those of the state blocks."""
        return self._names("samples") + self._names("timing")

    def _find(self, name: str) -> h5py.Dataset:
        for path in (name, f"samples/{name}", f"timing/{name}", f"events/{name}"):
            found = find(self._file, self.path, path)
            if isinstance(found, h5py.Dataset):
                return found
        near = [column for column in self.columns if name in column] or difflib.get_close_matches(name, self.columns)
        hint = f"did you mean {' or '.join(near)}?" if near else f"expected one of {', '.join(self.columns)}"
        raise InputError(f"{self.path}: {name}: found no such column, {hint}")

    def __getitem__(self, name: str) -> NDArray[Any]:
        return read(self._find(name), self.path, self.rows)

    def unit(self, name: str) -> str:
        """Unit of a column."""
        return text(attributes(self._find(name)).get("unit", "1"))

    def block(self, name: str) -> NDArray[Any]:
        """Values of a state block in every cycle, or in every display snapshot: n x shape, in its unit."""
        block = self.blocks[name]
        path = self._dataset(block)
        if block.size == 0:  # a rigid scene's coordinates: no dataset
            return np.zeros((self.rows, *block.shape))
        found = find(self._file, self.path, path)
        if not isinstance(found, h5py.Dataset):
            raise InputError(f"{self.path}: {path}: found no such dataset")
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
        return attributes(group) if isinstance(group, h5py.Group) else {}

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
        found = {name: find(self._file, self.path, f"events/{name}") for name in self._names("events")}
        columns = {name: read(d, self.path) for name, d in found.items() if isinstance(d, h5py.Dataset)}
        if not columns:
            return np.zeros(0, dtype=[("number", "u8")])
        rows = min(len(c) for c in columns.values())
        table = np.zeros(rows, dtype=[(name, c.dtype) for name, c in columns.items()])
        for name, column in columns.items():
            table[name] = column[:rows]
        return table

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
