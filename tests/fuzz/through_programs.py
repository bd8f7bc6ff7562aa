#!/usr/bin/env python3
"""Damaged logs, models and scenes, each through a whole program: it ends by itself, with exit code 0, 1 or 2, and with
less memory than LARGEST_MB. Prints runs, refusals, and the largest memory and time of each program.

Usage: through_programs.py BUILD [--runs N] [--seed S] [--jobs J]
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time

import h5py
import numpy

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import hdf5_metadata  # noqa: E402
from programs import BALL_RECIPE, PRESS, run  # noqa: E402

SANITIZED = os.environ.get("HAPTIC_SANITIZED") == "1"  # which shadows memory and keeps what was freed for a while
LARGEST_MB = 1500.0 if SANITIZED else 500.0
LONGEST_S = 60.0  # only against a hang: the programs draw, and the machine is shared
HAND = "time_s,x_m,y_m,z_m,qw,qx,qy,qz\n0,0,0,0,1,0,0,0\n1,0,-0.03,0,1,0,0,0\n"
NUMBERS = ["0", "-1", "1e308", "-1e308", "1e-320", "nan", "inf", "9223372036854775807", "4294967296", "65537", "1e9"]
TEXTS = ['""', '"/dev/zero"', '"/proc/self/mem"', '".."', '"tool.h5/x"', '"' + "x" * 5000 + '"', "[[]]", "{}", "true"]
EXTENTS = [0, 1, 2, 7, 51, 1024, 1 << 24, 1 << 31, 1 << 40, 1 << 62]
TYPES = ["<f8", "<f4", "u1", "<i8", ">u4", "S8", "<u8", "<f2"]


def damage_bytes(content, source):
    """A number changed in place, some bits, or the end cut off."""
    content = bytearray(content)
    for _ in range(source.choice([1, 1, 2, 5, 20])):
        at = source.randrange(max(1, len(content) if source.random() < 0.5 else min(len(content), 20000)))
        kind = source.random()
        if kind < 0.1:
            del content[at:]
        elif kind < 0.4:
            content[at:at + 1] = bytes([source.randrange(256)])
        else:
            value = source.choice([0, 1, 1 << 16, 1 << 31, 1 << 40, (1 << 63) - 1, (1 << 64) - 1, source.getrandbits(64)])
            content[at:at + 8] = struct.pack("<Q", value)
    return bytes(content)


def damage_text(text, source):
    lines = text.splitlines()
    for _ in range(source.choice([1, 1, 1, 2, 4])):
        at = source.randrange(len(lines))
        kind = source.randrange(8)
        key, equals, _ = lines[at].partition(" = ")
        if kind < 4 and equals:
            lines[at] = f"{key} = {source.choice(NUMBERS if source.random() < 0.6 else TEXTS)}"
        elif kind == 4:
            del lines[at]
        elif kind == 5:
            lines.insert(source.randrange(len(lines)), lines[at])
        elif kind == 6:
            lines[at] = ".".join(["a"] * source.choice([2, 40, 4000])) + " = 1"
        else:
            lines[at] = damage_bytes(lines[at].encode(), source).decode("latin-1")
        lines = lines or [""]
    return "\n".join(lines)


def damage_hdf5(path, source):
    """Attributes, datasets and links in the place of others, by HDF5's own functions."""
    with h5py.File(path, "r+", locking=False) as file:
        for _ in range(source.choice([1, 1, 2, 4])):
            objects = ["/"]
            file.visit(objects.append)
            name = source.choice(objects)
            thing = file[name]
            try:
                if len(thing.attrs) and source.random() < 0.4:
                    attribute = source.choice(list(thing.attrs))
                    del thing.attrs[attribute]
                    value = source.choice([None, float("nan"), 1e300, -1, "x" * 1000, numpy.zeros(4000), b"\xff\xfe"])
                    if value is not None:
                        thing.attrs.create(attribute, value)
                elif name != "/":
                    replace_object(file, name, source)
            except (KeyError, MemoryError, OSError, RuntimeError, TypeError, ValueError):
                pass  # HDF5 does not make such a file


