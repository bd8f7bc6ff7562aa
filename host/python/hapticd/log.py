"""Logs of `haptic record`, `haptic simulate` and fault records, through h5py."""
from __future__ import annotations

import math
import os
from typing import Any, Iterator, NamedTuple, Optional, Union

import h5py
import numpy as np
from numpy.typing import NDArray

from .blocks import Block, Blocks
from .errors import InputError, Truncated


class LoggedBody(NamedTuple):
    """A body of the logged scene."""
    name: str
    model: str
    held: bool
    first_coordinate: int
    coordinate_count: int


def open_hdf5(path: Union[str, os.PathLike[str]], what: str) -> h5py.File:
    """The file, read-only, also while a writer has it open. @raises Truncated, InputError"""
    path = os.fspath(path)
    if not os.path.exists(path):
        raise InputError(f"{path}: found no such file, expected {what}")
    try:
        try:
            return h5py.File(path, "r", swmr=True, locking=False)
        except (OSError, ValueError):  # written in a format that cannot be followed
            return h5py.File(path, "r", locking=False)
    except (OSError, RuntimeError) as error:
        text = str(error)
        if "truncated" in text or os.path.getsize(path) == 0:
            size = os.path.getsize(path)
            raise Truncated(f"{path}: found a file that was cut off ({size} bytes), expected {what}") from None
        raise InputError(f"{path}: found no readable HDF5 file ({text}), expected {what}") from None


def _text(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


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
        attributes = self._file.attrs
        self.format = _text(attributes.get("format", ""))
        if not self.format.startswith("hapticd log"):
            self._file.close()
            raise InputError(f"{self.path}: format: found {self.format or 'none'}, expected a log of hapticd")
        self.metadata = {key: _text(value) if isinstance(value, (bytes, str)) else
                         value.item() if np.ndim(value) == 0 else value for key, value in attributes.items()}
        self.blocks = Blocks(self._read_blocks())
        self.bodies = [LoggedBody(_text(b.attrs["name"]), _text(b.attrs["model"]), bool(b.attrs["held"]),
                                  int(b.attrs["first_coordinate"]), int(b.attrs["coordinate_count"]))
                       for b in self._groups("bodies")]
        columns = [d for name in ("samples", "timing") for d in self._file.get(name, {}).values()]
        columns += [self._file[self._dataset(b)] for b in self.blocks
                    if b.rate == "cycle" and self._dataset(b) in self._file]
        if not columns:
            raise InputError(f"{self.path}: /samples: found no columns, expected a log of hapticd")
        #: Rows that every column has. A writer that was killed between two columns leaves some longer.
        self.rows = min(len(d) for d in columns)
        self.uneven = any(len(d) != self.rows for d in columns)

    def _groups(self, name: str) -> Iterator[h5py.Group]:
        group = self._file.get(name, {})
        return (group[key] for key in sorted(group, key=int))

    def _read_blocks(self) -> Iterator[dict[str, Any]]:
        offsets = {"cycle": 0, "display": 0}
        for group in self._groups("blocks"):
            a = group.attrs
            rate = "cycle" if int(a["rate"]) == 1 else "display"
            shape = tuple(int(n) for n in _text(a["shape"]).split())
            yield dict(name=_text(a["name"]), unit=_text(a["unit"]), meaning=_text(a["description"]), shape=shape,
                       display=int(a["display"]), rate=rate, measured="measured" in a, offset=offsets[rate])
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
        return math.isfinite(float(self.metadata.get("lost_samples", math.nan))) and not self.uneven

    @property
    def lost(self) -> int:
        """Cycles that are missing because the reader of the daemon was too slow."""
        total = float(self.metadata.get("lost_samples", math.nan))
        if math.isfinite(total):
            return int(total)
        return int(np.sum(self._file["gaps/lost"][()])) if "gaps/lost" in self._file else 0

    @property
    def rate_hz(self) -> float:
        return float(self.metadata["rate_hz"])

    @property
    def columns(self) -> list[str]:
        """Names for `log[name]`, without those of the state blocks."""
        return list(self._file["samples"]) + list(self._file.get("timing", {}))

    def _find(self, name: str) -> h5py.Dataset:
        for path in (name, f"samples/{name}", f"timing/{name}", f"events/{name}"):
            if isinstance(self._file.get(path), h5py.Dataset):
                return self._file[path]
        raise InputError(f"{self.path}: {name}: found no such column, expected one of {', '.join(self.columns)}")

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self._read(self._find(name), self.rows)

    def unit(self, name: str) -> str:
        """Unit of a column."""
        return _text(self._find(name).attrs.get("unit", "1"))

    def block(self, name: str) -> NDArray[Any]:
        """Values of a state block in every cycle, or in every display snapshot: n x shape, in its unit."""
        block = self.blocks[name]
        path = self._dataset(block)
        if block.size == 0:  # a rigid scene's coordinates: no dataset
            return np.zeros((self.rows, *block.shape))
        if path not in self._file:
            raise InputError(f"{self.path}: {path}: found no such dataset")
        values = self._read(self._file[path], self.rows if block.rate == "cycle" else None)
        return values.reshape(len(values), *block.shape)

    def _read(self, dataset: h5py.Dataset, rows: Optional[int]) -> NDArray[Any]:
        try:
            return np.asarray(dataset[:rows])
        except (OSError, RuntimeError) as error:
            raise Truncated(f"{self.path}: {dataset.name}: found damaged or missing data ({error})") from None

    @property
    def time_s(self) -> NDArray[Any]:
        return self["time_s"]

    @property
    def events(self) -> NDArray[Any]:
        """Commands, marks, faults, scenes: a structured array with the columns of /events; empty if there are none."""
        group = self._file.get("events", {})
        if not group:
            return np.zeros(0, dtype=[("number", "u8")])
        columns = {name: self._read(group[name], None) for name in group}
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
        return [(int(e["cycle"]), _text(bytes(e["key"]).split(b"\0")[0]), float(e["value"])) for e in applied]

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Log:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        return self.rows
