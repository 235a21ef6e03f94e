"""Breaks a small site in each way that site/check reports: python3 site/check_test.py"""

import importlib.machinery
import importlib.util
import json
import pathlib
import tempfile
import unittest

LOADER = importlib.machinery.SourceFileLoader("check", str(pathlib.Path(__file__).parent / "check"))
check = importlib.util.module_from_spec(importlib.util.spec_from_loader("check", LOADER))
LOADER.exec_module(check)

FILES = {
    "index.html": """<link rel="stylesheet" href="a.css"><script src="a.js"></script>
        <div class="sidebar-tree"><div></div><a href="#">Home</a><a href="docs/a.html">A</a></div>
        <a href="gallery/run.html">A run</a><a href="docs/a.html#part">A part</a><a href="https://example.org/">Other</a>""",
    "docs/a.html": """<h2 id="part">Part</h2><style>b { background: url(../a.png) }</style><img src="../a.png">
        <a href="../index.html">Home</a>""",
    "gallery/run.html": """<a href="#view=x">View</a><script>fetch("data:,"); const text = "see https://example.org";</script>""",
    "a.css": "@import url('b.css'); p { background: url(data:image/png;base64,AA==) }",
    "b.css": "",
    "a.js": "/* https://example.org/licence */",
    "a.png": "",
    "searchindex.js": 'Search.setIndex({"docnames":["index","docs/a"],"terms":{"part":[1]}})',
}


class CheckTest(unittest.TestCase):
    def problems(self, changes, runs=("run",)):
        with tempfile.TemporaryDirectory() as directory:
            root = pathlib.Path(directory).resolve()
            for name, text in {**FILES, **changes}.items():
                if text is not None:
                    (root / name).parent.mkdir(exist_ok=True)
                    (root / name).write_text(text)
            return check.Site(root, runs).check()

    def test_a_whole_site_has_no_problem(self):
        self.assertEqual([], self.problems({}))

    def test_what_is_loaded_from_another_host_is_found(self):
        loads = {
            "docs/a.html": [
                '<script src="https://cdn.example/a.js"></script>',
                '<img srcset="//cdn.example/a.png 2x">',
                '<link rel="preload stylesheet" href="http://cdn.example/a.css">',
                '<iframe src="https://cdn.example/"></iframe>',
                "<style>@import 'https://cdn.example/a.css';</style>",
                '<p style="background: url(https://cdn.example/a.png)">',
                '<script>fetch("https://cdn.example/a.json")</script>',
                '<script>import x from "https://cdn.example/a.js"</script>',
                '<script>request.open("GET", "https://cdn.example/a.json")</script>',
                '<script>image.src = `https://cdn.example/a.png`</script>',
            ],
            "a.css": ["@font-face { src: url('https://cdn.example/a.woff2') }", "@import url(//cdn.example/a.css);"],
            "a.js": ['importScripts("https://cdn.example/a.js")'],
            "gallery/run.html": ['<script src="https://cdn.example/a.js"></script>'],
        }
        for file, texts in loads.items():
            for text in texts:
                with self.subTest(file=file, text=text):
                    problems = self.problems({file: FILES[file] + text})
                    self.assertEqual(1, len(problems), problems)
                    self.assertRegex(problems[0], f"{file}: loads (https?:)?//cdn.example/")

    def test_links_that_lead_nowhere_are_found(self):
        self.assertEqual(
            ["docs/a.html: links b.html, and there is no such file"],
            self.problems({"docs/a.html": FILES["docs/a.html"] + '<a href="b.html">B</a>'}),
        )
        self.assertEqual(
            ["index.html: links docs/a.html#part, and there is no such place"],
            self.problems({"docs/a.html": FILES["docs/a.html"].replace('id="part"', "")}),
        )
        self.assertEqual(
            ["docs/a.html: loads ../b.png, and there is no such file"],
            self.problems({"docs/a.html": FILES["docs/a.html"] + '<img src="../b.png">'}),
        )

    def test_a_document_outside_of_navigation_and_search_is_found(self):
        self.assertEqual(
            [
                "docs/b.html: is not in the navigation: add it to site/navigation.md",
                "searchindex.js: does not have docs/b",
            ],
            self.problems({"docs/b.html": ""}),
        )
        # a link after the navigation is not one of it
        outside = FILES["index.html"].replace('<a href="docs/a.html">A</a></div>', '</div><a href="docs/a.html">A</a>')
        self.assertEqual(
            ["docs/a.html: is not in the navigation: add it to site/navigation.md"], self.problems({"index.html": outside})
        )

    def test_a_search_index_without_words_or_none_at_all_is_found(self):
        empty = json.dumps({"docnames": ["index", "docs/a"], "terms": {}})
        self.assertEqual(["searchindex.js: has no words"], self.problems({"searchindex.js": f"Search.setIndex({empty})"}))
        self.assertEqual(["searchindex.js: there is no such file"], self.problems({"searchindex.js": None}))

    def test_a_run_without_its_page_and_a_page_without_a_link_are_found(self):
        self.assertEqual(
            ["gallery.html: there is no page gallery/other.html of the run other"], self.problems({}, ["run", "other"])
        )
        self.assertEqual(["gallery/other.html: no page links it"], self.problems({"gallery/other.html": ""}))


if __name__ == "__main__":
    unittest.main()
