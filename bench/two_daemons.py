#!/usr/bin/env python3
"""Compares two builds of the daemon, run in turns: time of a cycle and of a start.

Usage: two_daemons.py HAPTICD_BEFORE HAPTICD_AFTER [--scenes SCENE.toml ...] [--rounds 6] [--cycles 4000] [--starts 20]

The models of the shipped scenes (the default) must be baked (scenes/bake.sh). A round runs every scene once with each
daemon, engaged, in alternating order. Printed are the median over the rounds of the computing time of a cycle, as each daemon
reports it, and the median and the range of the quotients after / before of single rounds. A start is a complete run of
a daemon with one cycle: processor time (user and system) and clock time.
"""
import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time

SHIPPED = ["spoon_ball", "bridge_box", "hose_bolt", "alpha_puzzle"]


def run(daemon, scene, *options):
    """@returns the table, seconds of the processor, seconds of the clock"""
    begin = time.monotonic()
    process = subprocess.Popen([daemon, "--scene", scene, "--name", f"two-{os.getpid()}", *options], text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    table, messages = process.stdout.read(), process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"two_daemons: {daemon} on {scene} ended with {process.returncode}:\n{messages}")
    return table, usage.ru_utime + usage.ru_stime, time.monotonic() - begin


def compute(table):
    """p50 and p99.9 of a cycle's computation, us"""
    figures = re.search(r"^compute \[us\] +p50 ([\d.]+) +p99 [\d.]+ +p99\.9 ([\d.]+)", table, re.MULTILINE)
    return [float(figure) for figure in figures.groups()]


def in_turns(rounds, daemons, measure):
    """measure(daemon) -> figures; @returns figures[daemon][round]"""
    found = [[], []]
    for number in range(rounds):
        for which in (0, 1) if number % 2 == 0 else (1, 0):
            found[which].append(measure(daemons[which]))
    return found


def show(scene, name, unit, before, after):
    quotients = [b / a for a, b in zip(before, after)]
    print(f"{scene:<28} {name:<18} {statistics.median(before):9.1f} {statistics.median(after):9.1f} {unit:<3}"
          f" {statistics.median(quotients):6.2f}  ({min(quotients):.2f} to {max(quotients):.2f})", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("before")
    parser.add_argument("after")
    folder = pathlib.Path(__file__).resolve().parents[1] / "scenes"
    parser.add_argument("--scenes", nargs="+", default=[str(folder / name / "scene.toml") for name in SHIPPED])
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--cycles", type=int, default=4000)
    parser.add_argument("--starts", type=int, default=20)
    options = parser.parse_args()
    daemons = [options.before, options.after]
    print(f"{'scene':<28} {'':<18} {'before':>9} {'after':>9}      after / before")
    for scene in options.scenes:
        name = str(pathlib.Path(scene).relative_to(folder)) if scene.startswith(str(folder)) else scene
        cycles = in_turns(options.rounds, daemons,
                          lambda daemon: compute(run(daemon, scene, "--cycles", str(options.cycles), "--engage")[0]))
        for column, figure in enumerate(("cycle p50", "cycle p99.9")):
            show(name, figure, "us", *[[row[column] for row in rows] for rows in cycles])
        starts = in_turns(options.starts, daemons, lambda daemon: run(daemon, scene, "--cycles", "1")[1:])
        for column, figure in enumerate(("start, processor", "start, clock")):
            show(name, figure, "ms", *[[1e3 * row[column] for row in rows] for rows in starts])


if __name__ == "__main__":
    main()
