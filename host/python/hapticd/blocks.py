"""State blocks: the named, described arrays that every kind of world publishes."""
from __future__ import annotations

import dataclasses
import difflib
import math
from typing import Any, Iterable, Iterator, overload, Sequence, Union

import numpy as np
from numpy.typing import NDArray

from .errors import InputError


@dataclasses.dataclass(frozen=True)
class Block:
    """A part of a world's state."""
    name: str                 #: "contact/points"
    unit: str                 #: "1" for a plain number
    meaning: str              #: one line
    shape: tuple[int, ...]    #: row-major; () is one number
    display: int              #: 1 numbers, 2 pose, 3 reduced coordinates, 4 vertices, 5 surface
    rate: str                 #: "cycle": in every sample; "display": 60 times a second, float32
    measured: bool            #: depends on measured times, so two runs differ
    offset: int               #: of its first value among those of its rate

    @property
    def size(self) -> int:
        """Numbers in the block."""
        return math.prod(self.shape)


@dataclasses.dataclass(frozen=True)
class PhysicalWarning:
    """Something that the hand feels, or a body does, otherwise than the scene describes (docs/contact.md)."""
    name: str        #: "coupling_saturated"
    text: str        #: what is wrong, for how long and how far, and what to change
    held_s: float    #: time in which it was so
    last_cycle: int  #: the last cycle in which it was so
    largest: float   #: largest value of the quantity that is watched


class Blocks(Sequence[Block]):
    """The blocks of a world, by index or by name."""

    def __init__(self, entries: Iterable[dict[str, Any]]):
        self._blocks = [Block(**entry) for entry in entries]
        self._by_name = {block.name: block for block in self._blocks}

    def __len__(self) -> int:
        return len(self._blocks)

    @overload
    def __getitem__(self, key: Union[int, str]) -> Block: ...

    @overload
    def __getitem__(self, key: slice) -> Sequence[Block]: ...

    def __getitem__(self, key: Union[int, str, slice]) -> Union[Block, Sequence[Block]]:
        if isinstance(key, str):
            if key not in self._by_name:
                near = difflib.get_close_matches(key, self._by_name, 1)
                hint = f"; did you mean {near[0]}?" if near else f"; there are {', '.join(self._by_name)}"
                raise InputError(f"state block {key}: found no block of this name{hint}")
            return self._by_name[key]
        return self._blocks[key]

    def __contains__(self, key: object) -> bool:
        return key in self._by_name or key in self._blocks

    def __iter__(self) -> Iterator[Block]:
        return iter(self._blocks)

    @property
    def names(self) -> list[str]:
        return list(self._by_name)


class Samples:
    """Consecutive cycles: a structured array of records and the state of each.

    `records` has a row a cycle; its dtype is that of the C++ struct SampleRecord, units in the names. Fields are
    also attributes by their path: `samples["device_wrench"]["force_N"]`, n x 3 [N].
    """

    def __init__(self, records: NDArray[Any], state: NDArray[Any], blocks: Blocks, lost: int = 0, instance: int = 0):
        self.records = records
        self.state = state        #: n x values of the blocks of rate "cycle"
        self.blocks = blocks
        self.lost = lost          #: cycles overwritten before they were read, since the samples before these
        self.instance = instance  #: of the daemon and its scene: another number is another scene or daemon

    def __len__(self) -> int:
        return len(self.records)

    def __getitem__(self, field: str) -> NDArray[Any]:
        return self.records[field]

    def block(self, name: str) -> NDArray[Any]:
        """A view: n x shape of the block, in its unit."""
        block = self.blocks[name]
        if block.rate != "cycle":
            raise InputError(f"state block {name}: found rate display, expected a block of every cycle")
        values = self.state[:, block.offset:block.offset + block.size]
        return values.reshape(len(self.records), *block.shape)

    def __repr__(self) -> str:
        return f"<{len(self)} samples, {self.lost} lost before them>"
