"""The dtypes are those of the C++ structs: every field is compared with what a compiler says of the header."""
import pathlib
import shutil
import subprocess

import numpy as np
import pytest

import hapticd

ROOT = pathlib.Path(__file__).resolve().parents[3]


def fields(dtype, prefix=""):
    """(path, offset, bytes) of every field, nested ones too."""
    for name in dtype.names:
        sub, offset = dtype.fields[name][:2]
        yield prefix + name, offset, sub.itemsize
        if sub.base.names and not sub.shape:
            for path, inner, size in fields(sub, prefix + name + "."):
                yield path, offset + inner, size


def test_every_offset_and_size_is_the_compiler_s(tmp_path):
    compiler = shutil.which("g++") or pytest.skip("no g++")
    expected, lines = {}, []
    for record, dtype in hapticd.record_types.items():
        expected[record] = dtype.itemsize
        lines.append(f'std::printf("{record} %zu\\n", sizeof({record}));')
        for path, offset, size in fields(dtype):
            expected[f"{record}.{path}"] = (offset, size)
            lines.append(f'std::printf("{record}.{path} %zu %zu\\n", offsetof({record}, {path}), '
                         f'sizeof((({record}*)nullptr)->{path}));')
    source = tmp_path / "offsets.cpp"
    source.write_text('#include <cstdio>\n#include "shared/ipc/telemetry_layout.h"\nusing namespace haptic;\n'
                      "int main() {\n" + "\n".join(lines) + "\n}\n")
    subprocess.run([compiler, "-std=c++20", "-w", f"-I{ROOT}", source, "-o", tmp_path / "offsets"], check=True)
    found = {}
    for line in subprocess.run([tmp_path / "offsets"], check=True, capture_output=True, text=True).stdout.splitlines():
        name, *numbers = line.split()
        found[name] = tuple(map(int, numbers)) if len(numbers) == 2 else int(numbers[0])
    assert found == expected
    assert len(found) > 150


@pytest.mark.parametrize("record", sorted(hapticd.record_types))
def test_no_field_is_missing(record):
    """The fields cover the struct but for padding to its alignment, less than 8 bytes."""
    dtype = hapticd.record_types[record]
    covered = sum(dtype.fields[name][0].itemsize for name in dtype.names)
    assert 0 <= dtype.itemsize - covered < 8
    assert dtype.itemsize % 8 == 0


def test_types_and_shapes():
    sample = hapticd.record_types["SampleRecord"]
    assert sample["device_wrench"]["force_N"].shape == (3,)
    assert sample["held_pose"]["orientation_wxyz"].base == np.dtype("f8")
    assert sample["state"] == np.dtype("u4")
    assert hapticd.record_types["EventRecord"]["key"] == np.dtype("S64")
    assert hapticd.STATES[3] == "engaged" and hapticd.FAULTS[9] == "operator_stop"
