#!/usr/bin/env python3
"""Logs of running daemons: marks, recordings that are cut off, replays of what operators did.

Usage: log_test.py HAPTIC HAPTICD [unittest arguments]
"""
import json
import pathlib
import sys
import unittest

import h5py

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from daemon_case import DaemonCase  # noqa: E402
from programs import TWO_SPHERES  # noqa: E402

HAPTIC, HAPTICD = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:3])

# A loaded machine may not schedule the daemon for hundreds of milliseconds; that is not tested here.
PATIENT = "[limits]\nstale_s = 10.0\noverload_slots = 100000\noverload_fraction = 1.0\noverload_window_s = 10.0\n"
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
        self.assertIn('mark "trial 3, übrig" by user ', self.must("top"))
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

    def test_a_text_of_several_lines_or_none_is_refused(self):
        self.daemon()
        for text in ("", "two\nlines", "\x1b[2J", "x" * 201):
            self.refused("mark", text, code=2, says=("mark: found", "200 bytes of UTF-8"))
        self.assertEqual(self.status()["events"], [])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
