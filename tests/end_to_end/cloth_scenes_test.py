#!/usr/bin/env python3
"""The shipped scenes of cloth as a user runs them: baked, checked, simulated, in the daemon, replayed, seen.

Usage: cloth_scenes_test.py HAPTIC HAPTICD [unittest arguments]
"""
import json
import os
import pathlib
import sys
import time
import unittest

import h5py
import numpy

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from programs import SANITIZED, SLOW, run  # noqa: E402
from shipped_scenes import HAPTIC, HAPTICD, ShippedScenes  # noqa: E402

# Scene, the time until its script has touched the cloth [s], and the force that it then at least has made [N].
SHIPPED = (("curtain_scene", 1.1, 0.004), ("table_scene", 0.9, 0.5), ("soft_scene", 1.7, 0.1), ("flag_scene", 1.6, 0.01))
COLUMNS = ["held_position_m", "held_orientation_wxyz", "wanted_force_N", "contact_force_N", "contact_torque_Nm",
           "/state/bodies/pose", "/state/contact/points", "/state/contact/rows", "/state/contact/layers",
           "/state/cloth/stretch", "/state/cloth/energy", "/state/cloth/iterations", "/state/cloth/residual",
           "/state/touch/grabbed", "/state/coupling/saturation", "/state/coupling/speed", "/state/coupling/excess"]


