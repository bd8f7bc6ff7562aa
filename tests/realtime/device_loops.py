#!/usr/bin/env python3
"""The daemon itself on every kind of device, engaged, for so long: does its loop keep its promises?

Usage: device_loops.py HAPTICD --haptic HAPTIC --emulators FOLDER [--seconds S] [DEVICE ...]

Devices: simulated, replay, falcon (the real libusb, an emulated device behind the kernel's interface),
arm (the real libcomedi, an emulated board behind the kernel's interface), external (the reference adapter, a process
of its own). A hand moves each of them.

Demanded of every run: as many cycles as asked for, engaged to the end, with contact, no fault, no
system call off the list; no allocation and, from a second after the start on, no page fault, where
this build counts them. A build with RealtimeSanitizer ends at its first violation. Never a time: this machine is not the lab's.
"""
import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time

TREE = pathlib.Path(__file__).resolve().parent.parent.parent
RATE = 1000
PATIENCE = 120  # s for whatever must happen at all


class Broken(Exception):
    pass


def manifest(name, **values):
    """A shipped manifest with some of its values replaced."""
    lines = (TREE / "firmware-config" / f"{name}.toml").read_text().splitlines()
    for key, value in values.items():
        at = [i for i, line in enumerate(lines) if line.startswith(f"{key} = ")]
        if at:
            lines[at[0]] = f"{key} = {value}"
        else:
            lines.insert(lines.index("[board]") + 1, f"{key} = {value}")
    return "\n".join(lines) + "\n"


def write_hand(path, seconds, rate):
    """A hand that goes 25 mm down and up, once in two seconds."""
    with open(path, "w") as file:
        file.write("time_s,x_m,y_m,z_m,qw,qx,qy,qz\n")
        for i in range(int(seconds * rate)):
            t = i / rate
            file.write(f"{t:.3f},0,{-0.0125 * (1 - math.cos(2 * math.pi * 0.5 * t)):.9f},0,1,0,0,0\n")


def prepare(device, folder, options):
    """Writes the manifest. @returns it, the words before the daemon's, the environment."""
    file, before, environment = folder / f"{device}.toml", [], {}
    length = options.seconds + PATIENCE
    if device == "simulated":
        write_hand(folder / "hand.csv", length, 50)
        file.write_text('kind = "simulated"\nname = "hand"\nscript = "hand.csv"\n')
    elif device == "replay":
        write_hand(folder / "recording.csv", length, RATE)
        file.write_text('kind = "replay"\nname = "recorded"\nrecording = "recording.csv"\n')
    elif device == "external":
        # A name of its own, and ages for a machine where a process may wait for a second.
        link = f"loop-{os.getpid()}"
        text = manifest("external-reference", link=f'"{link}"', max_age_ms=1000.0)
        file.write_text(text.replace('"external-reference"', f'"{link}"'))
    elif device == "arm":
        (folder / "comedi0").touch()
        file.write_text(manifest("woodenhaptics", file=f'"{folder}/comedi0"'))
        environment = {"LD_PRELOAD": str(options.emulators / "libemulated_board.so"),
                       "HAPTIC_EMULATED_BOARD": str(folder / "comedi0")}
    else:
        # Times for a machine where a thread may wait for a second; test_falcon has the shipped ones.
        file.write_text(manifest("novint-falcon", file=f'"{folder}/none.bin"', priority=0, reply_timeout_s=0.5,
                                 hang_timeout_s=5.0, command_timeout_s=5.0, stale_s=10.0, stall_timeout_s=10.0))
        before = [options.emulators / "falcon_testbed", file]
        environment = {"LD_PRELOAD": "libumockdev-preload.so.0"}
    return file, before, environment


def describe(status, faults, touched, options):
    watched = "RealtimeSanitizer found nothing" if options.sanitized else \
        f"{status['allocations']} allocations, {faults} page faults after the first second"
    filtered = f", {status['forbidden_calls']} system calls off the list" if status["calls_filtered"] else ""
    return (f"{status['cycles']} cycles, {status['missed']} missed, up to {touched:.0f} contacts on "
            f"{status['device']}: {watched}{filtered}")


