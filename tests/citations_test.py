#!/usr/bin/env python3
"""Every citation in code and documents leads to a page of this repository or to a publication in its lists of sources.

Usage: citations_test.py ROOT. Checked are
- pages: a mention of docs/NAME.md, with the headings ("Point tree") and the acceptance tests (tests 12 and 14) that
  follow it, and every relative link of a Markdown page;
- publications: author and year, in the sections "Sources" of docs/methods;
- sections, chapters and equations: they need a page or a publication shortly before them;
- works that a reader cannot open: "the thesis", "the spec", numbers of issues;
- tests: a page's mention of a file NAME_test of tests/, and of cases behind it (`name_test.cpp` `case`, `case`).
"""
import collections
import pathlib
import re
import sys
import tempfile
import unicodedata
import unittest

ROOT = pathlib.Path(sys.argv[1])
FOLDERS = ["shared", "rt", "host", "lab", "bench", "tests", "docs", "scenes", "firmware-config", "systemd", "udev",
           "packaging"]
SUFFIXES = {".h", ".cpp", ".py", ".md", ".toml", ".sh", ".service", ".rules", ".txt"}
NAME = r"[A-Z][\w'-]+"
OTHERS = rf",? (?:and|&) ({NAME})|,? ({NAME}),? (?:and|&) ({NAME})| et al\.?"
PUBLICATION = re.compile(rf"\b({NAME})(?:{OTHERS})?,? \(?((?:19|20)\d\d)\b(?![-.]\d)")
NO_AUTHORS = {"January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
              "November", "December", "Since", "In", "Before", "Measured", "Conference", "SIGGRAPH", "Copyright"}
PAGE = re.compile(r"\bdocs/[\w/.-]*?\.md\b(#[\w-]+)?((?:,? (?:and )?\"[^\"]{1,60}\")*)"
                  r"(?:,? (?:acceptance )?tests? ((?:[A-Z]?\d+(?:, | and | to )?)+))?")
PLACE = re.compile(r"\b(?:[Ss]ection|[Cc]hapter|[Ee]quation|[Ee]q\.?) \d[\d.]*")
CASES = re.compile(r"`[\w/]*?(\w+_test)(?:\.cpp)?`((?:,? `(?!\w+_test`)\w+`)+)")
CASE = re.compile(r"\b(?:(?:TYPED_)?TEST(?:_F|_P)?|RC_GTEST_(?:FIXTURE_)?PROP)\(\s*\w+\s*,\s*(\w+)")
OTHER_PROJECT = re.compile(r"\b(?:libnifalcon|libusb)\b")  # whose issues are public
CANNOT_BE_OPENED = re.compile(r"\b(?:the thesis|this thesis|the spec\b|spec/|the project's list|design\.md|design section|issue #?\d+)")


def plain(text: str) -> str:
    """Without accents, as code writes names."""
    text = text.replace("ø", "o").replace("æ", "ae").replace("Æ", "Ae")
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


def joined(path: pathlib.Path) -> str:
    """The file's text on one line, comment marks left out: a citation may continue on the next line."""
    lines = [re.sub(r"^\s*(?:///?<?|#+|\*|\|)\s?", "", line) if path.suffix != ".md" else line.strip()
             for line in path.read_text(errors="replace").splitlines()]
    return plain(re.sub(r"\s+", " ", re.sub(r"-?///?<?\s", " ", " ".join(lines))))


class Page:
    """What a Markdown page can be cited by."""

    def __init__(self, path: pathlib.Path):
        text = path.read_text()
        self.headings = [plain(h).replace("`", "").strip() for h in re.findall(r"^#+ (.+)$", text, re.MULTILINE)]
        self.anchors = {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in self.headings}
        self.anchors |= set(re.findall(r"<a id=\"([^\"]+)\"", text))
        tests = text.partition("## Acceptance tests")[2].partition("\n## ")[0]
        self.tests = {t.lstrip("0") for t in re.findall(r"^\| [A-Z]?(\d+)", tests, re.MULTILINE)}
        self.publications = [plain(line) for line in re.split(r"\n(?=[-|])", text.partition("## Sources")[2]
                                                              .partition("\n## ")[0])]


def cited_tests(text: str) -> list[str]:
    """Numbers of "12, 14 and 16 to 18"."""
    found = []
    for first, last in re.findall(r"(\d+)(?: to [A-Z]?(\d+))?", text):
        found += [str(n) for n in range(int(first), int(last or first) + 1)]
    return found


