#!/usr/bin/env python3
"""A running daemon against faulty or hostile clients, readers, guards and files from outside.

Usage: hostile_operators_test.py HAPTIC HAPTICD GUARD EMULATORS [unittest arguments]
"""
import ctypes
import fcntl
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import unittest

import h5py

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from daemon_case import SECONDS, DaemonCase  # noqa: E402
from programs import TWO_SPHERES, run, run_folder  # noqa: E402

HAPTIC, HAPTICD, GUARD = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:4])
EMULATORS = pathlib.Path(sys.argv[4]).resolve()
TREE = pathlib.Path(__file__).resolve().parents[2]
NOBODY = 65534

# shared/ipc/command.h
COMMAND = struct.Struct("<IId64s448sqQ32s9d")
GREETING = struct.Struct("<QQQQ")
REPLY = struct.Struct("<IIIIddQQ256s")
ENGAGE, STOP, RESET = 1, 3, 4
APPLIED, MALFORMED, STATE_CHANGED, EXPIRED = 1, 6, 13, 14

# A loaded machine may not schedule the daemon for hundreds of milliseconds; that is not tested here.
PATIENT = "[limits]\nstale_s = 10.0\noverload_slots = 100000\noverload_fraction = 1.0\noverload_window_s = 10.0\n"


def command(kind, deadline_ns=0, epoch=0):
    return COMMAND.pack(kind, 0, 0.0, b"", b"", deadline_ns, epoch, b"hostile", *9 * [0.0])


