"""pytest as a test of CTest: exit code 77, skipped, where it is not installed.

Usage: run_pytest.py FILE...
"""
import sys

try:
    import pytest
except ImportError:
    print("skipped: python3-pytest not installed")
    sys.exit(77)

sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", *sys.argv[1:]]))
