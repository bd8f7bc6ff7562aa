"""Logs that lie about themselves: every reading of the package ends in an InputError, none in a crash or a hang."""
import shutil
import subprocess
import sys
import zlib

import h5py
import numpy as np
import pytest

import hapticd
from hapticd import hdf5
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


def retyped(file, kind):
    renew(file, "samples/ramp", data=np.ones(501).astype(kind), dtype=kind, chunks=(501,))


def add_events(file, **columns):
    for name, values in {"number": [7], "kind": [1], "command": [10], "answer": [1], "cycle": [3], "value": [0.0],
                         "text": np.array([b"here"]), **columns}.items():
        file[f"events/{name}"] = values


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
    "no bodies": lambda f: f.__delitem__("bodies"),
    "no events": lambda f: attribute(f, "source", np.bytes_("hapticd")),
    "cycle back": lambda f: f["samples/cycle"].__setitem__(100, 5),
    "cycle huge": lambda f: f["samples/cycle"].__setitem__(500, 2 ** 64 - 1),
    "huge coordinates": lambda f: attribute(f["bodies/0"], "first_coordinate", np.inf),
    "rate tiny": lambda f: attribute(f, "rate_hz", 1e-200),
    "another format": lambda f: attribute(f, "format", np.bytes_("hapticd log 1")),
    "big-endian": lambda f: retyped(f, ">f8"),
    "half precision": lambda f: retyped(f, "<f2"),
    "enumeration": lambda f: retyped(f, h5py.enum_dtype({"one": 1}, "u4")),
    "texts": lambda f: retyped(f, "S4"),
    "width": lambda f: renew(f, "samples/device_force_N", data=np.zeros((501, 4))),
    "three dimensions": lambda f: renew(f, "samples/ramp", data=np.zeros((501, 1, 1))),
    "no dataset": lambda f: (f.__delitem__("samples/cycle"), f.create_group("samples/cycle")),
    "time back": lambda f: f["samples/time_s"].__setitem__(100, 0.0),
    "time nan": lambda f: f["samples/time_s"].__setitem__(100, np.nan),
    "events of no cycle": lambda f: add_events(f, cycle=[np.nan]),
    "events without texts": lambda f: add_events(f, text=[5.0]),
    "texts as events": lambda f: add_events(f, number=np.array([b"12"])),
    "events of two lengths": lambda f: add_events(f, cycle=[1, 2]),
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
from hapticd import hdf5
for path in sys.argv[1:]:
    try:
        with hapticd.Log(path) as log:
            for name in log.columns:
                log[name]
            for block in log.blocks:
                log.block(block.name)
            log.missing, log.marks, log.parameters(), log.scene_hash
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


COPY = """
import os, sys
import h5py
with h5py.File(sys.argv[1]) as log:
    copy = h5py.File(sys.argv[2], "w", libver=("v110", "v110"))
    for name in log:
        log.copy(name, copy)
    for name, value in log.attrs.items():
        copy.attrs.create(name, value)
    for name in ("cycle", "kind", "number"):
        copy[f"events/{name}"] = [1, 2, 3]
if sys.argv[3] == "closed":
    copy.close()
else:
    copy.swmr_mode = True
    copy.flush()
os._exit(0)
"""


