#!/usr/bin/env python3
"""`haptic keys` at a pseudo-terminal: servos of a running daemon moved by an operator's keys.

Usage: keys_test.py HAPTIC HAPTICD [unittest arguments]
"""
import fcntl
import os
import pathlib
import pty
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import threading
import time
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from daemon_case import SECONDS, DaemonCase  # noqa: E402
from programs import TWO_SPHERES, run  # noqa: E402

HAPTIC, HAPTICD = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:3])

RECIPE = """
[source]
mesh = "box.obj"
length = 0.04
[mesh]
resolution = 8
[material]
density = 1000.0
"""
# A machine that is busy with other tests must not end in a fault of the schedule. Without a ramp the value of a
# target is what was set last.
SCENE = """
rate_hz = 500
[limits]
overload_slots = 100000
overload_fraction = 1.0
overload_window_s = 10.0
[[body]]
name = "tool"
shape = "sphere"
radius = 0.01
role = "held"
[[body]]
name = "load"
model = "box.h5"
role = "free"
position = [0.0, 0.2, 0.0]
[[body]]
name = "arm"
model = "box.h5"
role = "free"
position = [0.2, 0.2, 0.0]
[[joint]]
name = "lift"
type = "prismatic"
bodies = ["world", "load"]
point = [0.0, 0.2, 0.0]
axis = [0.0, 1.0, 0.0]
servo = { stiffness = 1e4, damping = 200.0, limits = [-0.1, 0.2] }
[[joint]]
name = "turn"
type = "hinge"
bodies = ["world", "arm"]
point = [0.2, 0.2, 0.0]
axis = [0.0, 0.0, 1.0]
servo = { stiffness = 10.0, damping = 1.0, limits = [-1.0, 1.0] }
[dynamics]
material_ramp_s = 0.0
"""
# host/monitor/key_motion.h, key_control.cpp
TAP_S, REPEAT_S, SEND_INTERVAL_S = 0.05, 0.12, 0.04
LEFT, RIGHT = b"\x1b[D", b"\x1bOC"  # of both modes of a terminal


