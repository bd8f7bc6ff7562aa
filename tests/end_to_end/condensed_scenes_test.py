#!/usr/bin/env python3
"""The shipped scenes of condensed bodies as a user runs them: baked, simulated, in the daemon, replayed, seen.

Usage: condensed_scenes_test.py HAPTIC HAPTICD [unittest arguments]
"""
import json
import os
import pathlib
import subprocess
import sys
import time
import unittest

import h5py
import numpy

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from programs import check_loop, run  # noqa: E402
from shipped_scenes import HAPTIC, HAPTICD, ShippedScenes  # noqa: E402

# Scene, rate [Hz], name of the condensed body, the force and the dent that its script at least makes [N, m].
SHIPPED = (("scene", 1000, "pad", 2.0, 2e-3), ("cube_scene", 4000, "cube", 1.0, 2e-3),
           ("hand_scene", 4000, "hand", 0.5, 1e-3))
COLUMNS = ["held_position_m", "held_orientation_wxyz", "wanted_force_N", "contact_force_N", "contact_torque_Nm",
           "/state/bodies/pose", "/state/condensed/modes", "/state/condensed/energy", "/state/contact/points",
           "/state/contact/rows", "/state/contact/residual"]


class CondensedScenes(ShippedScenes):
    name = "condensed"
    scenes = [shipped[0] for shipped in SHIPPED]

    def test_checked_without_a_warning_simulated_twice_with_the_same_log_and_replayed(self):
        for scene, rate, _, force, _ in SHIPPED:
            with self.subTest(scene):
                checked = run(HAPTICD, "--scene", self.folder / f"{scene}.toml", "--check")
                self.assertEqual((checked.returncode, checked.stderr), (0, ""))
                logs = []
                for log in ("a.h5", "b.h5"):
                    self.must(HAPTIC, "simulate", f"{scene}.toml", "-o", log, "--seconds", "4")
                    logs.append((self.folder / log).read_bytes())
                self.assertEqual(logs[0], logs[1])
                verdict = json.loads(self.must(HAPTIC, "replay", "a.h5", "--json"))
                self.assertEqual((verdict["cycles"], verdict["largest_difference"]), (4 * rate + 1, 0.0))
                with h5py.File(self.folder / "a.h5") as log:
                    self.assertEqual(numpy.count_nonzero(log["samples/fault"]), 0)
                    pushed = numpy.linalg.norm(log["samples/contact_force_N"], axis=1)
                    self.assertGreater(pushed.max(), force)
                    # The scenes' limit of the coupling, 8.5 N, and the inertia of a soft body that swings.
                    self.assertLess(pushed.max(), 10.0)
                    self.assertTrue(numpy.isfinite(log["state/condensed/modes"]).all())
                    self.assertGreater(numpy.count_nonzero(log["state/contact/points"]), rate)

    def test_the_daemon_has_the_bits_of_the_simulation_at_1_and_4_kHz(self):
        for scene, rate, *_ in SHIPPED[:2]:
            with self.subTest(scene):
                cycles = 3 * rate + 1
                self.must(HAPTIC, "simulate", f"{scene}.toml", "-o", "offline.h5", "--seconds", "3")
                name = f"condensed-{rate}-{os.getpid()}"
                process = self.daemon(f"{scene}.toml", name, "--cycles", str(cycles), "--engage")
                self.must(HAPTIC, "record", "-o", "live.h5", "--force", "--from-oldest", "--name", name)
                table, said = process.communicate(timeout=120)
                self.assertEqual(process.returncode, 0, said)
                check_loop(self, table)
                folder = self.folder
                with h5py.File(folder / "offline.h5") as offline, h5py.File(folder / "live.h5") as live:
                    cycle = live["/samples/cycle"][:]
                    self.assertGreater(len(cycle), rate)
                    self.assertEqual(numpy.count_nonzero(live["/samples/fault"]), 0)
                    for column in COLUMNS:
                        self.assertTrue(numpy.array_equal(live["/samples"][column][:],
                                                          offline["/samples"][column][:][cycle]), column)
                    self.assertGreater(live["/state/contact/points"][:].max(), 0)
                    whole = cycle[0] == 0
                if whole:
                    verdict = json.loads(self.must(HAPTIC, "replay", "live.h5", "--json"))
                    self.assertEqual(verdict["largest_difference"], 0.0)

    def test_a_servo_at_its_own_rate_renders_a_held_body_that_gives_way(self):
        folder = self.folder
        text = (folder / "scene.toml").read_text()
        (folder / "two_rates.toml").write_text(text.replace("rate_hz = 1000.0", "rate_hz = 1000\nservo_rate_hz = 4000"))
        logs = []
        for log in ("a.h5", "b.h5"):
            self.must(HAPTIC, "simulate", "two_rates.toml", "-o", log, "--seconds", "4")
            logs.append((folder / log).read_bytes())
        self.assertEqual(logs[0], logs[1])
        verdict = json.loads(self.must(HAPTIC, "replay", "a.h5", "--json"))
        self.assertEqual((verdict["cycles"], verdict["largest_difference"]), (16001, 0.0))
        with h5py.File(folder / "a.h5") as log:
            moved = log["/samples/held_position_m"][:] - log["/state/bodies/pose"][:, 7:10]
            pushed = numpy.linalg.norm(log["/samples/contact_force_N"], axis=1)
            lag = log["/samples/held_position_m"][:] - log["/samples/manipulandum_position_m"][:]
        # By no more than a tool at its speed limit moves in 1 ms.
        moved = numpy.linalg.norm(moved, axis=1)
        self.assertGreater(moved[pushed > 0.0].max(), 1e-5)
        # In the air it is where the hand is, but for the two steps in which it may touch. Before the world's first
        # step, the row has the pose of the hand.
        first = int(numpy.argmax(pushed > 0.0))
        self.assertGreater(first, 100)
        self.assertLess(numpy.linalg.norm(lag[8:first - 8], axis=1).max(), 1e-12)
        self.assertLessEqual(moved.max(), 0.6e-3 + 1e-12)
        process = self.daemon("two_rates.toml", f"condensed-rates-{os.getpid()}", "--cycles", "8000", "--engage")
        self.ended(process)

    def test_the_dented_surface_is_logged_and_drawn(self):
        for scene, _, body, _, dent in SHIPPED:
            with self.subTest(scene):
                self.must(HAPTIC, "simulate", f"{scene}.toml", "-o", "seen.h5", "--seconds", "3")
                folder = self.folder
                with h5py.File(folder / f"{body}.h5") as model:
                    rest = model["/surface/vertices"][:]
                with h5py.File(folder / "seen.h5") as log:
                    surface = log["/display/bodies/surface/0"][:].reshape(-1, *rest.shape)
                    first = log["/display_cycles/first"][:].astype(int)
                    held = log["/samples/held_position_m"][:]
                    force = numpy.linalg.norm(log["/samples/contact_force_N"], axis=1)
                moved = numpy.linalg.norm(surface - rest, axis=2)
                # The body of each of these scenes is at the origin. Before it is touched the log has its rest
                # surface, rounded to single precision: 1e-8 m of 0.2 m.
                self.assertLess(moved[first < numpy.argmax(force > 0.0) - 100].max(), 2e-8)
                row = numpy.argmin(numpy.abs(first - numpy.argmax(force)))
                # The surface is dented where the tool is.
                at_tool = numpy.linalg.norm(surface[row] - held[first[row]], axis=1).argmin()
                self.assertGreater(moved[row][at_tool], dent)
                # The picture at the strongest contact is not that of the body at rest.
                self.must(HAPTIC, "view", "--log", "seen.h5", "--png", "dented.png", "--width", "240", "--height", "180")
                self.must(HAPTIC, "view", "--log", "seen.h5", "--at", "0", "--png", "rest.png", "--width", "240",
                          "--height", "180")
                pictures = [(folder / f"{name}.png").read_bytes() for name in ("dented", "rest")]
                self.assertEqual(pictures[0][1:4], b"PNG")
                self.assertNotEqual(*pictures)

    def test_an_operator_changes_the_friction(self):
        name = f"condensed-set-{os.getpid()}"
        process = self.daemon("scene.toml", name)
        recorder = subprocess.Popen(
            [HAPTIC, "record", "-o", "set.h5", "--from-oldest", "--name", name], cwd=self.folder,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.must(HAPTIC, "set", "contact.friction", "0.2", "--name", name)
        refused = run(HAPTIC, "set", "contact.friction", "101", "--name", name)
        self.assertEqual((refused.returncode, refused.stderr.count("\n")), (1, 1), refused.stderr)
        self.assertIn("allowed 0 to 100", refused.stderr)

        def friction():
            return json.loads(self.must(HAPTIC, "status", "--json", "--name", name))["parameters"]["contact.friction"]

        # The value changes linearly over 0.2 s.
        for _ in range(600):
            if friction() == 0.2:
                break
            time.sleep(0.05)
        self.assertEqual(friction(), 0.2)
        time.sleep(0.5)
        process.terminate()
        process.communicate(timeout=60)
        recorder.communicate(timeout=60)
        with h5py.File(self.folder / "set.h5") as log:
            whole = log["/samples/cycle"][0] == 0
            self.assertEqual(log["/events/executed"][:].sum(), 1)
        if whole:
            verdict = json.loads(self.must(HAPTIC, "replay", "set.h5", "--json"))
            self.assertEqual(verdict["largest_difference"], 0.0)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
