#!/usr/bin/env python3
"""`haptic metrics` of a running daemon, read by Prometheus's own parser.

Usage: metrics_test.py HAPTIC HAPTICD [unittest arguments]
"""
import pathlib
import re
import signal
import subprocess
import sys
import unittest
import urllib.request

from prometheus_client.parser import text_string_to_metric_families

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from daemon_case import SECONDS, DaemonCase  # noqa: E402
from programs import TWO_SPHERES, run  # noqa: E402

HAPTIC, HAPTICD = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:3])


def families(text):
    """Of a text that the parser accepts, whose every sample has a type that is known."""
    found = {family.name: family for family in text_string_to_metric_families(text)}
    for family in found.values():
        assert family.type != "unknown" and family.documentation, family
    return found


def value(found, name, **labels):
    samples = [s for family in found.values() for s in family.samples
               if s.name == name and all(s.labels.get(k) == v for k, v in labels.items())]
    assert len(samples) == 1, (name, labels, samples)
    return samples[0].value


class Metrics(DaemonCase):
    programs = {"haptic": HAPTIC, "hapticd": HAPTICD}

    def setUp(self):
        super().setUp()
        (self.folder / "scene.toml").write_text(TWO_SPHERES)

    def metrics(self):
        return families(self.must("metrics"))

    def test_figures_are_those_of_status(self):
        self.daemon("--engage")
        before = self.status()
        found = self.metrics()
        after = self.status()
        self.assertEqual(value(found, "haptic_up", daemon=self.name), 1)
        self.assertEqual(value(found, "haptic_state", state="engaged"), 1)
        self.assertEqual(value(found, "haptic_rate_hertz"), after["rate_hz"])
        self.assertLessEqual(before["cycles"], value(found, "haptic_cycles_total"))
        self.assertLessEqual(value(found, "haptic_cycles_total"), after["cycles"])
        self.assertEqual(value(found, "haptic_parameter", key="limits.force"), after["parameters"]["limits.force"])
        buckets = [s for s in found["haptic_compute_seconds"].samples if s.name.endswith("_bucket")]
        counts = [s.value for s in buckets]
        self.assertEqual(counts, sorted(counts))
        self.assertEqual(buckets[-1].labels["le"], "+Inf")
        self.assertEqual(counts[-1], value(found, "haptic_compute_seconds_count"))
        self.assertGreater(counts[-1], 0)
        self.must("stop")
        self.wait_for("fault", "operator_stop")
        self.assertEqual(value(self.metrics(), "haptic_fault", fault="operator_stop"), 1)
        self.assertEqual(value(self.metrics(), "haptic_faults_total", fault="operator_stop"), 1)

    def test_a_file_is_replaced_as_a_whole_until_the_process_ends(self):
        writer = self.start(HAPTIC, "metrics", "-o", "out.prom", "--every", "0.1", "--name", self.name)
        out = self.folder / "out.prom"
        self.until(out.exists)
        self.assertEqual(value(families(out.read_text()), "haptic_up"), 0)
        daemon = self.daemon()
        self.until(lambda: value(families(out.read_text()), "haptic_up") == 1)
        daemon.kill()
        self.until(lambda: value(families(out.read_text()), "haptic_up") == 0)
        writer.send_signal(signal.SIGTERM)
        self.assertEqual(writer.wait(SECONDS), 0)
        self.assertEqual([p.name for p in self.folder.iterdir() if "out.prom" in p.name], ["out.prom"])

    def test_a_folder_that_cannot_be_written_is_said_once(self):
        writer = self.start(HAPTIC, "metrics", "-o", "none/out.prom", "--every", "0.1", "--name", self.name)
        self.until(lambda: "none/out.prom" in self.said())
        (self.folder / "none").mkdir()
        self.until((self.folder / "none" / "out.prom").exists)
        writer.send_signal(signal.SIGTERM)
        self.assertEqual(writer.wait(SECONDS), 0)
        self.assertEqual(self.said().count("none/out.prom"), 1)

    def test_http_follows_a_daemon_that_comes_and_goes(self):
        server = self.start(HAPTIC, "metrics", "--listen", "127.0.0.1:0", "--name", self.name)
        self.until(lambda: "/metrics" in self.said())
        url = re.search(r"http://127\.0\.0\.1:[0-9]+/metrics", self.said()).group()

        def up():
            with urllib.request.urlopen(url, timeout=SECONDS) as reply:
                return value(families(reply.read().decode()), "haptic_up")

        self.assertEqual(up(), 0)
        daemon = self.daemon()
        self.assertEqual(up(), 1)
        daemon.send_signal(signal.SIGTERM)
        self.assertEqual(daemon.wait(SECONDS), 0)
        self.assertEqual(up(), 0)
        server.send_signal(signal.SIGINT)
        self.assertEqual(server.wait(SECONDS), 0)

    def test_only_loopback_addresses_and_sensible_options(self):
        for words in (["--listen", "0.0.0.0:9431"], ["--listen", "127.0.0.1:1", "-o", "x"], ["--every", "5"],
                      ["-o", "x", "--every", "0"], ["--listen", ""]):
            refused = subprocess.run([HAPTIC, "metrics", *words], capture_output=True, text=True)
            self.assertEqual((refused.returncode, refused.stdout), (2, ""), words)
        self.assertEqual(run(HAPTIC, "metrics", "-o", self.folder / "no" / "x").returncode, 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
