"""Logs and models: complete, while written, cut off."""
import hashlib
import subprocess
import sys

import h5py
import numpy as np
import pytest

import hapticd
from hapticd import _log_columns
from conftest import PROGRAMS
from programs import bake_beam, beam_recipe, run
from scenes import PressCase, baked_tool, write_press


@pytest.fixture(scope="module")
def log_file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("log")
    done = run(PROGRAMS["haptic"], "simulate", write_press(folder), "-o", folder / "log.h5")
    assert done.returncode == 0, done.stderr
    return folder / "log.h5"


def test_what_a_log_has(log_file):
    log = hapticd.Log(log_file)
    assert (len(log), log.rate_hz, log.metadata["source"], log.complete, log.lost) == (501, 500.0, "simulate", True, 0)
    np.testing.assert_allclose(log.time_s, np.arange(501) / 500.0, atol=1e-12)
    assert log["device_force_N"].shape == (501, 3) and log.unit("device_force_N") == "N"
    assert log.block("bodies/pose").shape == (501, 2, 7)
    assert [(body.name, body.held) for body in log.bodies] == [("wall", False), ("tool", True)]
    assert len(log.events) == 0 and log.parameters() == [] and log.missing == []
    with pytest.raises(hapticd.InputError, match="device_force_N"):
        log["force"]


