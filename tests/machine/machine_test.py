#!/usr/bin/env python3
"""Boots the emulated PREEMPT_RT machine once per case and judges what it reports.

Usage: machine_test.py [--guest FOLDER] [--build FOLDER] [--packages FOLDER] [--trials N] [--jobs N] [--part K] [CASE ...]

A case is a script in guest/, run as root by the guest's init system. It passes only if QEMU ends
with 1 (the guest wrote 0 to its exit port), the report says 0, and the log ends with the case's own
last line: a guest that panics, hangs, powers off or loses its script passes none of the three
together (README.md, "Parts and cases"). Logs, journals, consoles and verdicts stay in
out/machine/runs/CASE, the table of the whole run in out/machine/summary.txt.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
TREE = HERE.parent.parent
PROGRAMS = ["tests/machine/falcon_gadget", "tests/machine/daq_gadget", "tests/machine/gadget_show",
            "tests/machine/board_probe", "tests/machine/safety_trials",
            "tests/machine/telemetry_value", "tests/machine/daemon_command"]
# Wall-clock limit of a boot and its case [s], and more for every trial of each of three kinds: only
# against machines that hang, on hosts that are busy.
LIMIT = 900
LIMIT_PER_TRIAL = 3 * 15
PARTS = 3
# Copied where the build has them; cases that need them say so when it has not.
DAEMON = ["rt/hapticd/hapticd", "rt/guard/hapticd-guard"]


def all_cases():
    return sorted(p.stem for p in (HERE / "guest").glob("[0-9]*.sh"))


def find_case(name):
    found = [c for c in all_cases() if c == name or c.split("_", 1)[1] == name]
    if not found:
        sys.exit(f"machine_test.py: no case '{name}' (there are: {', '.join(all_cases())})")
    return found[0]


def fill_share(share, case, arguments):
    """What the guest sees in /mnt/host: scripts, programs, packages, settings, and a place for results."""
    (share / "out").mkdir(parents=True)
    shutil.copytree(HERE / "guest", share / "guest")
    (share / "bin").mkdir()
    for program in PROGRAMS:
        shutil.copy(arguments.build / program, share / "bin")
    for program in DAEMON:
        if (arguments.build / program).exists():
            shutil.copy(arguments.build / program, share / "bin")
    shutil.copytree(arguments.models, share / "models")
    (share / "packages").mkdir()
    for package in arguments.package:
        shutil.copy(package, share / "packages")
        if package.name.startswith("hapticd_"):
            raise_version(package, share / "packages")
    shutil.copytree(TREE / "firmware-config", share / "firmware-config")
    (share / "settings.sh").write_text(f"TRIALS={arguments.trials}\n")
    (share / "run.sh").write_text(
        f"export CASE={case}\ncd /mnt/host/guest\n. /mnt/host/settings.sh\n. ./lib.sh\n. ./{case}.sh\n"
        'echo "end of $CASE"\n')


def raise_version(package, folder):
    """The same package once more, as its next version: what an upgrade is tried with."""
    work = folder / "next"
    subprocess.run(["dpkg-deb", "-R", package, work], check=True)
    control = work / "DEBIAN/control"
    lines = control.read_text().splitlines()
    version = next(line.split()[1] for line in lines if line.startswith("Version:"))
    control.write_text("\n".join(f"Version: {version}+next" if line.startswith("Version:") else line
                                 for line in lines) + "\n")
    subprocess.run(["dpkg-deb", "--root-owner-group", "-b", work,
                    folder / package.name.replace(version, f"{version}+next")], check=True, stdout=subprocess.DEVNULL)
    shutil.rmtree(work)


def bake_models(haptic, folder):
    """The ball of guest/scene.toml."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copy(HERE / "guest/ball.toml", folder)
    for words in (["mesh", "sphere", "--length", "0.02", "-o", "ball.obj"], ["bake", "ball.toml", "-o", "ball.h5"]):
        subprocess.run([haptic.resolve(), *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def boot(guest, folder, limit):
    """One run of QEMU; its exit code (124: it outlived its limit)."""
    command = ["qemu-system-x86_64", "-M", "pc", "-accel", "tcg,thread=single", "-cpu", "max", "-m", "1536",
               "-smp", "1", "-icount", "shift=0,sleep=off", "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
               "-kernel", guest / "vmlinuz", "-initrd", guest / "initrd.cpio",
               "-serial", f"file:{folder / 'console.log'}",
               "-append", "console=ttyS0 quiet loglevel=4 panic=-1 tsc=reliable clocksource=tsc",
               "-drive", f"file={guest / 'root.ext4'},if=virtio,format=raw,snapshot=on",
               "-virtfs", f"local,path={folder / 'share'},mount_tag=host,security_model=none",
               "-device", "isa-debug-exit,iobase=0x501,iosize=2", "-device", "virtio-rng-pci"]
    with open(folder / "qemu.log", "wb") as log:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            return process.wait(timeout=limit)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return 124


def run_case(case, arguments):
    folder = TREE / "out/machine/runs" / case
    shutil.rmtree(folder, ignore_errors=True)
    fill_share(folder / "share", case, arguments)
    start = time.monotonic()
    code = boot(arguments.guest, folder, LIMIT + LIMIT_PER_TRIAL * arguments.trials)
    seconds = time.monotonic() - start
    out = folder / "share/out"
    log = (out / "log.txt").read_text(errors="replace") if (out / "log.txt").exists() else ""
    report = (out / "rc").read_text().split() if (out / "rc").exists() else []
    lines = log.splitlines()
    skipped = next((line for line in lines if line.startswith("SKIP ")), None)
    complaints = []
    if code != 1:
        complaints.append(f"QEMU ended with {code}, not 1")
    if report[:1] != ["0"]:
        complaints.append(f"report {' '.join(report) or 'absent'}")
    if lines[-1:] != [f"end of {case}"]:
        complaints.append("the log lacks its last line")
    said = [f"    {line}" for line in lines]
    if complaints:
        for name in ("share/out/journal.txt", "console.log", "qemu.log"):
            if (folder / name).exists():
                tail = (folder / name).read_text(errors="replace").splitlines()[-40:]
                said += [f"  --- {name}", *(f"    {line}" for line in tail)]
    verdict = "FAILED: " + "; ".join(complaints) if complaints else "skipped" if skipped else "passed"
    said.append(f"machine {case}: {verdict} ({seconds:.0f} s wall)")
    (folder / "verdict.txt").write_text(said[-1] + "\n")
    print("\n".join(said), flush=True)
    return Verdict(case, verdict, seconds, log)


class Verdict:
    """What became of one case, and the figures in its log."""

    TRIALS = re.compile(r"^(\w+) \((.*)\) until zero, (\d+) trials \[ms\]: min \S+ +p50 (\S+) +p90 \S+ +p95 (\S+)"
                        r" +max ([0-9.]+); within 20 ms: (\d+)", re.MULTILINE)
    CYCLICTEST = re.compile(r"cyclictest.*Max: *(\d+)")
    GUEST_TIME = re.compile(r"^\[([0-9.]+)\]", re.MULTILINE)

    def __init__(self, case, verdict, seconds, log):
        self.case, self.verdict, self.seconds, self.log = case, verdict, seconds, log
        self.failed = verdict.startswith("FAILED")

    def rows(self):
        guest = self.GUEST_TIME.findall(self.log)
        lateness = self.CYCLICTEST.findall(self.log)
        yield (f"{self.case:<16} {self.verdict.split(':')[0]:<8} {guest[-1] if guest else '-':>8} {self.seconds:>7.0f}"
               f" {lateness[-1] if lateness else '-':>12}")
        for action, outputs, trials, median, p95, longest, within in self.TRIALS.findall(self.log):
            yield f"    {action + ' (' + outputs + ')':<36} {trials:>6} {median:>7} {p95:>7} {longest:>7} {within:>13}"


def table(verdicts):
    yield "case             verdict   guest s  wall s  late max us"
    yield f"    {'until zero [ms]':<36} {'trials':>6} {'p50':>7} {'p95':>7} {'max':>7} {'within 20 ms':>13}"
    for verdict in verdicts:
        yield from verdict.rows()
    failed = [v.case for v in verdicts if v.failed]
    yield (f"machine: {len(verdicts) - len(failed)} of {len(verdicts)} cases passed"
           + (f"; failed: {', '.join(failed)}" if failed else ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--guest", type=pathlib.Path, help="as printed by build_guest.sh (default: build it)")
    parser.add_argument("--build", type=pathlib.Path, default=TREE / "build/release")
    parser.add_argument("--haptic", type=pathlib.Path, help="bakes the models (default: of the build)")
    parser.add_argument("--packages", type=pathlib.Path, default=TREE / "out/packages")
    parser.add_argument("--trials", type=int, default=100, help="kills, stops and unplugs each (default 100)")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)),
                        help="machines at a time; each takes one processor (default: as many as there are)")
    parser.add_argument("--part", type=int, choices=range(1, PARTS + 1), help=f"every {PARTS}rd case, from this one on")
    parser.add_argument("cases", metavar="CASE", nargs="*")
    arguments = parser.parse_args()
    cases = [find_case(c) for c in arguments.cases] or all_cases()
    if arguments.part:
        cases = cases[arguments.part - 1::PARTS]
    arguments.package = sorted(p for p in arguments.packages.glob("*.deb")
                               if p.name.startswith(("hapticd_", "haptic-tools_")))
    if not arguments.guest:
        built = subprocess.run([HERE / "build_guest.sh", *arguments.package], stdout=subprocess.PIPE, text=True)
        if built.returncode != 0:
            return 1
        arguments.guest = pathlib.Path(built.stdout.strip())
    arguments.models = TREE / "out/machine/models"
    bake_models(arguments.haptic or arguments.build / "host/cli/haptic", arguments.models)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        # The longest first: the others run in parallel with them.
        order = sorted(cases, key=lambda case: (not case.endswith("_trials"), case))
        running = {case: pool.submit(run_case, case, arguments) for case in order}
        verdicts = [running[case].result() for case in cases]
    summary = "\n".join(table(verdicts)) + "\n"
    (TREE / "out/machine/summary.txt").write_text(summary)
    print(summary, end="")
    return 1 if any(v.failed for v in verdicts) else 0


if __name__ == "__main__":
    sys.exit(main())
