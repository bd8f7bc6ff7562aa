"""A test case around a running daemon: started without a terminal, as a service is, asked by the host tool."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from programs import run

SECONDS = 60  # for whatever must happen at all, on however slow a machine


class DaemonCase(unittest.TestCase):
    """Set `programs` (haptic, hapticd, hapticd-guard) in a subclass."""
    programs = {}

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="haptic-test-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.name = f"t{os.getpid()}-{self._testMethodName.removeprefix('test_')}".replace("_", "-")[:48].rstrip("-")
        self.journal = self.folder / "journal"

    def start(self, *command, stderr=None, environment=None, **options):
        """A process that ends with the test; its standard error goes to the journal."""
        options.setdefault("stdout", subprocess.DEVNULL)
        with open(self.journal, "a") as journal:
            process = subprocess.Popen([str(c) for c in command], cwd=self.folder, stdin=subprocess.DEVNULL,
                                       stderr=journal if stderr is None else stderr,
                                       env=dict(os.environ, **(environment or {})), start_new_session=True, **options)
        self.addCleanup(process.wait)
        self.addCleanup(lambda: process.poll() is None and process.kill())
        return process

    def daemon(self, *options, scene="scene.toml", before=(), recorded=None, **start):
        """@param recorded  a log to write from the first cycle on, by self.recorder"""
        process = self.start(*before, self.programs["hapticd"], "--scene", scene, "--name", self.name, "--black-box",
                             self.folder, *options, **start)
        if recorded is not None:
            self.record_from_the_first_cycle(process, recorded)
        self.until(lambda: process.poll() is not None or self.status(may_fail=True).get("cycles", 0) > 0)
        self.assertIsNone(process.poll(), self.said())
        return process

    def record_from_the_first_cycle(self, daemon, log):
        """At once, because the ring holds four seconds, and a slow machine needs one for a program to start."""
        def records():
            self.assertIsNone(daemon.poll(), self.said())
            if getattr(self, "recorder", None) is None or self.recorder.poll() is not None:
                with open(self.folder / "recorder", "w") as output:
                    self.recorder = self.start(self.programs["haptic"], "record", "-o", log, "--from-oldest", "--name",
                                               self.name, stdout=output)
            return list(self.folder.glob(f"*{log}*"))
        self.until(records)

    def said(self):
        return self.journal.read_text()

    def until(self, holds, seconds=SECONDS):
        give_up = time.monotonic() + seconds
        while not holds():
            self.assertLess(time.monotonic(), give_up, self.said())
            time.sleep(0.02)

    def haptic(self, command, *arguments):
        return run(self.programs["haptic"], command, *arguments, "--name", self.name, cwd=self.folder)

    def must(self, command, *arguments):
        result = self.haptic(command, *arguments)
        self.assertEqual(result.returncode, 0, f"{command} {arguments}: {result.stderr} {self.said()}")
        return result.stdout

    def refused(self, *arguments, code=1, says=()):
        result = self.haptic(*arguments)
        self.assertEqual((result.returncode, result.stderr.count("\n")), (code, 1), f"{arguments}: {result.stderr}")
        for word in says:
            self.assertIn(word, result.stderr)

    def status(self, may_fail=False):
        result = self.haptic("status", "--json")
        if may_fail and result.returncode != 0:
            return {}
        self.assertEqual(result.returncode, 0, result.stderr + self.said())
        return json.loads(result.stdout)

    def state_is(self, state, fault="none"):
        status = self.status()
        return (status["state"], status["fault"]) == (state, fault)

    def wait_for(self, state, fault="none"):
        self.until(lambda: self.state_is(state, fault))

    def expect_stops(self, process):
        """An operator's stop and the system's."""
        self.must("stop")
        self.wait_for("fault", "operator_stop")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(SECONDS), 0, self.said())
