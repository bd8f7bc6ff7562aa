"""Experiments at a daemon: results after every trial, marks in the events, and what an exception leaves."""
import csv
import json

import hapticd
from hapticd.experiment import Experiment, Quest, Staircase, trial_list
from scenes import PressCase


class Experiments(PressCase):
    def setUp(self):
        super().setUp()
        self.session = hapticd.Session(self.name)

    def marks(self):
        return [hapticd.telemetry.text_of(event["text"]) for event in hapticd.Telemetry(self.name).events()
                if event["command"] == 10]

    def read(self, name):
        with open(self.folder / name, newline="") as file:
            return list(csv.DictReader(file))

    def test_trials_conditions_marks_and_results(self):
        self.daemon()
        seen = []

        def participant(trial):
            rows = self.read("results.csv")
            self.assertEqual(len(rows), trial.number - 1)  # every earlier trial is in the file
            self.session.wait_for("engaged")
            seen.append(trial.condition["coupling.stiffness"])
            self.wait_until(lambda: self.session.parameters()["coupling.stiffness"].value == seen[-1])
            trial.notes["age"] = 30
            return "stiff" if seen[-1] > 150 else "soft"

        trials = trial_list([{"coupling.stiffness": 100.0, "word": "a"}, {"coupling.stiffness": 200.0, "word": "b"}],
                            repeat=2, seed=3)
        rows = Experiment(self.session, self.folder / "results.csv").run(trials, participant)
        self.assertEqual(seen, [trial["coupling.stiffness"] for trial in trials])
        self.assertEqual(self.session.state()[0], "idle")
        found = self.read("results.csv")
        self.assertEqual([row["response"] for row in found], [row["response"] for row in rows])
        self.assertEqual([row["word"] for row in found], [trial["word"] for trial in trials])
        self.assertEqual({row["age"] for row in found}, {"30"})
        self.assertEqual(self.marks()[:3], ["trial 1 start", f"trial 1 response {rows[0]['response']}", "trial 1 end"])
        self.assertEqual(len(self.marks()), 12)
        self.assertEqual(list(self.folder.glob("*.tmp-*")), [])
        with self.assertRaisesRegex(hapticd.InputError, "the file exists"):
            Experiment(self.session, self.folder / "results.csv")

    def test_an_exception_releases_and_loses_nothing(self):
        self.daemon()

        def participant(trial):
            if trial.number == 3:
                raise ZeroDivisionError("of the participant")
            return trial.number

        experiment = Experiment(self.session, self.folder / "results.json")
        with self.assertRaises(ZeroDivisionError):
            experiment.run([{}] * 5, participant)
        self.assertEqual(self.session.state(), ("idle", "none"))
        rows = json.loads((self.folder / "results.json").read_text())["trials"]
        self.assertEqual([row.get("response") for row in rows], [1, 2, None])
        self.assertEqual(rows[2]["error"], "ZeroDivisionError: of the participant")
        self.assertEqual(self.marks()[-1], "trial 3 error ZeroDivisionError: of the participant")

    def test_interrupts_refusals_and_responses_that_no_file_holds(self):
        self.daemon()

        def interrupted(trial):
            raise KeyboardInterrupt

        for number, (condition, participant, error) in enumerate([
                ({}, interrupted, KeyboardInterrupt),
                ({"coupling.stifness": 1.0}, lambda trial: 0, hapticd.Refused),
                ({}, lambda trial: object(), TypeError)]):
            experiment = Experiment(self.session, self.folder / f"{number}.json")
            with self.assertRaises(error):
                experiment.run([condition], participant)
            self.assertEqual(self.session.state()[0], "idle")
            rows = json.loads((self.folder / f"{number}.json").read_text())["trials"]
            self.assertTrue(rows[0]["error"].startswith(error.__name__))

    def test_a_dead_daemon_is_named_and_loses_nothing(self):
        process = self.daemon()

        def participant(trial):
            if trial.number == 2:
                process.kill()
                process.wait()
            return "yes"

        with self.assertRaises(hapticd.NoDaemon):
            Experiment(self.session, self.folder / "results.csv").run([{}] * 3, participant)
        rows = self.read("results.csv")
        self.assertEqual([row["response"] for row in rows], ["yes", "yes"])
        self.assertTrue(rows[1]["error"].startswith("NoDaemon"))

    def test_results_that_cannot_be_written_stop_before_the_force(self):
        self.daemon()
        with self.assertRaises(FileNotFoundError):
            Experiment(self.session, self.folder / "none" / "results.csv").run([{}], lambda trial: 1)
        self.assertEqual(self.session.state()[0], "idle")
        with self.assertRaisesRegex(hapticd.InputError, "csv or .json"):
            Experiment(self.session, self.folder / "results.txt")

    def test_adaptive_runs(self):
        self.daemon()
        for number, procedure in enumerate((Staircase(100.0, reversals=4, discard=1), Quest(100.0, trials=5))):
            experiment = Experiment(self.session, self.folder / f"{number}.csv")
            rows = experiment.run_adaptive(procedure, lambda level: {"coupling.stiffness": 100.0 + level},
                                           lambda trial: trial.condition["level"] > 60.0,
                                           lambda trial, response: response)
            self.assertEqual([row["level"] for row in rows], [answer.level for answer in procedure.history])
            self.assertEqual([row["correct"] for row in rows], [answer.correct for answer in procedure.history])
            self.assertTrue(procedure.finished)
