#!/usr/bin/env python3
"""Runs one of ./dev's commands on this tree in a bare Debian, as on a new machine with a fresh clone.

Usage: in_root.py [--fresh] SUITE COMMAND [ARGUMENT ...], as root. `./dev root` runs it.

The root is the smallest system of the release: ./dev installs what it needs. It is kept in build/roots with everything
installed and built in it until --fresh removes it; the sources are the files of this tree that git tracks or would add.
"""
import argparse
import filecmp
import pathlib
import shutil
import subprocess
import sys
import time

from debian_root import DebianRoot, enter_mount_namespace

TREE = pathlib.Path(__file__).resolve().parent.parent.parent
INSIDE = "hapticd"  # the tree's folder in the root


def copy_sources(root):
    """Copies the files of the tree; keeps only what was built there before."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=TREE, check=True,
                            capture_output=True, text=True).stdout
    wanted = {name for name in listed.split("\0") if name and (TREE / name).is_file()}
    inside = root.path / INSIDE
    inside.mkdir(exist_ok=True)
    record = root.path / "var/lib/hapticd-sources"
    for gone in set(record.read_text().split("\n")) - wanted if record.exists() else ():
        if gone:
            (inside / gone).unlink(missing_ok=True)
    for name in wanted:
        source, target = TREE / name, inside / name
        mode = source.stat().st_mode
        if target.exists() and target.stat().st_mode == mode and filecmp.cmp(source, target, shallow=False):
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)  # with the present time: newer than what was built from the file before
    record.write_text("\n".join(sorted(wanted)))


def main():
    parser = argparse.ArgumentParser(prog="./dev root", usage="./dev root [--fresh] SUITE COMMAND [ARGUMENT ...]")
    parser.add_argument("--fresh", action="store_true", help="begin with an empty root")
    parser.add_argument("suite", choices=["bookworm", "trixie"], metavar="SUITE", help="bookworm or trixie")
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="COMMAND")
    options = parser.parse_args()
    if not options.command:
        parser.error("a command is missing, for example: ./dev root trixie demo")
    enter_mount_namespace()
    cache = TREE / "build/roots"
    if options.fresh:
        for old in cache.glob(f"root-{options.suite}-*"):
            shutil.rmtree(old)
    root = DebianRoot(cache, options.suite, keep=True)
    try:
        shutil.copy("/etc/resolv.conf", root.path / "etc/resolv.conf")
        # Programs ask it for the processors (hwloc complains without) and for huge pages.
        subprocess.run(["mount", "-t", "sysfs", "-o", "ro", "sysfs", root.path / "sys"], check=True)
        copy_sources(root)
        before = time.monotonic()
        code = subprocess.run(["chroot", root.path, "sh", "-c", f"cd /{INSIDE} && exec ./dev \"$@\"", "dev", *options.command],
                              cwd="/", stdin=subprocess.DEVNULL, env=root.ENVIRONMENT).returncode
        print(f"{options.suite}: ./dev {' '.join(options.command)}: exit code {code} after "
              f"{time.monotonic() - before:.0f} s; its files are in {root.path / INSIDE}")
    finally:
        root.close()
    return code


if __name__ == "__main__":
    sys.exit(main())
