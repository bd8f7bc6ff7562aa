#!/usr/bin/env python3
"""`haptic top` in terminals: its page at 80 x 24 and other sizes as tmux shows it, its keys, its ends.

Usage: top_test.py HAPTIC HAPTICD [unittest arguments]
"""
import os
import pathlib
import pty
import shutil
import signal
import subprocess
import sys
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from daemon_case import SECONDS, DaemonCase  # noqa: E402

HAPTIC, HAPTICD = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:3])
# A machine that is busy with other tests must not end in a fault of the schedule.
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
"""


class Top(DaemonCase):
    programs = {"haptic": HAPTIC, "hapticd": HAPTICD}

    def setUp(self):
        super().setUp()
        (self.folder / "scene.toml").write_text(SCENE)
        (self.folder / "other.toml").write_text(SCENE)

    # -- without a screen ------------------------------------------------------------------------

    def refuses(self, says, **streams):
        result = subprocess.run([HAPTIC, "top", "--name", self.name], stderr=subprocess.PIPE, text=True, timeout=SECONDS,
                                **streams)
        self.assertEqual((result.returncode, result.stderr.count("\n")), (2, 1), result.stderr)
        self.assertIn(says, result.stderr)
        self.assertIn("`haptic status` prints the state once", result.stderr)

    def test_where_there_is_no_such_terminal_it_says_so(self):
        self.daemon()
        self.refuses("no terminal", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        ours, its = pty.openpty()
        self.addCleanup(os.close, ours)
        self.addCleanup(os.close, its)
        for term in ("dumb", "no-such-terminal", ""):
            self.refuses(f'TERM: found "{term}"', stdin=its, stdout=its, env=dict(os.environ, TERM=term))

    def test_without_a_daemon_it_is_refused(self):
        self.refused("top")

    def test_a_terminal_that_goes_away_ends_it_quietly(self):
        self.daemon()
        for own_session in (True, False):  # with SIGHUP, and with no more than the end of its input
            ours, its = pty.openpty()
            top = subprocess.Popen([HAPTIC, "top", "--name", self.name], stdin=its, stdout=its, stderr=subprocess.PIPE,
                                   env=dict(os.environ, TERM="xterm"), start_new_session=own_session)
            os.close(its)
            self.assertTrue(os.read(ours, 10))
            os.close(ours)
            errors = top.communicate(timeout=SECONDS)[1]
            self.assertEqual((top.returncode, errors), (0, b""))
        for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
            ours, its = pty.openpty()
            top = subprocess.Popen([HAPTIC, "top", "--name", self.name], stdin=its, stdout=its, stderr=subprocess.PIPE,
                                   env=dict(os.environ, TERM="vt100"))
            self.assertTrue(os.read(ours, 10))
            top.send_signal(number)
            self.assertEqual((top.communicate(timeout=SECONDS)[1], top.returncode), (b"", 0))
            os.close(its)
            os.close(ours)


@unittest.skipUnless(shutil.which("tmux"), "tmux not installed")
class TopScreen(DaemonCase):
    programs = {"haptic": HAPTIC, "hapticd": HAPTICD}

    def setUp(self):
        super().setUp()
        (self.folder / "scene.toml").write_text(SCENE)
        (self.folder / "other.toml").write_text(SCENE)

    def tmux(self, *arguments):
        return subprocess.run(["tmux", "-S", self.socket, "-f", "/dev/null", *arguments], check=True,
                              capture_output=True, text=True, timeout=SECONDS).stdout

    def top(self, columns, rows, term="screen"):
        self.socket = self.folder / f"tmux-{term}"
        self.addCleanup(subprocess.run, ["tmux", "-S", self.socket, "kill-server"], capture_output=True)
        self.tmux("new-session", "-d", "-x", str(columns), "-y", str(rows),
                  f"TERM={term} {HAPTIC} top --name {self.name} 2>{self.folder}/errors; echo left $?; exec cat")
        self.tmux("set", "-g", "status", "off")
        self.tmux("resize-window", "-x", str(columns), "-y", str(rows))

    def screen(self):
        return self.tmux("capture-pane", "-p").splitlines()

    def shows(self, *words):
        """Waits until all words are on the screen. @returns its lines"""
        found = []

        def holds():
            found[:] = self.screen()
            return all(word in "\n".join(found) for word in words)

        try:
            self.until(holds)
        except AssertionError:
            self.fail(f"no {words} in\n" + "\n".join(found))
        return found

    def press(self, *keys):
        self.tmux("send-keys", *keys)

    def test_the_page_fits_terminals_of_every_size_and_kind(self):
        self.daemon("--engage")
        for term, columns, rows in (("screen", 80, 24), ("vt100", 80, 24), ("xterm", 80, 24), ("linux", 200, 60)):
            self.top(columns, rows, term)
            lines = self.shows("engaged", "force", "compute", "events", "q quit")
            self.assertLessEqual(len(lines), rows)
            self.assertLessEqual(max(map(len, lines)), columns)
            self.assertTrue(lines[0].startswith(f'hapticd "{self.name[:8]}'), lines[0])
            self.assertIn("q quit", lines[rows - 1])
            self.assertIn("of", next(line for line in lines if line.startswith("force")))
            self.press("q")
            self.shows("left 0")
            self.tmux("kill-server")

    def test_another_size_of_the_window_is_filled(self):
        self.daemon()
        self.top(80, 24)
        self.shows("q quit")
        for columns, rows in ((200, 60), (40, 12), (20, 3), (100, 30)):
            self.tmux("resize-window", "-x", str(columns), "-y", str(rows))
            self.until(lambda: len(self.screen()) == rows and "e engage" in self.screen()[rows - 1]
                       and self.screen()[0].startswith("hapticd"))
        self.press("q")
        self.shows("left 0")

    def test_its_keys_operate_the_daemon(self):
        self.daemon()
        self.top(80, 24)
        self.shows("idle")
        self.press("e")
        self.shows("Press y to engage")
        self.press("n")
        self.shows("not engaged")
        self.assertTrue(self.state_is("idle"))
        self.press("e")
        self.shows("Press y to engage")
        self.press("y")
        self.shows("engage: applied")
        self.wait_for("engaged")
        self.press("r")
        self.wait_for("idle")
        self.press("s")
        self.wait_for("fault", "operator_stop")
        self.shows("fault (operator_stop)")
        self.press("e")
        self.shows("Press y to engage")
        self.press("y")
        self.shows("engage: refused")
        self.press("R")
        self.wait_for("idle")
        # What was asked before the state changed is refused.
        self.press("e")
        self.shows("Press y to engage")
        self.must("stop")
        self.must("reset")
        self.press("y")
        self.shows("refused: the state has changed")
        self.assertTrue(self.state_is("idle"))

    def test_events_are_shown_with_the_text_of_marks(self):
        self.daemon()
        self.top(100, 40)
        self.shows("idle")
        self.must("mark", "trial 3")
        self.must("engage")
        self.shows('mark "trial 3"', "engage by user", "applied")

    def test_it_follows_the_daemon_to_other_scenes_and_other_lives(self):
        daemon = self.daemon()
        self.top(120, 24)
        self.shows("/scene.toml")
        self.must("load", "other.toml")
        self.shows("/other.toml")
        daemon.send_signal(signal.SIGTERM)
        self.shows("ended; waiting for it")
        daemon.wait()
        again = self.daemon()
        self.shows("/scene.toml", "idle", "e engage")
        again.kill()
        self.shows("died; waiting for it")
        again.wait()
        self.daemon("--engage")
        self.shows("engaged")
        self.press("q")
        self.shows("left 0")
        self.assertEqual((self.folder / "errors").read_text(), "")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
