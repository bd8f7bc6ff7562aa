"""HDF5 files that anybody may have written: what is read is checked first, as by the programs of hapticd.

Links stay in the file; datasets are compact, contiguous or chunked in it, shuffled and deflated at most, no larger than
their stored bytes can be, of numbers or texts of a fixed length. Chunks are unpacked here: HDF5 takes the length that a
deflated stream has for that of its chunk, whether longer or shorter.
"""
from __future__ import annotations

import contextlib
import os
import stat
import zlib
from typing import Any, Iterator, Optional, Union

import h5py
import numpy as np
from numpy.typing import NDArray

from .errors import InputError, Truncated

LARGEST_BAND = 64 << 20  #: bytes of a row of chunks
LARGEST_PACKING = 1032   #: zlib's manual, "Maximum Compression"
DEFLATE, SHUFFLE = 1, 2  #: filters


@contextlib.contextmanager
def reading(path: str, what: str) -> Iterator[None]:
    """Whatever h5py raises for a damaged file is bad input."""
    try:
        yield
    except InputError:
        raise
    except (ArithmeticError, AttributeError, LookupError, MemoryError, OSError, RuntimeError, TypeError,
            ValueError) as error:
        raise InputError(f"{path}: found damaged or missing data ({error}), expected {what}") from None


def open_hdf5(path: Union[str, os.PathLike[str]], what: str) -> h5py.File:
    """The file, read-only, also while a writer has it open. @raises Truncated, InputError"""
    path = os.fspath(path)
    if not os.path.exists(path):
        raise InputError(f"{path}: found no such file, expected {what}")
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise InputError(f"{path}: found no regular file, expected {what}")
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


def text(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def attributes(thing: h5py.HLObject) -> dict[str, Any]:
    """Attributes of a file, group or dataset; those that h5py cannot read are of other programs and left out."""
    values = {}
    for key in thing.attrs:
        try:
            value = thing.attrs[key]
        except (OSError, RuntimeError, TypeError, ValueError):
            continue
        values[key] = text(value) if isinstance(value, (bytes, str)) else value.item() if np.ndim(value) == 0 else value
    return values


def find(file: h5py.File, path: str, name: str) -> Any:
    """A group or checked dataset of the file; None if there is none. @raises InputError for a link to elsewhere"""
    parts = [part for part in name.split("/") if part]
    with reading(path, name):
        for depth in range(1, len(parts) + 1):
            part = "/".join(parts[:depth])
            link = file.get(part, getlink=True)
            if link is None:
                return None
            if not isinstance(link, h5py.HardLink):
                raise InputError(f"{path}: /{part}: found a link to somewhere else, expected the data in this file")
        found = file[name] if parts else file
        return check(found, path) if isinstance(found, h5py.Dataset) else found


def check(dataset: h5py.Dataset, path: str) -> h5py.Dataset:
    """The dataset, if it may be read. @raises InputError"""
    def refuse(found: str, expected: str) -> None:
        raise InputError(f"{path}: {dataset.name}: found {found}, expected {expected}")

    settings = dataset.id.get_create_plist()
    layout = settings.get_layout()
    if layout not in (h5py.h5d.COMPACT, h5py.h5d.CONTIGUOUS, h5py.h5d.CHUNKED):
        refuse("a virtual dataset", "data in this file")
    if settings.get_external_count() != 0:
        refuse("data in another file", "data in this file")
    filters = [settings.get_filter(i)[0] for i in range(settings.get_nfilters())]
    if filters not in ([], [DEFLATE], [SHUFFLE], [SHUFFLE, DEFLATE]):
        refuse(f"filters {filters}", "shuffle, then deflate")
    if dataset.dtype.kind not in "iufS" or dataset.dtype.itemsize == 0:
        refuse(f"elements of type {dataset.dtype}", "numbers, or texts of a fixed length")
    if len(dataset.shape) > (3 if layout != h5py.h5d.CHUNKED else 2):
        refuse(f"{len(dataset.shape)} dimensions", "at most 2")
    size = dataset.dtype.itemsize
    for extent in dataset.shape:
        size *= int(extent)
    largest = int(dataset.id.get_storage_size())
    if layout == h5py.h5d.CHUNKED:
        rows, *columns = (int(n) for n in dataset.chunks)
        band = rows * dataset.dtype.itemsize
        for extent, width in zip(dataset.shape[1:], columns):
            band *= -(-int(extent) // width) * width
        if band > LARGEST_BAND:
            refuse(f"chunks of {dataset.chunks}", f"at most {LARGEST_BAND} bytes for each row of chunks")
        largest = min(largest, os.path.getsize(path)) * LARGEST_PACKING + 2 * band
    if size > largest:
        refuse(f"{dataset.shape} elements", f"at most {largest} bytes of them")
    return dataset


def unpacked(dataset: h5py.Dataset, at: tuple[int, ...], filters: list[int]) -> NDArray[Any]:
    """One chunk. @raises ValueError if it is damaged"""
    size = int(np.prod(dataset.chunks)) * dataset.dtype.itemsize
    skipped, data = dataset.id.read_direct_chunk(at)
    used = [number for i, number in enumerate(filters) if not skipped >> i & 1]
    if DEFLATE in used:
        stream = zlib.decompressobj()
        data = stream.decompress(data, size + 1)
    if len(data) != size:
        raise ValueError(f"a chunk of {len(data)} bytes instead of {size}")
    values = np.frombuffer(data, np.uint8)
    if SHUFFLE in used and dataset.dtype.itemsize > 1:
        values = values.reshape(dataset.dtype.itemsize, -1).T.reshape(-1)
    return np.asarray(np.ascontiguousarray(values).view(dataset.dtype).reshape(dataset.chunks))


def read(dataset: h5py.Dataset, path: str, rows: Optional[int] = None) -> NDArray[Any]:
    """The first rows of a checked dataset, or all. @raises Truncated if data are damaged or missing"""
    try:
        if dataset.chunks is None:
            return np.asarray(dataset[:rows] if dataset.shape else dataset[()])
        rows = len(dataset) if rows is None else min(rows, len(dataset))
        settings = dataset.id.get_create_plist()
        filters = [settings.get_filter(i)[0] for i in range(settings.get_nfilters())]
        values = np.empty((rows, *dataset.shape[1:]), dataset.dtype)
        for first in range(0, rows, dataset.chunks[0]):
            band = values[first:first + dataset.chunks[0]]
            if values.ndim == 1:
                band[:] = unpacked(dataset, (first,), filters)[:len(band)]
                continue
            for column in range(0, values.shape[1], dataset.chunks[1]):
                part = band[:, column:column + dataset.chunks[1]]
                part[:] = unpacked(dataset, (first, column), filters)[:part.shape[0], :part.shape[1]]
        return values
    except (MemoryError, OSError, RuntimeError, ValueError, zlib.error) as error:
        raise Truncated(f"{path}: {dataset.name}: found damaged or missing data ({error})") from None
