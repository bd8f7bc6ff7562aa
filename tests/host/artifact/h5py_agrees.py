"""Compares the arrays that h5py reads from a model file with the bytes at the offsets in its user block.

Usage: h5py_agrees.py MODEL.h5; exit code 1 and a line for each disagreement.
The layout is that of docs/artifact.md, read here without any code of the project.
"""
import struct
import sys

import h5py
import numpy

TYPES = {1: "<f4", 2: "<f8", 3: "<u4", 4: "u1"}


def main(path):
    raw = open(path, "rb").read()
    magic, order, version, length, count, entry_size, offset = struct.unpack_from("<8sIIQIIQ", raw)
    assert magic == b"\x89HAPTIC\n" and order == 0x01020304 and version == 1
    assert length == len(raw) and entry_size == 120 and offset == 64
    bad = 0
    seen = set()
    with h5py.File(path, "r") as file:
        for i in range(count):
            name, kind, rank, s0, s1, s2, at, size, _ = struct.unpack_from(
                "<64sII3QQQQ", raw, offset + i * entry_size)
            name = name.rstrip(b"\0").decode()
            seen.add(name.lstrip("/"))
            shape = (s0, s1, s2)[:rank]
            mapped = numpy.frombuffer(raw, TYPES[kind], count=size // numpy.dtype(TYPES[kind]).itemsize,
                                      offset=at).reshape(shape)
            dataset = file[name]
            same = (dataset.shape == shape and dataset.dtype == numpy.dtype(TYPES[kind])
                    and numpy.array_equal(dataset[...], mapped))
            if not same or at % 4096 or not dataset.attrs["unit"]:
                print(f"{name}: h5py and the index disagree")
                bad += 1
        datasets = []
        file.visititems(lambda n, o: datasets.append(n) if isinstance(o, h5py.Dataset) else None)
        if set(datasets) != seen:
            print(f"datasets outside the index: {sorted(set(datasets) ^ seen)}")
            bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
