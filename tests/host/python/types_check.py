"""Type hints of the package and its examples by mypy --strict; exit code 77, skipped, where it is not installed.

Usage: types_check.py FOLDER, which has the package hapticd
"""
import importlib.util
import subprocess
import sys
import tempfile

if importlib.util.find_spec("mypy") is None:
    print("skipped: python3-mypy not installed")
    sys.exit(77)
with tempfile.TemporaryDirectory() as cache:
    sys.exit(subprocess.run([sys.executable, "-m", "mypy", "--strict", f"--cache-dir={cache}", "-p", "hapticd"],
                            cwd=sys.argv[1]).returncode)
