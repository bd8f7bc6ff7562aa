#!/usr/bin/env python3
"""A kind of world that lives in this folder alone: the daemon runs it, and every tool handles its state.

Usage: chain_world_test.py HAPTIC_WITH_CHAIN HAPTICD_WITH_CHAIN [unittest arguments]
"""
import json
import math
import os
import pathlib
import re
import shutil
import signal
import struct
import sys
import time
import unittest

import h5py
import numpy

sys.path.append(str(pathlib.Path(__file__).resolve().parents[3] / "support"))
from daemon_case import SECONDS, DaemonCase  # noqa: E402
from programs import run  # noqa: E402

HAPTIC, HAPTICD = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:3])

MASSES, MASS, STIFFNESS, LENGTH = 60, 0.002, 80.0, 0.004
SCENE = f"""
world = "chain"
rate_hz = 1000
[chain]
masses = {MASSES}
mass = {MASS}
stiffness = {STIFFNESS}
rest_length = {LENGTH}
[[body]]
name = "tool"
shape = "sphere"
radius = 0.01
role = "held"
[coupling]
stiffness = 400.0
[limits]
ramp_s = 0.1
[device]
name = "simulated"
script = "hand.csv"
"""
POSITION = "/display/chain/position"


def hand(path, seconds, swing):
    rows = ["time_s,x_m,y_m,z_m,qw,qx,qy,qz"]
    for i in range(int(seconds * 100) + 1):
        t = i / 100
        rows.append(f"{t:.2f},{swing * (1 - math.cos(6.0 * t)):.7f},0,0,1,0,0,0")
    path.write_text("\n".join(rows) + "\n")