class ClothScenes(ShippedScenes):
    name = "cloth"
    scenes = [shipped[0] for shipped in SHIPPED]

    def test_checked_without_a_warning_simulated_twice_with_the_same_log_replayed_and_seen(self):
        folder = self.folder
        for scene, seconds, force in SHIPPED:
            with self.subTest(scene):
                checked = run(HAPTICD, "--scene", folder / f"{scene}.toml", "--check")
                self.assertEqual((checked.returncode, checked.stderr), (0, ""))
                log = self.simulated(scene, seconds)
                self.must(HAPTIC, "simulate", f"{scene}.toml", "-o", "again.h5", "--seconds", str(seconds))
                self.assertEqual((folder / log).read_bytes(), (folder / "again.h5").read_bytes())
                verdict = json.loads(self.must(HAPTIC, "replay", log, "--json"))
                self.assertEqual((verdict["cycles"], verdict["largest_difference"]), (round(1000 * seconds) + 1, 0.0))
                with h5py.File(folder / log) as numbers:
                    self.check_numbers(numbers, force)
                self.check_pictures(folder, log)

    def simulated(self, scene, seconds):
        """The log of a scene, made once."""
        log = f"{scene}.h5"
        if not (self.folder / log).exists():
            self.must(HAPTIC, "simulate", f"{scene}.toml", "-o", log, "--seconds", str(seconds))
        return log

    def check_numbers(self, log, force):
        self.assertEqual(numpy.count_nonzero(log["samples/fault"]), 0)
        wanted, pushed = (numpy.linalg.norm(log[f"samples/{name}_force_N"], axis=1) for name in ("wanted", "contact"))
        self.assertTrue(numpy.isfinite(wanted).all() and numpy.isfinite(pushed).all())
        self.assertGreater(pushed.max(), force)
        # The limit of the coupling and of the hand, 8.5 N.
        self.assertLess(pushed.max(), 8.5)
        self.assertLess(wanted.max(), 8.5)
        for block in ("cloth/stretch", "cloth/energy", "cloth/residual"):
            self.assertTrue(numpy.isfinite(log["state"][block]).all(), block)
        # Forces of up to 1 N, and the fall onto what is below, on threads of 150 N/m, several side by side.
        self.assertLess(log["state/cloth/stretch"][:].max(), 1.2)
        # The weight of 18 g of cloth that falls by at most 0.16 m, 0.028 J, most of which is lost again.
        self.assertLess(log["state/cloth/energy"][:].max(), 0.03)

    def check_pictures(self, folder, log):
        with h5py.File(folder / log) as numbers:
            # The cloth is the first body of each of these scenes.
            particles = numbers["display/bodies/surface/0"][:]
        particles = particles.reshape(len(particles), -1, 3)
        moved = numpy.linalg.norm(particles[-1] - particles[0], axis=-1)
        self.assertTrue(numpy.isfinite(particles).all())
        self.assertGreater(moved.max(), 2e-3)
        self.must(HAPTIC, "view", "--log", log, "--png", "end.png", "--width", "160", "--height", "120")
        self.must(HAPTIC, "view", "--log", log, "--at", "0", "--png", "rest.png", "--width", "160", "--height", "120")
        pictures = [(folder / f"{name}.png").read_bytes() for name in ("end", "rest")]
        self.assertEqual(pictures[0][1:4], b"PNG")
        # A background without a scene has a few hundred bytes.
        self.assertGreater(min(len(picture) for picture in pictures), 2000)
        self.assertNotEqual(*pictures)

    @unittest.skipIf(SANITIZED, "a sanitizer's build makes 25 of the 1000 steps a second, which is a fault")
    def test_the_daemon_has_the_bits_of_the_simulation(self):
        folder = self.folder
        for scene, seconds, _ in SHIPPED[2:]:
            with self.subTest(scene):
                cycles = round(1000 * seconds) + 1
                log = self.simulated(scene, seconds)
                name = f"cloth-{scene.split('_')[0]}-{os.getpid()}"
                process = self.daemon(f"{scene}.toml", name, "--cycles", str(cycles), "--engage")
                self.must(HAPTIC, "record", "-o", "live.h5", "--force", "--from-oldest", "--name", name)
                self.ended(process)
                with h5py.File(folder / log) as offline, h5py.File(folder / "live.h5") as live:
                    cycle = live["/samples/cycle"][:]
                    self.assertGreater(len(cycle), cycles // 2)
                    self.assertEqual(set(live["/samples/fault"][:]), {0})
                    for column in COLUMNS:
                        self.assertTrue(numpy.array_equal(live["/samples"][column][:],
                                                          offline["/samples"][column][:][cycle]), column)
                    self.assertGreater(live["/state/contact/points"][:].max(), 0)

    def test_a_servo_at_ten_times_the_rate_of_the_cloth(self):
        folder = self.folder
        text = (folder / "flag_scene.toml").read_text()
        self.assertIn("rate_hz = 1000.0", text)
        (folder / "two_rates.toml").write_text(
            text.replace("rate_hz = 1000.0", "rate_hz = 100\nservo_rate_hz = 1000\nworld_timeout_s = 5.0"))
        logs = []
        for log in ("a.h5", "b.h5"):
            self.must(HAPTIC, "simulate", "two_rates.toml", "-o", log, "--seconds", "3")
            logs.append((folder / log).read_bytes())
        self.assertEqual(logs[0], logs[1])
        verdict = json.loads(self.must(HAPTIC, "replay", "a.h5", "--json"))
        self.assertEqual((verdict["cycles"], verdict["largest_difference"]), (3001, 0.0))
        with h5py.File(folder / "a.h5") as log:
            moved = log["/samples/held_position_m"][:] - log["/state/bodies/pose"][:, -7:-4]
            pushed = numpy.linalg.norm(log["/samples/contact_force_N"], axis=1)
            self.assertGreater(pushed.max(), 0.02)
            self.assertLess(pushed.max(), 8.5)
            self.assertTrue(numpy.isfinite(moved).all())
        # Between two steps of the cloth the point goes along with the hand.
        self.assertGreater(numpy.linalg.norm(moved, axis=1).max(), 1e-6)
        name = f"cloth-rates-{os.getpid()}"
        process = self.daemon("two_rates.toml", name, "--cycles", str(2500 * SLOW), "--engage")
        self.must(HAPTIC, "record", "-o", "live.h5", "--force", "--from-oldest", "--name", name)
        self.ended(process)
        # When a step becomes visible depends on the machine, so the live log has other bits.
        with h5py.File(folder / "live.h5") as live:
            self.assertEqual(numpy.count_nonzero(live["/samples/fault"]), 0)
            felt = numpy.linalg.norm(live["/samples/wanted_force_N"], axis=1)
            self.assertTrue(numpy.isfinite(felt).all())
            self.assertLess(felt.max(), 8.5)
            self.assertGreater(live["/samples/world_step"][:].max(), 10)

    def test_an_operator_changes_the_wind_and_pulls_the_flag(self):
        name = f"cloth-set-{os.getpid()}"
        process = self.daemon("flag_scene.toml", name)
        refused = run(HAPTIC, "set", "cloth.wind_x", "101", "--name", name)
        self.assertEqual((refused.returncode, refused.stderr.count("\n")), (1, 1), refused.stderr)
        self.assertIn("allowed -100 to 100", refused.stderr)
        self.must(HAPTIC, "set", "cloth.wind_x", "0", "--name", name)
        self.must(HAPTIC, "pull", "flag", "0.3", "0.1", "0.0", "--by", "0", "0", "0.05", "--name", name)
        refused = run(HAPTIC, "pull", "pole", "0", "0", "0", "--by", "0", "0", "0.05", "--name", name)
        self.assertEqual((refused.returncode, refused.stderr.count("\n")), (1, 1), refused.stderr)
        self.assertIn("is not the cloth", refused.stderr)

        def wind():
            return json.loads(self.must(HAPTIC, "status", "--json", "--name", name))["parameters"]["cloth.wind_x"]

        # The value changes linearly over 0.2 s.
        for _ in range(600):
            if wind() == 0.0:
                break
            time.sleep(0.05)
        self.assertEqual(wind(), 0.0)
        process.terminate()
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