class Client:
    """A foreign client that sends arbitrary packets to the socket of a daemon."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.connect(str(path))  # behind others, if need be
        self.socket.settimeout(SECONDS)

    def greeted(self):
        return GREETING.unpack(self.socket.recv(4096))

    def ask(self, packet):
        self.socket.send(packet)
        return REPLY.unpack(self.socket.recv(4096))

    def close(self):
        self.socket.close()


def ptrace(request, tid):
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    if libc.ptrace(request, tid, None, None) != 0:
        raise OSError(ctypes.get_errno(), "ptrace")


class Hostile(DaemonCase):
    programs = {"haptic": HAPTIC, "hapticd": HAPTICD, "guard": GUARD}

    def setUp(self):
        super().setUp()
        (self.folder / "scene.toml").write_text(TWO_SPHERES + PATIENT)

    def run_file(self, what):
        """The daemon's file in this user's run folder."""
        return run_folder() / f"{self.name}.{what}"

    def client(self, what="commands"):
        client = Client(self.run_file(what))
        self.addCleanup(client.close)
        return client

    def goes_on_engaged(self):
        before = self.status()["cycles"]
        self.until(lambda: self.status()["cycles"] > before)
        self.assertTrue(self.state_is("engaged"), self.status())

    # ---- readers of messages

    def test_a_closed_message_pipe_does_not_stop_the_daemon(self):
        reading, writing = os.pipe()
        process = self.daemon("--engage", stderr=writing)
        os.close(writing)
        os.close(reading)
        for _ in range(5):  # each gives a line that is not read
            self.refused("set", "limits.force", "-1")
            self.must("release")
            self.must("engage")
        self.goes_on_engaged()
        self.expect_stops(process)

    def test_a_full_message_pipe_does_not_stop_the_daemon(self):
        reading, writing = os.pipe()
        self.addCleanup(os.close, reading)
        fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096)
        flags = fcntl.fcntl(writing, fcntl.F_GETFL)
        fcntl.fcntl(writing, fcntl.F_SETFL, flags | os.O_NONBLOCK)
        try:
            while True:
                os.write(writing, b"x")
        except BlockingIOError:
            pass
        fcntl.fcntl(writing, fcntl.F_SETFL, flags)
        process = self.daemon("--engage", stderr=writing)
        os.close(writing)
        for _ in range(5):
            self.must("release")
            self.must("engage")
        self.goes_on_engaged()
        self.expect_stops(process)

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

    def test_removed_sockets_and_locks_are_made_again(self):
        process = self.daemon("--engage")
        inodes = {what: self.run_file(what).stat().st_ino for what in ("stop", "commands", "lock")}
        for what in inodes:
            self.run_file(what).unlink()
        # Kept open by the daemon, the old ones keep their numbers.
        self.until(lambda: all(self.run_file(what).exists() and self.run_file(what).stat().st_ino != inode
                               for what, inode in inodes.items()))
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
        self.assertIn(f"run folder: {why}; the daemon stops, because operators cannot reach it any more", self.said())
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
        shutil.rmtree(session)
        self.assertEqual(process.wait(SECONDS), 1, self.said())
        self.assertIn("the daemon stops, because operators cannot reach it any more", self.said())

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

    # ---- clients

    def test_stop_is_answered_whatever_sixteen_clients_do(self):
        process = self.daemon("--engage")
        over = threading.Event()
        asked = [0] * 16

        def flood(i):
            client = self.client()
            client.greeted()
            while not over.is_set():
                kind = (ENGAGE, RESET, 5, 77)[i % 4]
                try:
                    client.ask(command(kind))
                    asked[i] += 1
                except OSError:
                    return

        threads = [threading.Thread(target=flood, args=[i]) for i in range(16)]
        for thread in threads:
            thread.start()
        try:
            self.until(lambda: min(asked) > 0)
            for _ in range(10):
                self.must("stop")
        finally:
            over.set()
            for thread in threads:
                thread.join()
        self.until(lambda: self.haptic("stop").returncode == 0)
        self.wait_for("fault", "operator_stop")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(SECONDS), 0, self.said())

    def test_idle_and_garbage_connections_do_not_block_stop(self):
        process = self.daemon("--engage")
        silent = [self.client(what) for what in ("commands", "stop") for _ in range(100)]
        for client in silent[::3]:
            try:
                client.socket.send(b"\xff" * 100)
            except OSError:
                pass  # disconnected by now
        self.goes_on_engaged()
        self.assertGreater(self.status()["command_garbage"], 0)
        self.expect_stops(process)

    def test_an_engage_is_dropped_when_its_client_disconnects(self):
        process = self.daemon()
        client = self.client()
        client.greeted()
        process.send_signal(signal.SIGSTOP)
        client.socket.send(command(ENGAGE))
        client.close()
        time.sleep(0.2)
        process.send_signal(signal.SIGCONT)
        before = self.status()["cycles"]
        self.until(lambda: self.status()["cycles"] > before + 100)
        self.assertTrue(self.state_is("idle"), self.status())
        self.must("engage")
        self.expect_stops(process)

    def test_an_engage_is_refused_after_its_deadline_and_in_another_epoch(self):
        process = self.daemon()
        client = self.client()
        magic, _, _, epoch = client.greeted()
        self.assertEqual(magic, 0x32444D4354504148)
        self.assertEqual(client.ask(command(ENGAGE, deadline_ns=1, epoch=epoch))[0], EXPIRED)
        # The state that the client has seen has changed: another client stopped and reset meanwhile.
        self.must("stop")
        self.must("reset")
        self.wait_for("idle")
        reply = client.ask(command(ENGAGE, epoch=epoch))
        self.assertEqual(reply[0], STATE_CHANGED)
        self.assertTrue(self.state_is("idle"), self.status())
        self.assertEqual(client.ask(command(ENGAGE, epoch=reply[6]))[0], APPLIED)
        self.assertTrue(self.state_is("engaged"), self.status())
        self.expect_stops(process)

    def test_a_flood_is_one_line_a_second_in_the_journal(self):
        process = self.daemon()
        client = self.client()
        client.greeted()
        begin = time.monotonic()
        for _ in range(300):
            self.assertEqual(client.ask(b"x")[0], MALFORMED)
            self.assertNotEqual(client.ask(command(2))[0], MALFORMED)
        seconds = time.monotonic() - begin
        lines = [line for line in self.said().splitlines() if "release" in line or "packets" in line]
        # Two causes, each once a second and with one line for the suppressed messages.
        self.assertLessEqual(len(lines), 4 * (seconds + 1))
        self.assertGreater(len(lines), 0)
        self.expect_stops(process)

    # ---- one operator at a time, and records of their commands

    @unittest.skipUnless(os.getuid() == 0, "only root can act as two users")
    def test_one_operator_at_a_time(self):
        place = self.folder / "run"
        place.mkdir()
        os.chown(self.folder, NOBODY, NOBODY)
        os.chown(place, NOBODY, NOBODY)
        os.environ["RUNTIME_DIRECTORY"] = str(place)
        self.addCleanup(os.environ.pop, "RUNTIME_DIRECTORY")
        as_nobody = ["setpriv", "--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups"]

        def nobody(*arguments):
            return run(*as_nobody, HAPTIC, *arguments, "--name", self.name, cwd=self.folder)

        process = self.daemon(before=as_nobody)
        self.assertIsNone(self.status()["operator"])
        self.assertEqual(nobody("engage").returncode, 0)
        holder = self.status()["operator"]
        self.assertEqual((holder["uid"], holder["client"]), (NOBODY, "haptic"))
        for words in (["release"], ["set", "limits.force", "1"], ["load", "scene.toml"], ["engage"]):
            self.refused(*words, says=["has the device"])
        self.assertTrue(self.state_is("engaged"))
        self.must("stop")  # is allowed to every operator
        self.refused("reset", says=["has the device"])
        self.must("takeover")
        self.assertEqual(self.status()["operator"]["uid"], 0)
        self.assertEqual(nobody("reset").returncode, 1)
        self.must("reset")
        self.wait_for("idle")
        self.must("engage")
        self.must("release")
        self.assertIsNone(self.status()["operator"])
        self.assertEqual(nobody("engage").returncode, 0)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(SECONDS), 0, self.said())
        for line in (f"engage by user {NOBODY}", "takeover by user 0", "stop by user 0"):
            self.assertIn(line, self.said())

    def test_who_did_what_is_in_log_black_box_and_journal_and_replayed(self):
        (self.folder / "hand.csv").write_text("time_s,x_m,y_m,z_m,qw,qx,qy,qz\n" + "".join(
            f"{0.5 * i},0,{0.062 - 0.004 * (i % 2)},0,1,0,0,0\n" for i in range(40)))
        (self.folder / "scene.toml").write_text(
            TWO_SPHERES + PATIENT + '[coupling]\nstiffness = 200.0\n[device]\nscript = "hand.csv"\n')
        process = self.daemon("--engage")
        log = self.start(HAPTIC, "record", "-o", "log.h5", "--from-oldest", "--name", self.name)
        for stiffness in ("150", "90"):
            before = self.status()["cycles"]
            self.until(lambda: self.status()["cycles"] > before + 300)
            self.must("set", "coupling.stiffness", stiffness)
        self.refused("set", "coupling.stiffness", "-5")
        before = self.status()["cycles"]
        self.until(lambda: self.status()["cycles"] > before + 300)
        log.send_signal(signal.SIGINT)
        self.assertEqual(log.wait(SECONDS), 0, self.said())
        with h5py.File(self.folder / "log.h5") as file:
            events = {name: file["/events"][name][:] for name in file["/events"]}
            first = file["/samples/cycle"][0]
        self.assertEqual([k.decode() for k in events["key"]], ["coupling.stiffness"] * 3)
        self.assertEqual(list(events["value"]), [150.0, 90.0, -5.0])
        self.assertEqual(list(events["answer"] == APPLIED), [True, True, False])
        self.assertEqual(list(events["executed"]), [1, 1, 0])
        self.assertEqual(set(events["uid"]), {os.getuid()})
        self.assertEqual({c.decode() for c in events["client"]}, {"haptic"})
        self.assertEqual(first, 0)
        replayed = run(HAPTIC, "replay", "log.h5", cwd=self.folder)
        self.assertEqual(replayed.returncode, 0, replayed.stderr + replayed.stdout)
        self.must("stop")
        self.until(lambda: "the last seconds were written to" in self.said())
        box = next(self.folder.glob("hapticd-*operator_stop*.box"))
        made = run(HAPTIC, "record", "--from-box", box.name, "-o", "box.h5", cwd=self.folder)
        self.assertEqual(made.returncode, 0, made.stderr)
        with h5py.File(self.folder / "box.h5") as file:
            events = {name: list(file["/events"][name][:]) for name in ("command", "value", "fault", "uid", "kind")}
        commands = list(zip(events["command"], events["value"]))
        self.assertEqual(commands[:4], [(5, 150.0), (5, 90.0), (5, -5.0), (3, 0.0)])
        self.assertEqual(set(events["uid"][:4]), {os.getuid()})
        self.assertEqual((events["kind"][-1], events["fault"][-1] != 0), (2, True))
        for line in ("set coupling.stiffness 150 by user", "stop by user"):
            self.assertIn(line, self.said())
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(SECONDS), 0, self.said())

    # ---- guards

    def arm(self, manifest="arm.toml", *options):
        """A daemon on a real driver: the real libcomedi, an emulated board behind the kernel's interface."""
        (self.folder / "comedi0").touch()
        text = (TREE / "firmware-config/woodenhaptics.toml").read_text()
        text = text.replace("[board]\n", f'[board]\nfile = "{self.folder}/comedi0"\n', 1)
        text = re.sub(r'(?m)^file = "/dev/comedi.*\n', "", text)
        (self.folder / manifest).write_text(text)
        self.board = {"LD_PRELOAD": str(EMULATORS / "libemulated_board.so"),
                      "HAPTIC_EMULATED_BOARD": str(self.folder / "comedi0")}
        process = self.daemon("--device", manifest, "--guard-ms", "1000", "--home", *options,
                              environment=self.board)
        self.wait_for("idle")
        return process

    def guard(self, manifest="arm.toml"):
        return self.start(GUARD, "--manifest", manifest, "--name", self.name, "--hang-ms", "20000",
                          environment=self.board)

    def test_a_real_device_is_not_engaged_without_a_live_guard(self):
        process = self.arm()
        self.refused("engage", says=["no live guard", "no hapticd-guard runs"])
        self.assertFalse(self.status()["guarded"])
        guard = self.guard()
        self.until(lambda: self.status()["guarded"])
        self.must("engage")
        # A stopped guard sends no heartbeat.
        guard.send_signal(signal.SIGSTOP)
        self.wait_for("fault", "guard_lost")
        self.must("reset")
        self.until(lambda: self.status()["state"] in ("idle", "homing"))
        self.refused("engage")
        guard.send_signal(signal.SIGCONT)
        self.until(lambda: self.status()["guarded"])
        guard.kill()
        guard.wait()
        self.until(lambda: not self.status()["guarded"])
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(SECONDS), 0, self.said())

    def test_a_guard_for_another_device_does_not_count(self):
        process = self.arm()
        other = (self.folder / "arm.toml").read_text().replace('name = "', 'name = "other-', 1)
        (self.folder / "other.toml").write_text(other)
        self.guard("other.toml")
        self.until(lambda: "can make another device safe" in self.said())
        self.refused("engage", says=["no live guard", "another device"])
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(SECONDS), 0, self.said())

    def test_going_unguarded_is_an_operators_choice_that_every_status_repeats(self):
        process = self.arm("arm.toml", "--unguarded")
        self.must("engage")
        self.assertIn("UNGUARDED (--unguarded)", self.must("status"))
        self.assertTrue(self.status()["may_go_unguarded"])
        self.assertIn("UNGUARDED", self.said())
        self.expect_stops(process)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]], verbosity=2)
