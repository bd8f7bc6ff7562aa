#!/usr/bin/env python3
"""The arm's daemon is engaged only while a guard can make its outputs safe.

Usage: guarded_arm_test.py HAPTIC HAPTICD GUARD EMULATORS [unittest arguments]
"""
import pathlib
import re
import signal
import sys
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from daemon_case import SECONDS  # noqa: E402
from hostile_case import HostileCase  # noqa: E402

HAPTIC, HAPTICD, GUARD = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:4])
EMULATORS = pathlib.Path(sys.argv[4]).resolve()
TREE = pathlib.Path(__file__).resolve().parents[2]


class GuardedArm(HostileCase):
    programs = {"haptic": HAPTIC, "hapticd": HAPTICD}

    def arm(self, manifest="arm.toml", *options):
        """A daemon on a real driver: the real libcomedi, an emulated board behind the kernel's interface."""
        (self.folder / "comedi0").touch()
        text = (TREE / "firmware-config/woodenhaptics.toml").read_text()
        text = text.replace("[board]\n", f'[board]\nfile = "{self.folder}/comedi0"\n', 1)
        text = re.sub(r'(?m)^file = "/dev/comedi.*\n', "", text)
        (self.folder / manifest).write_text(text)
        self.board = {"LD_PRELOAD": str(EMULATORS / "libemulated_board.so"),
                      "ASAN_OPTIONS": "verify_asan_link_order=0",  # which wants to be the first library
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


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]], verbosity=2)
