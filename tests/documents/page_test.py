#!/usr/bin/env python3
"""Runs the commands of a page: its `sh` blocks in their order, in one fresh folder, with haptic and hapticd on the PATH.

Usage: page_test.py TREE HAPTIC HAPTICD PAGE    runs the page (a path in the tree)
       page_test.py TREE                        checks the tags of every page's blocks, runs nothing

The folder has a copy of scenes/ without baked models. What a block needs beside it:

    ```sh                  is run; the page fails if a command of it fails
    ```sh needs=WORD       is not run: root, device, display, terminal, network, hours or machine
    ```toml file=NAME      is written to NAME where it stands in the page (also json, csv)

A block without a tag must not have commands.
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

TREE = pathlib.Path(sys.argv[1]).resolve()
EXCUSES = ("root", "device", "display", "terminal", "network", "hours", "machine")
COMMAND = re.compile(r"^\s*(haptic [a-z]|hapticd -|scenes/bake|build/release/\S+ |apt(-get)? |sudo |python3 )", re.M)
SECONDS = 280  # below the limit of the test, so that it can say where the page stands


def blocks(text):
    """(line, tag, body) of every fenced block."""
    found = re.finditer(r"^```([^\n`]*)\n(.*?)^```[ \t]*$", text, re.M | re.S)
    return [(text[:m.start()].count("\n") + 1, m[1].strip(), m[2]) for m in found]


def commands(body):
    joined = re.sub(r"\\\n", " ", body)
    return [line for line in joined.splitlines() if line.strip() and not line.lstrip().startswith("#")]


def wrong_tags(name, text):
    wrong = []
    for line, tag, body in blocks(text):
        words = tag.split()
        if not words and COMMAND.search(body):
            wrong.append(f"{name}:{line}: a block with commands and without a tag (sh, or sh needs=WORD)")
        if words[:1] == ["sh"] and words[1:] and (len(words) > 2 or words[1].removeprefix("needs=") not in EXCUSES):
            wrong.append(f"{name}:{line}: found ```{tag}, expected ```sh or ```sh needs= one of {', '.join(EXCUSES)}")
    return wrong


def pages():
    """Every page in git that has blocks."""
    listed = subprocess.run(["git", "-C", TREE, "ls-files", "*.md"], capture_output=True, text=True)
    names = listed.stdout.split() if listed.returncode == 0 else []
    return names or [str(p.relative_to(TREE)) for folder in ("docs", "scenes", "bench", "tests")
                     for p in (TREE / folder).rglob("*.md")] + ["README.md"]


def check_tags():
    # The check can fail.
    assert wrong_tags("x", "```\nhaptic status\n```\n") and wrong_tags("x", "```sh needs=luck\nhaptic status\n```\n")
    assert not wrong_tags("x", "```sh needs=device\nhaptic home\n```\n```\nhaptic: an error\n```\n")
    wrong, run, excused = [], 0, {}
    for name in pages():
        text = (TREE / name).read_text()
        wrong += wrong_tags(name, text)
        for _, tag, body in blocks(text):
            if tag == "sh":
                run += len(commands(body))
            elif tag.startswith("sh needs="):
                why = tag.removeprefix("sh needs=")
                excused[why] = excused.get(why, 0) + len(commands(body))
    print("\n".join(wrong))
    print(f"{run} commands are run, {sum(excused.values())} are excused {excused}")
    return 1 if wrong else 0


def script_of(name, text):
    """The page as one script, and the number of its commands."""
    lines, count = ["set -eo pipefail"], 0
    for line, tag, body in blocks(text):
        if tag == "sh":
            lines += [f"echo '@@ {name}:{line}'", body]
            count += len(commands(body))
        elif written := re.fullmatch(r"\w+ file=([\w./-]+)", tag):
            lines.append(f"cat > {written[1]} <<'END_OF_BLOCK'\n{body}END_OF_BLOCK")
    return "\n".join(lines) + "\n", count


def run_page(name, programs):
    script, count = script_of(name, (TREE / name).read_text())
    if count == 0:
        print(f"{name}: no commands to run")
        return 1
    folder = pathlib.Path(tempfile.mkdtemp(prefix="haptic-page-"))
    try:
        shutil.copytree(TREE / "scenes", folder / "scenes",
                        ignore=shutil.ignore_patterns("*.h5", "*.bake", "*.obj", "__pycache__"))
        (folder / "run").mkdir(mode=0o700)
        (folder / "run" / "bin").mkdir()
        (folder / "run" / "bin" / "python3").symlink_to(sys.executable)  # Debian's, which knows its packages
        path = ":".join(str(p) for p in [folder / "run" / "bin", *(pathlib.Path(p).resolve().parent for p in programs)])
        environment = dict(os.environ, PATH=f"{path}:{os.environ['PATH']}", HOME=str(folder),
                           XDG_RUNTIME_DIR=str(folder / "run"))
        environment.pop("RUNTIME_DIRECTORY", None)
        with open(folder / "output", "w+") as output:
            shell = subprocess.Popen(["bash", "-c", script], cwd=folder, stdin=subprocess.DEVNULL, stdout=output,
                                     stderr=output, env=environment, start_new_session=True)
            try:
                code = shell.wait(SECONDS)
            except subprocess.TimeoutExpired:
                code = "no end"
            finally:  # the shell and the daemons that the page has started
                try:
                    os.killpg(shell.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
                shell.wait()
            output.seek(0)
            said = output.read()
        if code != 0:
            places = re.findall(r"^@@ (.*)$", said, re.M)
            print(f"{said[-4000:]}\n{places[-1] if places else name}: a command of this block failed ({code})")
            return 1
        print(f"{name}: {count} commands run")
        return 0
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(check_tags() if len(sys.argv) == 2 else run_page(sys.argv[4], sys.argv[2:4]))
