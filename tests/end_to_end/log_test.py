#!/usr/bin/env python3
"""Logs of running daemons: marks, recordings that are cut off, replays of what operators did.

Usage: log_test.py HAPTIC HAPTICD [unittest arguments]
"""
import csv
import json
import math
import os
import pathlib
import platform
import resource
import shutil
import signal
import sys
import unittest

import h5py
import numpy

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import parquet_reader  # noqa: E402
from daemon_case import SECONDS, DaemonCase  # noqa: E402
from programs import SLOW, TWO_SPHERES, run  # noqa: E402

HAPTIC, HAPTICD = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:3])

# A loaded machine may not schedule the daemon for hundreds of milliseconds; that is not tested here.
PATIENT = "[limits]\nstale_s = 10.0\noverload_slots = 100000\noverload_fraction = 1.0\noverload_window_s = 10.0\n"
# Commands that read a log, with their options.
READERS = (("plot", "-o", "a.svg"), ("export", "-o", "a.csv"), ("report", "-o", "a.html"), ("diff", "log.h5"), ("replay",))
MARK = 10  # shared/ipc/command.h


class Marks(DaemonCase):
    programs = {"haptic": HAPTIC, "hapticd": HAPTICD}

    def setUp(self):
        super().setUp()
        (self.folder / "scene.toml").write_text(TWO_SPHERES + PATIENT)

    def test_a_mark_is_in_status_log_and_trace(self):
        self.daemon()
        self.assertEqual(self.must("mark", "trial 3, übrig"), 'mark "trial 3, übrig": applied\n')
        events = self.status()["events"]
        self.assertEqual(len(events), 1)
        self.assertTrue(events[0]["text"].startswith('mark "trial 3, übrig" by user '), events)
        cycle = events[0]["cycle"]
        self.must("trace", "--cycles", 1 << 20, "-o", "trace.json")
        trace = json.loads((self.folder / "trace.json").read_text())["traceEvents"]
        marks = [e for e in trace if e["name"].startswith('mark "trial 3, übrig"')]
        self.assertEqual(len(marks), 1)
        ran = next(e for e in trace if e["name"] == "cycle" and e["args"]["cycle"] == cycle)
        # The supervisor notes the mark after the newest cycle that it sees.
        self.assertGreaterEqual(marks[0]["ts"], ran["ts"])
        self.must("record", "--from-oldest", "--seconds", 0.2, "-o", "log.h5")
        with h5py.File(self.folder / "log.h5") as log:
            row = list(log["/events/command"][:]).index(MARK)
            self.assertEqual(log["/events/text"][row].decode(), "trial 3, übrig")
            self.assertEqual(log["/events/cycle"][row], cycle)
            self.assertEqual(log["/events/executed"][row], 0)

    def exported(self, *arguments):
        result = run(HAPTIC, "export", *arguments, cwd=self.folder)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def test_marks_are_in_every_export(self):
        self.daemon()
        self.must("mark", "trial 1, übrig")
        self.must("set", "coupling.stiffness", 150.0)
        self.must("record", "--from-oldest", "--seconds", 0.2, "-o", "log.h5")
        with h5py.File(self.folder / "log.h5") as log:
            events = {name: list(log["/events"][name]) for name in log["/events"]}
        said = self.exported("log.h5", "-o", "a.csv", "--columns", "force")
        self.assertRegex(said, r"^a\.csv: \d+ rows of 4 columns, 2 events \(a\.events\.csv\)$")
        with open(self.folder / "a.events.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["text"] for row in rows], ["trial 1, übrig", ""])
        self.assertTrue(rows[0]["event"].startswith('mark "trial 1, übrig" by user '), rows[0])
        self.assertEqual([int(row["cycle"]) for row in rows], events["cycle"])
        self.assertEqual([float(row["time [s]"]) for row in rows], [cycle / 500 for cycle in events["cycle"]])
        self.exported("log.h5", "-o", "a.parquet")
        columns, metadata, _ = parquet_reader.read(self.folder / "a.events.parquet")
        self.assertEqual(columns["text"], ["trial 1, übrig", ""])
        self.assertEqual(columns["command"], events["command"])
        self.assertEqual(columns["value"], events["value"])
        self.assertEqual(metadata["unit.time"], "s")
        self.exported("log.h5", "-o", "a.mat")
        with h5py.File(self.folder / "a.mat") as mat:
            self.assertEqual(["".join(map(chr, row)).rstrip() for row in mat["events/text"][:].T], ["trial 1, ??brig", ""])
            self.assertEqual(list(mat["events/number"][0]), events["number"])
            self.assertEqual(mat["events/text"].attrs["MATLAB_class"], b"char")

    def test_a_table_of_events_is_that_of_the_log_or_of_a_stranger(self):
        self.daemon()
        self.must("mark", "one")
        self.must("record", "--from-oldest", "--seconds", 0.2, "-o", "log.h5")
        (self.folder / "hand.csv").write_text("time_s,x_m,y_m,z_m,qw,qx,qy,qz\n0,0.2,0,0,1,0,0,0\n0.02,0.2,0,0,1,0,0,0\n")
        self.assertEqual(run(HAPTIC, "simulate", "scene.toml", "--trajectory", "hand.csv", "-o", "quiet.h5",
                             cwd=self.folder).returncode, 0)
        for ending in ("csv", "parquet"):
            table, events = f"a.{ending}", self.folder / f"a.events.{ending}"
            for _ in range(2):
                self.exported("log.h5", "-o", table)
                self.assertTrue(events.exists())
            self.exported("quiet.h5", "-o", table)
            self.assertFalse(events.exists())
            events.write_text("a stranger's")
            self.exported("quiet.h5", "-o", table)
            (self.folder / table).write_text("old")
            refused = run(HAPTIC, "export", "log.h5", "-o", table, cwd=self.folder)
            self.assertEqual((refused.returncode, refused.stderr),
                             (2, f"haptic: a.events.{ending}: found a file that haptic export did not write, expected another "
                                 "name for the output, or its removal: the events have this name\n"))
            self.assertEqual((events.read_text(), (self.folder / table).read_text()), ("a stranger's", "old"))

    def test_diff_compares_events(self):
        self.daemon()
        self.must("mark", "one")
        self.must("mark", "two")
        self.must("record", "--from-oldest", "--seconds", 0.2, "-o", "log.h5")
        shutil.copy(self.folder / "log.h5", self.folder / "other.h5")
        with h5py.File(self.folder / "other.h5", "r+") as log:
            log["/events/kind"][0] = 2
            log["/events/text"][1] = b"three"
        self.assertEqual(run(HAPTIC, "diff", "log.h5", "log.h5", cwd=self.folder).returncode, 0)
        said = run(HAPTIC, "diff", "log.h5", "other.h5", cwd=self.folder)
        self.assertEqual(said.returncode, 1)
        self.assertIn("2 of 2 common events differ; 0 only in the first, 0 only in the second\n", said.stdout)
        found = json.loads(run(HAPTIC, "diff", "log.h5", "other.h5", "--json", cwd=self.folder).stdout)
        self.assertEqual((found["equal"], found["differing"]), (False, 0))
        self.assertEqual(found["events"], {"common": 2, "only_a": 0, "only_b": 0, "differing": 2,
                                           "columns": {"/events/kind": 1, "/events/text": 1}})

    def test_a_text_of_several_lines_or_none_is_refused(self):
        self.daemon()
        for text in ("", "two\nlines", "\x1b[2J", "x" * 201):
            self.refused("mark", text, code=2, says=("mark: found", "200 bytes of UTF-8"))
        self.assertEqual(self.status()["events"], [])


class Models(DaemonCase):
    programs = {"haptic": HAPTIC, "hapticd": HAPTICD}

    def test_a_daemon_is_not_drawn_with_another_model_than_it_runs(self):
        def bake(density):
            (self.folder / "top.toml").write_text('[source]\nmesh = "top.obj"\nlength = 0.01\n[mesh]\nresolution = 4\n'
                                                  f"[material]\ndensity = {density}\n")
            self.assertEqual(run(HAPTIC, "bake", "top.toml", "-o", "top.h5", cwd=self.folder).returncode, 0)

        self.assertEqual(run(HAPTIC, "mesh", "box", "-o", "top.obj", cwd=self.folder).returncode, 0)
        bake(1000.0)
        (self.folder / "scene.toml").write_text(TWO_SPHERES + PATIENT + '[[body]]\nname = "top"\nmodel = "top.h5"\n'
                                                'role = "free"\nposition = [0.3, 0.0, 0.0]\n')
        self.daemon()
        bake(1200.0)
        self.refused("view", "--png", "a.png", code=2,
                     says=(f"daemon {self.name}: top: {self.folder / 'top.h5'} was changed since it ran", "--any-model"))
        self.assertFalse((self.folder / "a.png").exists())


class Recordings(DaemonCase):
    programs = {"haptic": HAPTIC, "hapticd": HAPTICD}

    def setUp(self):
        super().setUp()
        (self.folder / "scene.toml").write_text(TWO_SPHERES + PATIENT)

    def recorder(self, **options):
        """A recorder whose log has cycles on the disk."""
        process = self.start(HAPTIC, "record", "-o", "log.h5", "--name", self.name, **options)
        self.until(lambda: process.poll() is not None or self.rows() > 0)
        self.assertIsNone(process.poll(), self.said())
        return process

    def rows(self):
        try:
            with h5py.File(self.folder / "log.h5", "r", swmr=True) as log:
                return log["/samples/cycle"].shape[0]
        except OSError:  # not there yet
            return 0

    def expect_sound(self, swmr):
        """Cycles in order, in every column. @returns how many"""
        with h5py.File(self.folder / "log.h5", "r", swmr=swmr) as log:
            cycles = log["/samples/cycle"][:]
            # A disk that is full may have the length of the last chunk without its numbers.
            cycles = cycles[:numpy.flatnonzero(cycles)[-1] + 1]
            force = log["/samples/contact_force_N"][:]
            steps = numpy.diff(cycles.astype(int))
            self.assertTrue((steps == 1).all(), (cycles[:2], cycles[-3:], steps[steps != 1], numpy.flatnonzero(steps != 1)))
            self.assertLessEqual(abs(len(force) - len(cycles)), 2 * 125)  # chunks of LogWriter::kFlush_s
            return len(cycles)

    def test_a_log_has_what_was_recorded_and_on_what(self):
        self.daemon()
        self.must("record", "--from-oldest", "--seconds", 0.5, "-o", "log.h5")
        with h5py.File(self.folder / "log.h5") as log:
            session = log["/session"].attrs
            self.assertRegex(session["date"].decode() if isinstance(session["date"], bytes) else session["date"],
                             r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d{4}$")
            text = {key: str(session[key].decode() if isinstance(session[key], bytes) else session[key])
                    for key in ("host", "kernel", "haptic_version", "hapticd_version", "device")}
            self.assertEqual(text["host"], platform.node())
            self.assertIn(platform.release(), text["kernel"])
            self.assertEqual(text["haptic_version"], text["hapticd_version"])
            self.assertEqual(text["device"], "simulated")
            self.assertEqual(session["scene_is_newer"], 0)
            self.assertEqual(log["/session/scene"][()].decode(), TWO_SPHERES + PATIENT)
            names = [name.decode() for name in log["/parameters/name"][:]]
            values = dict(zip(names, log["/parameters/value"][:]))
            self.assertEqual({name: value if math.isfinite(value) else None for name, value in values.items()},
                             self.status()["parameters"])
        (self.folder / "scene.toml").write_text(TWO_SPHERES + PATIENT + "# changed\n")
        self.must("record", "--seconds", 0.1, "--force", "-o", "log.h5")
        with h5py.File(self.folder / "log.h5") as log:
            self.assertEqual(log["/session"].attrs["scene_is_newer"], 0)
            self.assertEqual(log["/session/scene"][()].decode(), TWO_SPHERES + PATIENT)  # as the daemon read it

    def test_a_scene_file_that_became_something_else_is_not_read_again(self):
        self.daemon()
        (self.folder / "private").write_text("a key")
        scene = self.folder / "scene.toml"
        replacements = (lambda: scene.symlink_to("private"), lambda: os.mkfifo(scene), lambda: scene.symlink_to("/dev/zero"))
        for n, replace in enumerate(replacements):
            scene.unlink()
            replace()
            self.must("record", "--seconds", 0.1, "-o", f"log{n}.h5")
            with h5py.File(self.folder / f"log{n}.h5") as log:
                self.assertEqual(log["/session/scene"][()].decode(), TWO_SPHERES + PATIENT)

    def test_a_recording_replaces_a_file_only_by_force(self):
        self.daemon()
        said = self.must("record", "--seconds", 0.1, "-o", "log.h5")
        self.assertIn("the simulated hand did not move", said)
        first = (self.folder / "log.h5").read_bytes()
        self.refused("record", "--seconds", 0.1, "-o", "log.h5", code=2,
                     says=("log.h5: the file exists", "--force", "--number"))
        for number in (2, 3):
            self.assertIn(f"log-{number}.h5: ", self.must("record", "--seconds", 0.1, "-o", "log.h5", "--number"))
        self.assertEqual((self.folder / "log.h5").read_bytes(), first)
        self.must("record", "--seconds", 0.1, "-o", "log.h5", "--force")
        self.assertNotEqual((self.folder / "log.h5").read_bytes(), first)
        self.refused("record", "--seconds", 0.1, "-o", "log.h5", "--force", "--number", code=2)
        self.assertEqual(sorted(p.name for p in self.folder.glob("log*")), ["log-2.h5", "log-3.h5", "log.h5"])

    def test_nothing_replaces_a_log_that_is_being_recorded(self):
        self.daemon()
        process = self.recorder()
        for options in ((), ("--force",)):
            self.refused("record", "--seconds", 0.1, "-o", "log.h5", *options, code=2,
                         says=("log.h5: found a file that another process is writing",))
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(SECONDS), 0, self.said())
        self.assertGreater(self.expect_sound(swmr=False), 0)
        with h5py.File(self.folder / "log.h5") as log:
            self.assertTrue(math.isfinite(log.attrs["lost_samples"]))

    def test_of_recorders_that_begin_together_one_has_the_name(self):
        self.daemon()
        for options in ((), ("--force",)):
            processes = [self.start(HAPTIC, "record", "-o", "log.h5", "--seconds", SLOW, "--name", self.name, *options)
                         for _ in range(4)]
            self.assertEqual(sorted(p.wait(SECONDS) for p in processes), [0, 2, 2, 2], self.said())
            self.assertGreater(self.expect_sound(swmr=False), 0)

    def test_the_log_of_a_later_scene_replaces_no_older_one(self):
        self.daemon()
        (self.folder / "log.2.h5").write_text("of an earlier session")
        (self.folder / "other.toml").write_text(TWO_SPHERES + PATIENT)
        process = self.recorder()
        self.must("load", "other.toml")
        self.until(lambda: (self.folder / "log.3.h5").exists())
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(SECONDS), 0, self.said())
        self.assertEqual((self.folder / "log.2.h5").read_text(), "of an earlier session")
        with h5py.File(self.folder / "log.3.h5") as log:
            self.assertTrue(math.isfinite(log.attrs["lost_samples"]))

    def test_no_other_output_replaces_a_recording(self):
        self.daemon()
        self.must("record", "--seconds", 0.1, "-o", "log.h5")
        recording = (self.folder / "log.h5").read_bytes()
        (self.folder / "hand.csv").write_text("time_s,x_m,y_m,z_m,qw,qx,qy,qz\n0,0.2,0,0,1,0,0,0\n0.2,0.1,0,0,1,0,0,0\n")
        simulate = ("simulate", "scene.toml", "--trajectory", "hand.csv", "-o")
        self.assertEqual(run(HAPTIC, *simulate, "other.h5", cwd=self.folder).returncode, 0)
        self.assertEqual(run(HAPTIC, *simulate, "other.h5", cwd=self.folder).returncode, 0)
        for command in ((*simulate, "log.h5"), ("export", "other.h5", "--format", "mat", "-o", "log.h5")):
            done = run(HAPTIC, *command, cwd=self.folder)
            self.assertEqual((done.returncode, done.stderr),
                             (2, "haptic: log.h5: found the recording of a daemon, expected a new name\n"))
        self.assertEqual(run(HAPTIC, "mesh", "sphere", "--length", "0.03", "-o", "ball.obj", cwd=self.folder).returncode, 0)
        (self.folder / "ball.toml").write_text('[source]\nmesh = "ball.obj"\nlength = 0.03\n[material]\ndensity = 1000.0\n')
        for log in ("log.h5", "other.h5"):
            done = run(HAPTIC, "bake", "ball.toml", "-o", log, cwd=self.folder)
            self.assertEqual((done.returncode, done.stderr), (2, f"haptic: {log}: found an existing file that is not a "
                                                              "model, expected a new name, or a model to replace\n"))
        self.assertEqual((self.folder / "log.h5").read_bytes(), recording)

    def test_diff_names_the_first_difference(self):
        (self.folder / "hand.csv").write_text("time_s,x_m,y_m,z_m,qw,qx,qy,qz\n0,0.2,0,0,1,0,0,0\n0.2,0.1,0,0,1,0,0,0\n")
        for log in ("a.h5", "b.h5"):
            self.assertEqual(run(HAPTIC, "simulate", "scene.toml", "--trajectory", "hand.csv", "-o", log,
                                 cwd=self.folder).returncode, 0)
        same = run(HAPTIC, "diff", "a.h5", "b.h5", cwd=self.folder)
        self.assertEqual((same.returncode, same.stderr), (0, ""))
        with h5py.File(self.folder / "b.h5", "r+") as log:
            log["/samples/contact_force_N"][40, 1] += 0.25
            log["/samples/contact_force_N"][70, 0] += 2.0
            log["/samples/ramp"][50] = float("nan")
        other = run(HAPTIC, "diff", "a.h5", "b.h5", "--json", cwd=self.folder)
        self.assertEqual(other.returncode, 1)
        found = json.loads(other.stdout)
        self.assertEqual({key: found["first"][key] for key in ("column", "cycle", "index")},
                         {"column": "/samples/contact_force_N", "cycle": 40, "index": 1})
        self.assertEqual(found["first"]["b"] - found["first"]["a"], 0.25)
        self.assertEqual(found["differing"], 3)
        self.assertEqual(found["columns"]["/samples/contact_force_N"], {"cycles": 2, "largest": 2.0})
        self.assertEqual(found["columns"]["/samples/ramp"], {"cycles": 1, "largest": None})  # infinite
        (self.folder / "b.h5").write_bytes((self.folder / "a.h5").read_bytes()[:5000])
        for name in ("b.h5", "absent.h5"):
            bad = run(HAPTIC, "diff", "a.h5", name, cwd=self.folder)
            self.assertEqual((bad.returncode, bad.stderr.count("\n")), (2, 1), bad.stderr)

    def test_a_killed_recorder_leaves_its_log(self):
        self.daemon()
        for _ in range(3):
            recorder = self.recorder()
            before = self.rows()
            self.until(lambda: self.rows() > before)  # h5py follows while it is written
            recorder.kill()
            recorder.wait()
            self.assertGreater(self.expect_sound(swmr=True), before)
            self.assertRegex(self.replay_says(), "begins with [1-9]")
            self.assertIn("warning: log.h5: the recording was not finished", self.replay_says())
            (self.folder / "log.h5").unlink()

    def test_every_reader_says_what_a_log_lacks(self):
        self.daemon()
        self.must("record", "--from-oldest", "--seconds", 1.5, "-o", "log.h5")
        whole = (self.folder / "log.h5").read_bytes()
        (self.folder / "cut.h5").write_bytes(whole[:len(whole) * 3 // 4])
        readers = (*READERS, ("plot", "--list"), ("export", "--list"))
        for command, *options in readers:
            good = run(HAPTIC, command, "log.h5", *options, cwd=self.folder)
            self.assertNotIn("warning", good.stderr)
            cut = run(HAPTIC, command, "cut.h5", *options, cwd=self.folder)
            self.assertIn(f"haptic: warning: cut.h5: the file was cut off: its last {len(whole) - len(whole) * 3 // 4} bytes "
                          "are missing\n", cut.stderr)
            self.assertRegex(cut.stderr, r"haptic: warning: cut\.h5: \d+ of its \d+ cycles can be read\n")
        self.assertIn("the file was cut off", (self.folder / "a.html").read_text())
        found = json.loads(run(HAPTIC, "diff", "cut.h5", "log.h5", "--json", cwd=self.folder).stdout)
        self.assertTrue(found["warnings"][0].startswith("cut.h5: the file was cut off"), found)
        found = json.loads(run(HAPTIC, "replay", "log.h5", "--json", cwd=self.folder).stdout)
        self.assertEqual(found["warnings"], [])

    def test_every_reader_refuses_a_log_whose_events_gaps_or_blocks_are_damaged(self):
        self.daemon()
        self.must("mark", "one")
        self.must("record", "--from-oldest", "--seconds", 0.5, "-o", "log.h5")
        whole = (self.folder / "log.h5").read_bytes()
        for group in ("events", "gaps", "blocks"):
            with h5py.File(self.folder / "log.h5") as log:
                header = h5py.h5o.get_info(log[group].id).addr
            (self.folder / "hole.h5").write_bytes(whole[:header] + bytes(64) + whole[header + 64:])
            for command, *options in READERS:
                bad = run(HAPTIC, command, "hole.h5", *options, cwd=self.folder)
                self.assertEqual((bad.returncode, bad.stderr.count("\n")), (2, 1), bad.stderr)
                self.assertTrue(bad.stderr.startswith(f"haptic: hole.h5: /{group}"), bad.stderr)

    def replay_says(self):
        """The line of a reader of this project, which reads the whole log before it refuses to replay it."""
        return run(HAPTIC, "replay", "log.h5", cwd=self.folder).stderr

    def test_signals_end_a_recording_properly(self):
        self.daemon()
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            recorder = self.recorder()
            recorder.send_signal(number)
            self.assertEqual(recorder.wait(SECONDS), 0, self.said())
            self.assertGreater(self.expect_sound(swmr=False), 0)
            with h5py.File(self.folder / "log.h5") as log:
                self.assertEqual(log.attrs["lost_samples"], 0)
            (self.folder / "log.h5").unlink()

    def test_a_full_disk_ends_the_recording_and_keeps_the_log(self):
        self.daemon()

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # then write() fails as on a full disk
            resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, 600_000))

        recorder = self.recorder(preexec_fn=limit)
        self.assertEqual(recorder.wait(SECONDS), 1, self.said())
        lines = [line for line in self.said().splitlines() if "log.h5" in line]
        self.assertEqual(len(lines), 1, lines)
        self.assertIn("File too large", lines[0])
        # h5py refuses a file that this limit keeps shorter than it says; on a full disk it is made longer.
        self.assertRegex(self.replay_says(), "log.h5: /samples/cycle: (begins with [1-9]|found 0 in row)")
        self.assertEqual(self.status()["faults"], 0)

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("unshare"), "needs root for a small file system")
    def test_a_full_file_system_ends_the_recording_and_keeps_the_log(self):
        self.daemon()
        script = (f"mount -t tmpfs -o size=600k tmpfs small && {HAPTIC} record --name {self.name} -o small/log.h5; "
                  "code=$?; cp --sparse=always small/log.h5 . && exit $code")
        (self.folder / "small").mkdir()
        result = run("unshare", "-m", "bash", "-c", script, cwd=self.folder)
        if "mount:" in result.stderr:
            self.skipTest(result.stderr)
        self.assertEqual((result.returncode, result.stderr.count("\n")), (1, 1), result.stderr)
        self.assertIn("No space left on device", result.stderr)
        self.assertGreater(self.expect_sound(swmr=True), 0)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
