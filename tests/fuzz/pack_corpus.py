#!/usr/bin/env python3
"""Packs the corpus of a fuzz run: a small set of inputs that together reach every edge.

Usage: pack_corpus.py PROGRAM OUT, after `./dev fuzz` wrote OUT (out/fuzz); writes corpus/<target>.zip in the folder of this
file, with the same bytes for the same inputs. Existing entries are included in the selection; an entry named
regression-* is always kept.
"""
import hashlib
import pathlib
import subprocess
import sys
import tempfile
import zipfile


def pack(program, out):
    target = program.name.removeprefix("fuzz_")
    archive = pathlib.Path(__file__).parent / f"corpus/{target}.zip"
    kept = {}
    if archive.exists():
        with zipfile.ZipFile(archive) as old:
            kept = {name: old.read(name) for name in old.namelist() if name.startswith("regression-")}
    with tempfile.TemporaryDirectory() as folder:
        sources = [path for path in (out / "corpus" / target, out / "seeds" / target) if path.is_dir()]
        # Greedy set cover over edges without hit counts, which gives a tenth of the files.
        subprocess.run([program, "-set_cover_merge=1", "-use_counters=0", "-max_len=16384", folder, *sources],
                       check=True, capture_output=True)
        for path in pathlib.Path(folder).iterdir():
            data = path.read_bytes()
            kept.setdefault(hashlib.sha256(data).hexdigest()[:16], data)
    archive.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as new:
        for name, data in sorted(kept.items()):
            new.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED, 9)
    print(f"{target}: {len(kept)} inputs, {archive.stat().st_size} bytes")


if __name__ == "__main__":
    pack(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]))
