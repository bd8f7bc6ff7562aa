"""The results file of an experiment: one writer, nobody's rows lost, and whatever is in a row can be read again."""
import csv
import functools
import json
import os
import pathlib
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import unittest
from unittest import mock

import hapticd
from hapticd import experiment
from hapticd.experiment import Staircase
from scenes import PressCase

Experiment = functools.partial(experiment.Experiment, most_missed=1.0)

ANOTHER = """
import sys
from hapticd._results_file import ResultsFile
file = ResultsFile(sys.argv[1])
file.hold()
file.write([{"trial": 1, "planned": 1, "valid": True, "participant": "first"}])
print("holds", flush=True)
sys.stdin.read()
"""


def answer(trial):
    return "yes"


class Names(unittest.TestCase):
    """No daemon: what an experiment refuses before it asks for one."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="haptic-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def refused(self, pattern, name="results.csv", **options):
        with self.assertRaisesRegex(hapticd.InputError, pattern) as caught:
            Experiment("none", self.folder / name, **options)
        self.assertNotIn("\n", str(caught.exception))

    def test_only_regular_files_are_results(self):
        (self.folder / "link.csv").symlink_to("nothing")
        (self.folder / "folder.csv").mkdir()
        os.mkfifo(self.folder / "fifo.json")
        for resume in (False, True):
            self.refused("link.csv: found a symbolic link, expected", "link.csv", resume=resume)
            self.refused("folder.csv: found a folder, expected", "folder.csv", resume=resume)
            self.refused("fifo.json: found something that is not a regular file", "fifo.json", resume=resume)
        self.refused("csv or .json", "nul\0.csv")

    def test_what_is_no_results_file_is_refused_in_one_line(self):
        header = "trial,planned,valid\n"
        for name, content in {"list.json": "[1, 2]", "deep.json": "[" * 100_000, "binary.csv": "\x80\0" * 100,
                              "quote.csv": header + '1,1,"', "short.csv": header + "1,1\n",
                              "long.csv": header + "1,1,True,2\n", "word.csv": header + "1,1,perhaps\n",
                              "number.csv": header + "1,one,True\n", "empty.csv": "a,b\n1,2\n"}.items():
            (self.folder / name).write_text(content, "latin-1")
            self.refused("found no results of an experiment", name, resume=True)

    def test_a_participant_that_no_file_holds_is_refused(self):
        self.refused("participant: found .*udcff", participant="p\udcff")


class Results(PressCase):
    def setUp(self):
        super().setUp()
        self.session = hapticd.Session(self.name)
        self.results = self.folder / "results.csv"

    def run_one(self, participant=answer, condition=None, results=None, **options):
        return Experiment(self.session, results or self.results, **options).run([condition or {}], participant)

    def read(self):
        with open(self.results, newline="") as file:
            return list(csv.DictReader(file))

    def test_the_first_of_two_experiments_keeps_its_rows(self):
        self.daemon()
        second = Experiment(self.session, self.results, participant="second")
        Experiment(self.session, self.results, participant="first").run([{}], answer)
        before = self.results.read_bytes()
        with self.assertRaisesRegex(hapticd.InputError, "results.csv: the file exists"):
            second.run([{}], answer)
        self.assertEqual(self.session.state()[0], "idle")
        self.assertEqual(self.results.read_bytes(), before)

    def test_a_busy_file_names_its_writer(self):
        self.daemon()
        other = subprocess.Popen([sys.executable, "-c", ANOTHER, self.results], stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (other.kill(), other.communicate()))
        self.assertEqual(other.stdout.readline(), "holds\n")
        busy = Experiment(self.session, self.results, resume=True)
        with self.assertRaisesRegex(hapticd.InputError, rf"results.csv: process {other.pid} \(python[^)]*\) is writing"):
            busy.run([{}, {}], answer)
        done = self.haptic("record", "--seconds", "0.1", "-o", self.results)  # `haptic` sees the same lock
        self.assertIn("another process is writing", done.stderr)

        def inner(trial):
            with self.assertRaisesRegex(hapticd.InputError, "another experiment of this process is writing"):
                Experiment(self.session, self.folder / "own.csv", resume=True).run([{}], answer)
            return 1

        self.run_one(inner, results=self.folder / "own.csv")

    def test_what_another_program_wrote_is_not_replaced(self):
        self.daemon()

        def participant(trial):
            if trial.number == 2:
                (self.folder / "other").write_text("precious\n")
                os.replace(self.folder / "other", self.results)
            return trial.number

        running = Experiment(self.session, self.results)
        with self.assertRaisesRegex(hapticd.OperationError, 'results.csv: the file was changed .*"trial": 2') as caught:
            running.run([{}] * 3, participant)
        self.assertNotIn("\n", str(caught.exception))
        self.assertEqual(self.results.read_text(), "precious\n")
        self.assertEqual(self.session.state()[0], "idle")
        with self.assertRaisesRegex(hapticd.InputError, "the file was changed"):
            running.run([{}] * 3, participant)
        running.results = str(self.folder / "elsewhere.csv")
        self.assertEqual([row["response"] for row in running.run([{}] * 3, participant)], [1, 2, 3])

    def test_a_temporary_name_that_was_guessed_is_not_followed(self):
        self.daemon()
        victim = self.folder / "victim"
        victim.write_text("precious\n")
        (self.folder / f"results.csv.tmp-{os.getpid()}").symlink_to(victim)
        before = os.umask(0o027)
        try:
            self.run_one()
        finally:
            os.umask(before)
        self.assertEqual(victim.read_text(), "precious\n")
        self.assertEqual(stat.S_IMODE(os.lstat(self.results).st_mode), 0o640)
        self.assertEqual(len(self.read()), 1)
        self.assertEqual(len(list(self.folder.glob("results.csv*"))), 2)  # and the link

    def test_a_folder_that_is_missing_is_an_error_of_the_package(self):
        self.daemon()
        with self.assertRaisesRegex(hapticd.InputError, "none/results.csv: cannot be opened: No such file") as caught:
            self.run_one(results=self.folder / "none/results.csv")
        self.assertNotIn(".tmp", str(caught.exception))
        long = self.folder / ("n" * 251 + ".csv")  # its temporary name is too long
        with self.assertRaisesRegex(hapticd.OperationError, "cannot be written: File name too long"):
            self.run_one(results=long)
        self.assertFalse(long.exists())
        self.assertEqual(self.session.state()[0], "idle")

    def test_a_response_that_no_text_file_holds_is_the_error_of_its_trial(self):
        self.daemon()
        for name in ("a.csv", "b.json"):
            results = self.folder / name
            running = Experiment(self.session, results)
            with self.assertRaisesRegex(hapticd.InputError, r"response: found 'a\\udcff', expected"):
                running.run([{}] * 2, lambda trial: "a\udcff" if trial.number == 1 else "fine")
            self.assertEqual([row["valid"] for row in running.run([{}] * 2, answer)], [False, True, True])
            self.assertIn("InputError: response", results.read_text())
            self.assertEqual(len(Experiment(self.session, results, resume=True).rows), 3)

    def test_notes_conditions_and_errors_that_no_text_file_holds(self):
        self.daemon()

        def noted(trial):
            trial.notes["file"] = "a\udcff"
            return "kept"

        def failed(trial):
            raise OSError("caf\udce9")

        with self.assertRaisesRegex(hapticd.InputError, r"notes: file: found 'a\\udcff', expected"):
            self.run_one(noted)
        self.assertEqual([(row["response"], row["file"]) for row in self.read()], [("kept", r"'a\udcff'")])
        with self.assertRaisesRegex(hapticd.InputError, "condition: word: found"):
            self.run_one(condition={"word": "\udcff"}, results=self.folder / "b.csv")
        with self.assertRaises(OSError):
            self.run_one(failed, results=self.folder / "c.csv")
        self.assertIn(r"caf\udce9", (self.folder / "c.csv").read_text())

    def test_conditions_and_notes_do_not_take_the_names_of_columns(self):
        self.daemon()
        for name in ("response", "response_s", "error", "trial", "missed"):
            with self.assertRaisesRegex(hapticd.InputError, f"condition: found {name}, which is a column"):
                self.run_one(condition={name: 1})
            self.assertFalse(self.results.exists())

        def noted(trial):
            trial.notes.update(reason="tired", comment="x", word="other")
            return 1

        self.assertEqual(self.run_one(condition={"correct": 3}, results=self.folder / "correct.csv")[0]["correct"], 3)
        with self.assertRaisesRegex(hapticd.InputError, "notes: found reason, word, which is a column"):
            self.run_one(noted, condition={"word": "a"})
        row = self.read()[0]
        self.assertEqual([row[name] for name in ("word", "note reason", "note word", "comment")],
                         ["a", "tired", "other", "x"])
        with self.assertRaisesRegex(hapticd.InputError, "condition: found correct, which is a column"):
            Experiment(self.session, self.folder / "adaptive.csv").run_adaptive(
                Staircase(100.0), lambda level: {"correct": 1}, answer, lambda trial, response: True)

    def test_an_interrupt_while_the_row_is_written_loses_nothing(self):
        self.daemon()
        written, sync = [], os.fsync

        def interrupting(descriptor):
            written.append(len(written))
            if len(written) == 3:  # of the first trial's row
                how()
            return sync(descriptor)

        def by_signal():
            os.kill(os.getpid(), signal.SIGINT)

        def by_exception():
            raise KeyboardInterrupt

        for number, how in enumerate((by_signal, by_exception)):
            written.clear()
            self.results = self.folder / f"{number}.csv"
            with mock.patch("os.fsync", interrupting), self.assertRaises(KeyboardInterrupt):
                self.run_one()
            self.assertEqual([(row["response"], row["valid"]) for row in self.read()], [("yes", "True")])
            self.assertEqual(self.session.state()[0], "idle")
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)

    def test_an_interrupt_ends_the_callback_at_once(self):
        self.daemon()

        def participant(trial):
            threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
            threading.Event().wait(60.0)

        with self.assertRaises(KeyboardInterrupt):
            self.run_one(participant)
        self.assertEqual([row["error"] for row in self.read()], ["KeyboardInterrupt"])

    def test_a_spreadsheet_may_have_saved_the_file(self):
        self.daemon()
        trials = [{"coupling.stiffness": 100.0, "word": True}, {"coupling.stiffness": 250.5, "word": None}]
        Experiment(self.session, self.results).run(trials, answer)
        text = self.results.read_text().replace("True", "TRUE").replace(",100.0,", ",100,")
        self.results.write_text("\ufeff" + text, "utf-8")
        rows = Experiment(self.session, self.results, resume=True).run(trials, self.fail)
        self.assertEqual(len(rows), 2)

    def test_another_list_of_trials_is_not_resumed(self):
        self.daemon()
        for name in ("results.csv", "results.json"):
            results = self.folder / name
            first = Experiment(self.session, results)
            first.run([{"word": "a"}, {"word": "b"}], answer)
            before = results.read_bytes()
            for trials, pattern in (
                    ([{"word": "a"}, {"word": "c"}, {"word": "d"}], "trial 2: .* with word 'b', which has 'c'"),
                    ([{"word": "a"}], "trial 2: found a row of trial 2 of the list, which has 1"),
                    ([{"word": "a"}, {}], "trial 2: .* with word 'b', which has 'none'"),
                    ([{"word": "a", "more": 1}, {"word": "b"}], "trial 1: .* with more 'missing', which has 1")):
                with self.assertRaisesRegex(hapticd.InputError, pattern):
                    Experiment(self.session, results, resume=True).run(trials, answer)
                with self.assertRaisesRegex(hapticd.InputError, pattern):
                    first.run(trials, answer)
            self.assertEqual(results.read_bytes(), before)
            longer = [{"word": "a"}, {"word": "b"}, {"word": "c"}]
            self.assertEqual(len(Experiment(self.session, results, resume=True).run(longer, answer)), 3)

    def test_an_adaptive_run_is_resumed_with_its_own_procedure(self):
        self.daemon()

        def run(running, procedure, most=None):
            def participant(trial):
                if trial.number == most:
                    raise KeyboardInterrupt
                return trial.number % 3 > 0
            return running.run_adaptive(procedure, lambda level: {}, participant, lambda trial, response: response)

        def fresh(start=100.0):
            return Staircase(start, reversals=4, discard=1)

        with self.assertRaises(KeyboardInterrupt):
            run(Experiment(self.session, self.results), fresh(), most=4)
        with self.assertRaisesRegex(hapticd.InputError, "trial 1: found level 100.0, expected 90.0"):
            run(Experiment(self.session, self.results, resume=True), fresh(90.0))
        procedure = fresh()
        running = Experiment(self.session, self.results, resume=True)
        run(running, procedure)
        self.assertTrue(procedure.finished)
        answers = len(procedure.history)
        run(running, procedure)  # its answers are not given twice
        self.assertEqual(len(procedure.history), answers)
        self.assertEqual(len([row for row in running.rows if row["valid"]]), answers)

    def test_a_long_response_is_read_again(self):
        self.daemon()
        limit = csv.field_size_limit()
        self.run_one(lambda trial: "x" * 200_000)
        again = Experiment(self.session, self.results, resume=True)
        self.assertEqual(len(again.run([{}], self.fail)[0]["response"]), 200_000)
        self.assertEqual(csv.field_size_limit(), limit)

    def test_json_holds_what_csv_holds(self):
        self.daemon()
        results = self.folder / "results.json"
        rows = self.run_one(lambda trial: {"a": [1, "ü"]}, condition={"pair": (1, 2)}, results=results)
        self.assertEqual(json.loads(results.read_text())["trials"][0]["response"], rows[0]["response"])
        Experiment(self.session, results, resume=True).run([{"pair": (1, 2)}], self.fail)