class Run:
    def __init__(self, device, folder, options):
        self.options = options
        self.name = f"loop-{device}-{os.getpid()}"
        file, before, environment = prepare(device, folder, options)
        self.log = open(folder / f"{device}.txt", "w+")
        command = [*before, options.hapticd, "--scene", TREE / "tests/realtime/device_loop.toml", "--device", file,
                   "--unguarded", "--name", self.name, "--black-box", folder]
        if device == "arm":
            command.append("--home")  # its emulated hand is in the calibration pose
        self.adapter = None
        if device == "external":
            program = options.emulators.resolve().parents[1] / "adapters/hapticd-reference-adapter"
            self.adapter = subprocess.Popen([program, f"loop-{os.getpid()}"], stdout=self.log, stderr=self.log)
        self.daemon = subprocess.Popen([str(c) for c in command], stdout=self.log, stderr=self.log,
                                       env=dict(os.environ, RTSAN_OPTIONS=f"halt_on_error=true:suppressions={TREE}/tests/realtime/rtsan.supp",
                                                **environment))

    def said(self):
        self.log.flush()
        return pathlib.Path(self.log.name).read_text()

    def haptic(self, *words):
        return subprocess.run([str(self.options.haptic), *words, "--name", self.name], capture_output=True, text=True,
                              timeout=PATIENCE)

    def status(self):
        answer = self.haptic("status", "--json")
        if self.daemon.poll() is not None:
            raise Broken(f"the daemon ended with {self.daemon.returncode}")
        return json.loads(answer.stdout) if answer.returncode == 0 else None

    def wait_for(self, what, seconds=PATIENCE):
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            status = self.status()
            if status is not None and what(status):
                return status
            time.sleep(0.05)
        raise Broken(f"does not come about: {what.__doc__ or what}; last {status}")

    def go(self):
        self.wait_for(lambda s: s["state"] == "idle")
        if self.haptic("engage").returncode != 0:
            raise Broken("cannot be engaged")
        began = self.wait_for(lambda s: s["state"] == "engaged")["cycles"]
        warm = self.wait_for(lambda s: s["cycles"] >= began + RATE)
        touched = 0
        end = warm["cycles"] + int(self.options.seconds * RATE)
        while True:
            status = self.status()
            touched = max(touched, status["world_state"]["contact/points"])
            if status["state"] != "engaged" or status["cycles"] >= end:
                break
            time.sleep(0.05)
        self.daemon.terminate()
        code = self.daemon.wait(PATIENCE)
        if status["state"] != "engaged" or status["faults"] != 0:
            raise Broken(f"state {status['state']}, fault {status['fault']}")
        for key in ("allocations", "forbidden_calls"):
            if status[key] != 0:
                raise Broken(f"{status[key]} {key}")
        faults = status["page_faults"] - warm["page_faults"]
        if not self.options.sanitized and faults != 0:
            raise Broken(f"{faults} page faults")
        if touched == 0:
            raise Broken("nothing was touched")
        if code != 0:
            raise Broken(f"the daemon ended with {code}")
        return status, faults, touched


    def stop(self):
        if self.adapter is not None:
            self.adapter.kill()
            self.adapter.wait()
        if self.daemon.poll() is None:
            self.daemon.kill()
            self.daemon.wait()
        self.log.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("hapticd", type=pathlib.Path)
    parser.add_argument("--haptic", type=pathlib.Path, required=True)
    parser.add_argument("--emulators", type=pathlib.Path, required=True)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--sanitized", action="store_true", help="a build that counts neither allocations nor page faults")
    parser.add_argument("devices", nargs="*")
    options = parser.parse_args()
    devices = options.devices or ["simulated", "replay", "arm", "falcon", "external"]
    failed = 0
    for device in devices:
        with tempfile.TemporaryDirectory(prefix="haptic-loop-") as folder:
            run = Run(device, pathlib.Path(folder), options)
            try:
                status, faults, touched = run.go()
                print(f"{device}: {describe(status, faults, touched, options)}", flush=True)
            except (Broken, subprocess.TimeoutExpired) as broken:
                failed += 1
                print(f"{device}: {broken}\n{run.said()}", file=sys.stderr)
            finally:
                run.stop()
    return 1 if failed else 0


sys.exit(main())
