#!/usr/bin/env python3
"""The two programs as a user runs them: mesh, bake, simulate, the daemon, its commands, bad input.

Usage: end_to_end_test.py HAPTIC HAPTICD [unittest arguments]
"""
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import unittest

import h5py
import numpy

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from programs import SANITIZED, SLOW, beam_recipe, check_loop, run  # noqa: E402

HAPTIC, HAPTICD = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:3])

BEAM = beam_recipe(resolution=20, held_below=0.011, linear_modes=4, dimension=8, points=6000, levels=3)
BALL = """
[source]
mesh = "ball.obj"
length = 0.04
origin = "centre"
[material]
youngs_modulus = 1e6
poisson_ratio = 0.3
density = 1000.0
damping_ratios = [0.02, 0.05]
[field]
resolution = 32
"""
CUBE = """
[source]
mesh = "cube.obj"
length = 0.04
[mesh]
resolution = 6
[material]
youngs_modulus = 3e3
poisson_ratio = 0.4
density = 1000.0
damping_ratios = [0.05, 0.1]
[reduction]
free = true
linear_modes = 8
dimension = 10
[field]
resolution = 32
proxies = 40
[shell]
points = 300
"""
PADDLE = """
[source]
mesh = "cube.obj"
length = 0.03
[material]
density = 1200.0
[field]
resolution = 32
"""
JELLY = """
rate_hz = 1000
[[body]]
name = "ground"
shape = "plane"
size = 0.3
role = "anchored"
orientation = [0.70710678, -0.70710678, 0.0, 0.0]
[[body]]
name = "paddle"
model = "paddle.h5"
role = "held"
position = [-0.02, 0.095, 0.0]
[[body]]
name = "left"
model = "cube.h5"
role = "free"
position = [-0.02, 0.021, 0.0]
[[body]]
name = "right"
model = "cube.h5"
role = "free"
position = [0.022, 0.021, 0.003]
[[contact]]
among = "free"
stiffness = 200.0
damping = 10.0
friction = { static = 0.5, dynamic = 0.4 }
[coupling]
stiffness = 400.0
rotational_stiffness = 0.5
[device]
name = "simulated"
script = "jelly.csv"
"""
SCENE = """
rate_hz = 1000
[[body]]
name = "beam"
model = "beam.h5"
role = "anchored"
[[body]]
name = "ball"
model = "ball.h5"
role = "held"
[[contact]]
points = "beam"
field = "ball"
stiffness = 100.0
[coupling]
stiffness = 300.0
rotational_stiffness = 0.3
[device]
script = "hand.csv"
"""
WORLD_COLUMNS = ["device_position_m", "manipulandum_position_m", "held_position_m",
                 "held_orientation_wxyz", "wanted_force_N", "wanted_torque_Nm", "contact_force_N",
                 "contact_torque_Nm", "/state/bodies/coordinates", "/state/contact/points",
                 "/state/contact/visited_nodes", "/state/contact/level", "/state/contact/node_budget",
                 "/state/coupling/saturation", "/state/contact/created_energy", "/state/contact/asleep",
                 "/state/contact/without_row", "/state/contact/work", "/state/coupling/speed",
                 "/state/deformation/compression", "/state/coupling/excess"]


