#!/usr/bin/env python3
"""Every property test (RapidCheck) again and again, each time from another seed.

A run of the suite takes one seed of each; a property that fails for one seed in a hundred is found
here, and not months later in a run that had nothing to do with it.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import time

TEST = re.compile(r"^(TEST|TEST_F|TEST_P|RC_GTEST_PROP|RC_GTEST_FIXTURE_PROP)\(\s*(\w+),\s*(\w+)(.*?)^}", re.S | re.M)
MOST_RUNS = 1000  # of one property: a quick one learns nothing more from further seeds


def properties(tests: pathlib.Path) -> set[str]:
    """Names as googletest has them of the tests that draw their input."""
    return {f"{suite}.{name}" for path in tests.rglob("*_test.cpp")
            for kind, suite, name, body in TEST.findall(path.read_text())
            if kind.startswith("RC_") or "rc::check" in body}


def commands(build: str) -> dict[str, tuple[list[str], str]]:
    """Command and working directory of every test that ctest knows, by its name."""
    listed = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=True, capture_output=True)
    return {test["name"]: (test["command"], next((p["value"] for p in test["properties"]
                                                  if p["name"] == "WORKING_DIRECTORY"), build))
            for test in json.loads(listed.stdout)["tests"] if "command" in test}


def sweep(command: list[str], directory: str, seconds: float, first: int) -> tuple[int, list[int]]:
    """Runs the test until the time is over; the number of runs and the seeds that fail."""
    failing, runs, end = [], 0, time.monotonic() + seconds
    while runs == 0 or (time.monotonic() < end and runs < MOST_RUNS):
        seed = first + runs
        environment = dict(os.environ, RC_PARAMS=f"seed={seed}")
        if subprocess.run(command, cwd=directory, env=environment, capture_output=True).returncode:
            failing.append(seed)
        runs += 1
    return runs, failing


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", help="folder of a build whose tests ctest knows")
    parser.add_argument("--seconds", type=float, default=20.0, help="for each property")
    parser.add_argument("--name", default="", help="only properties with this in their name")
    parser.add_argument("--first", type=int, default=time.time_ns() // 1_000_000_000, help="first seed")
    options = parser.parse_args()

    known = commands(options.build)
    # A parameterised test's name has its instance before and its parameter after it.
    chosen = {name: known[name] for wanted in properties(pathlib.Path(__file__).parent) if options.name in wanted
              for name in known if re.fullmatch(rf"(\w+/)?{re.escape(wanted)}(/.+)?", name)}
    if not chosen:
        print(f"property_seeds: {options.build}: no property test with '{options.name}' in its name", file=sys.stderr)
        return 2
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        running = {name: pool.submit(sweep, *chosen[name], options.seconds, options.first) for name in sorted(chosen)}
        for name, result in running.items():
            runs, failing = result.result()
            bad += bool(failing)
            again = f"; again: RC_PARAMS=seed={failing[0]} ctest -R '{name}'" if failing else ""
            print(f"{name}: {len(failing)} of {runs} seeds fail{again}", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