def replace_object(file, name, source):
    del file[name]
    kind = source.randrange(6)
    if kind == 0:
        return
    if kind == 1:
        file[name] = h5py.SoftLink("/" if source.random() < 0.5 else name)
    elif kind == 2:
        file[name] = h5py.ExternalLink("other.h5", "/")
    else:
        shape = tuple(source.choice(EXTENTS) for _ in range(source.randrange(4)))
        options = {}
        if shape and source.random() < 0.7:
            options = {"chunks": tuple(max(1, min(n, source.choice([1, 7, 1024, 1 << 20]))) for n in shape),
                       "compression": source.choice([None, "gzip"]), "shuffle": source.random() < 0.5}
        elif shape and source.random() < 0.3:
            options = {"external": [("/proc/self/exe", 0, h5py.h5f.UNLIMITED)]}
        dataset = file.create_dataset(name, shape, source.choice(TYPES), **options)
        if "chunks" in options and numpy.prod([float(n) / c for n, c in zip(shape, options["chunks"])]) < 1e5:
            dataset.id.write_direct_chunk((0,) * len(shape), bytes(source.randrange(1, 8192)))


class Inputs:
    """Good files, and how each run damages one."""

    def __init__(self, build, folder):
        self.haptic, self.hapticd = str(build / "host/cli/haptic"), str(build / "rt/hapticd/hapticd")
        self.rebuild = str(build / "tests/support/rebuild_model_hashes")
        self.good = folder / "good"
        self.good.mkdir()
        (self.good / "tool.toml").write_text(BALL_RECIPE)
        (self.good / "scene.toml").write_text(PRESS)
        (self.good / "hand.csv").write_text(HAND)
        for arguments in (("mesh", "sphere", "--length", "0.03", "-o", "tool.obj"), ("bake", "tool.toml", "-o", "tool.h5"),
                          ("simulate", "scene.toml", "--seconds", "0.05", "-o", "log.h5")):
            done = run(self.haptic, *arguments, cwd=self.good)
            if done.returncode != 0:
                sys.exit(f"through_programs: {done.stderr}")
        self.in_format_of_daemon(self.good / "log.h5", folder / "checked.h5")

    @staticmethod
    def in_format_of_daemon(log, copy):
        """With checksums, as a log that is read while it is written."""
        with h5py.File(log) as old, h5py.File(copy, "w", libver=("v110", "v110")) as new:
            def add(name):
                thing, made = old[name], new
                if isinstance(thing, h5py.Dataset):
                    made = new.create_dataset(name, data=thing[()], dtype=thing.dtype, chunks=thing.chunks,
                                              maxshape=thing.maxshape, shuffle=thing.shuffle, compression=thing.compression)
                elif name != "/":
                    made = new.create_group(name)
                for key, value in thing.attrs.items():
                    made.attrs.create(key, value, dtype=thing.attrs.get_id(key).dtype)
            add("/")
            old.visit(add)

    def damage_log(self, folder, source):
        path = folder / "log.h5"
        shutil.copy(self.good / "log.h5" if source.random() < 0.5 else self.good.parent / "checked.h5", path)
        if source.random() < 0.6:
            damage_hdf5(path, source)
        kind = source.random()
        if kind < 0.6:
            damage = damage_bytes if kind < 0.3 else hdf5_metadata.damage
            path.write_bytes(damage(path.read_bytes(), source))

    def damage_model(self, folder, source):
        path = folder / "tool.h5"
        damage = damage_bytes if source.random() < 0.6 else hdf5_metadata.damage
        path.write_bytes(damage((self.good / "tool.h5").read_bytes(), source))
        if source.random() < 0.7:
            subprocess.run([self.rebuild, str(path)], capture_output=True, check=False)

    def damage_scene(self, folder, source):
        (folder / "scene.toml").write_text(damage_text(PRESS, source), errors="surrogateescape")

    def commands(self, name):
        """{program: [(how to damage, arguments)]}"""
        haptic = [(self.damage_log, ("export", "log.h5", "-o", "x.csv")), (self.damage_log, ("export", "log.h5", "-o", "x.parquet")),
                  (self.damage_log, ("replay", "log.h5")), (self.damage_log, ("diff", "log.h5", str(self.good / "log.h5"))),
                  (self.damage_log, ("report", "log.h5", "-o", "r.html")), (self.damage_log, ("plot", "log.h5", "-o", "p.png")),
                  (self.damage_model, ("verify", "tool.h5")), (self.damage_model, ("inspect", "tool.h5")),
                  (self.damage_model, ("simulate", "scene.toml", "--seconds", "0.01", "-o", "x.h5")),
                  (self.damage_scene, ("simulate", "scene.toml", "--seconds", "0.01", "-o", "x.h5"))]
        daemon = ("--scene", "scene.toml", "--cycles", "3", "--name", name)
        return {self.haptic: haptic, self.hapticd: [(self.damage_model, daemon), (self.damage_scene, daemon)]}


