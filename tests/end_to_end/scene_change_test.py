#!/usr/bin/env python3
"""Changes of the scene of a running daemon, by an operator and by systemd.

Usage: scene_change_test.py HAPTIC HAPTICD GUARD [unittest arguments]
"""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import h5py

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from daemon_case import SECONDS, DaemonCase  # noqa: E402
from programs import SANITIZED, TWO_SPHERES, bake_beam, beam_recipe, run, run_folder  # noqa: E402

HAPTIC, HAPTICD, GUARD = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:4])
THREADS = 5  # supervisor, loop, writer of messages, sender of notices, listener for stops

BEAM = beam_recipe(resolution=10, held_below=0.021, linear_modes=3, dimension=4, points=500, levels=2)
WALL = TWO_SPHERES + "[limits]\nramp_s = 0.1\n"
SOFT = """
rate_hz = {rate}
{servo}
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
"""


class SceneChange(DaemonCase):
    programs = {"haptic": HAPTIC, "hapticd": HAPTICD, "guard": GUARD}

    @classmethod
    def setUpClass(cls):
        cls.models = pathlib.Path(tempfile.mkdtemp(prefix="haptic-scenes-"))
        bake_beam(HAPTIC, cls.models, BEAM)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.models)

    def setUp(self):
        super().setUp()
        shutil.copy(self.models / "beam.h5", self.folder)
        self.scene("wall", WALL)
        self.scene("soft", SOFT.format(rate=500, servo=""))
        # On a busy machine the thread of the world may wait longer than the default time-out of 0.1 s.
        self.scene("two", SOFT.format(rate=250, servo="servo_rate_hz = 500\nworld_timeout_s = 5.0"))

    def scene(self, name, text):
        path = self.folder / f"{name}.toml"
        path.write_text(text)
        return path

    def load(self, scene):
        self.must("load", f"{scene}.toml")

    def expect_sound(self, status):
        self.assertEqual((status["state"], status["life"], status["faults"]), ("engaged", "alive", 0), status)
        if status["allocations_watched"]:
            self.assertEqual(status["allocations"], 0)
        self.assertEqual(status["forbidden_calls"], 0)

    def test_no_cycle_is_lost_between_two_scenes(self):
        daemon = self.daemon("--engage", scene="wall.toml", recorded="wall.h5")
        self.until(lambda: self.status()["ramp"] == 1.0)
        before = self.status()
        self.load("soft")
        after = self.status()
        self.expect_sound(after)
        self.assertEqual(after["pid"], daemon.pid)
        self.assertTrue(after["scene"].endswith("/soft.toml"))
        self.assertIn("beam.stiffness", after["parameters"])
        self.assertNotIn("beam.stiffness", before["parameters"])
        self.assertGreater(after["cycles"], before["cycles"])
        self.assertGreater(after["uptime_s"], before["uptime_s"])
        self.assertGreaterEqual(after["commands_applied"], 1)

        # The recording goes on in another file, whose first cycle follows the last one of this.
        self.until(lambda: self.status()["cycles"] > after["cycles"] + 60)  # however rarely the loop runs
        self.recorder.send_signal(signal.SIGINT)
        self.assertEqual(self.recorder.wait(SECONDS), 0, self.said())
        said = (self.folder / "recorder").read_text()
        self.assertIn("loaded another scene, which goes on in wall.2.h5", said)
        self.assertRegex(said, r"(?m)^wall\.2\.h5: \d+ cycles, 0 lost$")
        for log in ("wall.h5", "wall.2.h5"):
            replayed = run(HAPTIC, "replay", log, cwd=self.folder)
            self.assertEqual(replayed.returncode, 0, replayed.stderr + replayed.stdout)
        with h5py.File(self.folder / "wall.h5") as wall, h5py.File(self.folder / "wall.2.h5") as soft:
            self.assertEqual(soft["/samples/cycle"][0], wall["/samples/cycle"][-1] + 1)
            self.assertEqual(soft["/state/bodies/coordinates"].shape[1], 4)
            ramp_out, ramp_in = wall["/samples/ramp"][-60:], soft["/samples/ramp"][:60]
        # The force ramps out over 0.1 s (50 cycles), is zero before the change, and ramps in again.
        self.assertEqual(ramp_out[-1], 0.0)
        for k in range(51):
            self.assertAlmostEqual(ramp_out[-1 - k], min(1.0, k / 50), 9)
        for k in range(50):
            self.assertAlmostEqual(ramp_in[k], (k + 1) / 50, 9)
        trace = self.haptic("trace", "-o", "trace.json", "--cycles", "100")
        self.assertEqual(trace.returncode, 0, trace.stderr)

    def held_back(self):
        """A recorder that has recorded and is stopped, as by a slow disk."""
        self.daemon("--engage", scene="wall.toml", recorded="log.h5")
        self.until(lambda: self.status()["ramp"] == 1.0)
        self.until(lambda: (self.folder / "log.h5").exists())
        self.recorder.send_signal(signal.SIGSTOP)

    def ended_recording(self):
        """@returns what the recorder said after it was let go"""
        self.recorder.send_signal(signal.SIGINT)
        self.recorder.send_signal(signal.SIGCONT)
        self.assertEqual(self.recorder.wait(SECONDS), 0, self.said())
        return (self.folder / "recorder").read_text()

    def cycles(self, log):
        with h5py.File(self.folder / log) as opened:
            gaps = list(zip(opened["/gaps/cycle"][:], opened["/gaps/lost"][:]))
            return opened["/samples/cycle"][:], gaps, opened.attrs["lost_samples"]

    def test_a_recorder_stopped_late_has_every_cycle_until_then(self):
        self.held_back()
        self.load("soft")
        target = self.status()["cycles"] + 60
        self.until(lambda: self.status()["cycles"] > target)
        self.assertIn("goes on in log.2.h5", self.ended_recording())
        (wall, _, _), (soft, _, lost) = self.cycles("log.h5"), self.cycles("log.2.h5")
        self.assertEqual(soft[0], wall[-1] + 1 + lost)  # none is lost unless this took the four seconds of the ring
        self.assertGreaterEqual(soft[-1], target)

    def test_a_scene_that_came_and_went_unrecorded_is_a_gap(self):
        self.held_back()
        self.load("soft")
        self.load("wall")
        said = self.ended_recording()
        (before, _, _), (after, gaps, lost) = self.cycles("log.h5"), self.cycles("log.2.h5")
        missing = int(after[0] - before[-1] - 1)
        # The scene between ramped its force out over 50 cycles before it went.
        self.assertGreaterEqual(missing, 50)
        self.assertEqual(gaps, [(after[0], missing)])
        self.assertEqual(lost, missing)
        self.assertIn(f"log.2.h5: {len(after)} cycles, {missing} lost", said)

    def test_the_hand_goes_to_the_script_of_the_next_scene(self):
        header = "time_s,x_m,y_m,z_m,qw,qx,qy,qz\n"
        (self.folder / "left.csv").write_text(header + "0,-0.02,0.15,0,1,0,0,0\n")
        (self.folder / "right.csv").write_text(header + "0,0.04,0.15,0,1,0,0,0\n0.2,0.04,0.16,0,1,0,0,0\n")
        for name in ("left", "right"):
            self.scene(name, WALL + f'[device]\nscript = "{name}.csv"\n')
        self.daemon("--engage", scene="left.toml")
        self.until(lambda: self.status()["ramp"] == 1.0)
        self.assertEqual(self.status()["hand_position_m"], [-0.02, 0.15, 0.0])
        recorder = subprocess.Popen([HAPTIC, "record", "-o", "way.h5", "--name", self.name], cwd=self.folder,
                                    stdout=subprocess.PIPE, text=True)
        self.addCleanup(recorder.wait)
        self.until(lambda: list(self.folder.glob("*way.h5*")))  # it has begun
        self.load("right")
        self.until(lambda: self.status()["hand_position_m"] == [0.04, 0.16, 0.0])
        self.expect_sound(self.status())
        recorder.send_signal(signal.SIGINT)
        said = recorder.communicate(timeout=SECONDS)[0]
        self.assertEqual(recorder.returncode, 0, said)
        with h5py.File(self.folder / "way.2.h5") as log:
            x = log["/samples/device_position_m"][:, 0]
        # 0.06 m at 0.2 m/s on average, 500 Hz: 150 exchanges, none of which moves by more than 1.5 times the average.
        steps = [b - a for a, b in zip(x, x[1:])]
        self.assertLess(max(steps), 1.51 * 0.2 / 500)
        self.assertGreaterEqual(min(steps), 0.0)
        self.assertLess(x[0], -0.019)
        self.assertEqual(x[-1], 0.04)
        self.scene("broken", WALL + '[device]\nscript = "none.csv"\n')
        self.refused("load", "broken.toml", code=2, says=["none.csv"])

    def test_a_steered_hand_follows_its_parameters(self):
        self.scene("steered", WALL + '[device]\nhand = "steered"\n')
        self.daemon("--engage", scene="steered.toml")
        self.until(lambda: self.status()["ramp"] == 1.0)
        self.must("set", "hand.y", "0.12")
        self.must("set", "hand.x", "-0.03")
        self.until(lambda: abs(self.status()["hand_position_m"][0] + 0.03) < 1e-6)
        status = self.status()
        self.expect_sound(status)
        self.assertEqual((status["parameters"]["hand.x"], status["parameters"]["hand.z"]), (-0.03, 0.0))
        self.refused("set", "hand.x", "3", code=1, says=["hand.x", "0.2"])
        self.scene("both", WALL + '[device]\nhand = "steered"\nscript = "left.csv"\n')
        self.refused("load", "both.toml", code=2, says=["script"])

    def test_two_rates_and_back(self):
        self.daemon("--engage", scene="wall.toml")
        for scene in ("two", "two", "soft", "two", "wall"):
            self.load(scene)
            status = self.status()
            self.expect_sound(status)
            self.assertTrue(status["scene"].endswith(f"/{scene}.toml"))
            if scene == "two":
                steps = status["world_step"]
                self.until(lambda: self.status()["world_step"] > steps + 20)

    def test_an_invalid_scene_is_refused_and_nothing_changes(self):
        self.daemon("--engage", scene="wall.toml")
        self.scene("key", WALL.replace("radius = 0.05", "radios = 0.05"))
        self.scene("rate", WALL.replace("rate_hz = 500", "rate_hz = 1000"))
        self.scene("hand", WALL + '[device]\nhand = "free"\nmass = 1.0\n')
        self.scene("device", WALL + '[device]\nname = "other"\n')
        whole = (self.folder / "beam.h5").read_bytes()
        (self.folder / "damaged.h5").write_bytes(whole[:len(whole) // 2])
        self.scene("artifact", SOFT.format(rate=500, servo="").replace("beam.h5", "damaged.h5"))
        (self.folder / "note.txt").write_text("not a scene")
        before = self.status()
        self.refused("load", "key.toml", code=2, says=["key.toml", "radios"])
        self.refused("load", "rate.toml", code=2, says=["rate_hz", "1000", "500"])
        self.refused("load", "hand.toml", code=2, says=["device", "running daemon"])
        self.refused("load", "device.toml", code=2, says=["device.name", "other", "simulated"])
        self.refused("load", "artifact.toml", code=2, says=["damaged.h5"])
        self.refused("load", "none.toml", code=2, says=["none.toml"])
        self.refused("load", "note.txt", code=2, says=["note.txt", "*.toml"])
        self.refused("load", ".", code=2, says=["*.toml"])
        after = self.status()
        self.expect_sound(after)
        self.assertEqual((after["scene"], after["ramp"]), (before["scene"], 1.0))
        self.assertEqual(after["commands_refused"], before["commands_refused"] + 8)
        self.until(lambda: self.said().count("scene refused: ") >= 8)  # a thread of its own writes them
        self.assertEqual(self.said().count("scene refused: "), 8)
        self.assertFalse(list(run_folder().glob(f"{self.name}.*next*")))

    def test_a_second_scene_change_is_refused_at_once(self):
        self.scene("slow", WALL.replace("ramp_s = 0.1", "ramp_s = 60.0"))
        self.daemon("--engage", scene="slow.toml")
        replies = []
        first = threading.Thread(target=lambda: replies.append(self.haptic("load", "soft.toml")))
        first.start()
        # The force ramps out over a minute; meanwhile a parameter belongs to neither scene.
        self.until(lambda: "being loaded" in self.haptic("set", "limits.force", "5").stderr)
        self.refused("load", "two.toml", code=1, says=["another scene is being loaded"])
        self.assertEqual(self.haptic("release").returncode, 0)  # commands are served; without force the change is immediate
        first.join(SECONDS)
        self.assertEqual(replies[0].returncode, 0, replies[0].stderr)
        status = self.status()
        self.assertEqual(status["state"], "idle")
        self.assertTrue(status["scene"].endswith("/soft.toml"))
        self.load("two")

    def test_a_fault_stays(self):
        self.daemon("--engage", scene="wall.toml")
        self.assertEqual(self.haptic("stop").returncode, 0)
        self.load("soft")
        status = self.status()
        self.assertEqual((status["state"], status["fault"], status["faults"]), ("fault", "operator_stop", 1))
        self.refused("engage", code=1, says=["operator_stop"])
        self.assertEqual(self.haptic("reset").returncode, 0)
        self.assertEqual(self.haptic("engage").returncode, 0)
        self.assertEqual(self.status()["state"], "engaged")

    def test_systemd_reloads_the_file(self):
        daemon = self.daemon("--engage", scene="wall.toml")
        self.scene("wall", WALL.replace('"wall"', '"door"') + '[[contact]]\npoints = "none"\nfield = "tool"\n')
        daemon.send_signal(signal.SIGHUP)
        self.until(lambda: "scene refused: " in self.said())
        self.expect_sound(self.status())
        self.scene("wall", WALL.replace("ramp_s = 0.1", "ramp_s = 0.2"))
        for _ in range(3):  # whichever arrives during a change
            daemon.send_signal(signal.SIGHUP)
        self.until(lambda: self.status()["parameters"].get("limits.ramp_s") == 0.2)
        self.expect_sound(self.status())
        daemon.send_signal(signal.SIGTERM)
        self.assertEqual(daemon.wait(SECONDS), 0)
        self.assertFalse(list(run_folder().glob(f"{self.name}.t*")))

    def held(self, pid):
        """Resources of a process: locked and resident memory [kB], maps, threads, open files."""
        fields = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines())
        return {"locked": int(fields["VmLck"].split()[0]), "resident": int(fields["VmRSS"].split()[0]),
                "maps": len(pathlib.Path(f"/proc/{pid}/maps").read_text().splitlines()),
                "threads": int(fields["Threads"]), "files": len(os.listdir(f"/proc/{pid}/fd"))}

    def test_threads_stay_off_the_loops_processor(self):
        allowed = os.sched_getaffinity(0)
        if len(allowed) < 2:
            self.skipTest("one processor")
        loop = max(allowed)
        daemon = self.daemon("--cpu", str(loop), "--engage", scene="wall.toml")
        self.load("two")  # with a simulation thread, started by the daemon that already runs
        # One more than those: the thread that gives back the old scene has ended.
        self.until(lambda: self.held(daemon.pid)["threads"] == THREADS + 1)
        where = {int(task): os.sched_getaffinity(int(task)) for task in os.listdir(f"/proc/{daemon.pid}/task")}
        self.assertEqual([cpus for cpus in where.values() if loop in cpus], [{loop}], where)
        self.assertEqual(len(where), THREADS + 1)

    def test_fifty_changes_leak_no_threads_files_or_memory(self):
        daemon = self.daemon("--engage", scene="wall.toml")
        half = []
        for turn in range(50):
            self.load("two" if turn % 2 == 0 else "soft")
            if turn == 23:
                self.until(lambda: self.held(daemon.pid)["threads"] == THREADS)
                half.append(self.held(daemon.pid))
        self.load("two")
        self.load("soft")
        self.until(lambda: self.held(daemon.pid)["threads"] == THREADS)  # the last old one has been given back
        first = half[0]
        # The daemon closes a client's connection a moment after its answer: either count may have one of these.
        self.until(lambda: self.held(daemon.pid)["files"] <= first["files"])
        last = self.held(daemon.pid)
        self.expect_sound(self.status())
        self.assertEqual(last["threads"], first["threads"])
        # glibc keeps the stack (2 MiB) and reserves the heap (64 MiB) of a thread that has ended for the
        # next one; sometimes one more, never one per change. 28 leaked scenes would be 28 maps
        # or more, and 28 stacks.
        self.assertLessEqual(last["maps"], first["maps"] + 12, (first, last))
        if not SANITIZED:  # which keeps what was freed for a while
            self.assertLessEqual(last["resident"], first["resident"] + 3 * 2048, (first, last))
        self.assertLessEqual(last["locked"], first["locked"] + 3 * (2048 + 65536), (first, last))
        print(f"after 24 changes {first}, after 52 {last}", file=sys.stderr)

    def test_the_guard_watches_through_a_change(self):
        (self.folder / "hand.toml").write_text('kind = "simulated"\nname = "hand"\n')
        # Time-outs of seconds: this machine may not schedule the daemon for a hundred milliseconds.
        with open(self.folder / "guard", "w") as said:
            guard = subprocess.Popen([GUARD, "--manifest", "hand.toml", "--name", self.name, "--hang-ms", "3000"],
                                     cwd=self.folder, stderr=said)
        self.addCleanup(guard.wait)
        self.addCleanup(guard.kill)
        daemon = self.daemon("--engage", "--guard-ms", "3000", scene="wall.toml")
        guard_says = (self.folder / "guard").read_text
        self.until(lambda: f"watches process {daemon.pid}" in guard_says())
        for scene in ("soft", "two", "wall", "two"):
            self.load(scene)
            self.until(lambda: self.status()["guarded"])
        self.expect_sound(self.status())
        self.assertEqual(guard_says().count("\n"), 3, guard_says())  # guards, watches, reaches
        daemon.send_signal(signal.SIGSTOP)  # and a hang is still detected
        self.assertEqual(daemon.wait(SECONDS), -signal.SIGKILL)
        self.until(lambda: "outputs safe" in guard_says())
        self.assertIn("was killed", guard_says())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
