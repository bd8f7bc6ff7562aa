#!/usr/bin/env python3
"""A daemon with an external device, and adapters that end, hang, flood, return and write garbage.

Usage: external_device_test.py HAPTIC HAPTICD GUARD REFERENCE_ADAPTER FAULTY_ADAPTER [unittest arguments]
With HAPTIC_TEST_FIGURES in the environment it prints the times that it measured; it demands none of them.
"""
import os
import pathlib
import re
import signal
import subprocess
import sys
import unittest

TREE = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(TREE / "tests/support"))
from adapter_rig import AdapterRig  # noqa: E402

HAPTIC, HAPTICD, GUARD, REFERENCE, FAULTY = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:6])
FIGURES = "HAPTIC_TEST_FIGURES" in os.environ


class ExternalDevice(AdapterRig):
    programs = {"haptic": HAPTIC, "hapticd": HAPTICD, "hapticd-guard": GUARD}

    def setUp(self):
        super().setUp()
        # What a test stops stays stopped.
        self.set_up_rig(HAPTIC, 0.062, "external-reference", 10 if FIGURES else 500)

    def adapter(self, *arguments, program=REFERENCE):
        return self.start(program, self.link, *arguments)

    def engaged(self, *options):
        daemon = self.daemon("--device", "device.toml", *(options or ["--unguarded"]))
        adapter = self.adapter()
        self.wait_for("idle")
        self.must("engage")
        self.wait_for("engaged")
        return daemon, adapter

    def test_it_waits_for_an_adapter_renders_and_waits_again(self):
        self.daemon("--device", "device.toml", "--unguarded")
        self.assertTrue(self.state_is("homing"))
        adapter = self.adapter()
        self.wait_for("idle")
        self.must("engage")
        seen = []
        self.until(lambda: seen.append(self.status()) or abs(seen[-1]["force_N"][1]) > 0.1)
        self.must("release")
        adapter.terminate()
        self.assertEqual(adapter.wait(), 0, self.said())
        self.wait_for("homing")
        self.adapter()
        self.wait_for("idle")

    def test_a_killed_adapter_is_a_fault_and_a_new_one_serves_after_a_reset(self):
        _, adapter = self.engaged()
        adapter.kill()
        self.until(lambda: self.status()["state"] == "fault")
        self.assertIn(self.status()["fault"], ("device_lost", "stale_input"))
        self.must("reset")
        self.wait_for("homing")
        self.adapter()
        self.wait_for("idle")
        self.must("engage")
        self.wait_for("engaged")

    def test_a_stopped_adapter_is_a_stale_input_and_goes_on_after_a_reset(self):
        _, adapter = self.engaged()
        adapter.send_signal(signal.SIGSTOP)
        self.wait_for("fault", "stale_input")
        self.assertEqual(self.status()["force_N"], [0, 0, 0])
        self.must("reset")
        self.wait_for("homing")
        adapter.send_signal(signal.SIGCONT)
        self.wait_for("idle")

    def test_garbage_is_a_fault_with_its_name(self):
        for kind, fault, says in [("nan", "device_value", "value not finite"),
                                  ("quaternion", "none", ""),  # not sensed
                                  ("backwards", "device_value", "sequence or time went back"),
                                  ("future", "device_value", "record from the future"),
                                  ("jump", "encoder_implausible", "pose jumped")]:
            with self.subTest(kind):
                if not hasattr(self, "running"):
                    self.running = self.daemon("--device", "device.toml", "--unguarded")
                faulty = self.adapter(kind, program=FAULTY)
                if fault == "none":
                    self.wait_for("idle")
                else:
                    self.wait_for("fault", fault)
                    self.until(lambda says=says: says in self.said())
                faulty.kill()
                faulty.wait()
                self.until(lambda: f"adapter {faulty.pid} has gone" in self.said())
                if fault != "none":
                    self.must("reset")
                self.wait_for("homing")
        self.assertIsNone(self.running.poll())

    def test_a_flood_is_harmless(self):
        self.daemon("--device", "device.toml", "--unguarded")
        self.adapter("flood", program=FAULTY)
        self.wait_for("idle")
        self.must("engage")
        self.wait_for("engaged")
        begin = self.status()["cycles"]
        self.until(lambda: self.status()["cycles"] > begin + 1000)
        self.assertTrue(self.state_is("engaged"), self.status())

    def test_attacks_on_the_memory_do_not_end_the_daemon(self):
        daemon = self.daemon("--device", "device.toml", "--unguarded")
        attack = self.adapter("attack", program=FAULTY)  # cuts, grows, seals and empties it, then random words
        self.assertEqual(attack.wait(60), 0, self.said())
        begin = self.status()["cycles"]
        self.until(lambda: self.status()["cycles"] > begin + 100)
        self.assertIsNone(daemon.poll(), self.said())

    def test_the_adapter_applies_zero_when_the_daemon_is_stopped_or_killed(self):
        daemon, _ = self.engaged()
        daemon.send_signal(signal.SIGSTOP)
        self.addCleanup(lambda: daemon.poll() is None and daemon.send_signal(signal.SIGCONT))
        watcher = self.start(FAULTY, self.link, "none")  # the link of a stopped daemon: refused within 2 s, no hang
        self.assertEqual(watcher.wait(60), 1)
        daemon.send_signal(signal.SIGCONT)
        daemon.kill()
        daemon.wait()
        self.until(lambda: "hapticd has gone" in self.said())

    def test_times_to_zero(self):
        """From the event to the device's first zero force, in the adapter's own record."""
        for event in ("daemon killed", "daemon stopped"):
            with self.subTest(event):
                self.daemons = getattr(self, "daemons", 0) + 1
                daemon = self.daemon("--device", "device.toml", "--unguarded")
                probe = subprocess.Popen([FAULTY, self.link, "probe", str(daemon.pid), event.split()[1]],
                                         stdout=subprocess.PIPE, text=True)
                self.addCleanup(probe.stdout.close)
                self.addCleanup(lambda p=probe: p.poll() is None and p.kill())
                self.wait_for("idle")
                self.must("engage")
                output, _ = probe.communicate(timeout=60)
                found = re.search(r"zero after ([0-9.]+) ms", output)
                self.assertTrue(found, output + self.said())
                if FIGURES:
                    print(f"{event}: {output.strip()}", file=sys.stderr)
                if daemon.poll() is None:
                    daemon.kill()
                daemon.wait()

    def test_the_guard_waits_for_the_adapters_confirmation(self):
        guard = self.start(GUARD, "--manifest", "device.toml", "--name", self.name, "--hang-ms", "3000")
        self.until(lambda: "guards" in self.said())
        daemon = self.daemon("--device", "device.toml")
        self.until(lambda: "guarded by process" in self.said())
        self.adapter()
        self.wait_for("idle")
        self.must("engage")
        self.wait_for("engaged")
        daemon.kill()
        daemon.wait()
        self.until(lambda: "adapter has applied zero" in self.said())
        self.assertIsNone(guard.poll())

    def guarded(self):
        guard = self.start(GUARD, "--manifest", "device.toml", "--name", self.name, "--hang-ms", "3000")
        self.until(lambda: "guards" in self.said())
        daemon = self.daemon("--device", "device.toml")
        self.until(lambda: "guarded by process" in self.said())
        return guard, daemon

    def test_an_adapter_that_died_under_force_is_not_called_safe(self):
        guard, daemon = self.guarded()
        adapter = self.adapter()
        self.wait_for("idle")
        self.must("engage")
        self.until(lambda: max(map(abs, self.status()["force_N"])) > 0.01)
        adapter.kill()
        self.wait_for("fault", "device_lost")
        daemon.kill()
        daemon.wait()
        self.until(lambda: "THE OUTPUTS MAY NOT BE SAFE: link" in self.said())
        self.assertIn("has ended and has not confirmed a zero force", self.said())
        self.assertNotIn("outputs safe", self.said())
        self.assertIsNone(guard.poll())

    def test_a_guard_without_the_link_is_none(self):
        guard, daemon = self.guarded()
        self.assertEqual((self.status()["guarded"], self.status()["guard"]),
                         (True, f"link to process {daemon.pid} is up"))
        guard.kill()
        guard.wait()
        self.wait_for("fault", "guard_lost")
        self.until(lambda: self.status()["events"][-1]["text"] ==
                   "fault guard_lost: no hapticd-guard runs for this daemon")
        others = self.start(FAULTY, self.link, "guards")
        self.until(lambda: "4 guards" in self.said())
        second = self.start(GUARD, "--manifest", "device.toml", "--name", self.name, "--hang-ms", "3000")
        self.until(lambda: "CANNOT REACH the outputs" in self.said())
        self.must("reset")  # its guard was lost
        self.adapter()
        self.wait_for("idle")
        self.refused("engage", says=["its guard cannot reach the outputs", "too many guards"])
        status = self.status()
        self.assertFalse(status["guarded"])
        self.assertIn("too many guards", status["guard"])
        others.kill()
        self.until(lambda: self.status()["guarded"])
        self.must("engage")
        self.assertIsNone(second.poll())

    def test_after_the_guards_zero_nothing_is_engaged_and_the_cause_is_said(self):
        self.engaged()
        now = subprocess.run([GUARD, "--safe-outputs-now", "--manifest", "device.toml"], cwd=self.folder,
                             capture_output=True, text=True, timeout=60)
        self.assertEqual(now.returncode, 0, now.stderr)
        self.wait_for("fault", "emergency_stop")
        self.assertEqual(self.status()["force_N"], [0, 0, 0])
        self.assertIn("hapticd-guard has demanded zero: an emergency stop until this hapticd is started again", self.said())
        self.must("reset")
        self.wait_for("fault", "emergency_stop")
        self.refused("engage", says=["emergency_stop"])

    def test_no_signal_ends_the_reference_adapter_without_zero(self):
        for sent in (signal.SIGQUIT, signal.SIGUSR1, signal.SIGXCPU, signal.SIGPIPE):
            with self.subTest(sent.name):
                daemon, adapter = self.engaged()
                self.until(lambda: max(map(abs, self.status()["force_N"])) > 0.01)
                adapter.send_signal(sent)
                if sent == signal.SIGPIPE:  # as when nobody reads its messages any more
                    adapter.terminate()
                self.assertEqual(adapter.wait(), 0)
                now = subprocess.run([GUARD, "--safe-outputs-now", "--manifest", "device.toml"], cwd=self.folder,
                                     capture_output=True, text=True, timeout=60)
                self.assertEqual(now.returncode, 0, now.stderr)
                self.assertIn("adapter has applied zero", now.stderr)
                daemon.terminate()
                self.assertEqual(daemon.wait(), 0)

    def test_the_reference_adapter_refuses_what_is_no_link(self):
        for arguments, code in ((["--help"], 0), (["--verbose"], 2), ([self.link, "nan"], 2), ([self.link, "1x"], 2)):
            result = subprocess.run([REFERENCE, *arguments], capture_output=True, text=True, timeout=60)
            self.assertEqual((result.returncode, (result.stdout + result.stderr).count("\n")), (code, 1), arguments)

    def test_haptic_devices_lists_the_link(self):
        self.daemon("--device", "device.toml", "--unguarded")
        listed = subprocess.run([HAPTIC, "devices", "--json"], capture_output=True, text=True, check=True).stdout
        self.assertIn('"external-reference"', listed)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[6:]])
