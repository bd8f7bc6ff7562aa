"""Logs that lie about themselves: every reading of the package ends in an InputError, none in a crash or a hang."""
import shutil
import subprocess
import sys
import zlib

import h5py
import numpy as np
import pytest

import hapticd
from conftest import PROGRAMS
from programs import run
from scenes import write_press


@pytest.fixture(scope="module")
def log_file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    done = run(PROGRAMS["haptic"], "simulate", write_press(folder), "-o", folder / "log.h5")
    assert done.returncode == 0, done.stderr
    return folder / "log.h5"


def renew(file, name, **keys):
    del file[name]
    return file.create_dataset(name, **keys)


def attribute(thing, name, value):
    thing.attrs.create(name, value)


def virtual_of_itself(file):
    layout = h5py.VirtualLayout(shape=(501,), dtype="f8")
    layout[:] = h5py.VirtualSource(".", "samples/ramp", shape=(501,))
    del file["samples/ramp"]
    file.create_virtual_dataset("samples/ramp", layout)


def chunk_of(file, stream):
    dataset = renew(file, "samples/ramp", shape=(501,), dtype="f8", chunks=(501,), compression="gzip")
    dataset.id.write_direct_chunk((0,), stream)


def empty_rows(file):
    names = []
    file["samples"].visit(names.append)
    for name in names:
        d = file[f"samples/{name}"]
        renew(file, f"samples/{name}", shape=(2_000_000_000, *d.shape[1:]), dtype=d.dtype, chunks=(4096, *d.shape[1:]))


def link(file, name, target):
    del file[name]
    file[name] = target


HOSTILE = {
    "virtual": virtual_of_itself,
    "external": lambda f: renew(f, "samples/ramp", shape=(501,), dtype="u1", external=[("secret", 0, 501)]),
    "external link": lambda f: link(f, "samples/ramp", h5py.ExternalLink("other.h5", "/x")),
    "soft link": lambda f: link(f, "samples/ramp", h5py.SoftLink("/samples/cycle")),
    "empty rows": empty_rows,
    "large chunk": lambda f: renew(f, "samples/ramp", shape=(1 << 28,), dtype="f8", chunks=(1 << 28,), compression="gzip"),
    "long stream": lambda f: chunk_of(f, zlib.compress(bytes(1 << 24))),
    "short stream": lambda f: chunk_of(f, zlib.compress(bytes(100))),
    "no stream": lambda f: chunk_of(f, b"not deflated"),
    "other filter": lambda f: renew(f, "samples/ramp", shape=(501,), dtype="f8", chunks=(501,), fletcher32=True),
    "texts of any length": lambda f: renew(f, "samples/ramp", data=["text"] * 501, dtype=h5py.string_dtype()),
    "no rate": lambda f: f.attrs.__delitem__("rate_hz"),
    "rates": lambda f: attribute(f, "rate_hz", np.zeros(8000)),
    "rate nan": lambda f: attribute(f, "rate_hz", np.nan),
    "names": lambda f: attribute(f["bodies/0"], "name", np.full(6000, b"wall")),
    "no name": lambda f: f["bodies/0"].attrs.__delitem__("name"),
    "shape": lambda f: attribute(f["blocks/0"], "shape", np.bytes_("two 7")),
    "group name": lambda f: f.create_group("bodies/first"),
    "huge coordinates": lambda f: attribute(f["bodies/0"], "first_coordinate", np.inf),
}


def read_all(path):
    with hapticd.Log(path) as log:
        for name in log.columns:
            log[name]
        for block in log.blocks:
            log.block(block.name)
        assert log.missing == [] and log.events is not None and log.lost == 0 and log.parameters() == []


def test_the_log_itself_is_read(log_file):
    read_all(log_file)
    with hapticd.Log(log_file) as log:
        force = log["device_force_N"]
    with h5py.File(log_file) as file:
        np.testing.assert_array_equal(force, file["samples/device_force_N"][()])


READER = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
import hapticd
for path in sys.argv[1:]:
    try:
        with hapticd.Log(path) as log:
            for name in log.columns:
                log[name]
            for block in log.blocks:
                log.block(block.name)
        print("read", flush=True)
    except hapticd.InputError as error:
        print(error, flush=True)
"""


def test_a_log_that_lies_is_refused_in_one_line(log_file, tmp_path):
    (tmp_path / "secret").write_bytes(b"private" * 100)
    paths = []
    for name, change in HOSTILE.items():
        paths.append(tmp_path / f"{name}.h5")
        shutil.copy(log_file, paths[-1])
        with h5py.File(paths[-1], "r+", libver=("earliest", "v110")) as file:
            change(file)
    # In another process: a crash ends it behind the line of the log before.
    done = subprocess.run([sys.executable, "-c", READER, *map(str, paths)], capture_output=True, text=True, timeout=300)
    lines = done.stdout.splitlines()
    assert (done.returncode, len(lines)) == (0, len(paths)), (done.stdout, done.stderr)
    assert [line.split(": ")[0] for line in lines] == list(map(str, paths)), done.stdout
