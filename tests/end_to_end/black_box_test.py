#!/usr/bin/env python3
"""Black boxes of daemons brought into a fault, in every command that reads logs.

Usage: black_box_test.py HAPTIC HAPTICD [unittest arguments]
"""
import csv
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

import h5py
import numpy

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from daemon_case import SECONDS, DaemonCase  # noqa: E402
from programs import TWO_SPHERES, run  # noqa: E402

HAPTIC, HAPTICD = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:3])
AT_ONCE, OF_A_FOLDER = 16, 32  # docs/logs.md
WRITTEN = "the last seconds were written to"
NONE = "no fault record: 16 at once, then one a minute"


class BlackBoxes(DaemonCase):
    programs = {"haptic": HAPTIC, "hapticd": HAPTICD}

    def setUp(self):
        super().setUp()
        self.write_scene()

    def write_scene(self, limits=""):
        (self.folder / "hand.csv").write_text("time_s,x_m,y_m,z_m,qw,qx,qy,qz\n" + "".join(
            f"{0.25 * i},0,{0.0625 - 0.005 * (i % 2)},0,1,0,0,0\n" for i in range(400)))
        (self.folder / "scene.toml").write_text(
            TWO_SPHERES + f'[coupling]\nstiffness = 200.0\n{limits}[device]\nscript = "hand.csv"\n')

    def boxes(self):
        return sorted(self.folder.glob("*.box"))

    def box(self, fault):
        """The only black box, once it is written."""
        self.until(lambda: WRITTEN in self.said())
        self.assertEqual(len(self.boxes()), 1, self.boxes())
        self.assertIn(f"hapticd-{self.name}-{fault}-cycle", self.boxes()[0].name)
        return self.boxes()[0].name

    def ends(self, process):
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(SECONDS), 0, self.said())

    def reads(self, command, *arguments, code=0):
        result = run(HAPTIC, command, *arguments, cwd=self.folder)
        self.assertEqual((result.returncode, result.stderr), (code, ""), f"{command} {arguments}: {result.stdout}")
        return result.stdout

    def test_every_reader_of_logs_opens_it(self):
        # The black box has the first cycle, too, if the stop comes within 10 s of a slow machine.
        scene = self.folder / "scene.toml"
        scene.write_text(scene.read_text().replace("rate_hz = 500", "rate_hz = 200"))
        process = self.daemon("--engage", recorded="live.h5")
        self.until(lambda: self.status()["cycles"] > 300)
        self.must("set", "coupling.stiffness", "150")
        self.must("stop")
        box = self.box("operator_stop")
        self.ends(process)
        self.assertEqual(self.recorder.wait(SECONDS), 0, self.said())
        self.reads("record", "--from-box", box, "-o", "box.h5")
        with h5py.File(self.folder / "live.h5") as live, h5py.File(self.folder / "box.h5") as log:
            self.assertEqual(log["/samples/cycle"][0], 0)
            rows = len(log["/samples/cycle"])
            self.assertGreater(log["/samples/fault"][-1], 0)
            self.assertLessEqual(rows, len(live["/samples/cycle"]))
            for group in ("samples", "timing", "state/contact", "state/bodies"):
                for name in log[group]:
                    numpy.testing.assert_array_equal(log[group][name][:], live[group][name][:rows], f"{group}/{name}")
            for name in log["events"]:
                count = len(log["events"][name])
                self.assertEqual(list(log["events"][name][:]), list(live["events"][name][:count]), name)
            for name in ("host", "kernel", "device", "hapticd_version", "daemon_date"):
                self.assertEqual(log["session"].attrs[name], live["session"].attrs[name], name)
            self.assertEqual(log["session/scene"][()].decode(), (self.folder / "scene.toml").read_text())
            hand = log["/samples/device_position_m"][:, 1]
        self.assertGreater(hand.max() - hand.min(), 0.004)

        self.reads("export", box, "-o", "box.csv", "--columns", "device_position")
        with open(self.folder / "box.csv") as file:
            table = list(csv.reader(file))
        self.assertEqual(len(table), rows + 1)
        column = next(i for i, title in enumerate(table[0]) if title == "device_position.y [m]")
        numpy.testing.assert_array_equal([float(row[column]) for row in table[1:]], hand)

        outcome = json.loads(self.reads("replay", box, "--json"))
        # The same code, the same instruction set: the same bits.
        self.assertEqual((outcome["cycles"], outcome["largest_difference"]), (rows, 0.0))
        self.assertTrue(any(command["of_world"] for command in outcome["commands"]))
        self.reads("diff", box, "box.h5")
        self.reads("diff", box, box)
        for command in (("plot", box, "-o", "box.png"), ("report", box, "-o", "box.html"),
                        ("trace", "--from-box", box, "-o", "box.json"),
                        ("view", "--log", box, "--png", "view.png", "--width", "160", "--height", "120")):
            self.reads(*command)
        for picture in ("box.png", "view.png"):
            self.assertEqual((self.folder / picture).read_bytes()[:4], b"\x89PNG")
        self.assertIn("coupling.stiffness", (self.folder / "box.html").read_text())
        self.assertIn("traceEvents", json.loads((self.folder / "box.json").read_text()))
        self.assertEqual([path.name for path in self.folder.glob("*.tmp*")], [])

    def test_a_limit_that_a_hand_exceeds_and_the_manifest(self):
        manifest = self.folder / "desk.toml"
        manifest.write_text('kind = "simulated"\nname = "desk"\nscript = "hand.csv"\n')
        self.write_scene("[limits]\nspeed = 0.001\n")
        # At rest for a second: a hand that is too fast is not engaged.
        (self.folder / "hand.csv").write_text("time_s,x_m,y_m,z_m,qw,qx,qy,qz\n0,0,0.07,0,1,0,0,0\n"
                                              "1,0,0.07,0,1,0,0,0\n2,0,0.08,0,1,0,0,0\n")
        text = (self.folder / "scene.toml").read_text()
        (self.folder / "scene.toml").write_text(text.replace('script = "hand.csv"', 'name = "./desk.toml"'))
        process = self.daemon("--engage", recorded="live.h5")
        box = self.box("speed_limit")
        self.ends(process)
        self.assertEqual(self.recorder.wait(SECONDS), 0, self.said())
        before = manifest.read_text()
        manifest.write_text("changed since")
        self.reads("record", "--from-box", box, "-o", "box.h5")
        for name in ("live.h5", "box.h5"):
            with h5py.File(self.folder / name) as log:
                self.assertEqual(log["/session/manifest"][()].decode(), before, name)
                self.assertEqual(log["/session"].attrs["manifest_is_newer"], 0.0)
        with h5py.File(self.folder / "box.h5") as log:
            fault = log["/samples/fault"][:]
            first = log["/samples/cycle"][:][numpy.argmax(fault > 0)]
            # In the second that moves 10 mm, a second after the start of the hand's time.
            self.assertGreater(log["/samples/time_s"][:][numpy.argmax(fault > 0)], 0.99)
        self.assertIn(f"-cycle{first}.box", box)

    def test_one_from_the_middle_of_a_run_says_why_it_is_not_replayed(self):
        process = self.daemon("--engage")
        self.until(lambda: self.status()["cycles"] > 2500)  # the ring has 2048 at 500 Hz
        self.must("stop")
        box = self.box("operator_stop")
        self.ends(process)
        result = run(HAPTIC, "replay", box, cwd=self.folder)
        self.assertEqual((result.returncode, result.stdout, result.stderr.count("\n")), (2, "", 1), result.stderr)
        self.assertIn("a log from the first cycle of its scene on", result.stderr)
        self.assertIn("2048 cycles, 0 lost", self.reads("record", "--from-box", box, "-o", "box.h5"))

    def test_a_scene_changed_since_does_not_matter(self):
        process = self.daemon("--engage")
        self.until(lambda: self.status()["cycles"] > 200)
        (self.folder / "scene.toml").write_text("this is no scene")
        self.must("stop")
        box = self.box("operator_stop")
        self.ends(process)
        self.assertEqual(json.loads(self.reads("replay", box, "--json"))["largest_difference"], 0.0)

    def test_after_a_change_of_the_scene_it_has_the_scene_that_ran(self):
        text = (self.folder / "scene.toml").read_text()
        (self.folder / "other.toml").write_text(text.replace("stiffness = 200.0", "stiffness = 120.0"))
        process = self.daemon("--engage")
        self.must("load", "other.toml")
        before = self.status()["cycles"]
        self.until(lambda: self.status()["cycles"] > before + 200)
        self.must("stop")
        box = self.box("operator_stop")
        self.ends(process)
        outcome = json.loads(self.reads("replay", box, "--json"))
        self.assertGreater(outcome["cycles"], 200)
        self.assertEqual(outcome["largest_difference"], 0.0)
        self.reads("record", "--from-box", box, "-o", "box.h5")
        with h5py.File(self.folder / "box.h5") as log:
            self.assertIn("stiffness = 120.0", log["session/scene"][()].decode())

    def test_a_fault_that_recurs_leaves_a_bounded_number(self):
        # Of daemons before, a second apart from the oldest on.
        for i in range(OF_A_FOLDER + 3):
            old = self.folder / f"hapticd-{self.name}-stale_input-cycle{i}.box"
            old.write_bytes(b"x")
            os.utime(old, (1000 + i, 1000 + i))
        process = self.daemon("--engage")
        begun = time.monotonic()
        for i in range(AT_ONCE + 3):
            self.must("stop")
            self.wait_for("fault", "operator_stop")
            self.until(lambda: self.said().count(WRITTEN) == i + 1 or NONE in self.said())
            before = self.status()["cycles"]
            self.until(lambda: self.status()["cycles"] > before + 150)  # 0.3 s: a record would have begun
            self.must("reset")
            self.wait_for("idle")
            self.must("engage")
        self.until(lambda: len(list(self.folder.glob("*operator_stop*.box"))) == self.said().count(WRITTEN))
        written = self.said().count(WRITTEN)
        self.assertGreaterEqual(written, AT_ONCE)
        self.assertLessEqual(written, AT_ONCE + (time.monotonic() - begun) / 60)
        self.assertEqual(len(self.boxes()), OF_A_FOLDER)
        kept = OF_A_FOLDER - written
        gone = OF_A_FOLDER + 3 - kept
        self.assertFalse((self.folder / f"hapticd-{self.name}-stale_input-cycle{gone - 1}.box").exists())
        self.assertTrue((self.folder / f"hapticd-{self.name}-stale_input-cycle{gone}.box").exists())
        self.ends(process)

    def test_a_full_disk_is_one_line_and_the_daemon_goes_on(self):
        can = subprocess.run(["unshare", "--user", "--map-root-user", "--mount", "true"], capture_output=True)
        if can.returncode != 0:
            self.skipTest("no namespaces of this user")
        (self.folder / "small").mkdir()
        script = (f'mount -t tmpfs -o size=64k tmpfs small && exec {HAPTICD} --scene scene.toml --engage '
                  f'--name {self.name} --black-box small')
        process = self.start("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script)
        self.until(lambda: self.status(may_fail=True).get("cycles", 0) > 200)
        self.must("stop")
        self.until(lambda: "no fault record was written" in self.said())
        line = next(line for line in self.said().splitlines() if "no fault record" in line)
        self.assertIn("No space left on device", line)
        self.must("reset")
        self.wait_for("idle")
        self.must("engage")
        small = pathlib.Path(f"/proc/{process.pid}/cwd/small")  # as the daemon sees it
        system = os.statvfs(small)
        self.assertEqual(system.f_blocks * system.f_frsize, 64 * 1024)
        self.assertEqual(list(small.iterdir()), [])
        self.ends(process)

    def test_a_damaged_one_is_refused_in_one_line(self):
        process = self.daemon("--engage")
        self.must("stop")
        box = self.folder / self.box("operator_stop")
        self.ends(process)
        good = box.read_bytes()
        for name, content, section in (("cut.box", good[:len(good) // 2], "telemetry"), ("head.box", good[:100], "header"),
                                       ("flip.box", good[:5000] + bytes([good[5000] ^ 1]) + good[5001:], "telemetry"),
                                       ("end.box", good[:-1], "scene"), ("more.box", good + b"x", "manifest")):
            (self.folder / name).write_bytes(content)
            for command in (("plot", name, "-o", "out.png"), ("export", name, "-o", "out.csv"), ("replay", name),
                            ("report", name, "-o", "out.html"), ("diff", name, box.name),
                            ("record", "--from-box", name, "-o", "out.h5"),
                            ("trace", "--from-box", name, "-o", "out.json"),
                            ("view", "--log", name, "--png", "out.png")):
                result = run(HAPTIC, *command, cwd=self.folder)
                self.assertEqual((result.returncode, result.stdout, result.stderr.count("\n")), (2, "", 1),
                                 f"{command}: {result.stderr}")
                self.assertIn(f"{name}: {section}: found ", result.stderr)
        self.assertEqual(list(self.folder.glob("out.*")), [])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
