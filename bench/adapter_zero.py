#!/usr/bin/env python3
"""Time to zero force around an external device whose adapter or daemon goes wrong while a force acts, at 1 and 4 kHz.

  adapter killed, stopped   from the signal to the end of the daemon's first cycle that commands zero
  daemon killed, stopped    from the signal to the adapter's first zero at its device, by the adapter's own record
  adapter floods            the exchange of the loop while the adapter publishes without a pause, beside its usual one

Usage: adapter_zero.py BUILD_FOLDER [--trials 100] [--rates 1000 4000] [--priority 70]
"""
import argparse
import atexit
import json
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from ball_scene import make_ball, run, write_scene

TREE = pathlib.Path(__file__).resolve().parents[1]


class Rig:
    """A daemon with the reference manifest under names of its own, and its adapters."""

    def __init__(self, options, folder, rate):
        import hapticd
        self.hapticd, self.options, self.folder = hapticd, options, folder
        self.name = f"zero-{os.getpid()}"
        manifest = (TREE / "firmware-config/external-reference.toml").read_text()
        (folder / "device.toml").write_text(re.sub(r'^(name|link) = .*', rf'\1 = "{self.name}"', manifest, flags=re.M))
        self.scene = write_scene(folder, rate)
        # The handle moves down along y, onto the top of a sphere, and needs no script.
        text = self.scene.read_text().partition("[device]")[0]
        text = text.replace('shape = "plane"\nsize = 0.2\n', 'shape = "sphere"\nradius = 0.1\nposition = [0.0, -0.12, 0.0]\n')
        text = text.replace("position = [0.0, 0.0, 0.03]\n", "")
        self.scene.write_text(text + "[limits]\nramp_s = 0.05\n")
        self.start()

    def start(self):
        build = self.options.build
        with open(self.folder / "journal", "w") as journal:
            self.daemon = subprocess.Popen([build / "rt/hapticd/hapticd", "--scene", self.scene, "--name", self.name, "--device",
                                            self.folder / "device.toml", "--unguarded", "--black-box", self.folder], stdout=subprocess.DEVNULL, stderr=journal)
        atexit.register(self.daemon.kill)
        self.until(lambda: '"state":"homing"' in self.haptic("status", "--json").stdout)
        self.telemetry = self.hapticd.Telemetry(self.name)

    def until(self, holds):
        give_up = time.monotonic() + 60.0
        while not holds():
            if time.monotonic() > give_up:
                sys.exit("adapter_zero: waited a minute in vain; the daemon says: " + (self.folder / "journal").read_text())
            time.sleep(0.002)

    def haptic(self, *words):
        return subprocess.run([self.options.build / "host/cli/haptic", *words, "--name", self.name], capture_output=True, text=True)

    def adapter(self, *arguments, program="adapters/hapticd-reference-adapter", **options):
        command = [self.options.build / program, self.name, *arguments]
        if self.options.priority and arguments != ("flood",):  # it would take a whole processor from the others
            command = ["chrt", "-f", str(self.options.priority), *command]
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL, **options)
        atexit.register(process.kill)  # none outlives a measurement that fails
        return process

    def state(self):
        return self.hapticd.telemetry.STATES[int(self.telemetry.newest()["state"][0])]

    def force(self):
        return float(abs(self.telemetry.newest()["device_wrench"]["force_N"]).max())

    def engage(self):
        def engaged():
            if self.state() == "idle":
                self.haptic("engage")
            return self.after_reset("engaged")  # a machine with other work lets a pose grow old
        self.until(engaged)

    def after_reset(self, state):
        if self.state() == "fault":
            self.haptic("reset")
        return self.state() == state

    def end(self, process):
        if process.poll() is None:
            process.send_signal(signal.SIGCONT)
            process.kill()
        process.wait()


def adapter_gone(rig, event):
    """@returns ms from the signal to the loop's first zero"""
    adapter = rig.adapter()
    rig.engage()
    rig.until(lambda: rig.force() > 0.1)
    before = int(rig.telemetry.newest()["cycle"][0])
    begun = time.monotonic_ns()
    adapter.send_signal(signal.SIGKILL if event == "killed" else signal.SIGSTOP)
    rig.until(lambda: rig.state() == "fault")
    rig.telemetry._reader.rewind_to_oldest()
    zero_ns = None
    while zero_ns is None:
        records, _ = rig.telemetry._reader.read(4096)
        for record in records[records["cycle"] > before]:
            if abs(record["device_wrench"]["force_N"]).max() == 0.0 and record["time_ns"] > begun:
                zero_ns = int(record["time_ns"]) + int(record["total_ns"])
                break
    rig.end(adapter)
    rig.until(lambda: rig.after_reset("homing"))
    return (zero_ns - begun) * 1e-6


def daemon_gone(rig, event):
    """@returns ms from the signal to the first zero at the adapter's device"""
    probe = rig.adapter("probe", str(rig.daemon.pid), event, program="tests/end_to_end/faulty_adapter",
                        stdout=subprocess.PIPE, text=True)
    # On a busy machine a pose may become stale, which is a fault, before any force has acted: engage again. The telemetry
    # of a daemon that is gone still says "engaged".
    rig.until(lambda: probe.poll() is not None or (rig.state() != "engaged" and rig.engage()))
    said = probe.communicate()[0]
    rig.end(rig.daemon)
    rig.start()
    return float(re.search(r"zero after ([0-9.]+) ms", said)[1])


def exchange(rig, program, arguments, seconds):
    """Histogram of the loop's exchange with this adapter [us], and the daemon's faults."""
    adapter = rig.adapter(*arguments, program=program)
    rig.engage()
    time.sleep(seconds)
    status = json.loads(rig.haptic("status", "--json").stdout)
    rig.end(adapter)
    rig.end(rig.daemon)
    rig.start()  # its histograms begin again
    return status["device_us"], {kind: count for kind, count in status["faults_by_kind"].items() if count} or "no"


def show(label, times):
    times = sorted(times)
    print(f"  {label:16} median {statistics.median(times):7.2f}  p99 {times[int(0.99 * (len(times) - 1))]:7.2f}"
          f"  max {times[-1]:7.2f} ms  ({len(times)} trials)", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--rates", type=int, nargs="+", default=[1000, 4000])
    parser.add_argument("--priority", type=int, default=70, help="SCHED_FIFO priority of the adapter; 0: ordinary")
    options = parser.parse_args()
    options.build = options.build.resolve()
    sys.path.insert(0, str(options.build / "host/python"))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make_ball(options.build / "host/cli/haptic", folder, 1)
        for rate in options.rates:
            rig = Rig(options, folder, rate)
            print(f"{rate} Hz, max_age_ms = 10, zero_after_ms = 10, adapter at 1 kHz")
            for event in ("killed", "stopped"):
                show(f"adapter {event}", [adapter_gone(rig, event) for _ in range(options.trials)])
            for event in ("killed", "stopped"):
                show(f"daemon {event}", [daemon_gone(rig, event) for _ in range(options.trials)])
            for label, program, arguments in (("usual adapter", "adapters/hapticd-reference-adapter", []),
                                              ("adapter floods", "tests/end_to_end/faulty_adapter", ["flood"])):
                row, faults = exchange(rig, program, arguments, 5.0)
                print(f"  {label:16} exchange p50 {row['p50']:.2f}  p99 {row['p99']:.2f}  p99.9 {row['p999']:.2f}"
                      f"  max {row['max']:.1f} us, {faults} faults", flush=True)
            rig.end(rig.daemon)


if __name__ == "__main__":
    main()