@pytest.mark.parametrize("how", ["closed", "killed"])
def test_a_log_with_a_damaged_block_is_read_or_refused_at_once(log_file, tmp_path, how):
    whole = tmp_path / "whole.h5"
    subprocess.run([sys.executable, "-c", COPY, log_file, whole, how], check=True)
    with hapticd.Log(whole) as log:
        assert len(log) == 501 and log.complete == (how == "closed")
    content = whole.read_bytes()
    paths = []
    for start in range(0, len(content), max(4096, len(content) // 40 // 4096 * 4096)):
        paths.append(tmp_path / f"{start}.h5")
        paths[-1].write_bytes(content[:start] + bytes(min(4096, len(content) - start)) + content[start + 4096:])
    done = subprocess.run([sys.executable, "-c", READER, *map(str, paths)], capture_output=True, text=True, timeout=100)
    assert (done.returncode, len(done.stdout.splitlines())) == (0, len(paths)), (done.stdout, done.stderr)


def test_names_of_other_programs_are_left_alone(log_file, tmp_path):
    shutil.copy(log_file, tmp_path / "log.h5")
    with h5py.File(tmp_path / "log.h5", "r+") as file:
        for name in ("samples/group", "samples/loop", "other"):
            file.create_group(name)
        file["samples/loop/root"] = file["/"]
    read_all(tmp_path / "log.h5")


def changed(log_file, tmp_path, change):
    shutil.copy(log_file, tmp_path / "log.h5")
    with h5py.File(tmp_path / "log.h5", "r+") as file:
        change(file)
    return hapticd.Log(tmp_path / "log.h5")


def lost(count):
    return lambda file: attribute(file, "lost_samples", count)


def gap(file):
    file["samples/cycle"][200:] += 5
    lost(8.0)(file)


def shorter(file):
    ramp = file["samples/ramp"][:300]
    renew(file, "samples/ramp", data=ramp)


def quota(file):
    add_events(file)
    for name, values in {"number": [7, 9, 10], "kind": [1, 1, 4], "value": [0.0, 0.0, 1200.0], "command": [10, 5, 0],
                         "answer": [1, 1, 0], "cycle": [3, 4, 5], "text": np.array([b"here"] * 3)}.items():
        renew(file, f"events/{name}", data=values)


@pytest.mark.parametrize("change", [lost(23.0), lost(-4.0), lost(1e30), lost(np.inf), lost(0.5), gap, shorter, quota])
def test_what_a_log_lacks_is_said_as_by_haptic(log_file, tmp_path, change):
    with changed(log_file, tmp_path, change) as log:
        done = run(PROGRAMS["haptic"], "export", log.path, "-o", tmp_path / "log.csv")
        said = [line.split(": ", 3)[3] for line in done.stderr.splitlines()]
        if change is quota:  # a log without all columns of the events
            assert log.missing == ["1 event lost, 1200 commands beyond the quota of events"]
        else:
            assert (done.returncode, log.missing) == (0, said), done.stderr
        assert log.complete == (log.lost is not None and change is not shorter)


def test_a_recording_whose_disk_was_full_is_read_as_far_as_it_goes(log_file, tmp_path):
    def unwritten(file):
        lost(np.nan)(file)
        for name in ("samples/ramp", "samples/cycle"):
            values = file[name][:]
            renew(file, name, shape=(0,), maxshape=(None,), dtype=values.dtype, chunks=(100,)).resize((501,))
            file[name][:400 if name.endswith("cycle") else 300] = values[:400 if name.endswith("cycle") else 300]

    with changed(log_file, tmp_path, unwritten) as log:
        done = run(PROGRAMS["haptic"], "export", log.path, "-o", tmp_path / "log.csv")
        assert done.returncode == 0, done.stderr
        assert log.missing == [line.split(": ", 3)[3] for line in done.stderr.splitlines()]
        assert log.missing[1:] == ["300 of its 501 cycles can be read"]
        assert len(log) == len(log["cycle"]) == len(log["ramp"]) == len(log.time_s) == 300 and not log.complete
    assert len((tmp_path / "log.csv").read_text().splitlines()) == 301


def test_a_chunk_without_filters_that_is_longer_than_its_elements_is_not_read(tmp_path):
    """h5py would write as many bytes behind its buffer."""
    path = tmp_path / "d.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("d", data=np.arange(64.0), chunks=(64,))
    content = bytearray(path.read_bytes())
    first_key = content.find(b"TREE\1") + 24  # File Format Specification, "Version 1 B-trees"
    content[first_key:first_key + 4] = (64 * 8 + 8).to_bytes(4, "little")
    path.write_bytes(content)
    file, _ = hdf5.open_hdf5(path, "a test")
    with file, pytest.raises(hapticd.Truncated):
        hdf5.read(hdf5.find(file, str(path), "d"), str(path))
