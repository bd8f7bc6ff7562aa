#!/usr/bin/env python3
"""Wake-up jitter of the daemon and of cyclictest, on the same processor, with the same priority and period, in one run:
cyclictest, hapticd, cyclictest again, so that changes of the machine load show as the difference of the two. The
daemon renders a rigid ball on a plane with the simulated device; its round trip is device exchange plus computation.

Usage: servo_jitter.py BUILD_FOLDER [--seconds S] [--priority P] [--cpu C] [--rates 1000 10000] [--json OUT.json]
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from ball_scene import make_ball, run, write_scene


def quantiles(histogram):
    """p50, p99, p99.9 and max of {microseconds: count}."""
    total, found, wanted = sum(histogram.values()), [], [0.5, 0.99, 0.999]
    count = 0
    for us in sorted(histogram):
        count += histogram[us]
        while wanted and count >= wanted[0] * total:
            found.append(us)
            wanted.pop(0)
    return dict(zip(["p50", "p99", "p999"], found)) | {"max": max(histogram)}


def cyclictest(rate, options):
    # A histogram of 0.1 s catches what a shared machine does to a thread.
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        run("cyclictest", "-m", "-q", f"-p{options.priority}", f"-a{options.cpu}", "-t1", f"-i{1_000_000 // rate}",
            f"-l{int(options.seconds * rate)}", "-h100000", f"--json={out.name}")
        thread = json.load(open(out.name))["thread"]["0"]
    found = quantiles({int(us): count for us, count in thread["histogram"].items() if count})
    return found | {"max": thread["max"]}  # beyond the histogram, too


def hapticd(build, folder, rate, options):
    scene = write_scene(folder, rate)
    name = f"jitter-{os.getpid()}"
    table = run(build / "rt/hapticd/hapticd", "--scene", scene, "--name", name, "--engage", "--cpu", options.cpu,
                "--priority", options.priority, "--cycles", int(options.seconds * rate), stderr=subprocess.DEVNULL)
    rows = {}
    for label in ("compute", "wake-up", "device"):
        numbers = re.search(rf"^{label} \[us\]\s+p50 (\S+)\s+p99 (\S+)\s+p99.9 (\S+)\s+max (\S+)", table, re.M).groups()
        rows[label] = dict(zip(["p50", "p99", "p999", "max"], map(float, numbers)))
    counters = {key: int(re.search(rf"^{key}\s+(\d+)", table, re.M)[1])
                for key in ("cycles", "missed", "allocations", "page faults", "preemptions", "faults")}
    return rows, counters


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--priority", type=int, default=80)
    parser.add_argument("--cpu", type=int, default=os.cpu_count() - 1)
    parser.add_argument("--rates", type=int, nargs="+", default=[1000, 10000])
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    if not shutil.which("cyclictest"):
        sys.exit("servo_jitter: cyclictest is not installed (Debian package rt-tests)")
    build, results = options.build.resolve(), []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make_ball(build / "host/cli/haptic", folder, options.seconds)
        for rate in options.rates:
            before = cyclictest(rate, options)
            daemon, counters = hapticd(build, folder, rate, options)
            after = cyclictest(rate, options)
            lines = {"cyclictest before": before, "hapticd wake-up": daemon["wake-up"], "cyclictest after": after,
                     "hapticd compute": daemon["compute"], "hapticd device": daemon["device"]}
            print(f"{rate} Hz, SCHED_FIFO {options.priority}, processor {options.cpu}, {options.seconds:g} s each [us]")
            for label, row in lines.items():
                print(f"  {label:18} p50 {row['p50']:8.1f}  p99 {row['p99']:8.1f}  p99.9 {row['p999']:8.1f}  max {row['max']:9.1f}")
            print("  hapticd " + ", ".join(f"{key} {value}" for key, value in counters.items()), flush=True)
            results.append({"rate_hz": rate, "us": lines, "hapticd": counters})
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
