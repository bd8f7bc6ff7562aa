"""Type hints of the package and its examples by mypy --strict; exit code 77, skipped, where it is not installed.

Usage: types_check.py FOLDER, which has the package hapticd
"""
import importlib.util
import pathlib
import subprocess
import sys
import tempfile

if importlib.util.find_spec("mypy") is None:
    print("skipped: python3-mypy not installed")
    sys.exit(77)
with tempfile.TemporaryDirectory() as folder:
    # Debian's h5py has no type hints.
    (pathlib.Path(folder) / "mypy.ini").write_text("[mypy]\nstrict = True\n[mypy-h5py.*]\nignore_missing_imports = True\n")
    sys.exit(subprocess.run([sys.executable, "-m", "mypy", f"--config-file={folder}/mypy.ini", f"--cache-dir={folder}",
                             "-p", "hapticd"], cwd=sys.argv[1]).returncode)
