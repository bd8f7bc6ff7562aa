#!/usr/bin/env python3
"""A running daemon whose files in the run folder are removed, cut, closed to its clients or opened to others.

Usage: reachable_daemon_test.py HAPTIC HAPTICD GUARD PYTHON_FOLDER [unittest arguments]
"""
import ctypes
import os
import pathlib
import shutil
import sys
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from daemon_case import SECONDS  # noqa: E402
from hostile_case import HostileCase  # noqa: E402
from programs import run  # noqa: E402

HAPTIC, HAPTICD, GUARD, PYTHON = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:5])


def exchange_by_link(folder):
    """A link to the folder takes its name in one step; between two, the daemon may make the folder again."""
    moved = folder.with_name("moved")
    moved.symlink_to("moved")
    names = [ctypes.c_char_p(os.fsencode(path)) for path in (folder, moved)]
    at_work, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    result = ctypes.CDLL(None, use_errno=True).renameat2(at_work, names[0], at_work, names[1], exchange)
    assert result == 0, os.strerror(ctypes.get_errno())


class ReachableDaemon(HostileCase):
    programs = {"haptic": HAPTIC, "hapticd": HAPTICD}

    def inode(self, what):
        """None while the file is away; kept open by the daemon, an old one keeps its number."""
        try:
            return self.run_file(what).stat().st_ino
        except FileNotFoundError:
            return None

    def test_removed_sockets_and_locks_are_made_again(self):
        process = self.daemon("--engage")
        inodes = {what: self.inode(what) for what in ("stop", "commands", "lock")}
        for what in inodes:
            self.run_file(what).unlink()
        self.until(lambda: all(self.inode(what) not in (None, inode) for what, inode in inodes.items()))
        second = run(HAPTICD, "--scene", "scene.toml", "--name", self.name, "--cycles", 1, cwd=self.folder)
        self.assertEqual(second.returncode, 2, second.stderr)
        self.assertIn(f"in use by hapticd, process {process.pid}", second.stderr)
        self.goes_on_engaged()
        for command in ("stop", "reset", "engage"):
            self.until(lambda: self.haptic(command).returncode == 0)  # the name exists before the socket listens
        self.expect_stops(process)

    def ends_unreachable(self, process, why):
        """By itself, with its outputs at zero."""
        self.assertEqual(process.wait(SECONDS), 1, self.said())
        self.assertIn(f"run folder: {why}", self.said())
        self.assertIn("; the daemon stops, because operators cannot reach it any more", self.said())
        self.assertNotIn("does not stop", self.said())

    def test_without_its_segments_a_daemon_ends(self):
        for what in ("telemetry", "pulse"):
            process = self.daemon("--engage")
            self.run_file(what).unlink()
            self.ends_unreachable(process, f"the {what} was removed")

    def test_without_its_run_folder_a_daemon_ends(self):
        # As at the end of the last login session of a user.
        session = self.folder / "session"
        session.mkdir(mode=0o700)
        process = self.start(HAPTICD, "--scene", "scene.toml", "--name", self.name, "--engage", "--black-box", self.folder,
                             environment={"XDG_RUNTIME_DIR": str(session)})
        self.until(lambda: f'"{self.name}" runs' in self.said())
        session.rename(self.folder / "ended")  # in one step: while a tree is removed, the daemon makes its files again
        self.assertEqual(process.wait(SECONDS), 1, self.said())
        self.assertIn("the daemon stops, because operators cannot reach it any more", self.said())

    def test_a_daemon_whose_segments_are_cut_or_closed_ends_with_zero(self):
        def cut(path):
            with open(path, "r+b") as file:
                file.truncate(0)
        for what in ("telemetry", "pulse"):
            for harm in (cut, lambda path: path.chmod(0), lambda path: path.chmod(0o666)):
                process = self.daemon("--engage")
                harm(self.run_file(what))
                self.ends_unreachable(process, f"the {what} was removed")

    def test_sockets_that_are_closed_to_clients_are_made_again(self):
        process = self.daemon("--engage")
        for what, command in (("stop", ["stop"]), ("commands", ["mark", "heard"])):
            for mode in (0, 0o777):
                inode = self.inode(what)
                self.run_file(what).chmod(mode)
                self.until(lambda: self.inode(what) not in (None, inode))
                self.until(lambda: self.haptic(*command).returncode == 0)
        self.assertIsNone(process.poll(), self.said())

    def test_a_run_folder_that_is_open_to_others_ends_the_daemon(self):
        session = self.folder / "session"
        for harm in (lambda folder: folder.chmod(0o777), exchange_by_link):
            session.mkdir(mode=0o700)
            process = self.start(HAPTICD, "--scene", "scene.toml", "--name", self.name, "--engage", "--black-box",
                                 self.folder, environment={"XDG_RUNTIME_DIR": str(session)})
            self.until(lambda: f'"{self.name}" runs' in self.said())
            harm(session / "hapticd")
            self.assertEqual(process.wait(SECONDS), 1, self.said())
            self.assertIn("the daemon stops, because operators cannot reach it any more", self.said())
            shutil.rmtree(session)
            self.journal.unlink()

    def test_a_guard_outlives_segments_that_are_cut(self):
        (self.folder / "desk.toml").write_text('kind = "simulated"\nname = "desk"\n')
        guard = self.start(GUARD, "--manifest", "./desk.toml", "--name", self.name, "--hang-ms", "5000")
        process = self.daemon("--engage", "--guard-ms", "5000")
        self.until(lambda: self.status()["guarded"])
        with open(self.run_file("guard-pulse"), "r+b") as file:
            file.truncate(0)
        self.until(lambda: "the guard's pulse was removed or changed; it was made again" in self.said())
        self.until(lambda: self.status()["guarded"])
        with open(self.run_file("pulse"), "r+b") as file:
            file.truncate(0)
        process.wait(SECONDS)  # by itself, or by the guard, which hears no heartbeat any more
        self.until(lambda: f"hapticd-guard: process {process.pid} " in self.said())
        self.assertIsNone(guard.poll(), self.said())

    def cut_the_telemetry_after_a_while(self, process):
        before = self.status()["cycles"]
        self.until(lambda: self.status()["cycles"] > before + 2000)
        with open(self.run_file("telemetry"), "r+b") as file:
            file.truncate(0)
        self.ends_unreachable(process, "the telemetry was removed")

    def test_a_recorder_outlives_a_segment_that_is_cut(self):
        process = self.daemon("--engage", recorded="log.h5")
        self.cut_the_telemetry_after_a_while(process)
        self.assertEqual(self.recorder.wait(SECONDS), 0, self.said())
        self.assertIn("the daemon died", (self.folder / "recorder").read_text())

    @unittest.skipUnless((pathlib.Path(PYTHON) / "hapticd").is_dir(), "built without the Python module")
    def test_python_outlives_a_segment_that_is_cut(self):
        process = self.daemon("--engage")
        follower = self.start(sys.executable, "-c", "import sys, hapticd\n"
                              "telemetry = hapticd.Telemetry(sys.argv[1])\n"
                              "print('follows', file=sys.stderr, flush=True)\n"
                              "rows = sum(len(samples) for samples in telemetry.follow())\n"
                              "print(rows, telemetry.life, file=sys.stderr)", self.name,
                              environment={"PYTHONPATH": PYTHON})
        self.until(lambda: "follows" in self.said())
        self.cut_the_telemetry_after_a_while(process)
        self.assertEqual(follower.wait(SECONDS), 0, self.said())
        self.assertIn("dead", self.said())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]], verbosity=2)
