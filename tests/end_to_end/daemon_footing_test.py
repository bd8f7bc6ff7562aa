#!/usr/bin/env python3
"""A running daemon whose signals, files, folders, limits and threads are not as they should be.

Usage: daemon_footing_test.py HAPTIC HAPTICD GUARD EMULATORS [unittest arguments]
"""
import ctypes
import fcntl
import json
import os
import pathlib
import resource
import shutil
import signal
import struct
import subprocess
import sys
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from daemon_case import SECONDS  # noqa: E402
from hostile_case import PATIENT, HostileCase  # noqa: E402
from programs import TWO_SPHERES, run, run_folder  # noqa: E402

HAPTIC, HAPTICD, GUARD = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:4])
EMULATORS = pathlib.Path(sys.argv[4]).resolve()
NOBODY = 65534


def ptrace(request, tid):
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    if libc.ptrace(request, tid, None, None) != 0:
        raise OSError(ctypes.get_errno(), "ptrace")


class DaemonFooting(HostileCase):
    programs = {"haptic": HAPTIC, "hapticd": HAPTICD}

    # ---- terminals

    def ignores_terminal_stops(self, process):
        """The kernel drops these signals for a process group without a terminal, like that of the test."""
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        harmless = 0  # ignored, as the daemon does, or blocked, as the guard does
        for line in status.splitlines():
            if line.startswith(("SigIgn", "SigBlk")):
                harmless |= int(line.split()[1], 16)
        return all(harmless >> (stop - 1) & 1 for stop in (signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU))

    def test_the_terminals_suspend_key_stops_neither_daemon_nor_guard(self):
        process = self.daemon("--engage")
        (self.folder / "desk.toml").write_text('kind = "simulated"\nname = "desk"\n')
        guard = self.start(GUARD, "--manifest", "./desk.toml", "--name", self.name, "--hang-ms", "20000")
        self.until(lambda: "guards" in self.said())
        for one in (process, guard):
            self.assertTrue(self.ignores_terminal_stops(one))
        self.expect_stops(process)

    # ---- the longest controlled stop

    def test_sigterm_waits_for_the_longest_controlled_stop(self):
        (self.folder / "slow.toml").write_text(TWO_SPHERES.replace("rate_hz = 500", "rate_hz = 100") + f"""
[limits]
stop_s = 0.5
[device]
script = "hand.csv"
""")
        # Back and forth at 0.1 m/s: a hand that never comes to rest.
        (self.folder / "hand.csv").write_text("time_s,x_m,y_m,z_m,qw,qx,qy,qz\n" + "".join(
            f"{i},{0.02 + 0.1 * (i % 2)},0,0.1,1,0,0,0\n" for i in range(SECONDS)))
        process = self.daemon("--engage", scene="slow.toml")
        self.goes_on_engaged()
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(SECONDS), 0, self.said())

    # ---- a run folder that changes

    def test_a_dead_daemons_sockets_do_not_hide_a_live_one(self):
        dead, alive = self.folder / "dead", self.folder / "alive"
        for folder in (dead, alive):
            folder.mkdir(mode=0o755)
        first = self.start(HAPTICD, "--scene", "scene.toml", "--name", self.name,
                           environment={"RUNTIME_DIRECTORY": str(dead)})
        self.until((dead / f"{self.name}.stop").exists)
        first.kill()
        first.wait()
        self.assertTrue((dead / f"{self.name}.commands").exists())
        second = self.start(HAPTICD, "--scene", "scene.toml", "--name", self.name, "--engage", "--black-box", self.folder,
                            environment={"XDG_RUNTIME_DIR": str(alive)})
        # Of the run folders of this user, that of the dead daemon comes first.
        where = {"RUNTIME_DIRECTORY": str(dead), "XDG_RUNTIME_DIR": str(alive)}

        def ask(command, *arguments):
            return run(HAPTIC, command, *arguments, "--name", self.name, cwd=self.folder, environment=where)

        self.until(lambda: '"engaged"' in ask("status", "--json").stdout)
        for command in ("stop", "reset", "engage"):
            result = ask(command)
            self.assertEqual(result.returncode, 0, result.stderr)
        second.send_signal(signal.SIGTERM)
        self.assertEqual(second.wait(SECONDS), 0, self.said())

    def test_a_second_daemon_of_a_name_in_another_run_folder_is_refused(self):
        session = self.folder / "session"
        session.mkdir(mode=0o700)
        process = self.daemon()
        second = run(HAPTICD, "--scene", "scene.toml", "--name", self.name, "--cycles", 1, cwd=self.folder,
                     environment={"RUNTIME_DIRECTORY": str(session)})
        self.assertEqual(second.returncode, 2, second.stderr)
        self.assertIn(f"in use by hapticd, process {process.pid}", second.stderr)
        self.expect_stops(process)

    # ---- daemons of one name

    @unittest.skipUnless(os.getuid() == 0, "only root has daemons of two users")
    def test_roots_stop_stops_the_daemons_of_all_users(self):
        their_folder = pathlib.Path(f"/dev/shm/hapticd-{NOBODY}")
        if their_folder.exists():
            self.skipTest(f"{their_folder} is there")
        self.addCleanup(shutil.rmtree, their_folder, ignore_errors=True)
        self.folder.chmod(0o755)
        as_nobody = ["setpriv", "--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups", "env", "-u",
                     "XDG_RUNTIME_DIR", "-u", "RUNTIME_DIRECTORY"]

        def nobody_is(state):
            shown = run(*as_nobody, HAPTIC, "status", "--json", "--name", self.name, cwd=self.folder)
            return shown.returncode == 0 and json.loads(shown.stdout)["state"] == state

        theirs = self.start(*as_nobody, HAPTICD, "--scene", "scene.toml", "--name", self.name, "--engage", "--black-box", "/")
        self.until(lambda: theirs.poll() is not None or nobody_is("engaged"))
        self.assertIsNone(theirs.poll(), self.said())
        owner = f"user nobody, {their_folder}"
        self.assertEqual(self.must("mark", "alone"), f'mark "alone": applied ({owner})\n')
        ours = self.daemon("--engage")
        self.until(lambda: self.status()["owner"].startswith("user root"))  # theirs answers until ours runs
        self.wait_for("engaged")
        status = self.status()
        self.assertEqual((status["owner"], status["namesakes"]), (f"user root, {run_folder()}", [owner]))
        self.assertIn(f"another daemon  {owner}\n", self.must("status"))
        self.assertEqual(self.must("mark", "ours"),
                         f'mark "ours": applied (user root, {run_folder()}; not the daemon of {owner})\n')
        self.assertEqual(self.must("stop").splitlines(),
                         [f"stop: applied (user root, {run_folder()})", f"stop: applied ({owner})"])
        self.wait_for("fault", "operator_stop")
        self.until(lambda: nobody_is("fault"))
        theirs.send_signal(signal.SIGTERM)
        self.assertEqual(theirs.wait(SECONDS), 0, self.said())
        self.expect_stops(ours)

    # ---- a loop that is stopped or demoted

    def test_a_stopped_daemon_stands_still(self):
        process = self.daemon("--engage")
        self.assertLess(self.status()["age_s"], 1)
        process.send_signal(signal.SIGSTOP)
        self.until(lambda: self.state_is("stands still"))
        status = self.status()
        self.assertEqual(status["life"], "alive")
        self.assertGreater(status["age_s"], 1)
        self.assertRegex(self.must("status"), r"^state +stands still: no cycle for \d+\.\d s, the last one was engaged\n")
        self.assertIn(f'haptic_up{{daemon="{self.name}"}} 0\n', self.must("metrics"))
        process.send_signal(signal.SIGCONT)
        self.goes_on_engaged()
        self.expect_stops(process)

    @unittest.skipUnless(os.getuid() == 0, "only root may choose the scheduling")
    def test_status_shows_the_scheduling_as_it_is_now(self):
        process = self.daemon("--engage", "--cpu", min(os.sched_getaffinity(0)))
        granted = self.status()["realtime"]
        if not granted["fifo"] or not granted["pinned"]:
            self.skipTest("no SCHED_FIFO here")
        fifo = [int(thread) for thread in os.listdir(f"/proc/{process.pid}/task")
                if os.sched_getscheduler(int(thread)) == os.SCHED_FIFO]
        loop = max(fifo, key=lambda thread: os.sched_getparam(thread).sched_priority)
        os.sched_setscheduler(loop, os.SCHED_OTHER, os.sched_param(0))
        self.until(lambda: not self.status()["realtime"]["fifo"])
        self.assertIn("NOT A REAL-TIME RUN: another process took SCHED_FIFO from the loop", self.said())
        os.sched_setscheduler(loop, os.SCHED_FIFO, os.sched_param(80))
        self.until(lambda: self.status()["realtime"]["fifo"])
        if len(os.sched_getaffinity(0)) > 1:
            os.sched_setaffinity(loop, os.sched_getaffinity(0))
            self.until(lambda: not self.status()["realtime"]["pinned"])
            self.assertIn("NOT A REAL-TIME RUN: another process let the loop run on other CPUs", self.said())
        self.expect_stops(process)

    # ---- limits and folders of the process

    def test_a_folder_for_fault_records_that_does_not_exist_is_said_at_the_start(self):
        process = self.start(HAPTICD, "--scene", "scene.toml", "--name", self.name, "--black-box", "nowhere", "--cycles", 10)
        self.assertEqual(process.wait(SECONDS), 0, self.said())
        self.assertIn("--black-box nowhere: fault records cannot be written: No such file or directory", self.said())

    def test_a_temporary_folder_that_does_not_exist_is_not_needed(self):
        nowhere = {"TMPDIR": str(self.folder / "nowhere")}
        for program in (HAPTICD, GUARD):
            shown = run(program, "--help", environment=nowhere)
            self.assertEqual((shown.returncode, shown.stderr), (0, ""))
        ran = run(HAPTICD, "--scene", "scene.toml", "--name", self.name, "--cycles", 10, cwd=self.folder,
                  environment=nowhere)
        self.assertEqual(ran.returncode, 0, ran.stderr)

    def test_without_standard_descriptors_messages_go_nowhere_else(self):
        closed = {"daemon": [2], "daemon of a service": [0, 1, 2], "daemon of a script": [0, 2], "daemon of a shell": [1, 2]}
        for which, descriptors in closed.items():
            with self.subTest(which):
                process = self.daemon("--engage", preexec_fn=lambda d=descriptors: [os.close(number) for number in d])
                for text in ("one", "two", "three"):
                    self.must("mark", text)
                self.assertIn(TWO_SPHERES, self.run_file("texts").read_text(errors="replace"))
                self.goes_on_engaged()
                for number in descriptors:
                    self.assertEqual(os.readlink(f"/proc/{process.pid}/fd/{number}"), "/dev/null")
                self.must("stop")
                process.terminate()
                self.assertEqual(process.wait(SECONDS), 0)

    def test_a_guard_without_standard_descriptors_keeps_its_pulse(self):
        (self.folder / "desk.toml").write_text('kind = "simulated"\nname = "desk"\n')
        process = self.daemon("--engage", "--guard-ms", "20000")
        guard = self.start(GUARD, "--manifest", "./desk.toml", "--name", self.name, "--hang-ms", "20000",
                           preexec_fn=lambda: [os.close(number) for number in (0, 1, 2)])
        self.until(lambda: self.status()["guarded"] or guard.poll() is not None)
        self.assertIsNone(guard.poll())
        self.expect_stops(process)

    def test_a_stack_that_may_not_grow_is_said(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_STACK, (64 << 10, 64 << 10))
        for command in ([HAPTIC, "--help"], [HAPTICD, "--scene", "scene.toml", "--check"], [GUARD, "--help"]):
            done = subprocess.run(command, cwd=self.folder, preexec_fn=limit, capture_output=True, text=True, timeout=SECONDS)
            raised = done.returncode == 0  # as root where that is allowed
            self.assertTrue(raised or (done.returncode, done.stderr) == (
                2, "found a stack limit below 1 MiB, expected more (ulimit -s)\n"), done)

    def test_a_limit_of_file_sizes_is_an_error_and_not_the_end(self):
        none = ("prlimit", "--fsize=0")
        refused = run(*none, HAPTICD, "--scene", "scene.toml", "--name", self.name, "--cycles", 10, cwd=self.folder)
        self.assertEqual(refused.returncode, 1, refused.stderr)
        self.assertIn("File too large", refused.stderr)
        many = "".join(f'[[body]]\nname = "b{i}"\nshape = "sphere"\nradius = 0.01\nrole = "anchored"\n'
                       f"position = [{i}.0, 0.0, 0.0]\n" for i in range(1, 300))
        (self.folder / "larger.toml").write_text(TWO_SPHERES + many + PATIENT)
        process = self.daemon("--engage")
        size = self.run_file("telemetry").stat().st_size
        subprocess.run(["prlimit", f"--pid={process.pid}", f"--fsize={size}"], check=True)
        self.refused("load", str(self.folder / "larger.toml"), says=["File too large"])
        self.goes_on_engaged()
        recorded = run(*none, HAPTIC, "record", "-o", "log.h5", "--seconds", 1, "--name", self.name, cwd=self.folder)
        self.assertEqual((recorded.returncode, recorded.stderr.count("\n")), (1, 1), recorded.stderr)
        self.expect_stops(process)

    def test_the_main_threads_stack_need_not_grow(self):
        # At the limit of locked memory it could not, and the process would end.
        process = self.daemon("--engage")
        maps = pathlib.Path(f"/proc/{process.pid}/smaps").read_text()
        resident = maps.split("[stack]")[1].split("Rss:")[1].split()[0]
        self.assertGreaterEqual(int(resident), 256)  # kB
        self.expect_stops(process)

    # ---- a stopped supervisor

    @unittest.skipUnless(os.getuid() == 0, "a thread of another process is stopped by root")
    def test_a_stopped_supervisor_is_a_fault_and_stop_is_answered(self):
        process = self.daemon("--engage")
        self.goes_on_engaged()
        seize, interrupt, detach, wall = 0x4206, 0x4207, 17, 0x40000000
        ptrace(seize, process.pid)  # its first thread only
        ptrace(interrupt, process.pid)
        os.waitpid(process.pid, wall)
        self.wait_for("fault", "supervisor_lost")
        self.must("stop")  # in a separate thread
        ptrace(detach, process.pid)
        self.until(lambda: self.haptic("reset").returncode == 0)
        self.must("engage")
        self.expect_stops(process)

    @unittest.skipUnless((EMULATORS / "libfailing_allocation.so").exists(), "the allocator is a sanitizer's")
    def test_a_supervisor_that_fails_ends_the_loop_and_the_daemon(self):
        trigger = self.folder / "fail"
        process = self.daemon("--engage", environment={
            "LD_PRELOAD": str(EMULATORS / "libfailing_allocation.so"), "HAPTIC_FAIL_ALLOCATION": str(trigger)})
        self.goes_on_engaged()
        trigger.touch()
        self.until(lambda: self.haptic("reset").returncode != 0 and process.poll() is not None)
        self.assertEqual(process.returncode, 1, self.said())
        self.assertFalse(trigger.exists())
        self.assertIn("the supervisor failed: std::bad_alloc", self.said())
        self.assertNotIn("does not stop", self.said())  # the loop ended normally, with its outputs at zero

    # ---- names used by other users

    @unittest.skipUnless(os.getuid() == 0, "a file is given to another user by root")
    def test_forged_segments_of_another_user_are_ignored(self):
        victim = self.start("sleep", "1000")
        forgery = pathlib.Path(f"/dev/shm/hapticd-{NOBODY}")
        if forgery.exists():
            self.skipTest(f"{forgery} is there")
        forgery.mkdir()
        self.addCleanup(lambda: subprocess.run(["rm", "-rf", forgery]))
        # A constant pulse, of a process whose end would be noticed.
        pulse = struct.pack("<QQQqdQQQQ", 0x31534C5550544148, 2, 77, victim.pid, 1000.0, 5, 0, 0, 0)
        (forgery / f"{self.name}.pulse").write_bytes(pulse)
        for what in ("telemetry", "commands", "lock", "guard", "guard-pulse"):
            (forgery / f"{self.name}.{what}").write_bytes(b"forged" * 1000)
        for path in (forgery, *forgery.iterdir()):
            os.chown(path, NOBODY, NOBODY)
        holder = open(forgery / f"{self.name}.pulse", "r+b")
        self.addCleanup(holder.close)
        fcntl.lockf(holder, fcntl.LOCK_EX)
        (self.folder / "hand.toml").write_text('kind = "simulated"\nname = "hand"\n')
        self.start(GUARD, "--manifest", "hand.toml", "--name", self.name, "--hang-ms", "3000")
        process = self.daemon("--engage", "--guard-ms", "3000")
        self.until(lambda: self.status()["guarded"])
        self.assertIn(f"watches process {process.pid}", self.said())
        self.assertNotIn(str(victim.pid), self.said())
        self.assertIsNone(victim.poll())
        self.goes_on_engaged()
        self.expect_stops(process)

    def test_files_in_the_run_folder_are_not_writable_by_others(self):
        process = self.daemon("--engage")
        for what, mode in (("telemetry", 0o640), ("pulse", 0o640), ("commands", 0o660), ("stop", 0o660),
                           ("lock", 0o600)):
            status = self.run_file(what).stat()
            # Without the groups only their owner has access.
            self.assertIn(status.st_mode & 0o777, (mode, 0o600), what)
            self.assertEqual(status.st_uid, os.getuid())
        self.assertEqual(self.run_file("lock").parent.stat().st_mode & 0o022, 0)
        self.expect_stops(process)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]], verbosity=2)
