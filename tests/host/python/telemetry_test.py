"""Telemetry of a running daemon: what is read, what is lost, and what happens when daemon or scene change."""
import fcntl
import os
import signal
import struct
import threading
import unittest

import numpy as np

import hapticd
from programs import run_folder
from scenes import PRESS, PressCase


class Telemetry(PressCase):
    def test_no_daemon_and_a_bad_name(self):
        with self.assertRaisesRegex(hapticd.NoDaemon, f'no hapticd runs under the name "{self.name}"'):
            hapticd.Telemetry(self.name)
        with self.assertRaises(hapticd.InputError):
            hapticd.Telemetry("no/name")

    def test_another_layout_is_a_mismatch(self):
        self.daemon()
        header = hapticd.record_types["TelemetryHeader"]
        content = bytearray((run_folder() / f"{self.name}.telemetry").read_bytes())
        offset = header.fields["version"][1]
        content[offset:offset + 4] = (99).to_bytes(4, "little")
        forged = run_folder() / f"{self.name}-b.telemetry"
        self.addCleanup(forged.unlink)
        forged.write_bytes(content)
        forged.chmod(0o644)
        with self.assertRaisesRegex(hapticd.LayoutMismatch, "layout version 99"):
            hapticd.Telemetry(f"{self.name}-b")
        forged.write_bytes(content[:1000])
        with self.assertRaises(hapticd.LayoutMismatch):
            hapticd.Telemetry(f"{self.name}-b")

    def test_the_age_tells_that_a_loop_stands_still(self):
        process = self.daemon()
        telemetry = hapticd.Telemetry(self.name)
        telemetry.newest()
        self.until(lambda: telemetry.age_s < 1)
        process.send_signal(signal.SIGSTOP)
        self.until(lambda: telemetry.age_s > 1)
        self.assertEqual(telemetry.life, "alive")
        process.send_signal(signal.SIGCONT)
        self.until(lambda: telemetry.age_s < 1)

    def test_a_first_cycle_is_waited_for(self):
        self.daemon()
        content = bytearray((run_folder() / f"{self.name}.telemetry").read_bytes())
        offset = hapticd.record_types["TelemetryHeader"].fields["ring_head"][1]
        published = bytes(content[offset:offset + 8])
        content[offset:offset + 8] = bytes(8)
        starting = run_folder() / f"{self.name}-b.telemetry"
        self.addCleanup(starting.unlink)
        starting.write_bytes(content)
        starting.chmod(0o644)
        with self.assertRaisesRegex(hapticd.NoDaemon, "is dead$"):  # nobody has locked the segment
            hapticd.Telemetry(f"{self.name}-b")
        with open(starting, "r+b", buffering=0) as segment:
            # As a daemon locks its segment: struct flock of the whole file.
            fcntl.fcntl(segment, fcntl.F_OFD_SETLK, struct.pack("hh4xqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0))
            telemetry = hapticd.Telemetry(f"{self.name}-b")
            self.assertEqual(telemetry.life, "alive")

            def publish():
                segment.seek(offset)
                segment.write(published)
            later = threading.Timer(0.2, publish)
            later.start()
            self.addCleanup(later.join)
            self.assertEqual(len(telemetry.newest()), 1)

    def test_what_a_daemon_publishes(self):
        self.daemon("--engage")
        telemetry = hapticd.Telemetry(self.name)
        self.assertEqual((telemetry.rate_hz, telemetry.device, telemetry.life), (500.0, "simulated", "alive"))
        self.assertEqual(telemetry.scene, str((self.folder / "scene.toml").resolve()))
        self.assertEqual([hapticd.telemetry.text_of(b["name"]) for b in telemetry.bodies], ["wall", "tool"])
        self.wait_until(lambda: telemetry.newest()["cycle"][0] > 50)
        blocks = telemetry.snapshot()
        self.assertEqual(blocks["bodies/pose"].shape, (2, 7))
        np.testing.assert_array_equal(blocks["bodies/pose"][0], [0, 0, 0, 1, 0, 0, 0])  # the wall is anchored
        self.assertEqual((telemetry.blocks["bodies/pose"].display, telemetry.blocks["contact/points"].shape), (2, ()))
        self.assertEqual(list(telemetry.snapshot("contact/points")), ["contact/points"])
        with self.assertRaisesRegex(hapticd.InputError, "did you mean bodies/pose"):
            telemetry.snapshot("bodies/poses")
        status = self.status()
        counters = telemetry.counters()
        self.assertGreaterEqual(counters["cycles"], status["cycles"])
        self.assertEqual(counters["allocations"], 0)
        parameters = telemetry.parameters()
        self.assertEqual(parameters["coupling.stiffness"].value, 200.0)
        latency = telemetry.latency("compute")
        self.assertTrue(0 < latency.p50 <= latency.p99 <= latency.p999 <= latency.max)
        edges, counts = telemetry.histogram("compute")
        self.assertEqual(len(edges), len(counts))
        self.assertTrue(np.all(np.diff(edges.astype(float)) > 0))
        self.assertLessEqual(counters["cycles"], int(counts.sum()) + int(telemetry.header["ring_capacity"]))
        with self.assertRaises(hapticd.InputError):
            telemetry.latency("cycles")

    def test_follow_gives_every_cycle_and_counts_what_is_lost(self):
        self.daemon()
        telemetry = hapticd.Telemetry(self.name)
        self.wait_until(lambda: telemetry.newest()["cycle"][0] > 50)
        cycles = [samples["cycle"] for samples in telemetry.follow(0.5, from_oldest=True)]
        self.assertEqual(telemetry.lost, 0)
        every = np.concatenate(cycles)
        np.testing.assert_array_equal(np.diff(every.astype(int)), 1)
        # 0.5 s of 500 Hz; slots that the machine misses are no cycles.
        self.assertLessEqual(len(every), 250)
        self.assertGreater(len(every), 0)
        follow = telemetry.follow()
        last = next(follow)["cycle"][-1]
        ring = int(telemetry.header["ring_capacity"])
        self.wait_until(lambda: telemetry.newest()["cycle"][0] > last + ring + 100)
        batch = next(follow)
        self.assertGreater(batch.lost, 0)
        self.assertEqual(batch["cycle"][0], last + 1 + batch.lost)
        self.assertEqual(telemetry.lost, batch.lost)

    def test_the_daemon_ends_and_starts_again(self):
        first = self.daemon()
        telemetry = hapticd.Telemetry(self.name)
        instance = telemetry.instance
        os.kill(first.pid, signal.SIGKILL)
        first.wait()
        self.assertEqual(telemetry.life, "dead")
        self.assertEqual(list(telemetry.follow()), [])  # ends at once: nothing newer, no writer
        for read in (telemetry.newest, telemetry.snapshot, lambda: telemetry.reopen(0.0),
                     lambda: hapticd.Telemetry(self.name), lambda: hapticd.Session(self.name).state()):
            with self.assertRaisesRegex(hapticd.NoDaemon, f'hapticd "{self.name}".* is dead'):
                read()
        self.assertEqual(repr(telemetry), f'<Telemetry of hapticd "{self.name}", dead, scene {self.folder}/scene.toml, '
                                          '500 Hz>')
        with self.assertRaises(hapticd.NoDaemon):
            hapticd.Session(self.name).engage()
        self.daemon()
        self.assertEqual(telemetry.life, "restarted")
        telemetry.reopen()
        self.assertEqual(telemetry.life, "alive")
        self.assertNotEqual(telemetry.instance, instance)

    def test_follow_goes_on_into_the_next_scene(self):
        self.daemon()
        (self.folder / "other.toml").write_text(PRESS)
        telemetry, instances = hapticd.Telemetry(self.name), []
        follow = telemetry.follow(reconnect=True)
        instances.append(next(follow).instance)
        hapticd.Session(self.name).load(self.folder / "other.toml")
        for samples in follow:
            if samples.instance != instances[0]:
                instances.append(samples.instance)
                break
        self.assertEqual(len(set(instances)), 2)
        self.assertTrue(telemetry.scene.endswith("other.toml"))
        only_one = hapticd.Telemetry(self.name).follow()
        next(only_one)
        hapticd.Session(self.name).load(self.folder / "scene.toml")
        self.assertTrue(all(samples.instance == instances[1] for samples in only_one))  # it ends


if __name__ == "__main__":
    unittest.main()
