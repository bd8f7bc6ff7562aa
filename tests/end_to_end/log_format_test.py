#!/usr/bin/env python3
"""The format of logs: docs/logs.md and a fresh recording name the same datasets and attributes.

Usage: log_format_test.py HAPTIC HAPTICD [unittest arguments]
"""
import pathlib
import re
import sys
import unittest

import h5py

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from daemon_case import DaemonCase  # noqa: E402
from programs import TWO_SPHERES  # noqa: E402

HAPTIC, HAPTICD = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:3])
PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/logs.md"
DATASET = re.compile(r"^\| `(/[^`@]+)` \| (\S+) \| ([^|]+?) \|(?: [^|]+ \|){1,2}$", re.M)  # some have a frame
ATTRIBUTE = re.compile(r"^\| `([^`@]*)@(\w+)` \| (\w+) \| ([^|]+) \|$", re.M)


def kind(dtype):
    return "text" if dtype.kind in "SO" else {"f": "float", "u": "uint", "i": "int"}[dtype.kind] + str(dtype.itemsize * 8)


def general(name):
    """/bodies/0 is one of /bodies/N; blocks of the world are one row."""
    name = re.sub(r"^/(bodies|blocks)/\d+", r"/\1/N", name)
    return re.sub(r"^/(state|display)/.*", r"/\1/BLOCK", name)


class LogFormat(DaemonCase):
    programs = {"haptic": HAPTIC, "hapticd": HAPTICD}

    def found(self, path):
        """@returns {dataset: (type, unit)}, {(object, attribute): type} of a log"""
        datasets, attributes = {}, {}

        def add(name, thing):
            for key, value in thing.attrs.items():
                if isinstance(thing, h5py.Dataset):
                    self.assertIn(key, ("unit", "description"), name)
                else:
                    dtype = h5py.h5a.open(thing.id, key.encode()).dtype
                    attributes[general(name), key] = kind(dtype)
            if isinstance(thing, h5py.Dataset):
                unit = thing.attrs.get("unit", "-")
                unit = unit.decode() if isinstance(unit, bytes) else str(unit)
                datasets[general(name)] = (kind(thing.dtype), "*" if "BLOCK" in general(name) else unit)

        with h5py.File(path) as log:
            add("", log)
            log.visititems(lambda name, thing: add("/" + name, thing))
        return datasets, attributes

    def test_the_page_and_a_recording_agree_both_ways(self):
        (self.folder / "scene.toml").write_text(TWO_SPHERES)
        self.daemon()
        self.must("mark", "one")
        self.must("record", "--from-oldest", "--seconds", 0.3, "-o", "log.h5")
        datasets, attributes = self.found(self.folder / "log.h5")
        page = PAGE.read_text()
        rows = {name: (of_type, unit) for name, of_type, unit in DATASET.findall(page)}
        self.assertGreater(len(rows), 60)
        self.assertEqual(rows, datasets)
        rows = {(where, name): of_type for where, name, of_type, _ in ATTRIBUTE.findall(page)}
        self.assertEqual(rows, attributes)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
