#!/usr/bin/env python3
"""The JSON Schemas of `haptic explain DOCUMENT --json-schema` accept every shipped document and refuse wrong ones.

Usage: json_schema_test.py TREE HAPTIC
"""
import copy
import json
import pathlib
import subprocess
import sys
import tomllib
import unittest

import jsonschema

TREE, HAPTIC = pathlib.Path(sys.argv[1]), sys.argv[2]


def validator(document):
    out = subprocess.run([HAPTIC, "explain", document, "--json-schema"], capture_output=True, text=True, check=True)
    schema = json.loads(out.stdout)
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)


def shipped():
    """{document: {path: content}} of the repository's TOML files, by what they contain."""
    found = {"scene": {}, "recipe": {}, "manifest": {}}
    for folder in ("scenes", "host/cli/templates", "firmware-config"):
        for path in sorted((TREE / folder).rglob("*.toml")):
            content = tomllib.loads(path.read_text())
            kind = "scene" if "body" in content else "recipe" if "source" in content else \
                "manifest" if "kind" in content else None
            if kind:
                found[kind][path.relative_to(TREE)] = content
    return found


class JsonSchema(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.shipped = shipped()
        cls.schemas = {document: validator(document) for document in cls.shipped}

    def refuses(self, document, content, word):
        errors = list(self.schemas[document].iter_errors(content))
        self.assertTrue(errors, content)

        def texts(error):
            yield error.message + " " + ".".join(map(str, error.absolute_path))
            for inner in error.context or ():
                yield from texts(inner)

        self.assertTrue(any(word in text for error in errors for text in texts(error)), errors)

    def test_shipped_documents_are_valid(self):
        for document, least in (("scene", 20), ("recipe", 20), ("manifest", 4)):
            self.assertGreaterEqual(len(self.shipped[document]), least)
            for path, content in self.shipped[document].items():
                with self.subTest(path=str(path)):
                    errors = [error.message[:200] for error in self.schemas[document].iter_errors(content)]
                    self.assertEqual(errors, [])

    def test_wrong_documents_are_not(self):
        good = tomllib.loads('rate_hz = 1000\n[[body]]\nname = "a"\nmodel = "a.h5"\nrole = "anchored"\n'
                             '[[body]]\nname = "t"\nshape = "sphere"\nradius = 1\nrole = "held"\n')
        self.assertEqual(list(self.schemas["scene"].iter_errors(good)), [])
        for change, word in (({"rate_hz": 0}, "rate_hz"), ({"rate_hz": "fast"}, "rate_hz"),
                             ({"rate": 1000}, "rate"), ({"world": "water"}, "world"),
                             ({"body": [{"name": "a"}]}, "role"), ({"gravity": [0, 1]}, "gravity"),
                             ({"coupling": {"mode": "soft"}}, "mode"), ({"coupling": {"stifness": 3}}, "stifness"),
                             # Keys of another kind of world.
                             ({"cloth": {"drag": 0.1}}, "cloth"),
                             ({"world": "cloth", "contact": [{"points": "a", "field": "t"}]}, "contact")):
            self.refuses("scene", {**copy.deepcopy(good), **change}, word)
        cloth = {**good, "world": "cloth", "cloth": {"drag": 0.1}}
        self.assertEqual(list(self.schemas["scene"].iter_errors(cloth)), [])
        self.refuses("scene", {**cloth, "cloth": {"drag": -0.1}}, "drag")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