class ChainWorld(DaemonCase):
    programs = {"haptic": HAPTIC, "hapticd": HAPTICD}

    def setUp(self):
        super().setUp()
        (self.folder / "scene.toml").write_text(SCENE)
        hand(self.folder / "hand.csv", 4.0, 0.03)

    def offline(self, command, *arguments):
        done = run(HAPTIC, command, *arguments, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def picture(self, name):
        data = (self.folder / name).read_bytes()
        self.assertEqual(data[1:4], b"PNG")
        return struct.unpack(">II", data[16:24])

    def test_a_hanging_chain_weighs_what_its_masses_weigh(self):
        hand(self.folder / "hand.csv", 1.0, 0.0)
        self.offline("simulate", "scene.toml", "-o", "still.h5")
        with h5py.File(self.folder / "still.h5") as log:
            # Begun in equilibrium but for the held body, which the coupling lets sink by m g / k.
            force = log["/samples/contact_force_N"][-1]
            weight = MASSES * MASS * 9.81
            self.assertAlmostEqual(force[1], -weight, delta=0.02 * weight)
            self.assertEqual(log["/state/bodies/pose"].shape, (1001, 7))
            self.assertEqual(log["/state/chain/end"].shape, (1001, 7))
            self.assertEqual(log[POSITION].shape[1], 3 * MASSES)
            self.assertEqual(log[POSITION].attrs["unit"], b"m")
            below = log["/state/bodies/pose"][-1][1] - log["/state/chain/end"][-1][1]
            stretched = MASSES * LENGTH + MASS * 9.81 / STIFFNESS * MASSES * (MASSES + 1) / 2
            self.assertAlmostEqual(below, stretched, delta=0.01 * stretched)

    def test_recorded_and_replayed_bit_for_bit(self):
        self.daemon("--engage", recorded="log.h5")
        self.must("set", "chain.stiffness", "120")
        self.until(lambda: self.status()["cycles"] > 3000)
        self.recorder.send_signal(signal.SIGINT)
        self.assertEqual(self.recorder.wait(SECONDS), 0, self.said())
        replayed = json.loads(self.offline("replay", "log.h5", "--json"))
        self.assertGreaterEqual(replayed["cycles"], 2500)
        for block in ("bodies/pose", "chain/end", "chain/energy"):
            self.assertEqual(replayed["differences"]["/state/" + block], 0.0)
        self.assertEqual(max(replayed["differences"].values()), 0.0)
        with h5py.File(self.folder / "log.h5") as log:
            self.assertGreater(numpy.ptp(log["/state/chain/energy"][:]), 1e-4)
            # Last mass in the display snapshot (single precision) and in the block of every cycle: the same cycle.
            last = log["/display_cycles/last"][-1]
            row = int(numpy.flatnonzero(log["/samples/cycle"][:] == last)[0])
            numpy.testing.assert_allclose(log[POSITION][-1][-3:], log["/state/chain/end"][row][:3], atol=1e-6)
            # 60 a second, less what a busy machine's recorder came too late for.
            self.assertGreater(len(log["/display_cycles/last"]), 20)
        self.offline("plot", "log.h5", "-o", "plot.png")
        self.picture("plot.png")
        self.offline("view", "--log", "log.h5", "--png", "log.png", "--width", "320", "--height", "240")
        self.assertEqual(self.picture("log.png"), (320, 240))

    def test_a_plot_has_panels_for_the_blocks_of_this_kind_and_none_of_contact(self):
        said = self.offline("simulate", "scene.toml", "-o", "log.h5")
        self.assertIn("chain/energy: at most", said)
        self.assertNotIn("contact", said)
        # A gnuplot that keeps the script that it is given.
        tools = self.folder / "tools"
        tools.mkdir()
        (tools / "gnuplot").write_text(f"#!/bin/sh\ntee '{self.folder}/script' | '{shutil.which('gnuplot')}'\n")
        (tools / "gnuplot").chmod(0o755)
        done = run(HAPTIC, "plot", "log.h5", "-o", "plot.png", cwd=self.folder,
                   environment={"PATH": f"{tools}:{os.environ['PATH']}"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.picture("plot.png")
        labels = re.findall(r"^set ylabel '([^']*)'", (self.folder / "script").read_text(), re.MULTILINE)
        self.assertEqual(labels.count("chain [J]"), 1, labels)
        self.assertFalse([label for label in labels if "contact" in label], labels)

    def test_status_and_view_of_a_running_daemon(self):
        self.daemon("--engage")
        self.until(lambda: self.status()["world_state"]["chain/energy"] is not None)
        state = self.status()["world_state"]
        self.assertEqual(set(state), {"bodies/pose", "bodies/coordinates", "chain/end", "chain/energy",
                                      "chain/position"})
        self.assertEqual(len(state["bodies/pose"]), 7)
        self.assertEqual(state["bodies/coordinates"], [])
        self.assertGreater(state["chain/energy"], 0.0)
        self.assertEqual(state["chain/position"]["values"], 3 * MASSES)
        text = self.must("status")
        self.assertIn("chain/energy", text)
        self.assertNotIn("contact", text)
        self.assertIn(f"chain/position {3 * MASSES} values, largest", text)
        self.must("view", "--png", "now.png")
        self.assertEqual(self.picture("now.png"), (1280, 960))

    def test_a_world_at_a_rate_of_its_own_has_its_state_published_too(self):
        (self.folder / "scene.toml").write_text(
            SCENE.replace("rate_hz = 1000", "rate_hz = 250\nservo_rate_hz = 1000\nworld_timeout_s = 5.0"))
        self.daemon("--engage")
        self.until(lambda: self.status()["world_state"]["chain/position"].get("values") == 3 * MASSES)
        before = self.status()["world_state"]["chain/end"]
        time.sleep(0.3)
        self.assertNotEqual(self.status()["world_state"]["chain/end"], before)

    def test_a_large_chain_is_published_in_parts(self):
        (self.folder / "scene.toml").write_text(SCENE.replace(f"masses = {MASSES}", "masses = 10000"))
        hand(self.folder / "hand.csv", 0.1, 0.001)
        self.offline("simulate", "scene.toml", "-o", "large.h5")
        with h5py.File(self.folder / "large.h5") as log:
            self.assertEqual(log[POSITION].shape, (6, 30000))  # 101 cycles, one in 17

    def test_bad_input_gets_one_line(self):
        for change, words in ((("masses = 60", "masses = 0"), "scene.toml:5: chain.masses: found 0, expected an integer from 1 to 100000"),
                              (("masses = 60", "weight = 60"), "weight"),
                              (('world = "chain"', 'world = "chains"'), 'expected one of "solids" "condensed" "cloth" "chain" (did you mean "chain"?)'),
                              (("[coupling]", '[[contact]]\npoints = "tool"\nfield = "tool"\n[coupling]'), "contact"),
                              (("[coupling]", '[[body]]\nname = "stone"\nshape = "sphere"\nradius = 0.01\nrole = "free"\n[coupling]'),
                               'found "free" in world = "chain"')):
            (self.folder / "scene.toml").write_text(SCENE.replace(*change))
            done = run(HAPTICD, "--scene", "scene.toml", "--check", cwd=self.folder)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
