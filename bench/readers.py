#!/usr/bin/env python3
"""What readers of the telemetry do to the daemon at 10 kHz: nothing, whatever happens to them.

Runs a daemon four times, with a ball that a scripted hand presses on a plane:
  alone     without readers, before and after the others: the machine's own change is the difference of the two
  readers   with `haptic record`, `haptic view` (in Xvfb), `haptic top` (in a terminal of 200 x 60) and a program in
            Python that takes every cycle
  trials    the same, and one of them at random is killed and started again, stopped for a while, or slowed down to
            a tenth by stopping and continuing it
Printed: cycles lost by a reader, share of a processor and bytes a second of each, histograms and counters of the loop.

Exit code 1 if the recorder or the Python program, undisturbed, lost a cycle, if a log of a killed recorder cannot be
read, or if a counter of the loop moved that no reader may move.

Usage: readers.py BUILD_FOLDER [--minutes 10] [--alone 2.5] [--trials 1000] [--rate 10000] [--seed 1] [--no-view]
"""
import argparse
import fcntl
import itertools
import json
import os
import pathlib
import pty
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time

from ball_scene import make_ball, run, write_scene

PYTHON_READER = """
import signal, sys
import hapticd
telemetry = hapticd.Telemetry(sys.argv[1])
stopped = []
signal.signal(signal.SIGTERM, lambda *_: stopped.append(1))
rows = lost = 0
work = 0.0
print("reads", flush=True)
for samples in telemetry.follow():
    rows += len(samples)
    lost += samples.lost
    work += float(abs(samples["device_wrench"]["force_N"]).sum())
    if stopped:
        break
print(rows, lost, flush=True)
"""
# Moved only by what the daemon itself does wrong.
STILL = ["allocations", "page_faults", "forbidden_calls", "faults", "dropped_messages", "commands_refused", "command_garbage"]
TICK = os.sysconf("SC_CLK_TCK")
log_numbers = itertools.count()
started = []  # killed at the end, however it comes


def start(command, **options):
    started.append(subprocess.Popen(command, **options))
    return started[-1]


