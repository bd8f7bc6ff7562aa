#!/usr/bin/env python3
"""`haptic report` of each kind of world, and of a log whose texts want to be markup.

Usage: report_test.py HAPTIC [unittest arguments]
"""
import base64
import html.parser
import pathlib
import re
import sys

import h5py

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from hostile_log import HOSTILE, hostile_log  # noqa: E402
from three_worlds import HAPTIC, ThreeWorlds, main  # noqa: E402

class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.images, self.texts = [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        for name, value in attributes:
            assert not name.startswith("on"), (tag, name)
            assert name not in ("src", "href") or value.startswith("data:image/"), value[:40]
        if tag == "img":
            self.images.append(dict(attributes)["src"])

    def handle_data(self, data):
        self.texts.append(data)


class Reports(ThreeWorlds):
    def page(self, log, name="r.html"):
        self.must(HAPTIC, "report", log, "-o", name)
        return Page((self.folder / name).read_text())

    def test_a_page_has_figures_pictures_and_plots(self):
        for kind, log in self.each_world():
            page = self.page(log)
            self.assertNotIn("script", page.tags)
            self.assertEqual(page.tags.count("figure"), page.tags.count("figcaption"))
            self.assertGreaterEqual(page.tags.count("figure"), 1)
            pngs = [image for image in page.images if image.startswith("data:image/png;base64,")]
            self.assertEqual(len(pngs), page.tags.count("figure"))
            for png in pngs:
                self.assertEqual(base64.b64decode(png.split(",")[1], validate=True)[:8], b"\x89PNG\r\n\x1a\n")
            svg = base64.b64decode(page.images[-1].split(",")[1], validate=True).decode()
            self.assertIn("hand force [N]", svg)
            with h5py.File(log) as file:
                largest = abs(file["samples/device_force_N"][:]).max()
            text = " ".join(page.texts)
            shown = float(re.search(r"device_force\.norm\s+([0-9.e+-]+)", text).group(1))
            self.assertGreaterEqual(shown, largest * (1 - 1e-4))  # five digits
            self.assertLessEqual(shown, largest * 1.7321)         # the norm of three axes

    def test_texts_of_the_log_are_text_and_a_missing_model_is_said(self):
        page = self.page(hostile_log(self.folder, self.logs["solids"]), "hostile.html")
        self.assertNotIn("script", page.tags)
        self.assertNotIn("figure", page.tags)
        self.assertIn(HOSTILE, page.texts)
        self.assertIn("No picture: ", " ".join(page.texts))

    def test_what_cannot_be_written_is_one_line(self):
        log = self.logs["solids"]
        self.assertIn("must end in .html", self.refused(2, HAPTIC, "report", log, "-o", "r.txt"))
        self.assertIn("no folder", self.refused(2, HAPTIC, "report", log, "-o", "nowhere/r.html"))
        (self.folder / "cut.h5").write_bytes(log.read_bytes()[:9000])
        self.assertIn("cut.h5: ", self.refused(2, HAPTIC, "report", "cut.h5", "-o", "cut.html"))
        self.assertFalse((self.folder / "cut.html").exists())


if __name__ == "__main__":
    main()
