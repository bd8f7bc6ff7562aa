#!/usr/bin/env python3
"""Names, paths and texts of others: what is shown controls no terminal and forges no line, and --json always parses.

Usage: odd_names_test.py HAPTIC HAPTICD [unittest arguments]
"""
import json
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from daemon_case import DaemonCase  # noqa: E402
from programs import TWO_SPHERES  # noqa: E402

HAPTIC, HAPTICD = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:3])

# A line break, the sequence that sets a terminal's title, CSI as one byte, a mark that turns the text, no UTF-8.
ODD = b"l\xf6ffel\n\x1b]0;x\x07\x9b31m\xe2\x80\xae"
SHOWN = "l\\xf6ffel\\x0a\\x1b]0;x\\x07\\x9b31m\\u{202e}"
HAND = "time_s,x_m,y_m,z_m,qw,qx,qy,qz\n0,0.2,0,0,1,0,0,0\n0.2,0.1,0,0,1,0,0,0\n"
BALL = '[source]\nmesh = "ball.obj"\nlength = 0.03\n[material]\ndensity = 1000.0\n'


def shows(test, output):
    """The output is printable UTF-8."""
    text = output.decode()  # raises if it is not UTF-8
    bad = [c for c in text if c not in "\n\t" and (ord(c) < 0x20 or 0x7f <= ord(c) < 0xa0 or c in "\u202e\u2066\u200f")]
    test.assertEqual(bad, [], text[:2000])
    return text


class OddNames(DaemonCase):
    programs = {"haptic": HAPTIC, "hapticd": HAPTICD}

    def setUp(self):
        super().setUp()
        self.odd = os.path.join(os.fsencode(self.folder), ODD)
        os.mkdir(self.odd)
        for name, text in (("scene.toml", TWO_SPHERES), ("hand.csv", HAND), ("ball.toml", BALL)):
            with open(os.path.join(self.odd, name.encode()), "w") as file:
                file.write(text)

    def path(self, name):
        return os.path.join(self.odd, name.encode())

    def run_in(self, *arguments, code=0):
        done = subprocess.run([HAPTIC, *arguments], cwd=self.folder, capture_output=True, timeout=300)
        said = shows(self, done.stderr)
        self.assertEqual(done.returncode, code, said)
        return shows(self, done.stdout), said

    def status_events(self):
        return json.loads(self.run_in("status", "--json", "--name", self.name)[0])["events"]

    def test_json_of_every_command_parses(self):
        self.run_in("mesh", "sphere", "--length", "0.03", "-o", self.path("ball.obj"))
        simulate = ("simulate", self.path("scene.toml"), "--trajectory", self.path("hand.csv"), "-o")
        for command in (("mesh", "sphere", "--length", "0.03", "-o", self.path("again.obj")),
                        ("bake", self.path("ball.toml"), "-o", self.path("ball.h5")),
                        ("inspect", self.path("ball.h5")), ("verify", self.path("ball.h5")),
                        (*simulate, self.path("log.h5")), ("replay", self.path("log.h5")),
                        ("diff", self.path("log.h5"), self.path("log.h5"))):
            value = json.loads(self.run_in(*command, "--json")[0])
            self.assertIsInstance(value, dict)
        value = json.loads(self.run_in(*simulate, self.path("log.h5"), "--json")[0])
        self.assertEqual(value["log"], os.path.join(self.odd, b"log.h5").decode("utf-8", "replace"))

    def test_text_of_commands_and_errors_is_printable(self):
        simulate = ("simulate", self.path("scene.toml"), "--trajectory", self.path("hand.csv"), "-o", self.path("log.h5"))
        self.assertIn(SHOWN, self.run_in(*simulate)[0])
        self.assertIn(SHOWN, self.run_in("plot", self.path("log.h5"), "--list")[0])
        for command in (("inspect", self.path("none.h5")), ("plot", self.path("scene.toml"), "-o", "x.png")):
            said = self.run_in(*command, code=2)[1]
            self.assertIn(SHOWN, said)
            self.assertEqual(said.count("\n"), 1, said)
        checked = subprocess.run([HAPTICD, "--check", "--scene", self.path("none.toml")], capture_output=True)
        self.assertIn(SHOWN, shows(self, checked.stderr))

    def test_a_plot_goes_to_its_file_whatever_its_name(self):
        self.run_in("simulate", self.path("scene.toml"), "--trajectory", self.path("hand.csv"), "-o", self.path("log.h5"))
        for name, end in (("o'ut.svg", b"</svg>"), ("o\tut\".png", b"IEND"), ("ou\nt.pdf", b"%%EOF")):
            self.assertEqual(self.run_in("plot", self.path("log.h5"), "-o", self.path(name)), ("", ""))
            with open(self.path(name), "rb") as picture:
                self.assertIn(end, picture.read()[-32:])
        self.run_in("report", self.path("log.h5"), "-o", self.path("report.html"))
        with open(self.path("report.html"), "rb") as page:
            self.assertTrue(SHOWN.replace("\\x0a", "\n") in shows(self, page.read()))

    def test_status_is_honest_about_a_scene_with_an_odd_path(self):
        self.daemon(scene=os.fsdecode(self.path("scene.toml")))
        text = self.run_in("status", "--name", self.name)[0]
        self.assertIn(SHOWN, text)
        self.assertEqual(sum(line.startswith("scene ") for line in text.splitlines()), 1)
        self.assertIn("l\ufffdffel", json.loads(self.run_in("status", "--json", "--name", self.name)[0])["scene"])
        self.run_in("metrics", "--name", self.name)
        self.run_in("load", b"/none/l\xff\x9b31m.toml", "--name", self.name, code=2)
        self.run_in("pull", b"\x1b]0;x\x07", "0", "0", "0", "--by", "0", "0", "0.1", "--name", self.name, code=2)
        self.until(self.status_events)  # the answer may come before the event
        self.assertTrue(self.status_events()[0]["text"].startswith("load "))
        event = next(line for line in self.run_in("status", "--name", self.name)[0].splitlines() if "load " in line)
        self.assertIn("/none/l\\xff\\x9b31m.toml", event)
        self.run_in("trace", "--name", self.name, "-o", "trace.json")
        json.loads((self.folder / "trace.json").read_text())
        self.assertIn(SHOWN, self.run_in("record", "-o", self.path("log.h5"), "--seconds", "0.1", "--name", self.name)[0])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
