#!/usr/bin/env python3
"""The pages of `haptic report` in a browser.

Usage: report_browser_test.py HAPTIC [unittest arguments]. Exit code 77 where chromium is not installed.
"""
import pathlib
import shutil
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from hostile_log import hostile_log  # noqa: E402
from three_worlds import HAPTIC, SKIPPED, ThreeWorlds, main  # noqa: E402

CHROMIUM = shutil.which("chromium")
if CHROMIUM is None:
    print("skipped: chromium not installed")
    sys.exit(SKIPPED)


class Browser(ThreeWorlds):
    def test_in_chromium_nothing_runs_and_the_console_is_empty(self):
        self.must(HAPTIC, "report", self.logs["condensed"], "-o", "r.html")
        self.must(HAPTIC, "report", hostile_log(self.folder, self.logs["solids"]), "-o", "hostile.html")
        for name in ("r.html", "hostile.html"):
            done = subprocess.run(
                [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--v=0",
                 f"--user-data-dir={self.folder / 'chromium'}", f"--screenshot={self.folder / 'page.png'}",
                 "--window-size=1300,3000", "--dump-dom", f"file://{self.folder / name}"],
                capture_output=True, text=True, timeout=120)
            self.assertNotIn("CONSOLE", done.stderr)
            self.assertNotIn("<title>owned", done.stdout)
            self.assertIn("<title>" + ("condensed.h5" if name == "r.html" else "hostile.h5"), done.stdout)
        # An empty page of this size is a picture of less than 20 kB.
        self.assertGreater((self.folder / "page.png").stat().st_size, 20000)


if __name__ == "__main__":
    main()
