"""The programs under test: HAPTIC and HAPTICD in the environment; the package on PYTHONPATH (CMakeLists.txt)."""
import os
import pathlib
import sys

TESTS = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(TESTS / "support"))
sys.path.append(str(pathlib.Path(__file__).resolve().parent))
PROGRAMS = {"haptic": os.environ["HAPTIC"], "hapticd": os.environ["HAPTICD"]}
