#!/usr/bin/env python3
"""A running daemon under disturbances by other processes, files and terminals: the force continues or is removed by a
decision of the daemon, and `stop` is always answered.

Usage: hostile_test.py HAPTIC HAPTICD GUARD REBUILD_HASHES [unittest arguments]
"""
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import unittest

import h5py
import numpy

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from daemon_case import SECONDS, DaemonCase  # noqa: E402
from programs import bake_beam, beam_recipe, run  # noqa: E402

HAPTIC, HAPTICD, GUARD, REBUILD_HASHES = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:5])
RATE = 500    # Hz

BEAM = beam_recipe(resolution=10, held_below=0.021, linear_modes=3, dimension=4, points=500, levels=2)
SCENE = f"""
rate_hz = {RATE}
[limits]
ramp_s = 0.1
[[body]]
name = "beam"
model = "beam.h5"
role = "anchored"
[[body]]
name = "ball"
shape = "sphere"
radius = 0.01
role = "held"
[[contact]]
points = "beam"
field = "ball"
stiffness = 100.0
[device]
script = "hand.csv"
"""
FORCES = ["wanted_force_N", "wanted_torque_Nm", "contact_force_N", "contact_torque_Nm", "held_position_m",
          "/state/bodies/coordinates", "/state/contact/points"]