def processor_s(pid):
    """Processor time of a process, user and system [s]; None if it is gone."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / TICK


def empty(descriptor):
    """Takes what a terminal shows, as its emulator does."""
    def take():
        try:
            while os.read(descriptor, 65536):
                pass
        except OSError:
            pass
    threading.Thread(target=take, daemon=True).start()


class Reader:
    """A program that reads the telemetry, and may be disturbed."""

    def __init__(self, label, start):
        self.label, self.start = label, start
        self.used_s = 0.0  # of those that were killed
        self.process = start()

    def processor_s(self):
        return self.used_s + (processor_s(self.process.pid) or 0.0)

    def kill(self):
        self.used_s = self.processor_s()
        self.process.kill()
        self.process.communicate() if self.process.stdout else self.process.wait()
        self.process = self.start()

    def stop(self, seconds):
        self.process.send_signal(signal.SIGSTOP)
        time.sleep(seconds)
        self.process.send_signal(signal.SIGCONT)

    def slow(self, seconds):
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.process.send_signal(signal.SIGSTOP)
            time.sleep(0.009)
            self.process.send_signal(signal.SIGCONT)
            time.sleep(0.001)

    def end(self):
        """@returns what it printed"""
        if self.label == "Python":  # after its last kill it may be starting still
            self.process.stdout.readline()
        self.used_s = self.processor_s()
        self.process.send_signal(signal.SIGTERM)
        said = self.process.communicate(timeout=60)[0] if self.process.stdout else None
        self.process.wait(60)
        return said


class Daemon:
    def __init__(self, options, folder):
        self.haptic = options.build / "host/cli/haptic"
        self.name = f"readers-{os.getpid()}"
        command = [options.build / "rt/hapticd/hapticd", "--scene", write_scene(folder, options.rate), "--name", self.name,
                   "--engage", "--black-box", folder]
        with open(folder / "journal", "w") as journal:
            self.process = start([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=journal)
        while True:
            try:
                if self.status()["ramp"] == 1.0:
                    break
            except subprocess.CalledProcessError:
                if self.process.poll() is not None:
                    sys.exit("readers: the daemon ended: " + (folder / "journal").read_text())
            time.sleep(0.05)
        self.first = self.status()
        self.first_s, self.first_used = time.monotonic(), processor_s(self.process.pid)

    def status(self):
        return json.loads(run(self.haptic, "status", "--name", self.name, "--json", stderr=subprocess.DEVNULL))

    def end(self):
        """@returns the last status, with its growth since the force was whole"""
        status = self.status()
        seconds = time.monotonic() - self.first_s
        status["seconds"] = seconds
        status["share"] = (processor_s(self.process.pid) - self.first_used) / seconds
        status["grown"] = {key: status[key] - self.first[key] for key in [*STILL, "cycles", "missed", "overruns"]}
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)
        return status


class Readers:
    """All of them, around a daemon."""

    def __init__(self, options, folder, daemon, display):
        self.folder, self.logs = folder, []
        haptic, name = str(daemon.haptic), ["--name", daemon.name]
        python = dict(os.environ, PYTHONPATH=str(options.build / "host/python"))
        window = dict(os.environ, DISPLAY=display or "")
        pipe = {"stdout": subprocess.PIPE, "text": True}

        def record():
            self.logs.append(folder / f"log{next(log_numbers)}.h5")
            return start([haptic, "record", "-o", str(self.logs[-1]), *name], **pipe)

        def top():
            ours, its = pty.openpty()
            fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 60, 200, 0, 0))
            process = start([haptic, "top", *name], stdin=its, stdout=its, stderr=its,
                            env=dict(os.environ, TERM="xterm-256color"))
            os.close(its)
            empty(ours)
            return process

        self.all = [Reader("haptic record", record), Reader("haptic top", top),
                    Reader("Python", lambda: start([sys.executable, "-c", PYTHON_READER, daemon.name], env=python, **pipe))]
        if display:
            self.all.append(Reader("haptic view", lambda: start(
                [haptic, "view", *name], env=window, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)))
        self.begun = time.monotonic()
        time.sleep(2.0)  # all have begun
        for reader in self.all:
            if reader.process.poll() is not None:
                sys.exit(f"readers: {reader.label} ended at once, with {reader.process.returncode}")

    def disturb(self, rng):
        reader = rng.choice(self.all)
        what = rng.choice(["kill", "stop", "slow"])
        if what == "kill":
            reader.kill()
            time.sleep(rng.uniform(0.0, 0.2))
        else:
            getattr(reader, what)(rng.uniform(0.02, 0.4))
        if reader.process.poll() is not None:
            sys.exit(f"readers: {reader.label} ended by itself, with {reader.process.returncode}")
        if len(self.logs) > 20:  # all but the newest: the disk of a small machine
            self.read_logs(keep=1)
        return what

    def read_logs(self, keep=0):
        """Rows of the logs, which are removed; a log without a flush may be shorter than its header."""
        rows = 0
        while len(self.logs) > keep:
            path = self.logs.pop(0)
            for file in self.folder.glob(f"*{path.name}*"):  # a killed recorder leaves it under its temporary name
                done = subprocess.run([sys.executable, "-c", COUNT_ROWS, str(file)], capture_output=True, text=True,
                                      env=dict(os.environ, HDF5_USE_FILE_LOCKING="FALSE"))
                if done.returncode != 0:
                    sys.exit(f"readers: {file.name} of a killed recorder: {done.stderr}")
                rows += int(done.stdout)
                file.unlink()
        return rows

    def end(self):
        """@returns {label: share of a processor}, rows and lost cycles of recorder and Python, bytes a second"""
        seconds = time.monotonic() - self.begun
        found = {"share": {}, "lost": {}, "rows": {}}
        for reader in self.all:
            said = reader.end()
            found["share"][reader.label] = reader.used_s / seconds
            if reader.label == "Python":
                found["rows"][reader.label], found["lost"][reader.label] = map(int, said.split())
        log = self.logs[-1]
        if log.exists():
            import h5py
            with h5py.File(log) as file:
                cycles = file["/samples/cycle"][:]
                found["rows"]["haptic record"] = len(cycles)
                found["lost"]["haptic record"] = int(cycles[-1] - cycles[0]) + 1 - len(cycles)
            found["bytes"] = log.stat().st_size
            found["bytes_per_row"] = found["bytes"] / len(cycles)
        return found


COUNT_ROWS = """
import sys
import h5py
with h5py.File(sys.argv[1], swmr=True) as log:
    cycles = log["/samples/cycle"][:]
    assert (cycles[1:] > cycles[:-1]).all()
    print(len(cycles))