class EndToEnd(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="haptic-end-to-end-"))
        cls.must(HAPTIC, "mesh", "beam", "-o", "beam.obj")
        cls.must(HAPTIC, "mesh", "sphere", "-o", "ball.obj")
        (cls.folder / "beam.toml").write_text(BEAM)
        (cls.folder / "ball.toml").write_text(BALL)
        (cls.folder / "scene.toml").write_text(SCENE)
        for name in ("beam", "ball"):
            cls.must(HAPTIC, "bake", f"{name}.toml", "-o", f"{name}.h5")
        # Down onto the free end of the beam, press, and up again.
        with h5py.File(cls.folder / "beam.h5", "r") as model:
            vertices = model["/surface/vertices"][:]
        low, high = vertices.min(axis=0), vertices.max(axis=0)
        x, z, top = high[0] - 0.03, 0.5 * (low[2] + high[2]), high[1] + 0.02
        cls.hand = "time_s,x_m,y_m,z_m,qw,qx,qy,qz\n" + "".join(
            f"{t},{x},{top + y},{z},1,0,0,0\n"
            for t, y in [(0, 0.02), (0.5, 0.0), (1.2, -0.02), (1.8, -0.02), (2.4, 0.02)])
        (cls.folder / "hand.csv").write_text(cls.hand)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    @classmethod
    def must(cls, *arguments):
        result = run(*arguments, cwd=cls.folder)
        assert result.returncode == 0, f"{arguments}: {result.returncode}: {result.stderr}"
        return result.stdout

    def refused(self, *arguments, code=2, says=()):
        result = run(*arguments, cwd=self.folder)
        self.assertEqual(result.returncode, code, f"{arguments}: {result.stderr}")
        lines = [line for line in result.stderr.splitlines() if line]
        self.assertEqual(len(lines), 1, result.stderr)
        for word in says:
            self.assertIn(word, lines[0])

    def daemon(self, *arguments, name, scene="scene.toml"):
        process = subprocess.Popen(
            [HAPTICD, "--scene", scene, "--name", name, *arguments], cwd=self.folder,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (process.kill(), process.communicate()) if process.poll() is None else None)
        for _ in range(200):
            result = run(HAPTIC, "status", "--json", "--name", name)
            if result.returncode == 0 and json.loads(result.stdout)["cycles"] > 0:
                return process
            if process.poll() is not None:
                break
            time.sleep(0.05)
        self.fail(f"the daemon did not start: {process.communicate()[1]}")

    def test_models_verify(self):
        for name in ("beam", "ball"):
            verdict = json.loads(self.must(HAPTIC, "verify", f"{name}.h5", "--json"))
            self.assertIsInstance(verdict, dict)

    def test_simulate_is_reproducible_and_touches(self):
        self.must(HAPTIC, "simulate", "scene.toml", "--trajectory", "hand.csv", "-o", "a.h5")
        self.must(HAPTIC, "simulate", "scene.toml", "--trajectory", "hand.csv", "-o", "b.h5")
        self.assertEqual((self.folder / "a.h5").read_bytes(), (self.folder / "b.h5").read_bytes())
        with h5py.File(self.folder / "a.h5", "r") as log:
            self.assertEqual(log["/samples/cycle"].shape[0], 2401)
            contacts = log["/state/contact/points"][:]
            self.assertGreater(contacts.max(), 5)
            self.assertEqual(contacts[0], 0)
            self.assertGreater(numpy.abs(log["/samples/contact_force_N"][:]).max(), 0.05)
            self.assertGreater(numpy.abs(log["/state/bodies/coordinates"][:]).max(), 0.0)
            self.assertEqual(log["/samples/contact_force_N"].attrs["unit"].decode(), "N")

    def test_daemon_agrees_with_simulate(self):
        self.must(HAPTIC, "simulate", "scene.toml", "-o", "offline.h5")
        process = self.daemon("--cycles", "2401", "--engage", name=f"e2e-agree-{os.getpid()}")
        self.must(HAPTIC, "record", "-o", "live.h5", "--from-oldest", "--name",
                  f"e2e-agree-{os.getpid()}")
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, err)
        check_loop(self, out)
        self.assertIn("last cycle          contact/points ", out)
        with h5py.File(self.folder / "offline.h5", "r") as offline, \
                h5py.File(self.folder / "live.h5", "r") as live:
            cycle = live["/samples/cycle"][:]
            self.assertGreater(len(cycle), 1000)
            for name in WORLD_COLUMNS:
                self.assertTrue(numpy.array_equal(live["/samples"][name][:],
                                                  offline["/samples"][name][:][cycle]), name)
        verdict = json.loads(self.must(HAPTIC, "replay", "offline.h5", "--json"))
        self.assertEqual(verdict["cycles"], 2401)
        self.assertEqual(verdict["largest_difference"], 0.0)
        if cycle[0] == 0:
            self.must(HAPTIC, "replay", "live.h5")

    def test_daemon_agrees_bit_for_bit_where_soft_free_bodies_touch(self):
        """The two programs contain differently compiled copies of the same templates of the solver."""
        self.must(HAPTIC, "mesh", "box", "-o", "cube.obj")
        for name, recipe in (("cube", CUBE), ("paddle", PADDLE)):
            (self.folder / f"{name}.toml").write_text(recipe)
            self.must(HAPTIC, "bake", f"{name}.toml", "-o", f"{name}.h5")
        (self.folder / "jelly.csv").write_text(
            "time_s,x_m,y_m,z_m,qw,qx,qy,qz\n" + "".join(
                f"{t},{x},{y},0,1,0,0,0\n" for t, x, y in
                [(0, 0, 0), (0.4, 0, 0), (0.9, 0, -0.042), (1.6, 0.02, -0.042), (2.4, 0.02, 0)]))
        (self.folder / "jelly.toml").write_text(JELLY)
        self.must(HAPTIC, "simulate", "jelly.toml", "-o", "jelly.h5")
        name = f"e2e-jelly-{os.getpid()}"
        process = self.daemon("--cycles", "2401", "--engage", name=name, scene="jelly.toml")
        self.must(HAPTIC, "record", "-o", "jelly-live.h5", "--from-oldest", "--name", name)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, err)
        with h5py.File(self.folder / "jelly.h5", "r") as offline, \
                h5py.File(self.folder / "jelly-live.h5", "r") as live:
            cycle = live["/samples/cycle"][:]
            self.assertGreater(len(cycle), 1000)
            self.assertGreater(offline["/state/contact/points"][:].max(), 30)
            columns = WORLD_COLUMNS + ["/state/bodies/pose"]
            for name in columns:
                self.assertTrue(numpy.array_equal(live["/samples"][name][:],
                                                  offline["/samples"][name][:][cycle]), name)

    def test_an_operator_pulls_and_the_log_is_replayed(self):
        name = f"e2e-pull-{os.getpid()}"
        process = self.daemon("--cycles", str(4000 * SLOW), name=name)
        recorder = subprocess.Popen(
            [HAPTIC, "record", "-o", "pulled.h5", "--from-oldest", "--name", name], cwd=self.folder,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        with h5py.File(self.folder / "beam.h5", "r") as model:
            vertices = model["/surface/vertices"][:]
        tip = [f"{x:.6f}" for x in vertices[vertices[:, 0].argmax()]]
        self.must(HAPTIC, "pull", "beam", *tip, "--by", "0", "0.01", "0", "--name", name)
        self.refused(HAPTIC, "pull", "beem", *tip, "--to", "0", "0", "0", "--name", name, code=1,
                     says=['no body "beem"', "beam, ball"])
        self.refused(HAPTIC, "pull", "beam", "9", "9", "9", "--to", "0", "0", "0", "--name", name, code=1,
                     says=["from the surface"])
        self.refused(HAPTIC, "pull", "beam", *tip, "--name", name, says=["--to X Y Z"])
        time.sleep(0.5)
        self.must(HAPTIC, "pull", "--name", name)
        process.communicate(timeout=60)
        recorder.communicate(timeout=60)
        with h5py.File(self.folder / "pulled.h5", "r") as log:
            q = numpy.abs(log["/state/bodies/coordinates"][:]).max(axis=1)
            executed = log["/events/executed"][:] == 1
            self.assertEqual(list(log["/events/command"][:][executed]), [9, 9])
            first, last = log["/events/cycle"][:][executed]
            self.assertAlmostEqual(log["/events/pull_point_x"][:][executed][0], float(tip[0]))
            cycle = log["/samples/cycle"][:]
            touched = cycle[log["/state/contact/points"][:] > 0]  # where the programs start slowly, before the pull
        self.assertEqual(q[cycle < min([first, *touched])].max(initial=0.0), 0.0)
        self.assertGreater(q[cycle == last][0], 0.0)
        if cycle[0] == 0:
            verdict = json.loads(self.must(HAPTIC, "replay", "pulled.h5", "--json"))
            self.assertEqual(verdict["largest_difference"], 0.0)

    def test_the_number_of_basis_vectors_changes_and_the_log_is_replayed(self):
        name = f"e2e-dimension-{os.getpid()}"
        process = self.daemon("--cycles", str(5000 * SLOW), name=name)
        recorder = subprocess.Popen(
            [HAPTIC, "record", "-o", "fewer.h5", "--from-oldest", "--name", name], cwd=self.folder,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for bad in ("0", "9", "2.5"):
            self.refused(HAPTIC, "set", "beam.dimension", bad, "--name", name, code=1,
                         says=["value out of range (allowed 1 to 8, whole numbers)"])
        self.refused(HAPTIC, "set", "beam.dimension", "nan", "--name", name, says=["finite number"])
        self.must(HAPTIC, "set", "beam.dimension", "3", "--name", name)
        time.sleep(1.0)
        status = json.loads(self.must(HAPTIC, "status", "--json", "--name", name))
        self.assertEqual(status["parameters"]["beam.dimension"], 3.0)
        if not SANITIZED:
            self.assertEqual(status["allocations"], 0)
        self.must(HAPTIC, "set", "beam.dimension", "6", "--name", name)
        process.communicate(timeout=60)
        recorder.communicate(timeout=60)
        with h5py.File(self.folder / "fewer.h5", "r") as log:
            q = numpy.abs(log["/state/bodies/coordinates"][:])
            cycle = log["/samples/cycle"][:]
            rise = log["/events/cycle"][:][log["/events/executed"][:] == 1][1]
        self.assertEqual(q[cycle == rise - 1][0, 3:].max(), 0.0)
        self.assertEqual(q[-1, 6:].max(), 0.0)
        self.assertGreater(q[-1, :6].min(), 0.0)
        if cycle[0] == 0:
            verdict = json.loads(self.must(HAPTIC, "replay", "fewer.h5", "--json"))
            self.assertEqual(verdict["largest_difference"], 0.0)

    def test_two_rates_offline_and_on_two_threads(self):
        # On a loaded machine the thread of the world may wait longer than the default time-out.
        rates = "rate_hz = 500\nservo_rate_hz = 2000\nworld_timeout_s = 5.0\n"
        (self.folder / "two.toml").write_text(
            SCENE.replace("rate_hz = 1000\n", rates, 1) + '[passivity]\nreference = "stored"\n')
        self.must(HAPTIC, "simulate", "two.toml", "-o", "two-a.h5")
        self.must(HAPTIC, "simulate", "two.toml", "-o", "two-b.h5")
        self.assertEqual((self.folder / "two-a.h5").read_bytes(),
                         (self.folder / "two-b.h5").read_bytes())
        verdict = json.loads(self.must(HAPTIC, "replay", "two-a.h5", "--json"))
        self.assertEqual(verdict["cycles"], 4801)
        self.assertEqual(verdict["largest_difference"], 0.0)
        with h5py.File(self.folder / "two-a.h5", "r") as log:
            step = log["/samples/world_step"][:]
            self.assertEqual(list(step[:9]), [0, 0, 0, 0, 1, 1, 1, 1, 2])
            self.assertGreater(log["/state/contact/points"][:].max(), 5)
            self.assertGreater(numpy.abs(log["/samples/device_force_N"][:]).max(), 0.05)
        self.must(HAPTIC, "plot", "two-a.h5", "-o", "two.png")

        name = f"e2e-two-{os.getpid()}"
        process = self.daemon("--engage", name=name, scene="two.toml")
        self.must(HAPTIC, "set", "coupling.stiffness", "310", "--name", name)
        self.refused(HAPTIC, "set", "coupling.stiffness", "-1", "--name", name, code=1)
        status = json.loads(self.must(HAPTIC, "status", "--json", "--name", name))
        self.assertEqual(status["rate_hz"], 2000.0)
        self.assertGreater(status["world_step"], 0)
        # The thread of the world takes the value after the answer, and follows its ramp.
        self.refused(HAPTIC, "set", "beam.dimension", "9", "--name", name, code=1)
        self.must(HAPTIC, "set", "beam.dimension", "3", "--name", name)
        while status["parameters"]["beam.dimension"] != 3.0:
            self.assertIsNone(process.poll())
            status = json.loads(self.must(HAPTIC, "status", "--json", "--name", name))
        self.must(HAPTIC, "record", "-o", "two-live.h5", "--seconds", "2", "--name", name)
        process.terminate()
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, err)
        check_loop(self, out)
        with h5py.File(self.folder / "two-live.h5", "r") as log:
            step = log["/samples/world_step"][:].astype(int)
            self.assertTrue((numpy.diff(step) >= 0).all())
            self.assertGreater(step[-1], 100)
            self.assertTrue((log["/samples/fault"][:] == 0).all())
            self.assertTrue((log["/timing/world_age_ns"][:] >= 0).all())
            q = numpy.abs(log["/state/bodies/coordinates"][:])
        self.assertEqual(q[:, 3:].max(), 0.0)
        self.assertGreater(q[-1, :3].min(), 0.0)

    def test_calibrate_prints_the_times_of_a_cycle(self):
        text = self.must(HAPTICD, "--scene", "scene.toml", "--calibrate", "--priority", "0")
        def numbers(line, pattern):
            found = re.search(rf"^{line}\s+{pattern}", text, re.M)
            self.assertIsNotNone(found, text)
            return [float(group) for group in found.groups()]
        three = r"p50 (\S+)\s+p99 (\S+)\s+max (\S+) us"
        for line in ("wake-up", "cycle with the hand at rest"):
            p50, p99, most = numbers(line, three)
            self.assertTrue(0.0 <= p50 <= p99 <= most, text)
        node_ns, contact_ns = numbers(r"\S+ on \S+", r"(\d+) ns per node, (\d+) ns more per contact")
        self.assertGreater(node_ns, 0)
        self.assertGreaterEqual(contact_ns, 0)

    def test_operator_commands_and_status(self):
        name = f"e2e-operate-{os.getpid()}"
        process = self.daemon(name=name)
        keys = {"state", "rate_hz", "cycles", "missed", "wake_us", "compute_us", "world_state",
                "allocations", "page_faults", "faults", "force_N", "torque_Nm"}

        def status():
            return json.loads(self.must(HAPTIC, "status", "--json", "--name", name))

        self.assertLessEqual(keys, status().keys())
        self.assertLessEqual({"contact/points", "contact/visited_nodes", "contact/level", "contact/node_budget"},
                             status()["world_state"].keys())
        self.assertEqual(status()["state"], "idle")
        self.must(HAPTIC, "engage", "--name", name)
        self.assertEqual(status()["state"], "engaged")
        self.must(HAPTIC, "set", "coupling.stiffness", "250", "--name", name)
        self.refused(HAPTIC, "set", "coupling.stiffness", "-1", "--name", name, code=1)
        self.refused(HAPTIC, "set", "coupling.stifness", "250", "--name", name, code=1,
                     says=["did you mean coupling.stiffness?"])
        self.must(HAPTIC, "release", "--name", name)
        self.assertEqual(status()["state"], "idle")
        self.must(HAPTIC, "stop", "--name", name)
        self.assertEqual(status()["state"], "fault")
        self.refused(HAPTIC, "engage", "--name", name, code=1)
        self.must(HAPTIC, "reset", "--name", name)
        self.refused(HAPTICD, "--scene", "scene.toml", "--name", name)  # a second daemon
        self.must(HAPTIC, "view", "--png", "live.png", "--width", "160", "--height", "120",
                  "--name", name)
        self.assertEqual((self.folder / "live.png").read_bytes()[1:4], b"PNG")
        process.terminate()
        out, _ = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 0)
        check_loop(self, out)
        self.refused(HAPTIC, "status", "--name", name, code=1)

    def test_the_material_of_a_running_body_changes(self):
        name = f"e2e-material-{os.getpid()}"
        process = self.daemon(name=name)
        status = json.loads(self.must(HAPTIC, "status", "--json", "--name", name))
        self.assertEqual(status["parameters"]["beam.stiffness"], 1.0)
        self.assertLess(status["subspace_error"]["beam"], 1.0)
        # E = 4e4 Pa, nu = 0.4.
        self.assertAlmostEqual(status["parameters"]["beam.mu.base"], 4e4 / 2.8, delta=1e-6)
        self.must(HAPTIC, "set", "beam.stiffness", "2.5", "--name", name)
        self.must(HAPTIC, "set", "beam.mu.base", "2e4", "--name", name)
        self.must(HAPTIC, "set", "beam.density", "1.5", "--name", name)
        self.refused(HAPTIC, "set", "beam.stiffness", "1e9", "--name", name, code=1,
                     says=["value out of range", "1000"])
        self.refused(HAPTIC, "set", "beam.mu.rim", "1e4", "--name", name, code=1,
                     says=["known: beam.stiffness", "beam.mu.base"])
        self.refused(HAPTIC, "set", "ball.mu.base", "1e4", "--name", name, code=1,
                     says=["ball is rigid"])
        time.sleep(0.5)  # the ramp takes 0.2 s
        status = json.loads(self.must(HAPTIC, "status", "--json", "--name", name))
        self.assertEqual(status["parameters"]["beam.stiffness"], 2.5)
        self.assertEqual(status["parameters"]["beam.mu.base"], 2e4)
        self.assertEqual(status["parameters"]["beam.density"], 1.5)
        self.assertEqual(status["faults"], 0)
        self.assertEqual(status["allocations"], 0)
        self.assertIsNotNone(status["subspace_error"]["beam"])
        self.assertIn("beam.stiffness 2.5", self.must(HAPTIC, "status", "--name", name))
        process.terminate()
        process.communicate(timeout=20)

    def test_dynamics_of_a_scene(self):
        scene = SCENE.replace('name = "beam"', 'name = "beam"\ndimension = 5')
        (self.folder / "small.toml").write_text(scene + "[dynamics]\nnewton_iterations = 2\n")
        self.must(HAPTIC, "simulate", "small.toml", "-o", "small.h5")
        with h5py.File(self.folder / "small.h5", "r") as log:
            self.assertEqual(log["/state/bodies/coordinates"].shape[1], 5)
            self.assertGreater(numpy.abs(log["/state/bodies/coordinates"][:]).max(), 0.0)
        self.must(HAPTIC, "view", "--png", "small.png", "--log", "small.h5", "--width", "160",
                  "--height", "120")
        (self.folder / "modal.toml").write_text(SCENE + "[dynamics]\nintegrator = \"modal\"\n")
        self.must(HAPTIC, "simulate", "modal.toml", "-o", "modal.h5")
        (self.folder / "much.toml").write_text(
            SCENE.replace('name = "beam"', 'name = "beam"\ndimension = 9'))
        self.refused(HAPTICD, "--scene", "much.toml", "--check", says=["8 basis vectors", "9"])
        report = json.loads(self.must(HAPTIC, "probe", "damping", "beam.h5", "--dt", "0.001"))
        self.assertEqual(len(report["modes"]), 8)
        self.assertLess(abs(report["modes"][0]["loss_per_period_small"]), 1e-3)
        self.assertGreater(report["modes"][0]["steps_per_period"], 10)
        self.assertAlmostEqual(
            report["central_difference_limit_s"] * report["largest_frequency_Hz"],
            1.0 / numpy.pi, places=9)

    def test_plot_and_view_of_a_log(self):
        self.must(HAPTIC, "simulate", "scene.toml", "-o", "pictures.h5")
        self.must(HAPTIC, "plot", "pictures.h5", "-o", "forces.png")
        self.must(HAPTIC, "view", "--log", "pictures.h5", "--png", "view.png", "--width", "160",
                  "--height", "120")
        for picture in ("forces.png", "view.png"):
            self.assertEqual((self.folder / picture).read_bytes()[1:4], b"PNG")

    def bad_recipe(self, old, new, *says):
        (self.folder / "bad.toml").write_text(BEAM.replace(old, new))
        before = (self.folder / "beam.h5").read_bytes()
        self.refused(HAPTIC, "bake", "bad.toml", "-o", "beam.h5", says=says)
        self.assertEqual((self.folder / "beam.h5").read_bytes(), before)
        self.assertEqual(list(self.folder.glob("*.tmp*")), [])

    def test_bad_recipes(self):
        self.bad_recipe("beam.obj", "missing.obj", "missing.obj")
        (self.folder / "empty.obj").write_text("")
        self.bad_recipe("beam.obj", "empty.obj", "empty.obj")
        (self.folder / "nan.obj").write_text("v 0 0 0\nv nan 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 3 4\n")
        self.bad_recipe("beam.obj", "nan.obj", "nan.obj")
        self.bad_recipe("below = 0.011", "below = 10.0", "constraints")
        self.bad_recipe("dimension = 8", "dimension = 500", "dimension")
        self.bad_recipe("youngs_modulus = 4e4", "youngs_modulus = -4e4", "youngs_modulus")
        self.bad_recipe("youngs_modulus", "youngs_modulos", "youngs_modulos", "youngs_modulus")
        self.bad_recipe("levels = 3", "levels = \"three\"", "levels")

    def bad_scene(self, old, new, *says):
        (self.folder / "bad_scene.toml").write_text(SCENE.replace(old, new))
        self.refused(HAPTICD, "--scene", "bad_scene.toml", "--check", says=says)

    def test_bad_scenes(self):
        self.bad_scene("beam.h5", "no_such.h5", "no_such.h5")
        self.bad_scene("stiffness = 100.0", "stifness = 100.0", "stifness", "stiffness")
        self.bad_scene("stiffness = 300.0", "stiffness = -300.0", "stiffness")
        (self.folder / "jump.csv").write_text(self.hand.replace("0.5,", "0.0001,", 1))
        self.bad_scene("hand.csv", "jump.csv", "jump.csv")

    def test_damaged_models(self):
        good = (self.folder / "beam.h5").read_bytes()

        def damaged(data, *says):
            (self.folder / "damaged.h5").write_bytes(data)
            self.bad_scene("beam.h5", "damaged.h5", "damaged.h5", *says)

        damaged(good[: len(good) // 2])
        damaged(good[:100])
        flipped = bytearray(good)
        with h5py.File(self.folder / "beam.h5", "r") as model:
            flipped[model["/reduced/quartic"].id.get_offset() + 11] ^= 0x10
        damaged(bytes(flipped), "/reduced/quartic")
        newer = bytearray(good)
        version = struct.unpack_from("<I", newer, 12)[0]
        struct.pack_into("<I", newer, 12, version + 1)
        damaged(bytes(newer), "version")
        damaged(b"\x89HDF\r\n\x1a\n" + bytes(5000))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[3:]])
