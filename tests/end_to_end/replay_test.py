#!/usr/bin/env python3
"""Replays of running daemons that operators change: every number of every cycle again, bit for bit.

Usage: replay_test.py HAPTIC HAPTICD [unittest arguments]
The commands are drawn from the seed in HAPTIC_SEED, or from a fixed one; a failure names it.
"""
import json
import os
import pathlib
import random
import re
import shutil
import signal
import sys
import tempfile
import unittest

import h5py

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from daemon_case import SECONDS, DaemonCase  # noqa: E402
from programs import TWO_SPHERES, run  # noqa: E402

HAPTIC, HAPTICD = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:3])
SCENES = pathlib.Path(__file__).resolve().parents[2] / "scenes"
SEED = int(os.environ.get("HAPTIC_SEED", "20260501"))
COMMANDS = 25  # of one run


class RandomCommands(DaemonCase):
    programs = {"haptic": HAPTIC, "hapticd": HAPTICD}

    @classmethod
    def setUpClass(cls):
        cls.made = pathlib.Path(tempfile.mkdtemp(prefix="haptic-replay-"))
        made = shutil.ignore_patterns("*.h5", "*.obj", "*.bake", "*.csv")
        shutil.copytree(SCENES, cls.made / "scenes", ignore=made)
        done = run(cls.made / "scenes" / "bake.sh", HAPTIC, "jelly", "condensed", "cloth")
        assert done.returncode == 0, done.stderr
        cloth = cls.made / "scenes/cloth/soft_scene.toml"  # a quarter of the rate leaves time to a busy machine
        cloth.write_text(cloth.read_text().replace("rate_hz = 1000.0", "rate_hz = 250.0"))

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.made)

    def set(self, draw, parameters):
        """A parameter to a value near the present one."""
        name = draw.choice(sorted(parameters))
        if parameters[name] is None:  # no limit so far: one that no hand reaches
            value = 1e3
        elif name.endswith(".dimension"):
            value = draw.randint(1, 16)
        else:
            value = parameters[name] * draw.uniform(0.5, 1.5)
        return self.haptic("set", name, str(value))

    def one_command(self, draw, pulled):
        status = self.status()
        if status["state"] == "fault":
            return self.haptic("reset")
        kind = draw.choice(["set"] * 5 + ["pull"] * 3 * bool(pulled) + ["release", "engage"] * 2 + ["stop", "mark"])
        if kind == "set":
            return self.set(draw, status["parameters"])
        if kind == "pull":
            target = [f"{draw.uniform(-0.01, 0.01):.4f}" for _ in range(3)]
            return self.haptic("pull", *(() if draw.random() < 0.3 else (*pulled, "--by", *target)))
        return self.haptic(kind, *([f"trial {draw.randint(1, 99)}"] if kind == "mark" else []))

    def recording(self, scene, pulled=None, commands=COMMANDS):
        """log.h5 of a daemon that random commands changed. @returns what its events say was executed"""
        draw = random.Random(f"{SEED} {scene}")
        daemon = self.daemon("--engage", scene=self.made / "scenes" / scene, recorded="log.h5")
        applied = 0
        for _ in range(commands):
            cycle = self.status()["cycles"] + draw.randint(0, 40)
            self.until(lambda: self.status()["cycles"] >= cycle)
            applied += self.one_command(draw, pulled).returncode == 0
        self.assertGreater(applied, commands // 3, self.said())
        # At once after the last command: the recorder waits for its event.
        self.recorder.send_signal(signal.SIGINT)
        self.assertEqual(self.recorder.wait(SECONDS), 0, self.said())
        daemon.send_signal(signal.SIGTERM)
        self.assertEqual(daemon.wait(SECONDS), 0, self.said())
        with h5py.File(self.folder / "log.h5") as log:
            events = {name: log["/events"][name][:] for name in ("cycle", "executed", "answer")}
            # A command that the recorder's last cycle did not execute may be among the events.
            known = events["cycle"] <= log["/samples/cycle"][-1]
            return list(map(int, events["cycle"][(events["executed"] == 1) & (events["answer"] == 1) & known]))

    def replay(self):
        result = run(HAPTIC, "replay", "log.h5", "--json", cwd=self.folder)
        outcome = json.loads(result.stdout)
        said = "".join(f"haptic: warning: log.h5: {sentence}\n" for sentence in outcome["warnings"])
        self.assertEqual((result.returncode, result.stderr), (0, said), f"seed {SEED}: {result.stdout}{self.said()}")
        return outcome

    def follow(self, scene, pulled=None):
        executed = self.recording(scene, pulled)
        outcome = self.replay()
        with h5py.File(self.folder / "log.h5") as log:
            self.assertEqual(outcome["cycles"], log["/samples/cycle"].shape[0])
            self.assertGreater(abs(log["/samples/contact_force_N"][:]).max(), 0.0)
        # The same code, the same instruction set: the same bits.
        self.assertEqual(outcome["largest_difference"], 0.0, f"seed {SEED}: {outcome}")
        self.assertIsNone(outcome["first_difference"])
        self.assertEqual([c["cycle"] for c in outcome["commands"]], sorted(executed))
        self.assertTrue(any(c["of_world"] for c in outcome["commands"]), outcome["commands"])
        self.assertEqual(outcome["notes"], [])

    def test_solids(self):
        self.follow("jelly/scene.toml", ("cube", "0.02", "0.02", "0.02"))

    def test_condensed(self):
        self.follow("condensed/cube_scene.toml")

    def test_cloth(self):
        self.follow("cloth/soft_scene.toml", ("cloth", "0.15", "0", "0.15"))

    def test_a_block_that_an_earlier_version_did_not_log_is_not_compared(self):
        self.recording("condensed/cube_scene.toml", commands=4)
        with h5py.File(self.folder / "log.h5", "r+") as log:
            blocks = log["/blocks"]
            gone = next(i for i in range(len(blocks)) if blocks[str(i)].attrs["name"] in (b"coupling/speed", "coupling/speed"))
            del log["/state/coupling/speed"], blocks[str(gone)]
            for i in range(gone, len(blocks)):  # numbered without a gap
                blocks.move(str(i + 1), str(i))
        outcome = self.replay()
        self.assertEqual(outcome["largest_difference"], 0.0, outcome)
        self.assertEqual(outcome["notes"], ["coupling/speed is not compared: an earlier version recorded this log"])

    def test_commands_that_are_missing_end_the_comparison(self):
        executed = self.recording("condensed/cube_scene.toml")
        with h5py.File(self.folder / "log.h5", "r+") as log:
            gone = next(i for i, n in enumerate(log["/events/executed"][:]) if n and i > 3)
            before = [int(c) for c, n in zip(log["/events/cycle"][:gone], log["/events/executed"][:gone]) if n]
            for name in log["/events"]:
                column = log["/events"][name]
                column[gone:-1] = column[gone + 1:]
                column.resize(len(column) - 1, axis=0)
        outcome = self.replay()
        self.assertEqual(outcome["cycles"], max(before) + 1)
        self.assertLess(max(before), max(executed))
        self.assertEqual(outcome["warnings"], ["1 event lost"])
        self.assertEqual(outcome["notes"], [f"events {gone} to {gone} are missing: the cycles from {max(before) + 1} "
                                            "on are not compared"])

    def test_the_text_in_the_log_is_the_scene(self):
        path = self.made / "scenes/condensed/other_scene.toml"
        shutil.copy(self.made / "scenes/condensed/cube_scene.toml", path)
        self.recording("condensed/other_scene.toml", commands=3)
        path.write_text("this is no scene")
        self.assertEqual(self.replay()["largest_difference"], 0.0)

    def two_rates(self, scene, rates):
        """The scene, its world at a rate of its own. @returns its path below scenes"""
        path = pathlib.Path(self.made / "scenes" / scene)
        text, count = re.subn(r"(?m)^rate_hz = .*$", rates, path.read_text(), count=1)
        self.assertEqual(count, 1)
        two = path.with_name("two_rates_" + path.name)
        two.write_text(text)
        return str(two.relative_to(self.made / "scenes"))

    def test_solids_at_two_rates(self):
        self.follow(self.two_rates("jelly/scene.toml", "rate_hz = 500.0\nservo_rate_hz = 2000.0"),
                    ("cube", "0.02", "0.02", "0.02"))

    def test_condensed_at_two_rates(self):
        self.follow(self.two_rates("condensed/cube_scene.toml", "rate_hz = 500.0\nservo_rate_hz = 1000.0"))

    def test_cloth_at_two_rates(self):
        self.follow(self.two_rates("cloth/soft_scene.toml", "rate_hz = 100.0\nservo_rate_hz = 1000.0"),
                    ("cloth", "0.15", "0", "0.15"))

    def test_a_log_without_the_hands_of_the_worlds_steps_is_refused(self):
        self.recording(self.two_rates("condensed/cube_scene.toml", "rate_hz = 500.0\nservo_rate_hz = 1000.0"), commands=3)
        for damage, expected in (("removed", "earlier version"), ("out of order", "cannot follow")):
            with h5py.File(self.folder / "log.h5", "r+") as log:
                if damage == "removed":
                    log.move("/samples/world_hand_age", "/kept")
                else:
                    log.move("/kept", "/samples/world_hand_age")
                    log["/samples/world_hand_age"][40:60, :] = 7
            result = run(HAPTIC, "replay", "log.h5", cwd=self.folder)
            self.assertEqual((result.returncode, result.stdout, result.stderr.count("\n")), (2, "", 1), result.stderr)
            self.assertIn(expected, result.stderr)
            read = run(HAPTIC, "export", "log.h5", "-o", f"{damage}.csv", cwd=self.folder)
            self.assertEqual(read.returncode, 0, read.stderr)  # the rest of the log is read

    def test_a_world_that_fails_and_is_reset_is_followed(self):
        """It turns by more than the 1 rad that a body may turn in a step."""
        (self.folder / "top.toml").write_text('[source]\nmesh = "top.obj"\nlength = 0.01\n[mesh]\nresolution = 4\n'
                                              "[material]\ndensity = 1000.0\n")
        for arguments in (("mesh", "box", "-o", "top.obj"), ("bake", "top.toml", "-o", "top.h5")):
            self.assertEqual(run(HAPTIC, *arguments, cwd=self.folder).returncode, 0)
        (self.folder / "scene.toml").write_text(TWO_SPHERES + """
[[body]]
name = "top"
model = "top.h5"
role = "free"
position = [0.3, 0.0, 0.0]
angular_velocity = [0.0, 0.0, 800.0]
""")
        daemon = self.start(HAPTICD, "--scene", "scene.toml", "--name", self.name, "--black-box", self.folder)
        self.record_from_the_first_cycle(daemon, "log.h5")
        self.wait_for("fault", "world_diverged")
        self.must("reset")
        self.wait_for("fault", "world_diverged")
        self.recorder.send_signal(signal.SIGINT)
        self.assertEqual(self.recorder.wait(SECONDS), 0, self.said())
        daemon.send_signal(signal.SIGTERM)
        daemon.wait(SECONDS)
        outcome = self.replay()
        self.assertEqual(outcome["largest_difference"], 0.0)
        self.assertEqual([c["of_world"] for c in outcome["commands"]], [True])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