"""


def show(label, status):
    grown, seconds = status["grown"], status["seconds"]
    print(f"{label}: {seconds:.0f} s, {grown['cycles']} cycles, {grown['missed']} slots missed"
          f" ({grown['missed'] / grown['cycles']:.1e} of the cycles), {grown['overruns']} overruns,"
          f" {100 * status['share']:.1f} % of a processor")
    for key in ("wake_us", "compute_us", "device_us"):
        row = status[key]
        print(f"  {key:10} p50 {row['p50']:7.1f}  p99 {row['p99']:7.1f}  p99.9 {row['p999']:7.1f}  max {row['max']:9.1f}")
    print("  " + ", ".join(f"{key} {grown[key]}" for key in STILL), flush=True)
    return [f"{label}: {key} grew by {grown[key]}" for key in STILL if grown[key] != 0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--alone", type=float, default=2.5, help="minutes without readers, before and after")
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--rate", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-view", action="store_true", help="without a window: no Xvfb")
    options = parser.parse_args()
    options.build = options.build.resolve()
    wrong, display = [], None
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if not options.no_view:
            if not shutil.which("Xvfb"):
                sys.exit("readers: Xvfb is not installed (Debian package xvfb); --no-view goes without it")
            ours, its = os.pipe()
            start(["Xvfb", "-displayfd", str(its), "-screen", "0", "1280x900x24"], pass_fds=[its],
                  stderr=subprocess.DEVNULL)
            display = ":" + os.read(ours, 16).decode().strip()
        try:
            make_ball(options.build / "host/cli/haptic", folder, 60 * (options.minutes + options.alone) + 3600)
            for phase in ("alone", "readers", "trials", "alone again"):
                daemon = Daemon(options, folder)
                if phase.startswith("alone"):
                    time.sleep(60.0 * options.alone)
                    wrong += show(phase, daemon.end())
                    continue
                readers = Readers(options, folder, daemon, display)
                if phase == "readers":
                    time.sleep(60.0 * options.minutes)
                    found = readers.end()
                    wrong += [f"{label} lost {lost} cycles" for label, lost in found["lost"].items() if lost]
                else:
                    rng, done = random.Random(options.seed), {"kill": 0, "stop": 0, "slow": 0}
                    for _ in range(options.trials):
                        done[readers.disturb(rng)] += 1
                    found = readers.end()
                status = daemon.end()
                wrong += show(phase, status)
                if phase == "trials":
                    print(f"  disturbed {options.trials} times: " + ", ".join(f"{key} {count}" for key, count in done.items()))
                for label, share in found["share"].items():
                    taken = f", {found['rows'][label]} cycles, lost {found['lost'][label]}" if label in found["rows"] else ""
                    print(f"  {label:14} {100 * share:5.1f} % of a processor{taken}")
                if "bytes" in found:
                    print(f"  log {found['bytes']} bytes, {found['bytes_per_row']:.1f} a cycle, "
                          f"{found['bytes_per_row'] * options.rate / 1e3:.0f} kB/s")
                if phase == "trials":
                    readers.logs.pop()
                    print(f"  logs of killed recorders: {readers.read_logs()} cycles in those left")
                sys.stdout.flush()
        finally:
            for process in started:
                process.kill()
    for line in wrong:
        print(f"readers: {line}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