class Terminal:
    """A program at a pseudo-terminal of its own; what it prints is in `screen`, its errors in `errors`."""

    def __init__(self, case, *command):
        self.case = case
        self.master, self.slave = pty.openpty()
        self.before = termios.tcgetattr(self.slave)
        self.process = subprocess.Popen(
            [str(c) for c in command], cwd=case.folder, stdin=self.slave, stdout=self.slave, stderr=subprocess.PIPE,
            start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        self.screen = b""
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        case.addCleanup(self.close)

    def read(self):
        while True:
            try:
                some = os.read(self.master, 4096)
            except OSError:
                return
            self.screen += some

    def press(self, keys):
        os.write(self.master, keys)

    def is_raw(self):
        return termios.tcgetattr(self.slave)[3] & (termios.ICANON | termios.ECHO) == 0

    def end(self):
        """@returns the exit code and what was printed on standard error, and expects the terminal as it was."""
        errors = self.process.communicate(timeout=SECONDS)[1].decode()
        self.case.assertEqual(termios.tcgetattr(self.slave), self.before)
        return self.process.returncode, errors

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()
        os.close(self.slave)  # ends the reader
        self.reader.join()
        os.close(self.master)


class Keys(DaemonCase):
    programs = {"haptic": HAPTIC, "hapticd": HAPTICD}

    @classmethod
    def setUpClass(cls):
        cls.models = pathlib.Path(tempfile.mkdtemp(prefix="haptic-keys-"))
        (cls.models / "box.toml").write_text(RECIPE)
        for arguments in (("mesh", "box", "-o", "box.obj"), ("bake", "box.toml", "-o", "box.h5")):
            done = run(HAPTIC, *arguments, cwd=cls.models)
            assert done.returncode == 0, done.stderr

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.models)

    def setUp(self):
        super().setUp()
        shutil.copy(self.models / "box.h5", self.folder)
        (self.folder / "scene.toml").write_text(SCENE)

    def keys(self, *arguments):
        """The program, once it has taken the terminal."""
        terminal = Terminal(self, HAPTIC, "keys", *arguments, "--name", self.name)
        self.until(lambda: terminal.process.poll() is not None or terminal.is_raw())
        self.assertIsNone(terminal.process.poll(), terminal.process.poll() is not None and terminal.end())
        return terminal

    def value(self, parameter):
        return self.status()["parameters"][parameter]

    def expect_value(self, parameter, expected):
        self.until(lambda: abs(self.value(parameter) - expected) < 1e-12)

    def settled(self, parameter):
        """The value once nothing moves it any more."""
        values = [None, self.value(parameter)]

        def rests():
            time.sleep(3 * SEND_INTERVAL_S)
            values.append(self.value(parameter))
            return values[-1] == values[-2]
        self.until(rests)
        return values[-1]

    def test_a_tap_is_a_step_of_its_parameter_alone(self):
        self.daemon()
        terminal = self.keys("left/right=lift.target@0.5", "a/d=turn.target", "--speed", "2")
        terminal.press(RIGHT)
        self.expect_value("lift.target", 0.5 * TAP_S)
        terminal.press(b"a")
        self.expect_value("turn.target", -2.0 * TAP_S)
        time.sleep(2 * REPEAT_S)  # later than a repetition
        terminal.press(LEFT + b"\x1b[5~xz\xc3\xa4")  # and keys that are not bound
        self.expect_value("lift.target", 0.0)
        terminal.press(b"d")
        self.expect_value("turn.target", 0.0)
        status = self.status()
        self.assertEqual((status["parameters"]["lift.target"], status["commands_applied"]), (0.0, 4))
        self.until(lambda: b"lift.target 0   turn.target 0" in terminal.screen)
        terminal.press(b"q")
        self.assertEqual(terminal.end(), (0, ""))

    def test_a_held_key_moves_at_its_speed_and_not_after_its_release(self):
        self.daemon()
        speed, reports = 0.02, 60
        terminal = self.keys(f"left/right=lift.target@{speed}")
        begin = time.monotonic()
        for _ in range(reports):  # as a terminal repeats
            terminal.press(RIGHT)
            time.sleep(0.025)
        held = self.settled("lift.target")
        elapsed = time.monotonic() - begin
        sent = self.status()["commands_applied"]
        # No further than time passes, but for a step where a busy machine takes a repetition for a tap.
        self.assertLessEqual(held, speed * (elapsed + reports * TAP_S))
        self.assertGreaterEqual(held, speed * TAP_S)
        self.assertGreater(sent, 1)
        self.assertLessEqual(sent, elapsed / SEND_INTERVAL_S + 2)
        terminal.press(b"q")
        self.assertEqual(terminal.end()[0], 0)
        self.assertEqual(self.value("lift.target"), held)

    def test_a_target_stays_within_the_limits_of_its_servo(self):
        self.daemon()
        terminal = self.keys("a/d=lift.target", "--speed", "100")
        terminal.press(b"d")
        self.expect_value("lift.target", 0.2)
        self.until(lambda: b"lift.target 0.2 (greatest)" in terminal.screen)
        time.sleep(2 * REPEAT_S)
        terminal.press(b"a")
        self.expect_value("lift.target", -0.1)
        self.until(lambda: b"lift.target -0.1 (least)" in terminal.screen)
        self.assertEqual(self.status()["commands_refused"], 0)

    def test_goes_on_from_what_another_operator_sets(self):
        self.daemon()
        self.must("set", "lift.target", "0.1")
        terminal = self.keys("a/d=lift.target@0.2")
        terminal.press(b"d")
        self.expect_value("lift.target", 0.1 + 0.2 * TAP_S)
        self.must("set", "lift.target", "-0.05")
        self.until(lambda: terminal.screen.rstrip().endswith(b"lift.target -0.05\x1b[K"))
        time.sleep(2 * REPEAT_S)
        terminal.press(b"d")
        self.expect_value("lift.target", -0.05 + 0.2 * TAP_S)

    def test_a_flood_of_keys_reaches_the_daemon_at_a_bounded_rate(self):
        self.daemon()
        terminal = self.keys("a/d=lift.target", "left/right=turn.target", "--speed", "0.5")
        begin = time.monotonic()
        for _ in range(200):
            terminal.press((b"dda" + RIGHT) * 50)
        self.must("set", "coupling.stiffness", "300")  # is served meanwhile
        self.settled("lift.target")
        self.settled("turn.target")
        terminal.press(b"q")
        self.assertEqual(terminal.end()[0], 0)
        status, elapsed = self.status(), time.monotonic() - begin
        self.assertLessEqual(status["commands_applied"], elapsed / SEND_INTERVAL_S + 3)
        self.assertEqual((status["commands_refused"], status["command_garbage"], status["faults"]), (0, 0, 0))

    def test_every_signal_restores_the_terminal(self):
        self.daemon()
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            terminal = self.keys("a/d=lift.target@1")
            terminal.process.send_signal(number)
            self.assertEqual(terminal.end(), (0, ""), number)
        for keys in (b"\x03", b"\x1c", b"Q"):  # Ctrl-C, Ctrl-\
            terminal = self.keys("a/d=lift.target@1")
            terminal.press(keys)
            self.assertEqual(terminal.end(), (0, ""), keys)

    def test_ctrl_z_gives_the_terminal_back_for_the_time(self):
        self.daemon()
        terminal = self.keys("a/d=lift.target@1")
        terminal.press(b"\x1a")
        stopped = os.waitpid(terminal.process.pid, os.WUNTRACED)[1]
        self.assertTrue(os.WIFSTOPPED(stopped))
        self.assertEqual(termios.tcgetattr(terminal.slave), terminal.before)
        terminal.process.send_signal(signal.SIGCONT)
        self.until(terminal.is_raw)
        terminal.press(b"d")
        self.expect_value("lift.target", TAP_S)
        terminal.press(b"q")
        self.assertEqual(terminal.end(), (0, ""))

    def test_a_daemon_that_ends_ends_it(self):
        daemon = self.daemon()
        terminal = self.keys("a/d=lift.target@1")
        daemon.send_signal(signal.SIGTERM)
        self.assertEqual(terminal.end(), (0, ""))
        self.until(lambda: f'hapticd "{self.name}" ended'.encode() in terminal.screen)
        daemon = self.daemon()
        terminal = self.keys("a/d=lift.target@1")
        daemon.kill()
        code, errors = terminal.end()
        self.assertEqual((code, errors), (1, f'haptic: hapticd "{self.name}" died\n'))

    def test_a_daemon_that_hangs_ends_it(self):
        daemon = self.daemon()
        terminal = self.keys("a/d=lift.target@1")
        daemon.send_signal(signal.SIGSTOP)
        terminal.press(b"d")
        code, errors = terminal.end()
        daemon.send_signal(signal.SIGCONT)
        self.assertEqual((code, errors.count("\n")), (1, 1), errors)
        self.assertIn("did not answer in time", errors)

    def test_another_scene_has_other_limits_or_ends_it(self):
        self.daemon()
        (self.folder / "short.toml").write_text(SCENE.replace("[-0.1, 0.2]", "[-0.1, 0.02]"))
        (self.folder / "none.toml").write_text(TWO_SPHERES)
        terminal = self.keys("a/d=lift.target@1")
        terminal.press(b"d")
        self.expect_value("lift.target", TAP_S)
        self.must("load", "short.toml")
        self.until(lambda: terminal.screen.rstrip().endswith(b"lift.target 0\x1b[K"))
        time.sleep(2 * REPEAT_S)
        terminal.press(b"d")
        self.expect_value("lift.target", 0.02)
        self.must("load", "none.toml")
        code, errors = terminal.end()
        self.assertEqual((code, errors.count("\n")), (1, 1), errors)
        self.assertIn("has loaded another scene, without these parameters", errors)

    def test_bad_input_is_one_line(self):
        self.daemon()
        self.refused("keys", "a/d=lift.target@1", code=2, says=["keys", "standard input is no terminal"])
        for arguments, says in (
                (["a/d=lift.target"], "found no speed"),
                (["a/d=lift.target@0"], 'found the speed "0", expected a number > 0'),
                (["a/d=lift.targte@1"], "found no such parameter"),
                (["a/d=limits.power@1"], "found the value inf"),
                (["a/a=lift.target@1"], "a second time"),
                (["a/q=lift.target@1"], "ends the control"),
                (["lift.target"], "found no pair of keys"),
                ([], "required")):
            terminal = Terminal(self, HAPTIC, "keys", *arguments, "--name", self.name)
            code, errors = terminal.end()
            self.assertEqual((code, errors.count("\n")), (2, 1), errors)
            self.assertIn(says, errors)
        terminal = Terminal(self, HAPTIC, "keys", "a/d=lift.target@1", "--name", "nobody")
        code, errors = terminal.end()
        self.assertEqual((code, errors.count("\n")), (1, 1), errors)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
