"""HDF5 files that anybody may have written: what is read is checked first, as by the programs of hapticd.

Links stay in the file; datasets are compact, contiguous or chunked in it, shuffled and deflated at most, no larger than
their stored bytes can be, of numbers or texts of a fixed length. Chunks are unpacked here: HDF5 takes the length that a
deflated stream has for that of its chunk, whether longer or shorter.
"""
from __future__ import annotations

import contextlib
import ctypes
import os
import stat
import zlib
from typing import Any, Iterator, Optional, Sequence, Union

import h5py
import numpy as np
from numpy.typing import NDArray

from .errors import InputError, Truncated

LARGEST_BAND = 64 << 20  #: bytes of a row of chunks
LARGEST_PACKING = 1032   #: zlib's manual, "Maximum Compression"
DEFLATE, SHUFFLE = 1, 2  #: filters
READ_ATTEMPTS = 20       #: of a part that its writer may be about to replace: in sum 1 ms


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


def open_hdf5(path: Union[str, os.PathLike[str]], what: str) -> tuple[h5py.File, bool]:
    """The file, read-only, also while a writer has it open, and whether its writer has closed it.

    @raises Truncated, InputError
    """
    path = os.fspath(path)
    if not os.path.exists(path):
        raise InputError(f"{path}: found no such file, expected {what}")
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise InputError(f"{path}: found no regular file, expected {what}")
    try:
        return _open(path, h5py.h5f.ACC_RDONLY), True
    except (OSError, RuntimeError) as error:
        reasons = [str(error)]
    try:
        if any("locking flag" in reason for reason in reasons):  # open in this process with the usual settings
            return _open(path, h5py.h5f.ACC_RDONLY, locking=None), not _is_unfinished(path)
        if _is_unfinished(path):
            return _open(path, h5py.h5f.ACC_RDONLY | h5py.h5f.ACC_SWMR_READ), False
    except (OSError, RuntimeError) as error:
        reasons.append(str(error))
    if any("flag values don't match" in reason or "flag not the same" in reason for reason in reasons):
        raise InputError(f"{path}: found a file that h5py has open in this process in another mode, expected it to be "
                         "closed there first")
    size = os.path.getsize(path)
    if any("truncated" in reason for reason in reasons) or size == 0:
        raise Truncated(f"{path}: found a file that was cut off ({size} bytes), expected {what}")
    raise InputError(f"{path}: found no readable HDF5 file ({reasons[0]}), expected {what}")


def _open(path: str, flags: int, locking: Optional[bool] = False) -> h5py.File:
    access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    if locking is not None:
        access.set_file_locking(locking, False)
    if flags & h5py.h5f.ACC_SWMR_READ:
        # Of the library that h5py uses, which has no function for it. By default it waits for ever for a part that is
        # damaged: 100 times, 1, 2, 4, ... ns.
        ctypes.CDLL(h5py.h5p.__file__).H5Pset_metadata_read_attempts(ctypes.c_int64(access.id), READ_ATTEMPTS)
    return h5py.File(h5py.h5f.open(os.fsencode(path), flags, access))


def _is_unfinished(path: str) -> bool:
    """Whether a writer with readers has the file open, or was killed. Source: HDF5 File Format Specification, "Disk
    Format: Level 0A", File Consistency Flags of version 3."""
    with open(path, "rb") as file:
        begin = file.read(12)
    return len(begin) == 12 and begin[:8] == b"\x89HDF\r\n\x1a\n" and begin[8] == 3 and bool(begin[11] & 5)


def text(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def attributes(thing: h5py.HLObject, names: Sequence[str]) -> dict[str, Any]:
    """Those of the named attributes that a file, group or dataset has and h5py can read. Without names HDF5 would list
    them, and crash in a damaged file."""
    values = {}
    for key in names:
        if not h5py.h5a.exists(thing.id, key.encode()):
            continue
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
    if not _is_plain(dataset.dtype):
        refuse(f"elements of type {dataset.dtype}", "little-endian numbers, or texts of a fixed length")
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


def _is_plain(kind: np.dtype[Any]) -> bool:
    if kind.kind == "S":
        return kind.itemsize > 0
    return (kind.kind in "iu" or kind.kind == "f" and kind.itemsize in (4, 8)) and kind.newbyteorder("<") == kind and (
        h5py.check_enum_dtype(kind) is None)


def unpacked(dataset: h5py.Dataset, at: tuple[int, ...], filters: list[int]) -> NDArray[Any]:
    """One chunk. @raises ValueError if it is damaged"""
    size = int(np.prod(dataset.chunks)) * dataset.dtype.itemsize
    stored = dataset.id.get_chunk_info_by_coord(at).size
    if not filters and stored != size or stored == 0:  # HDF5 reads as many, into a buffer of `size`
        raise ValueError(f"a chunk of {stored} bytes instead of {size}")
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


def read(dataset: h5py.Dataset, path: str, end: Optional[int] = None, begin: int = 0) -> NDArray[Any]:
    """Rows of a checked dataset from `begin` to before `end`, or all.

    @raises Truncated if data are damaged or missing
    """
    try:
        if not dataset.shape:
            return np.asarray(dataset[()])
        end = len(dataset) if end is None else min(end, len(dataset))
        begin = min(begin, end)
        if dataset.chunks is None:
            return np.asarray(dataset[begin:end])
        settings = dataset.id.get_create_plist()
        filters = [settings.get_filter(i)[0] for i in range(settings.get_nfilters())]
        high = dataset.chunks[0]
        start = begin // high * high
        values = np.empty((end - start, *dataset.shape[1:]), dataset.dtype)
        for first in range(start, end, high):
            band = values[first - start:first - start + high]
            if values.ndim == 1:
                band[:] = unpacked(dataset, (first,), filters)[:len(band)]
                continue
            for column in range(0, values.shape[1], dataset.chunks[1]):
                part = band[:, column:column + dataset.chunks[1]]
                part[:] = unpacked(dataset, (first, column), filters)[:part.shape[0], :part.shape[1]]
        return values[begin - start:]
    except (MemoryError, OSError, RuntimeError, ValueError, zlib.error) as error:
        raise Truncated(f"{path}: {dataset.name}: found damaged or missing data ({error})") from None


def readable_rows(dataset: h5py.Dataset, path: str, most: int) -> int:
    """Rows up to the first that cannot be read. Chunks are written in order: what is missing is at the end."""
    def has(row: int) -> bool:
        try:
            return len(read(dataset, path, row + 1, row)) == 1
        except Truncated:
            return False

    readable, end = 0, min(most, len(dataset))
    if end > 0 and has(end - 1):
        return end
    while readable < end:
        middle = (readable + end) // 2
        if has(middle):
            readable = middle + 1
        else:
            end = middle
    return readable


def common_rows(datasets: Sequence[h5py.Dataset], path: str, *, by_reading: bool) -> int:
    """Rows that all have. @param by_reading  of a log whose writer has not finished"""
    rows = min(len(dataset) for dataset in datasets)
    if by_reading:
        for dataset in datasets:
            rows = readable_rows(dataset, path, rows)
    return rows
