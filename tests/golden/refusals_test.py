#!/usr/bin/env python3
"""Pins exit codes and messages of bad input: documents with one wrong key each, damaged files, wrong command lines.

Usage: refusals_test.py HAPTIC HAPTICD [--record]

refusals.json has a line for each case: exit code and what is written to standard error. A case "DOCUMENT: KEY = VALUE"
is the document of bad_documents.py with that key set; the others are command lines of bad_commands.py. With other
libraries than those of the record, the messages of the latter are not compared: some quote a library or the size of a
model. A key that is not recorded is not tried; --record takes every key that `haptic explain` describes. What
`explain` and --help print is left out: it is meant to change.
"""
import json
import os
import pathlib
import sys
import tempfile
import tomllib

import bad_commands
import bad_documents
import record

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from programs import run  # noqa: E402

PROGRAMS = {name: str(pathlib.Path(path).resolve()) for name, path in zip(("haptic", "hapticd"), sys.argv[1:3])}
RECORD = "refusals.json"


def run_case(folder, *words):
    """Exit code and standard error, the folder and the programs' paths replaced."""
    done = run(PROGRAMS[words[0]], *words[1:], cwd=folder)
    said = done.stderr.replace(str(folder), "FOLDER")
    for name, path in PROGRAMS.items():
        said = said.replace(path, name)
    return [done.returncode, said.removesuffix("\n")]


def try_key(folder, case):
    document, wrong = case.split(": ", 1)
    key, value = wrong.split(" = ", 1)
    made = bad_documents.changed(document, key, tomllib.loads(f"value = {value}")["value"])
    (folder / "bad.toml").write_text(bad_documents.toml(made))
    return run_case(folder, *bad_documents.READ_BY[document.split()[0]])


def described_keys():
    for document in bad_documents.READ_BY:
        done = run(PROGRAMS["haptic"], "explain", "--json", document)
        for row in json.loads(done.stdout)["keys"]:
            yield from bad_documents.wrong_values(document, row)


def main():
    with tempfile.TemporaryDirectory(prefix="haptic-refusals-") as name:
        folder = pathlib.Path(name)
        # Messages name no folder of this machine's user.
        os.environ.update(record.PINNED, LC_ALL="C", XDG_RUNTIME_DIR=name)
        bad_commands.prepare(folder, PROGRAMS["haptic"])
        for document in bad_documents.BASES:
            found = try_key(folder, f"{document}: {bad_documents.NOTHING} = 0")
            # A valid manifest of hardware that is not here ends with 1.
            assert found[0] == 0 or document.startswith("manifest ") and found[0] == 1, f"{document}: {found}"
        recording = "--record" in sys.argv
        recorded = {} if recording else record.read(RECORD)
        platform = record.platform_of(*PROGRAMS.values(), pathlib.Path(PROGRAMS["haptic"]).with_name("haptic-bake"))
        same = recorded.pop("", None) == platform
        found = {case: run_case(folder, *words) for case, words in bad_commands.CASES.items()}
        # Of a key that is right with any value, and of what only opening a device shows, nothing is recorded.
        keys = described_keys() if recording else (case for case in recorded if " = " in case)
        for case in keys:
            tried = try_key(folder, case)
            if not recording or tried[0] == 2:
                found[case] = tried
    accepted = [case for case, (code, _) in found.items() if code == 0]
    if recording:
        assert not accepted, accepted
        record.write(RECORD, {"": platform, **found})
        return 0
    if not same:
        for case in found.keys() & bad_commands.CASES.keys() & recorded.keys():
            found[case][1] = recorded[case][1]
    wrong = [f"{case}: {found.get(case)}\n  recorded {recorded.get(case)}"
             for case in sorted(found.keys() | recorded.keys()) if found.get(case) != recorded.get(case)]
    print("\n".join(wrong))
    print(f"{len(found)} refusals; {len(wrong)} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