def dead_citations(root: pathlib.Path) -> list[str]:
    pages = {p.relative_to(root).as_posix(): Page(p) for p in sorted(root.glob("docs/**/*.md"))}
    publications = [line for page in pages.values() for line in page.publications]
    files = [p for folder in FOLDERS for p in sorted((root / folder).rglob("*")) if p.suffix in SUFFIXES]
    files += [*sorted(root.glob("*.md")), *root.glob("dev")]
    test_names = {p.stem for p in (root / "tests").rglob("*_test.*")}
    cases = collections.defaultdict(set)
    for test in (root / "tests").rglob("*_test.cpp"):
        cases[test.stem] |= set(CASE.findall(test.read_text()))
    dead = []
    for path in files:
        if path.name == "citations_test.py":
            continue
        where, text = path.relative_to(root).as_posix(), joined(path)
        for match in PAGE.finditer(text):
            name = re.match(r"docs/[\w/.-]*?\.md", match[0])[0]
            if name not in pages:
                dead.append(f"{where}: there is no {name}")
                continue
            page = pages[name]
            if match[1] and match[1][1:] not in page.anchors:
                dead.append(f"{where}: {name} has no anchor {match[1]}")
            dead += [f"{where}: {name} has no section \"{heading}\""
                     for heading in re.findall(r"\"([^\"]+)\"", match[2] or "") if heading.rstrip(".,;") not in page.headings]
            dead += [f"{where}: {name} has no acceptance test {number}" for number in cited_tests(match[3] or "")
                     if number not in page.tests]
        for match in PUBLICATION.finditer(text):
            authors = [a for a in match.groups()[:4] if a]
            if authors[0] in NO_AUTHORS or authors[0].isupper():
                continue
            if not any(all(a in line for a in authors) and match[5] in line for line in publications):
                dead.append(f"{where}: {match[0]} is in no list of sources in docs/methods")
        if not where.startswith("docs/methods/"):  # their sources say whose sections are meant
            for match in PLACE.finditer(text):
                before = text[max(0, match.start() - 120):match.start()]
                after = text[match.end():match.end() + 40]
                if not PUBLICATION.search(before + after) and ".md" not in before and "ISO" not in before:
                    dead.append(f"{where}: {match[0]} of what?")
        for match in CANNOT_BE_OPENED.finditer(text):
            before = text[max(0, match.start() - 80):match.start()]
            if not (match[0].startswith("issue") and OTHER_PROJECT.search(before)):
                dead.append(f"{where}: \"{match[0]}\" cannot be opened")
        if path.suffix == ".md":
            dead += dead_links(root, path, pages)
            dead += [f"{where}: there is no test {name}"
                     for name in sorted(set(re.findall(r"\b(\w+_test)\b", text)) - test_names)]
            dead += [f"{where}: {match[1]} has no case {case}" for match in CASES.finditer(text) if cases[match[1]]
                     for case in re.findall(r"`(\w+)`", match[2]) if case not in cases[match[1]]]
    return dead


def dead_links(root: pathlib.Path, path: pathlib.Path, pages: dict[str, Page]) -> list[str]:
    dead = []
    for target, anchor in re.findall(r"\]\((?!https?:|mailto:)([^)#\s]*)(#[\w-]+)?\)", path.read_text()):
        file = (path.parent / target).resolve() if target else path.resolve()
        name = file.relative_to(root.resolve()).as_posix() if file.is_relative_to(root.resolve()) else str(file)
        if not file.exists():
            dead.append(f"{path.relative_to(root)}: link to {target}, which does not exist")
        elif anchor and file.suffix == ".md" and anchor[1:] not in (pages.get(name) or Page(file)).anchors:
            dead.append(f"{path.relative_to(root)}: {name} has no anchor {anchor}")
    return dead


class Citations(unittest.TestCase):
    def test_every_citation_leads_somewhere(self):
        self.maxDiff = None
        self.assertEqual(dead_citations(ROOT), [])

    def test_each_kind_of_dead_citation_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "docs/methods").mkdir(parents=True)
            (root / "rt").mkdir()
            page = root / "docs/methods/a.md"
            page.write_text("# A\n## Sources\n| Barbič 2007 | a |\n- C. Stamper, *b*, 1997\n## Point tree\n"
                            "## Acceptance tests\n| A07 | b |\n| 12 | c |\n")
            code = root / "rt/a.h"
            code.write_text("/// docs/methods/a.md, \"Point\n/// tree\", tests 7 and 12; Barbic 2007, section 3.9;\n"
                            "// Stamper 1997; docs/methods/a.md#point-tree\n")
            self.assertEqual(dead_citations(root), [])
            for text, message in {
                    "// docs/b.md": "rt/a.h: there is no docs/b.md",
                    "// docs/methods/a.md, \"Shells\"": "rt/a.h: docs/methods/a.md has no section \"Shells\"",
                    "// docs/methods/a.md#shells": "rt/a.h: docs/methods/a.md has no anchor #shells",
                    "// docs/methods/a.md, acceptance tests 7 to 8":
                        "rt/a.h: docs/methods/a.md has no acceptance test 8",
                    "// Barbic and\n// James 2007":
                        "rt/a.h: Barbic and James 2007 is in no list of sources in docs/methods",
                    "// Section 3.9": "rt/a.h: Section 3.9 of what?",
                    "// as in the thesis": "rt/a.h: \"the thesis\" cannot be opened",
                    "// see issue 13": "rt/a.h: \"issue 13\" cannot be opened"}.items():
                code.write_text(text + "\n")
                self.assertEqual(dead_citations(root), [message])
            code.write_text("")
            page.write_text(page.read_text() + "[b](b.md) [c](#shells) [d](#point-tree) `rt/b_test`\n")
            self.assertEqual(dead_citations(root), ["docs/methods/a.md: link to b.md, which does not exist",
                                                    "docs/methods/a.md: docs/methods/a.md has no anchor #shells",
                                                    "docs/methods/a.md: there is no test b_test"])
            (root / "tests").mkdir()
            (root / "tests/b_test.cpp").write_text("")
            self.assertEqual(len(dead_citations(root)), 2)
            (root / "tests/b_test.cpp").write_text("TEST(A, holds) {\n}\nRC_GTEST_PROP(A,\n  falls, ()) {\n")
            page.write_text("## Sources\n`rt/b_test.cpp` `holds`, `falls`, `flies`; `rt/b_test` `stands`\n")
            self.assertEqual(dead_citations(root), ["docs/methods/a.md: b_test has no case flies",
                                                    "docs/methods/a.md: b_test has no case stands"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
