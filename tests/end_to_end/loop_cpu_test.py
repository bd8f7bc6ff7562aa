#!/usr/bin/env python3
"""The CPUs of the loops of several daemons.

Usage: loop_cpu_test.py HAPTICD [unittest arguments]
"""
import os
import pathlib
import signal
import subprocess
import sys
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from daemon_case import SECONDS, DaemonCase  # noqa: E402
from programs import TWO_SPHERES  # noqa: E402

HAPTICD = str(pathlib.Path(sys.argv[1]).resolve())


class LoopCpus(DaemonCase):
    def setUp(self):
        super().setUp()
        (self.folder / "scene.toml").write_text("defaults = 2\n" + TWO_SPHERES)
        run_folder = self.folder / "run"  # of these daemons alone
        run_folder.mkdir(mode=0o755)
        self.environment = {"RUNTIME_DIRECTORY": str(run_folder)}
        self.cpus = sorted(os.sched_getaffinity(0), reverse=True)
        isolated = pathlib.Path("/sys/devices/system/cpu/isolated").read_text().strip()
        if len(self.cpus) < 2 or isolated:
            self.skipTest("needs two processors of which none is isolated")

    def running(self, name, *options):
        """@returns a daemon of the name that runs, and the CPU of its loop"""
        daemon = self.start(HAPTICD, "--scene", "scene.toml", "--name", name, *options, environment=self.environment)
        self.until(lambda: f'"{name}" runs' in self.said() or daemon.poll() is not None)
        self.assertIsNone(daemon.poll(), self.said())
        where = [os.sched_getaffinity(int(task)) for task in os.listdir(f"/proc/{daemon.pid}/task")]
        loops = [cpus for cpus in where if len(cpus) == 1]
        # Of two CPUs the other threads have the one that the loop has not.
        loop = loops[0] if len(self.cpus) > 2 else min(loops, key=loops.count)
        return daemon, loop.copy().pop()

    def test_each_daemon_has_another_one_until_all_are_taken(self):
        running = [self.running(f"d{k}") for k in range(len(self.cpus))]
        self.assertEqual([cpu for _, cpu in running], self.cpus)
        self.assertNotIn("in use", self.said())
        _, cpu = self.running("late")
        self.assertEqual(cpu, self.cpus[0])
        said = f"the loop's CPU {cpu}: in use by hapticd, process {running[0][0].pid}, expected one daemon at a time"
        self.assertEqual(self.said().count(said), 1, self.said())

        # A claim ends with its process, also with one that is killed.
        running[1][0].send_signal(signal.SIGKILL)
        running[1][0].wait(SECONDS)
        self.assertEqual(self.running("next")[1], self.cpus[1])
        self.assertEqual(self.said().count("in use"), 1, self.said())

    def test_a_named_one_is_taken_and_said_to_be_in_use(self):
        first, cpu = self.running("first", "--cpu", self.cpus[1])
        self.assertEqual(cpu, self.cpus[1])
        _, cpu = self.running("second", "--cpu", self.cpus[1])
        self.assertEqual(cpu, self.cpus[1])
        self.assertIn(f"in use by hapticd, process {first.pid},", self.said())
        self.assertEqual(self.running("third")[1], self.cpus[0])
        self.assertEqual(self.said().count("in use"), 1, self.said())

    def test_a_check_claims_none(self):
        self.running("first")
        checked = subprocess.run([HAPTICD, "--scene", "scene.toml", "--check"], cwd=self.folder, text=True,
                                 env=dict(os.environ, **self.environment), capture_output=True, timeout=SECONDS)
        self.assertEqual((checked.returncode, checked.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
