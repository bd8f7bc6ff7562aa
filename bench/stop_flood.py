#!/usr/bin/env python3
"""Time of a stop of an idle daemon and under a flood of commands from sixteen clients, in one run.

Usage: stop_flood.py HAPTICD [--stops 1000] [--clients 16]

A stop is timed from before its connection to the daemon's answer, which comes after the cycle that stopped. Between two
stops are 5 ms. The clients are separate processes; each sends engage, reset, set and invalid packets as fast as it is
answered. Times are measured by the client and include the scheduling of this machine.
"""
import argparse
import multiprocessing
import os
import pathlib
import socket
import struct
import subprocess
import sys
import tempfile
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "tests/support"))
from programs import TWO_SPHERES, run_folder  # noqa: E402

COMMAND = struct.Struct("<IId64s448sqQ32s")  # shared/ipc/command.h
ENGAGE, STOP, RESET, SET = 1, 3, 4, 5


def packet(kind, key=b"", value=0.0):
    return COMMAND.pack(kind, 0, value, key, b"", 0, 0, b"flood")


def connect(name, what):
    client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    client.connect(str(run_folder() / f"{name}.{what}"))
    return client


def flood(name, index, asked, over):
    client = connect(name, "commands")
    client.recv(4096)
    packets = [packet(ENGAGE), packet(RESET), packet(SET, b"limits.force", 1.0), b"x" * 100]
    while not over.is_set():
        client.send(packets[index % 4])
        if not client.recv(4096):
            return
        with asked.get_lock():
            asked.value += 1
        index += 1


def time_stops(name, count):
    milliseconds = []
    for _ in range(count):
        begin = time.monotonic()
        client = connect(name, "stop")
        client.send(packet(STOP))
        answer = struct.unpack_from("<I", client.recv(4096))[0]
        milliseconds.append(1e3 * (time.monotonic() - begin))
        client.close()
        if answer != 1:
            sys.exit(f"stop_flood: a stop was answered with {answer}")
        time.sleep(0.005)
    return sorted(milliseconds)


def row(what, times, rate):
    def at(fraction):
        return times[min(len(times) - 1, int(fraction * len(times)))]
    print(f"{what:<24} p50 {at(0.5):7.2f}   p90 {at(0.9):7.2f}   p99 {at(0.99):7.2f}   max {times[-1]:7.2f} ms   "
          f"{rate:8.0f} other commands/s")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("hapticd")
    parser.add_argument("--stops", type=int, default=1000)
    parser.add_argument("--clients", type=int, default=16)
    options = parser.parse_args()
    name = f"stop-flood-{os.getpid()}"
    with tempfile.TemporaryDirectory() as folder:
        scene = pathlib.Path(folder) / "scene.toml"
        scene.write_text(TWO_SPHERES.replace("rate_hz = 500", "rate_hz = 1000"))
        daemon = subprocess.Popen([options.hapticd, "--scene", scene, "--name", name, "--black-box", folder],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            while not (run_folder() / f"{name}.stop").exists():
                time.sleep(0.02)
            time.sleep(0.5)
            row("idle daemon", time_stops(name, options.stops), 0.0)
            asked, over = multiprocessing.Value("Q", 0), multiprocessing.Event()
            clients = [multiprocessing.Process(target=flood, args=(name, i, asked, over), daemon=True)
                       for i in range(options.clients)]
            for client in clients:
                client.start()
            while asked.value < 100:
                time.sleep(0.02)
            before, begin = asked.value, time.monotonic()
            times = time_stops(name, options.stops)
            rate = (asked.value - before) / (time.monotonic() - begin)
            over.set()
            row(f"{options.clients} clients flood", times, rate)
            for client in clients:
                client.terminate()
        finally:
            daemon.kill()
            daemon.wait()


if __name__ == "__main__":
    main()