def measured(command, folder):
    """@returns exit code, largest memory [MB], time [s], standard error; code None: stopped after LONGEST_S"""
    begin = time.monotonic()
    with open(folder / "said", "wb") as said:
        process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said)
    watch = threading.Timer(LONGEST_S, process.kill)
    watch.start()
    _, status, usage = os.wait4(process.pid, 0)
    watch.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.monotonic() - begin
    code = None if seconds >= LONGEST_S else process.returncode
    return code, usage.ru_maxrss / 1024, seconds, (folder / "said").read_text(errors="replace")


def attempt(inputs, folder, program, number, seed):
    source = random.Random(f"{seed} {program.rsplit('/', 1)[1]} {number}")
    own = folder / f"{threading.get_ident()}"
    shutil.rmtree(own, ignore_errors=True)
    shutil.copytree(inputs.good, own)
    commands = inputs.commands(f"fuzz-{os.getpid()}-{threading.get_ident()}")[program]
    damage, arguments = commands[number % len(commands)]
    damage(own, source)
    code, megabytes, seconds, said = measured([program, *arguments], own)
    wrong = []
    if code not in (0, 1, 2):
        wrong.append("does not end" if code is None else f"ends with {code}")
    if megabytes > LARGEST_MB:
        wrong.append(f"takes {megabytes:.0f} MB")
    refusals = [line for line in said.splitlines() if not line.startswith("haptic: warning: ")]
    if program == inputs.haptic and code == 2 and len(refusals) != 1:
        wrong.append(f"refuses in {len(refusals)} lines")
    if wrong:
        kept = pathlib.Path(tempfile.mkdtemp(prefix="haptic-through-"))
        shutil.copytree(own, kept, dirs_exist_ok=True)
        wrong = [f"{program.rsplit('/', 1)[1]} {' '.join(arguments)} {', '.join(wrong)}; input {number} in {kept}: {said[-300:]}"]
    return code, megabytes, seconds, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=10000, help="of each program")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    options = parser.parse_args()
    findings = []
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        inputs = Inputs(options.build.resolve(), pathlib.Path(name))
        for program in (inputs.haptic, inputs.hapticd):
            codes, largest, longest = collections.Counter(), 0.0, 0.0
            for code, megabytes, seconds, wrong in pool.map(
                    lambda n, p=program: attempt(inputs, pathlib.Path(name), p, n, options.seed), range(options.runs)):
                codes[code] += 1
                largest, longest = max(largest, megabytes), max(longest, seconds)
                findings += wrong
            counts = ", ".join(f"{count} ended with {code}" for code, count in sorted(codes.items(), key=str))
            print(f"{program.rsplit('/', 1)[1]}: {options.runs} inputs: {counts}; at most {largest:.0f} MB, {longest:.1f} s",
                  flush=True)
    for finding in findings:
        print(f"through_programs: {finding}", file=sys.stderr)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