class ModelBytes:
    """Bytes of a model file for manipulation; docs/artifact.md describes the layout."""
    KINDS = {1: "<f4", 2: "<f8", 3: "<u4", 4: "u1"}

    def __init__(self, path):
        self.path = path
        self.raw = bytearray(path.read_bytes())
        self.places = {}
        for i in range(struct.unpack_from("<I", self.raw, 24)[0]):
            name, kind, _, *_, at, size, _ = struct.unpack_from("<64sII3QQQQ", self.raw, 64 + 120 * i)
            self.places[name.rstrip(b"\0").decode()] = (kind, at, size)

    @classmethod
    def of(cls, path, *sections):
        """A file of sections (name, kind, shape) whose data are zeros, or are absent beyond a mebibyte."""
        entries, data, offset = b"", b"", 16384
        for name, kind, shape in sections:
            length = {1: 4, 2: 8, 3: 4, 4: 1}[kind]
            for extent in shape:
                length = length * extent % 2**64
            padded = list(shape) + [0] * (3 - len(shape))
            entries += struct.pack("<64sII3QQQQ", name.encode(), kind, len(shape), *padded, offset, length, 0)
            if length < 2**20:
                data += bytes((length + 4095) // 4096 * 4096)
            offset = 16384 + len(data)
        header = struct.pack("<8sIIQIIQQQQ", b"\x89HAPTIC\n", 0x01020304, 1, 0, len(sections), 120, 64, len(entries), 0, 0)
        path.write_bytes((header + entries).ljust(16384, b"\0") + data)
        made = cls(path)
        made.write()
        return made

    def array(self, section):
        """The numbers of a section, to be changed in place."""
        kind, at, size = self.places[section]
        return numpy.frombuffer(memoryview(self.raw)[at:at + size], dtype=self.KINDS[kind])

    def write(self):
        """The changed bytes, all hashes right."""
        self.path.write_bytes(bytes(self.raw))
        done = run(REBUILD_HASHES, self.path)
        assert done.returncode == 0, done.stderr


class Hostile(DaemonCase):
    programs = {"haptic": HAPTIC, "hapticd": HAPTICD, "guard": GUARD}

    @classmethod
    def setUpClass(cls):
        cls.models = pathlib.Path(tempfile.mkdtemp(prefix="haptic-hostile-models-"))
        bake_beam(HAPTIC, cls.models, BEAM)
        with h5py.File(cls.models / "beam.h5", "r") as model:
            vertices = model["/surface/vertices"][:]
        low, high = vertices.min(axis=0), vertices.max(axis=0)
        x, z, top = high[0] - 0.03, 0.5 * (low[2] + high[2]), high[1] + 0.01
        # Onto the free end, then pressing it with varying force for the duration of the trials.
        rows = [(0.0, 0.02), (0.4, 0.0)] + [(0.4 + 0.5 * i, -0.006 - 0.004 * (i % 2)) for i in range(1, 2 * SECONDS)]
        (cls.models / "hand.csv").write_text("time_s,x_m,y_m,z_m,qw,qx,qy,qz\n" + "".join(
            f"{t},{x},{top + y},{z},1,0,0,0\n" for t, y in rows))
        (cls.models / "scene.toml").write_text(SCENE)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.models)

    def setUp(self):
        super().setUp()
        for name in ("beam.h5", "hand.csv", "scene.toml"):
            shutil.copy(self.models / name, self.folder)

    def run_on(self, cycles):
        """Waits for so many cycles, after which the hand must still be engaged and no fault recorded."""
        least = self.status()["cycles"] + cycles
        self.until(lambda: self.status()["cycles"] >= least)
        status = self.status()
        self.assertEqual((status["state"], status["life"], status["faults"]), ("engaged", "alive", 0), status)
        self.assertEqual(status["forbidden_calls"], 0)
        return status

    def touching(self):
        """Engaged at full force and in contact."""
        self.until(lambda: self.status()["ramp"] == 1.0 and self.status()["world_state"]["contact/points"] > 0)

    # ---- the file of the running model

    def damage(self):
        """Changes of a model file, one after the other."""
        path = self.folder / "beam.h5"
        model = ModelBytes(path)
        _, at, _ = model.places["/shell/points"]
        yield "written in place"
        with open(path, "r+b") as file:
            points = model.array("/shell/points")
            points += 0.005
            file.seek(at)
            file.write(points.tobytes())
        yield "overwritten"
        with open(path, "r+b") as file:
            file.write(b"\xff" * len(model.raw))
        yield "truncated"
        os.truncate(path, 0)
        yield "replaced"
        path.unlink()
        path.write_text("another file")

    def test_a_models_file_is_damaged_under_an_engaged_hand(self):
        undisturbed = run(HAPTIC, "simulate", "scene.toml", "-o", "offline.h5", cwd=self.folder)
        self.assertEqual(undisturbed.returncode, 0, undisturbed.stderr)
        process = self.daemon("--engage")
        recorder = subprocess.Popen([HAPTIC, "record", "-o", "live.h5", "--from-oldest", "--name", self.name],
                                    cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(recorder.wait)
        self.addCleanup(lambda: recorder.poll() is None and recorder.kill())
        self.touching()
        damaged = 0
        for _ in self.damage():
            self.run_on(RATE // 4)
            damaged += 1
        self.run_on(RATE // 4)
        self.assertEqual(damaged, 4)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(SECONDS), 0, self.journal.read_text())
        self.assertEqual(recorder.wait(SECONDS), 0, recorder.stderr.read())
        with h5py.File(self.folder / "offline.h5", "r") as offline, h5py.File(self.folder / "live.h5", "r") as live:
            cycle = live["/samples/cycle"][:]
            cycle = cycle[cycle < len(offline["/samples/cycle"])]
            self.assertGreater(len(cycle), 5 * RATE // 4)
            for name in FORCES:
                felt, expected = live["/samples"][name][:][:len(cycle)], offline["/samples"][name][:][cycle]
                self.assertTrue(numpy.array_equal(felt, expected), name)
            self.assertGreater(numpy.abs(live["/samples/contact_force_N"][:]).max(), 0.02)

    def test_stop_and_sigterm_work_without_the_models_file(self):
        process = self.daemon("--engage")
        self.touching()
        for _ in self.damage():
            pass
        self.run_on(RATE // 4)
        self.expect_stops(process)

    # ---- crafted models

    def crafted(self):
        """Files with a correct index and hashes but invalid numbers: the change, and what the refusal names."""
        path, huge = self.folder / "crafted.h5", 2**64 - 2

        def changed(section, at, number, names=None):
            shutil.copy(self.models / "beam.h5", path)
            model = ModelBytes(path)
            model.array(section)[at] = number
            model.write()
            return names or section

        def made(name, *sections):
            ModelBytes.of(path, *sections)
            return name

        yield made("/reduced/basis", ("/reduced/basis", 2, [0, huge]), ("/reduced/quadratic", 2, [1]))
        yield made("/reduced/quartic", ("/reduced/basis", 2, [0, 2**32 - 1]), ("/reduced/quartic", 2, [1]))
        yield made("/mesh/fixed", ("/mesh/fixed", 3, [2**62 + 1]))
        yield made("/shell/tree/level_begin", ("/shell/tree/level_begin", 3, [0]))
        yield changed("/reduced/quadratic", 0, numpy.nan)
        yield changed("/reduced/quartic", 3, numpy.inf)
        yield changed("/reduced/damping", 0, -1.0, names="alpha")
        yield changed("/shell/points", 7, numpy.inf)
        yield changed("/shell/normals", 2, 5.0)
        yield changed("/shell/displacement", 1, -numpy.nan)
        yield changed("/shell/tree/radius", 0, -1.0)
        yield changed("/shell/tree/radius", 0, 0.0)
        yield changed("/shell/tree/point", 0, 2**32 - 1)
        yield changed("/shell/tree/child_begin", 0, 2**31)
        yield changed("/shell/tree/child_begin", 0, 0)
        yield changed("/shell/tree/child_count", 0, 2**32 - 1, names="/shell/tree/child_begin")
        yield changed("/shell/tree/level_begin", 1, 2**32 - 1)
        yield changed("/mesh/elements", 0, 2**32 - 1)
        shutil.copy(self.models / "beam.h5", path)
        os.truncate(path, 2**40)  # a hole in the file, which takes no disk space
        yield "bytes"

    def test_crafted_models_are_refused_by_an_engaged_daemon(self):
        process = self.daemon("--engage")
        (self.folder / "crafted.toml").write_text(SCENE.replace("beam.h5", "crafted.h5"))
        self.touching()
        before, count = self.status(), 0
        for names in self.crafted():
            with self.subTest(names):
                # The reply of the daemon is short; --check prints the full message.
                self.assertIn(self.haptic("load", "crafted.toml").returncode, (1, 2))
                check = run(HAPTICD, "--check", "--scene", "crafted.toml", cwd=self.folder)
                self.assertIn(check.returncode, (1, 2), check.stderr)
                self.assertEqual(check.stderr.count("\n"), 1, check.stderr)
                self.assertIn("crafted.h5", check.stderr)
                self.assertIn(names, check.stderr)
                self.run_on(1)
            count += 1
        self.assertEqual(count, 19)
        after = self.run_on(RATE // 4)
        self.assertEqual((after["pid"], after["scene"]), (before["pid"], before["scene"]))
        self.assertEqual(after["commands_refused"], before["commands_refused"] + count)
        self.expect_stops(process)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]], verbosity=2)