def test_a_log_cut_off_says_so(log_file, tmp_path):
    content = log_file.read_bytes()
    for kept in (0, 10, 2000, len(content) // 2, len(content) - 1):
        cut = tmp_path / f"cut-{kept}.h5"
        cut.write_bytes(content[:kept])
        with pytest.raises(hapticd.InputError, match=f"cut-{kept}.h5") as caught:
            hapticd.Log(cut)["device_force_N"]
        if kept == 0 or kept > 2000:
            assert isinstance(caught.value, hapticd.Truncated)
    (tmp_path / "text.h5").write_text("time_s,x_m\n")
    for bad in ("text.h5", "none.h5"):
        with pytest.raises(hapticd.InputError, match=bad):
            hapticd.Log(tmp_path / bad)


WRITER = """
import sys
import h5py
with h5py.File("log.h5", "w", libver="latest") as file:
    file.attrs["format"], file.attrs["rate_hz"], file.attrs["lost_samples"] = "hapticd log 2", 500.0, float("nan")
    columns = [file.create_dataset(f"samples/{name}", (0,), maxshape=(None,), chunks=(64,), dtype="f8")
               for name in ("time_s", "ramp")]
    file.create_group("bodies"), file.create_group("blocks")
    file.swmr_mode = True
    for rows in map(int, sys.stdin):
        for column, length in zip(columns, (rows, rows - 3)):
            column.resize((length,))
            column[:] = 1.0
            column.flush()
        print("flushed", flush=True)
"""


def test_a_log_is_read_while_it_is_written_and_after_its_writer_was_killed(tmp_path):
    writer = subprocess.Popen([sys.executable, "-c", WRITER], cwd=tmp_path, stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True)
    try:
        def write(rows):
            writer.stdin.write(f"{rows}\n")
            writer.stdin.flush()
            assert writer.stdout.readline() == "flushed\n"

        write(100)
        log = hapticd.Log(tmp_path / "log.h5")
        assert (len(log), log.complete, log.lost) == (97, False, None)  # rows that both columns have
        write(200)
        assert (log.refresh(), len(log["time_s"])) == (100, 197)
    finally:
        writer.kill()
        writer.wait()
    after = hapticd.Log(tmp_path / "log.h5")
    assert (len(after), after.complete, len(after.missing)) == (197, False, 2)
    assert after.missing[0].startswith("the recording was not finished")
    assert after.missing[1] == "197 of its 200 cycles can be read"


def test_a_model_is_no_log_and_the_other_way_round(log_file):
    with pytest.raises(hapticd.InputError, match="without the index of a model"):
        hapticd.Model(log_file)
    with pytest.raises(hapticd.InputError, match="expected a log"):
        hapticd.Log(log_file.parent / "tool.h5")


class Recorded(PressCase):
    def test_a_recording_has_marks_and_parameters(self):
        self.daemon()
        session = hapticd.Session(self.name)
        session.set("coupling.stiffness", 123.0)
        session.mark("here")
        done = self.haptic("record", "-o", "log.h5", "--seconds", "0.3", "--from-oldest")
        self.assertEqual(done.returncode, 0, done.stderr)
        log = hapticd.Log(self.folder / "log.h5")
        self.assertTrue(log.complete)
        self.assertEqual([(key, value) for _, key, value in log.parameters()], [("coupling.stiffness", 123.0)])
        self.assertIn(b"here", [bytes(text).split(b"\0")[0] for text in log.events["text"]])
        self.assertEqual(log["total_ns"].dtype, np.int64)
        marks = log.marks
        self.assertEqual([mark.text for mark in marks], ["here"])
        self.assertEqual(marks[0].time_s, marks[0].cycle / 500.0)
        np.testing.assert_array_equal(log.time, log["time_s"])
        first = int(log["cycle"][0])
        part = log.between(first + 3, first + 10)
        np.testing.assert_array_equal(log["cycle"][part], np.arange(first + 3, first + 11))
        self.assertEqual(log.scene_hash, hashlib.sha256((self.folder / "scene.toml").read_bytes()).hexdigest())
        self.assertRegex(log.daemon_date, r"^\d{4}-\d\d-\d\dT")
        with self.assertRaisesRegex(hapticd.InputError, "force: found no such column, did you mean .*device_force_N"):
            log["force"]
        with self.assertRaisesRegex(hapticd.InputError, "did you mean cycle"):
            log["cycel"]
        self.assertIn(f"{len(log)} cycles at 500 Hz", repr(log))
        log.close()
        with h5py.File(self.folder / "log.h5") as file:  # the tables of the package have all names
            self.assertEqual(set(log.columns), {*file["samples"], *file["timing"]})
            self.assertEqual(set(_log_columns.EVENTS), set(file["events"]))
            self.assertEqual(set(log.metadata), set(file.attrs))
            for names, group in ((_log_columns.OF_BODY, "bodies"), (_log_columns.OF_BLOCK, "blocks")):
                self.assertEqual(set(names), {name for part in file[group].values() for name in part.attrs})
            for name in _log_columns.EVENTS:
                is_text = file["events"][name].dtype.kind == "S"
                self.assertEqual(is_text, name in _log_columns.EVENT_TEXTS)


def test_a_model_and_its_deformed_vertices(tmp_path):
    bake_beam(PROGRAMS["haptic"], tmp_path, beam_recipe(12, 0.01, 4, 6, 200, 2))
    model = hapticd.Model(tmp_path / "beam.h5")
    assert model.dimension == 6 and model["/mesh/vertices"].shape[1] == 3
    assert model.attributes("/mesh")["youngs_modulus_Pa"] == 4e4
    q = np.arange(1.0, 7.0) * 1e-4
    basis = model["/reduced/basis"]
    u = model.displacement(q)
    by_hand = np.zeros(basis.shape[0])
    for column in range(6):
        by_hand += basis[:, column].astype(float) * q[column]
    # Sums of six terms in another order: a few roundings of the largest.
    np.testing.assert_allclose(u.reshape(-1), by_hand, atol=1e-14 * np.abs(by_hand).max() * 10)
    np.testing.assert_array_equal(model.deformed_vertices(q) - model["/mesh/vertices"],
                                  model["/mesh/vertices"] + u - model["/mesh/vertices"])
    fixed = model["/mesh/fixed"].reshape(-1)
    assert len(fixed) and np.all(u[fixed] == 0)
    for bad in (np.zeros(5), np.zeros((2, 6))):
        with pytest.raises(hapticd.InputError, match="expected \\(6,\\)"):
            model.displacement(bad)
    with pytest.raises(hapticd.InputError, match="no such section"):
        model["/mesh/vertice"]
    content = (tmp_path / "beam.h5").read_bytes()
    (tmp_path / "cut.h5").write_bytes(content[:len(content) // 2])
    with pytest.raises(hapticd.InputError, match="cut.h5"):
        hapticd.Model(tmp_path / "cut.h5")


@pytest.mark.parametrize("mode", [{}, {"locking": False}, {"mode": "r+"}])
def test_a_log_that_h5py_has_open_in_this_process(log_file, tmp_path, mode):
    (tmp_path / "log.h5").write_bytes(log_file.read_bytes())
    with h5py.File(tmp_path / "log.h5", **{"mode": "r", **mode}) as file:
        with hapticd.Log(tmp_path / "log.h5") as log, hapticd.Log(tmp_path / "log.h5") as other:
            assert len(log) == len(other) == len(file["samples/cycle"])
        assert file["samples/cycle"][0] == 0


def test_a_model_whose_data_were_changed_is_refused(tmp_path):
    content = baked_tool()
    (tmp_path / "tool.h5").write_bytes(content)
    with hapticd.Model(tmp_path / "tool.h5") as model:
        values = {name: model[name] for name in model.sections}
        with h5py.File(tmp_path / "tool.h5", locking=False) as file:
            for name, value in values.items():
                np.testing.assert_array_equal(value, file[name][()])
                assert (value.dtype, value.shape) == (file[name].dtype, file[name].shape)
    vertices = values["/surface/vertices"].tobytes()
    start = content.index(vertices)
    damaged = content[:start] + bytes(8) + content[start + 8:]
    (tmp_path / "damaged.h5").write_bytes(damaged)
    done = run(PROGRAMS["haptic"], "inspect", tmp_path / "damaged.h5")
    with pytest.raises(hapticd.InputError, match="damaged.h5: /surface/vertices: found hash") as caught:
        hapticd.Model(tmp_path / "damaged.h5")
    assert str(caught.value) in done.stderr
