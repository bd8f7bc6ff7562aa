#!/usr/bin/env python3
"""Scenes of scenes/ with many bodies: baked from the catalogue, checked, and simulated over their whole hand script.

Usage: shipped_scenes_test.py HAPTIC HAPTICD [unittest arguments]
"""
import pathlib
import shutil
import sys
import tempfile
import unittest

import h5py
import numpy

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from programs import run  # noqa: E402

HAPTIC, HAPTICD = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:3])
SCENES = pathlib.Path(__file__).resolve().parents[2] / "scenes"


class ShippedScenes(unittest.TestCase):
    soft = ("spoon_ball", "hose_bolt", "jelly")

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="haptic-shipped-"))
        made = shutil.ignore_patterns("*.h5", "*.obj", "*.bake", "scene.toml", "hand.csv")
        for scene in ("bowls", "chains", *cls.soft):
            shutil.copytree(SCENES / scene, cls.folder / scene, ignore=made)
        for file in SCENES.glob("*.*"):
            shutil.copy(file, cls.folder)
        # make_hands.py writes the scripts of all scenes.
        for scene in SCENES.iterdir():
            if scene.is_dir():
                (cls.folder / scene.name).mkdir(exist_ok=True)
        done = run(cls.folder / "bake.sh", HAPTIC, "bowls", "chains", *cls.soft)
        assert done.returncode == 0, done.stderr

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def simulate(self, scene, log, *options):
        done = run(HAPTIC, "simulate", self.folder / scene, "-o", log, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def test_checked_without_a_warning_and_simulated_twice_with_the_same_log(self):
        for scene in ("bowls", "chains"):
            with self.subTest(scene):
                file = pathlib.Path(scene) / "scene.toml"
                checked = run(HAPTICD, "--scene", self.folder / file, "--check")
                self.assertEqual((checked.returncode, checked.stderr), (0, ""))
                log = self.folder / "log.h5"
                logs = []
                for _ in range(2):
                    self.simulate(file, log)
                    logs.append(log.read_bytes())
                self.assertEqual(logs[0], logs[1])
                with h5py.File(log) as data:
                    self.assertEqual(numpy.count_nonzero(data["samples/fault"]), 0)
                    force = numpy.linalg.norm(data["samples/device_force_N"], axis=1)
                    # The hand pushes what is in its way: at least the weight of one body, 0.2 N.
                    self.assertGreater(force.max(), 0.2)
                    self.assertLess(force.max(), 8.5)
                    poses = data["state/bodies/pose"][-1].reshape(-1, 7)
                    self.assertTrue(numpy.isfinite(poses).all())
                    # Nothing fell through the ground or the trough.
                    self.assertGreater(poses[:, 1].min(), -0.005)

    def test_soft_bodies_are_pressed_without_a_physical_warning(self):
        for scene in self.soft:
            with self.subTest(scene):
                shutil.copy(SCENES / scene / "scene.toml", self.folder / scene)
                done = self.simulate(f"{scene}/scene.toml", self.folder / f"{scene}.log.h5")
                self.assertEqual(done.stderr, "")
                with h5py.File(self.folder / f"{scene}.log.h5") as data:
                    self.assertGreater(numpy.abs(data["samples/device_force_N"]).max(), 0.5)

    def test_a_stack_of_bowls_stands_until_it_is_pushed(self):
        log = self.folder / "stack.h5"
        self.simulate("bowls/scene.toml", log, "--seconds", "1")
        with h5py.File(log) as data:
            bowls = data["state/bodies/pose"][-1].reshape(-1, 7)[2:]
        rise = numpy.diff(bowls[:, 1])
        # One nests in the other: from one to the next less than half of a bowl's height of 32 mm.
        self.assertEqual(len(bowls), 20)
        self.assertLess(rise.max(), 0.016)
        self.assertGreater(rise.min(), 0.010)
        self.assertLess(numpy.abs(bowls[:, [0, 2]]).max(), 0.01)

    def test_hinges_of_the_chains_stay_closed(self):
        log = self.folder / "chains.h5"
        self.simulate("chains/scene.toml", log, "--seconds", "1")
        with h5py.File(log) as data:
            plates = data["state/bodies/pose"][...].reshape(-1, 18, 7)[::50, 3:]

        def turned(q, v):
            w, u = q[..., :1], q[..., 1:]
            t = 2.0 * numpy.cross(u, v)
            return v + w * t + numpy.cross(u, t)

        # Chains of three and two plates; a hinge is half a pitch of 45 mm from the middles of both.
        half = numpy.array([0.0225, 0.0, 0.0])
        for first in (0, 1, 3, 5, 6, 8, 10, 11, 13):
            a, b = plates[:, first], plates[:, first + 1]
            gap = a[:, :3] + turned(a[:, 3:], half) - b[:, :3] - turned(b[:, 3:], -half)
            # Joints are closed to 1e-9 of the smaller body's radius, 25 mm; the scene has picometres.
            self.assertLess(numpy.linalg.norm(gap, axis=1).max(), 1e-10)

    def test_512_bowls_and_64_chains_load_and_begin_to_fall(self):
        cases = (("make_bowls.py", ("512", "0.1"), "bowls", 514, 2000),
                 ("make_chains.py", ("64",), "chains", 163, 1000))
        for script, arguments, scene, bodies, rate in cases:
            with self.subTest(scene):
                many = pathlib.Path(scene) / "many.toml"
                written = run(sys.executable, self.folder / script, *arguments, self.folder / many)
                self.assertEqual(written.returncode, 0, written.stderr)
                log = self.folder / "many.h5"
                seconds = 0.01
                self.simulate(many, log, "--seconds", seconds)
                with h5py.File(log) as data:
                    poses = data["state/bodies/pose"][...].reshape(-1, bodies, 7)
                self.assertEqual(len(poses), seconds * rate + 1)
                # The uppermost falls freely: by implicit Euler, n (n + 1) / 2 of g h^2 after n steps. The first
                # row of the log is after one step.
                start, end = poses[0, :, 1], poses[-1, :, 1]
                top = numpy.argmax(start)
                n = seconds * rate + 1
                fallen = 9.81 * (n * (n + 1) / 2 - 1) / rate**2
                self.assertAlmostEqual(start[top] - end[top], fallen, delta=1e-12)

    def test_scripts_refuse_numbers_out_of_range(self):
        for script, argument in (("make_bowls.py", "513"), ("make_chains.py", "0"), ("make_chains.py", "65")):
            done = run(sys.executable, self.folder / script, argument)
            self.assertEqual(done.returncode, 1)
            self.assertIn("expected 1 to", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
