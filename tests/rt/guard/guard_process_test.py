#!/usr/bin/env python3
"""hapticd-guard with a real hapticd that dies, stops or ends: what the guard does, in this order.

Never how fast: this machine's figures are not the lab's. Usage: guard_process_test.py HAPTICD GUARD
"""
import hashlib
import os
import pathlib
import queue
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from programs import TWO_SPHERES  # noqa: E402

HAPTICD, GUARD = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:3])
TREE = pathlib.Path(__file__).resolve().parents[3]
SECONDS = 60  # for whatever must happen at all, on however slow a machine

MANIFEST = 'kind = "simulated"\nname = "hand"\n'


class Lines:
    """The lines a process writes to its standard error, as they come."""

    def __init__(self, process):
        self.process, self.seen, self.queue = process, [], queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stderr:
            self.queue.put(line.rstrip())
        self.queue.put(None)

    def wait_for(self, *words):
        while True:
            line = self.queue.get(timeout=SECONDS)
            if line is None:
                raise AssertionError(f"ended without {words}: {self.seen}")
            self.seen.append(line)
            if all(word in line for word in words):
                return line


class GuardProcess(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="haptic-guard-"))
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "scene.toml").write_text(TWO_SPHERES)
        (self.folder / "hand.toml").write_text(MANIFEST)
        self.daemons = 0
        self.name = f"guard-test-{os.getpid()}-{self._testMethodName[-20:]}".replace("_", "-")[:48]

    def start(self, *command, **environment):
        process = subprocess.Popen([str(c) for c in command], cwd=self.folder, text=True,
                                   env=dict(os.environ, **environment),
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(lambda: process.poll() is None and process.kill())
        return process, Lines(process)

    def guard(self, hang_ms=3000):
        # Patience of seconds: this machine may not run the daemon for a hundred milliseconds.
        guard, lines = self.start(GUARD, "--manifest", "hand.toml", "--name", self.name, "--hang-ms", hang_ms)
        lines.wait_for("guards", "simulated")
        return guard, lines

    def daemon(self, *options):
        """A daemon whose loop runs: it tells systemd's watchdog so, here a socket of ours."""
        notices = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(notices.close)
        notices.settimeout(SECONDS)
        notices.bind(str(self.folder / f"notify-{self.daemons}"))
        daemon, lines = self.start(HAPTICD, "--scene", "scene.toml", "--name", self.name,
                                   "--guard-ms", "3000", "--black-box", self.folder, *options,
                                   NOTIFY_SOCKET=notices.getsockname())
        self.daemons += 1
        while b"WATCHDOG=1" not in notices.recv(4096):
            pass
        return daemon, lines

    def test_a_daemon_that_is_killed(self):
        guard, said = self.guard()
        daemon, _ = self.daemon("--engage")
        said.wait_for("watches process", str(daemon.pid))
        daemon.send_signal(signal.SIGKILL)
        said.wait_for("died", "outputs safe", "nothing to make safe")
        self.assertIsNone(guard.poll())  # and waits for the next one
        second, _ = self.daemon()
        said.wait_for("watches process", str(second.pid))

    def test_a_daemon_that_is_stopped(self):
        _, said = self.guard(hang_ms=1000)
        daemon, _ = self.daemon("--engage")
        said.wait_for("watches process", str(daemon.pid))
        daemon.send_signal(signal.SIGSTOP)
        said.wait_for("made no cycle for", "was killed", "outputs safe")
        self.assertEqual(daemon.wait(SECONDS), -signal.SIGKILL)

    def test_a_daemon_whose_loop_hangs(self):
        # One exchange of the simulated device that takes half a minute.
        (self.folder / "scene.toml").write_text(
            TWO_SPHERES + '[device]\nfaults = [{ kind = "late", at = 3.0, size = 30.0 }]\n')
        _, said = self.guard(hang_ms=1000)
        daemon, _ = self.daemon("--engage")
        said.wait_for("made no cycle for", "was killed", "outputs safe")
        self.assertEqual(daemon.wait(SECONDS), -signal.SIGKILL)

    def test_a_daemon_that_leaves_is_not_killed(self):
        _, said = self.guard()
        daemon, _ = self.daemon("--cycles", "2000")
        said.wait_for("exited normally", "outputs safe")
        self.assertEqual(daemon.wait(SECONDS), 0)

    def test_the_daemon_faults_when_its_guard_is_gone(self):
        guard, said = self.guard()
        daemon, told = self.daemon("--engage")
        said.wait_for("watches process", str(daemon.pid))
        told.wait_for("guarded by process", str(guard.pid))
        guard.send_signal(signal.SIGKILL)
        told.wait_for("fault guard_lost")
        self.assertIsNone(daemon.poll())

    def test_a_guard_and_a_daemon_of_which_one_started_before_the_login(self):
        # A login creates /run/user/UID, which later processes prefer to the folder of the earlier ones. Both processes
        # get a /run/user of this test alone.
        alone = ["unshare", "--mount", "sh", "-c",
                 'mkdir -p /run/user && mount -t tmpfs none /run/user && exec "$@"', "sh"]
        if os.geteuid() != 0 or subprocess.run([*alone, "true"], capture_output=True).returncode != 0:
            self.skipTest("needs root and a mount namespace")
        command = {"guard": [GUARD, "--manifest", "hand.toml", "--hang-ms", "3000"],
                   "daemon": [HAPTICD, "--scene", "scene.toml", "--guard-ms", "3000", "--black-box", self.folder]}
        for before, after in (("guard", "daemon"), ("daemon", "guard")):
            with self.subTest(before=before):
                name = ["--name", f"{self.name[:40]}-{before}"]
                started, said = {}, {}
                started[before], said[before] = self.start(*alone, *command[before], *name, XDG_RUNTIME_DIR="")
                said[before].wait_for("guards" if before == "guard" else "hapticd")
                inside = ["nsenter", f"--target={started[before].pid}", "--mount", f"--wd={self.folder}"]
                self.assertEqual(subprocess.run([*inside, "find", "/run/user"], capture_output=True, text=True).stdout,
                                 "/run/user\n")
                subprocess.run([*inside, "mkdir", "--mode=700", f"/run/user/{os.geteuid()}"], check=True)
                started[after], said[after] = self.start(*inside, *command[after], *name, XDG_RUNTIME_DIR="")
                said["guard"].wait_for("watches process", str(started["daemon"].pid))
                said["daemon"].wait_for("guarded by process", str(started["guard"].pid))
                found = subprocess.run([*inside, "find", "/run/user", "-type", "f"], capture_output=True, text=True)
                self.assertIn(name[1], found.stdout)
                for process in started.values():
                    process.terminate()
                    self.assertEqual(process.wait(SECONDS), 0)

    def test_a_guard_ends_when_told_and_only_one_guards_a_name(self):
        guard, _ = self.guard()
        second = subprocess.run([GUARD, "--manifest", "hand.toml", "--name", self.name], cwd=self.folder,
                                capture_output=True, text=True, timeout=SECONDS)
        self.assertEqual((second.returncode, second.stderr.count("\n")), (2, 1), second.stderr)
        self.assertIn("in use", second.stderr)
        guard.send_signal(signal.SIGTERM)
        self.assertEqual(guard.wait(SECONDS), 0)

    def test_no_signal_ends_it_before_the_daemon_that_drives(self):
        # To both, as a terminal sends it: the daemon ends in order, and the guard outlives it. The two signals that the
        # C library keeps for itself (32, 33) go to the guard alone, as a daemon may use them.
        for number in ("SIGQUIT", "SIGINT", "SIGUSR1", "SIGXCPU", "SIGRTMIN", "SIGPIPE", "SIGABRT", "SIGSEGV", 32, 33):
            with self.subTest(number):
                guard, said = self.guard()
                daemon, told = self.daemon("--engage")
                told.wait_for("guarded by process", str(guard.pid))
                sent = number if isinstance(number, int) else getattr(signal, number)
                guard.send_signal(sent)
                if isinstance(number, str):
                    daemon.send_signal(sent)
                if number in ("SIGPIPE", 32, 33):
                    daemon.send_signal(signal.SIGKILL)
                said.wait_for("outputs safe")
                daemon.wait(SECONDS)
                if number in ("SIGQUIT", "SIGINT"):
                    self.assertEqual((daemon.returncode, guard.wait(SECONDS)), (0, 0))
                else:
                    self.assertIsNone(guard.poll())
                    guard.terminate()
                    guard.wait(SECONDS)

    def test_told_to_end_alone_it_gives_notice_first(self):
        guard, said = self.guard()
        daemon, told = self.daemon("--engage")
        told.wait_for("guarded by process", str(guard.pid))
        guard.send_signal(signal.SIGQUIT)
        said.wait_for("SIGQUIT: ends when process", str(daemon.pid))
        told.wait_for("fault guard_lost")
        self.assertEqual(guard.wait(SECONDS), 0)
        self.assertIsNone(daemon.poll())

    def test_a_guard_of_a_usb_device_ends_when_told(self):
        # libusb's own thread lets every signal through that it is not begun without.
        image = b"\xaa\x08" + bytes(8490)
        (self.folder / "image.bin").write_bytes(image)
        text = (TREE / "firmware-config/novint-falcon.toml").read_text()
        text = re.sub(r'(?m)^file = .*', f'file = "{self.folder}/image.bin"', text)
        text = re.sub(r'(?m)^hash = .*', f'hash = "md5:{hashlib.md5(image).hexdigest()}"', text)
        (self.folder / "falcon.toml").write_text(text)
        guard, said = self.start(GUARD, "--manifest", "falcon.toml", "--name", self.name)
        said.wait_for("guards", "falcon")
        guard.send_signal(signal.SIGTERM)
        self.assertEqual(guard.wait(SECONDS), 0)

    def test_safe_outputs_now_and_what_is_refused(self):
        now = subprocess.run([GUARD, "--safe-outputs-now", "--manifest", "hand.toml"], cwd=self.folder,
                             capture_output=True, text=True, timeout=SECONDS)
        self.assertEqual(now.returncode, 0, now.stderr)
        self.assertIn("nothing to make safe", now.stderr)
        (self.folder / "lever.toml").write_text('kind = "lever"\nname = "hand"\n')
        (self.folder / "absent.toml").write_text(
            'kind = "comedi-arm"\nname = "arm"\n[board]\nfile = "/dev/comedi-that-is-not-there"\n'
            'driver = "s626"\ncounters = [0]\noutputs = [0]\n')
        for arguments, code in ((["--manifest", "lever.toml"], 2), (["--manifest", "none.toml"], 2),
                                (["--manifest", "hand.toml", "--hang-ms", "0"], 2),
                                (["--manifest", "hand.toml", "--hang-ms", "nan"], 2),
                                (["--manifest", "hand.toml", "--give-up-s", "nan"], 2),
                                (["--safe-outputs-now", "--give-up-s", "0.1", "--manifest", "absent.toml"], 1)):
            refused = subprocess.run([GUARD, *arguments], cwd=self.folder, capture_output=True, text=True,
                                     timeout=SECONDS)
            self.assertEqual((refused.returncode, refused.stderr.count("\n")), (code, 1), refused.stderr)
        refused = subprocess.run([HAPTICD, "--scene", "scene.toml", "--guard-ms", "nan", "--check"], cwd=self.folder,
                                 capture_output=True, text=True, timeout=SECONDS)
        self.assertEqual((refused.returncode, refused.stderr.count("\n")), (2, 1), refused.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
