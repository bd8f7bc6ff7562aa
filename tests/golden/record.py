"""A record of what the programs produced: a JSON file with one line for each entry, sorted."""
import hashlib
import json
import os
import pathlib
import platform
import re
import subprocess

FOLDER = pathlib.Path(__file__).resolve().parent
# Kernels of one instruction set, in our loops and in BLAS, on one thread; `one_processor` is TBB's single thread.
PINNED = {"HAPTIC_SIMD": "avx2", "OPENBLAS_CORETYPE": "Haswell", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
LIBRARIES = r"/lib(?:blas|lapack|openblas|cholmod|embree\d|tbb|openvdb|fmt|tomlplusplus)\.so\S*"


def one_processor():
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def platform_of(*programs):
    """Compiler, libraries, and what Embree chooses its kernels by: what may change the last bits of a number or the text
    of a message."""
    libraries, compilers = set(), set()
    for program in programs:
        listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
        libraries |= {pathlib.Path(file).resolve().name for file in re.findall(r"=> (\S+)", listed)
                      if re.search(LIBRARIES, file)}
        text = pathlib.Path(program).read_bytes()
        compilers |= set(re.findall(rb"GCC: \(([^)]*)\)|(clang version [\d.]+)", text))
    return {"compilers": sorted(b"".join(names).decode() for names in compilers), "libc": " ".join(platform.libc_ver()),
            "libraries": sorted(libraries),
            "processor": "avx512" if "avx512f" in pathlib.Path("/proc/cpuinfo").read_text() else "avx2"}


def short_hash(data):
    return hashlib.sha256(data).hexdigest()[:16]


def read(name):
    return json.loads((FOLDER / name).read_text())


def write(name, entries):
    """One line an entry, so that a difference names what has changed."""
    lines = (f" {json.dumps(key, ensure_ascii=False)}: {json.dumps(value, ensure_ascii=False)}"
             for key, value in sorted(entries.items()))
    (FOLDER / name).write_text("{\n" + ",\n".join(lines) + "\n}\n")
