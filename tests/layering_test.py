#!/usr/bin/env python3
"""The direction of dependency is host -> rt -> shared, in includes and in what hapticd links."""
import pathlib
import re
import subprocess
import sys

ALLOWED = {"shared": {"shared"}, "rt": {"rt", "shared"}, "host": {"host", "rt", "shared"}}
FORBIDDEN_IN_DAEMON = re.compile(r"hdf5|libGL|libEGL|epoxy|libpng|assimp|embree|openvdb|cholmod|libmpi|open-rte", re.I)


def wrong_includes(root: pathlib.Path) -> list[str]:
    found = []
    for layer, allowed in ALLOWED.items():
        for path in sorted((root / layer).rglob("*")):
            if path.suffix not in (".h", ".cpp"):
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                match = re.match(r'\s*#\s*include\s*["<](shared|rt|host|tests|bench)/', line)
                if match and match.group(1) not in allowed:
                    found.append(f"{path.relative_to(root)}:{number}: {line.strip()}")
    return found


def wrong_libraries(daemon: str) -> list[str]:
    output = subprocess.run(["ldd", daemon], check=True, capture_output=True, text=True).stdout
    return [line.strip() for line in output.splitlines() if FORBIDDEN_IN_DAEMON.search(line)]


if __name__ == "__main__":
    problems = wrong_includes(pathlib.Path(sys.argv[1]))
    if len(sys.argv) > 2:
        problems += wrong_libraries(sys.argv[2])
    print("\n".join(problems) or "the layering holds")
    sys.exit(1 if problems else 0)
