"""The blocks of docs/python.md run in the page's order in one folder: python in this process, sh in a shell."""
import os
import pathlib
import re
import subprocess

from conftest import PROGRAMS

PAGE = pathlib.Path(__file__).resolve().parents[3] / "docs/python.md"


def test_the_page_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", os.pathsep.join([*(str(pathlib.Path(p).parent) for p in PROGRAMS.values()),
                                                "/usr/bin", os.environ["PATH"]]))
    run = tmp_path / "run"  # the page's daemon has the name of everybody's
    run.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(run))
    blocks = re.findall(r"^```(\w+)([^\n]*)\n(.*?)^```$", PAGE.read_text(), re.M | re.S)
    assert {kind for kind, _, _ in blocks} == {"sh", "python"}
    names = {"__name__": "page"}
    try:
        for kind, need, text in blocks:
            if kind == "python":
                exec(compile(text, f"{PAGE.name}: {text.splitlines()[0]}", "exec"), names)
            elif "needs=" not in need:
                done = subprocess.run(["bash", "-euc", text], capture_output=True, text=True, timeout=300)
                assert done.returncode == 0, f"{text}: {done.stderr}"
    finally:
        pid = tmp_path / "daemon.pid"
        if pid.exists():
            subprocess.run(["kill", pid.read_text().strip()], capture_output=True)
