"""Experiments at a daemon: results after every trial, marks in the events, and what an exception leaves."""
import csv
import functools
import hashlib
import json
import os
import pathlib
import random
import re
import resource
import signal
import threading
import time

import numpy as np

import hapticd
from conftest import PROGRAMS
from daemon_case import SECONDS
from hapticd import experiment
from hapticd.experiment import Quest, Staircase, trial_list
from scenes import PRESS, PressCase

# A loaded machine misses slots; only one test is of them.
Experiment = functools.partial(experiment.Experiment, most_missed=1.0)


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
            Experiment(self.session, self.folder / "results.csv", on_invalid="stop").run([{}] * 3, participant)
        rows = self.read("results.csv")
        self.assertEqual([(row["response"], row["valid"]) for row in rows], [("yes", "True"), ("yes", "False")])
        self.assertTrue(rows[1]["error"].startswith("NoDaemon"))
        self.assertEqual(rows[1]["reason"], f'hapticd "{self.name}" is dead')

    def test_results_that_cannot_be_written_stop_before_the_force(self):
        self.daemon()
        with self.assertRaises(hapticd.InputError):
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

    def stopped_in(self, wanted, how, **options):
        """An experiment of four trials; `how` happens in the first attempt of the wanted one."""
        happened = []

        def participant(trial):
            if trial.condition["word"] == wanted and not happened:
                happened.append(trial.number)
                how()
            time.sleep(0.05)
            return trial.condition["word"]

        experiment = Experiment(self.session, self.folder / "results.csv", **options)
        return experiment, lambda: experiment.run([{"word": word} for word in "abcd"], participant)

    def stop_and_reset_later(self):
        self.session.stop()
        self.session.wait_for("fault")
        self.later(0.3, self.session.reset)

    def later(self, seconds, act):
        timer = threading.Timer(seconds, act)
        timer.start()
        self.addCleanup(timer.join)

    def test_a_stop_in_a_trial_makes_it_invalid_and_it_is_repeated_after_a_reset(self):
        self.daemon()
        experiment, run = self.stopped_in("b", self.stop_and_reset_later, participant="p07")
        rows = run()
        self.assertEqual([(row["trial"], row["planned"], row["word"], row["valid"]) for row in rows],
                         [(1, 1, "a", True), (2, 2, "b", False), (3, 3, "c", True), (4, 4, "d", True),
                          (5, 2, "b", True)])
        self.assertRegex(rows[1]["reason"], r"^state (stopping|fault): operator_stop in cycle \d+$")
        self.assertEqual(self.marks()[4:8], ["trial 2 response b", "trial 2 end",
                                             f"trial 2 invalid {rows[1]['reason']}", "trial 3 start"])
        found = self.read("results.csv")
        self.assertEqual([row["valid"] for row in found], ["True", "False", "True", "True", "True"])
        self.assertEqual({row["participant"] for row in found}, {"p07"})
        for row in rows:
            self.assertLess(row["start_cycle"], row["end_cycle"])
            self.assertRegex(row["started"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d{4}$")
            self.assertEqual(row["scene_hash"], hashlib.sha256((self.folder / "scene.toml").read_bytes()).hexdigest())

    def test_stop_and_keep(self):
        self.daemon()
        experiment, run = self.stopped_in("b", self.stop_and_reset_later, on_invalid="stop")
        with self.assertRaisesRegex(hapticd.OperationError, "^trial 2: state (stopping|fault): operator_stop in "):
            run()
        self.assertEqual([row["valid"] for row in self.read("results.csv")], ["True", "False"])
        self.session.wait_for("idle")
        (self.folder / "results.csv").unlink()
        experiment, run = self.stopped_in("b", self.stop_and_reset_later, on_invalid="keep")
        self.assertEqual([row["valid"] for row in run()], [True, False, True, True])

    def test_a_daemon_that_is_not_ready_before_a_trial_is_waited_for_or_is_an_error(self):
        self.daemon()
        rows = []

        def participant(trial):
            rows.append(trial.number)
            return 0

        experiment = Experiment(self.session, self.folder / "results.csv", on_invalid="stop")
        with self.assertRaisesRegex(hapticd.OperationError, "^trial 1 cannot begin: state fault: operator_stop$"):
            with experiment:
                self.session.stop()
                experiment.trial({}, participant)
        self.assertEqual((rows, experiment.rows), ([], []))
        self.session.reset()
        patient = Experiment(self.session, self.folder / "patient.csv", wait_s=0.1)
        with self.assertRaisesRegex(hapticd.OperationError, "^trial 1 cannot begin: state fault: operator_stop$"):
            with patient:
                self.session.stop()
                self.session.wait_for("fault")
                patient.trial({}, participant)
        self.assertEqual(rows, [])

    def test_a_released_force_and_another_scene_make_a_trial_invalid(self):
        self.daemon()
        experiment, run = self.stopped_in("b", self.session.release)
        self.assertEqual([(row["word"], row["reason"][:10]) for row in run()],
                         [("a", ""), ("b", "state idle"), ("c", ""), ("d", ""), ("b", "")])
        (self.folder / "results.csv").unlink()
        (self.folder / "other.toml").write_text(PRESS)
        other = hapticd.Session(self.name)  # not the experiment's
        experiment, run = self.stopped_in("b", lambda: other.load(self.folder / "other.toml"))
        self.assertEqual([(row["word"], row["reason"]) for row in run()],
                         [("a", ""), ("b", "another scene was loaded"), ("c", ""), ("d", ""), ("b", "")])
        (self.folder / "results.csv").unlink()
        experiment, run = self.stopped_in("b", lambda: self.session.load(self.folder / "scene.toml"))
        rows = run()
        self.assertEqual([row["valid"] for row in rows], [True] * 4)
        self.assertEqual([pathlib.Path(row["scene"]).name for row in rows], ["other.toml"] + ["scene.toml"] * 3)

    def test_a_killed_and_restarted_daemon_makes_a_trial_invalid(self):
        process = self.daemon()

        def restart():
            process.kill()
            process.wait()
            self.daemon()

        experiment, run = self.stopped_in("c", restart)
        rows = run()
        self.assertEqual([(row["word"], row["valid"]) for row in rows],
                         [("a", True), ("b", True), ("c", False), ("d", True), ("c", True)])
        self.assertIn(self.name, rows[2]["reason"])
        self.assertEqual(len({row["daemon_date"] for row in rows if row["valid"]}), 2)

    def test_slots_that_were_missed_make_a_trial_invalid(self):
        process = self.daemon()

        def pause():
            process.send_signal(signal.SIGSTOP)
            time.sleep(0.2)
            before = self.session.telemetry().newest()["cycle"][0]
            process.send_signal(signal.SIGCONT)
            self.wait_until(lambda: self.session.telemetry().newest()["cycle"][0] > before + 5)

        experiment, run = self.stopped_in("b", pause, on_invalid="keep", most_missed=0.2)
        rows = run()
        self.assertFalse(rows[1]["valid"])
        self.assertRegex(rows[1]["reason"], r"^(\d+) of (\d+) slots were missed$|^state (stopping|fault): ")
        self.assertGreater(rows[1]["missed"], 50)

    def test_a_trial_that_fails_every_time_ends_the_run(self):
        self.daemon()

        def participant(trial):
            self.session.release()
            return 0

        with self.assertRaisesRegex(hapticd.OperationError, r"^trial 2: state idle in cycle \d+; invalid 2 times$"):
            Experiment(self.session, self.folder / "results.csv", attempts=2).run([{}], participant)
        self.assertEqual([row["valid"] for row in self.read("results.csv")], ["False", "False"])

    def test_an_experiment_is_resumed(self):
        self.daemon()
        done = []

        def participant(trial):
            if len(done) == 2:
                raise KeyboardInterrupt
            done.append(trial.condition["word"])
            return trial.condition["word"]

        trials = [{"word": word} for word in "abcd"]
        for name in ("results.csv", "results.json"):
            done.clear()
            with self.assertRaises(KeyboardInterrupt):
                Experiment(self.session, self.folder / name).run(trials, participant)
            done[:] = ["again"] * 3
            rows = Experiment(self.session, self.folder / name, resume=True).run(trials, participant)
            self.assertEqual([(int(row["trial"]), row["word"], row["valid"]) for row in rows],
                             [(1, "a", True), (2, "b", True), (3, "c", False), (4, "c", True), (5, "d", True)])
        (self.folder / "other.csv").write_text("a,b\n1,2\n")
        with self.assertRaisesRegex(hapticd.InputError, "found no results of an experiment"):
            Experiment(self.session, self.folder / "other.csv", resume=True)

    def test_a_full_disk_is_an_error_that_has_the_row(self):
        self.daemon()

        def participant(trial):
            resource.setrlimit(resource.RLIMIT_FSIZE, (600, limits[1]))
            return "y" * 1000 if trial.number == 2 else "yes"

        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        try:
            with self.assertRaisesRegex(hapticd.OperationError, 'results.csv: cannot be written: .*"trial": 2'):
                Experiment(self.session, self.folder / "results.csv").run([{}] * 3, participant)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
            signal.signal(signal.SIGXFSZ, handler)
        self.assertEqual([row["response"] for row in self.read("results.csv")], ["yes"])
        self.assertEqual(self.session.state()[0], "idle")

    def test_results_join_the_log_by_cycle(self):
        self.daemon()
        recorder = self.start(PROGRAMS["haptic"], "record", "-o", "log.h5", "--name", self.name)
        self.until(lambda: (self.folder / "log.h5").exists())
        experiment, run = self.stopped_in("b", self.stop_and_reset_later, log=self.folder / "log.h5")
        rows = run()
        recorder.terminate()
        self.assertEqual(recorder.wait(SECONDS), 0, self.said())
        log = hapticd.Log(self.folder / "log.h5")
        marks = {mark.text: mark.cycle for mark in log.marks}
        for row in rows:
            self.assertEqual((row["daemon_date"], row["scene_hash"]), (log.daemon_date, log.scene_hash))
            self.assertEqual(row["start_cycle"], marks[f"trial {row['trial']} start"])
            self.assertEqual(row["end_cycle"], marks[f"trial {row['trial']} end"])
            part = log.between(row["start_cycle"], row["end_cycle"])
            self.assertEqual((log["cycle"][part][0], log["cycle"][part][-1]), (row["start_cycle"], row["end_cycle"]))
            engaged = bool(np.all(log["state"][part] == hapticd.STATES.index("engaged")))
            self.assertEqual(row["valid"], engaged, row)

    def test_a_recorder_that_ended_makes_a_trial_invalid(self):
        self.daemon()
        recorder = self.start(PROGRAMS["haptic"], "record", "-o", "log.h5", "--name", self.name)
        self.until(lambda: (self.folder / "log.h5").exists())

        def end():
            recorder.kill()
            recorder.wait()

        experiment, run = self.stopped_in("b", end, log=self.folder / "log.h5", wait_s=0.1)
        with self.assertRaisesRegex(hapticd.OperationError, "trial 3 cannot begin: .*log.h5 is not being recorded"):
            run()
        self.assertEqual([row["valid"] for row in self.read("results.csv")], ["True", "False"])

    def recorded_daemon(self):
        """A daemon and its recorder, whose log is the next of log.h5, log-2.h5, ..."""
        logs = len(list(self.folder.glob("log*.h5")))
        process = self.daemon()
        self.recorders.append(self.start(PROGRAMS["haptic"], "record", "-o", "log.h5", "--number", "--from-oldest",
                                         "--name", self.name))
        self.until(lambda: len(list(self.folder.glob("log*.h5"))) > logs)
        return process

    def test_random_accidents_in_many_trials(self):
        """Every row is valid and engaged throughout, or marked; log and results join without remainder."""
        source = random.Random(int(os.environ.get("HAPTIC_SEED", "1")))
        trials = [{"word": f"w{i}"} for i in range(int(os.environ.get("HAPTIC_TRIALS", "25")))]
        limits, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        self.addCleanup(signal.signal, signal.SIGXFSZ, handler)
        self.addCleanup(resource.setrlimit, resource.RLIMIT_FSIZE, limits)
        self.recorders, hit, full_disks = [], set(), 0
        processes = [self.recorded_daemon()]

        def restart():
            processes[-1].kill()
            processes[-1].wait()
            self.assertEqual(self.recorders[-1].wait(SECONDS), 0)
            processes.append(self.recorded_daemon())

        accidents = [self.stop_and_reset_later, self.session.release, restart,
                     lambda: hapticd.Session(self.name).load(self.folder / "scene.toml")]

        def participant(trial):
            chance = source.random()
            if chance < 0.3:
                hit.add(trial.number)
                source.choice(accidents)()
            elif chance < 0.35:
                resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
            return trial.condition["word"]

        running = Experiment(self.session, self.folder / "results.csv", attempts=20)
        while True:
            try:
                rows = running.run(trials, participant)
                break
            except hapticd.OperationError as error:
                self.assertIn("results.csv: cannot be written", str(error))
                resource.setrlimit(resource.RLIMIT_FSIZE, limits)
                full_disks += 1
        processes[-1].terminate()
        for recorder in self.recorders:
            recorder.wait(SECONDS)
        print(f"{len(rows)} rows, {len(hit)} accidents, {len(processes)} daemons, {full_disks} full disks")
        # On a busy machine a trial may be lost without an accident, too.
        invalid = {row["trial"]: row["reason"] for row in rows if not row["valid"]}
        by_itself = {trial for trial, reason in invalid.items() if re.search("slots were missed|overload", reason)}
        self.assertEqual(set(invalid) - by_itself, hit - by_itself, invalid)
        self.assertEqual(sorted(row["word"] for row in rows if row["valid"]), sorted(t["word"] for t in trials))
        self.assertEqual([(int(row["trial"]), row["valid"]) for row in self.read("results.csv")],
                         [(row["trial"], str(row["valid"])) for row in rows])
        logs = [hapticd.Log(path) for path in self.folder.glob("log*.h5")]
        begun = {(log.daemon_date, mark.cycle, mark.text) for log in logs for mark in log.marks
                 if mark.text.endswith(" start")}
        self.assertEqual(begun, {(row["daemon_date"], row["start_cycle"], f"trial {row['trial']} start")
                                 for row in rows})
        for row in rows:
            parts = [log["state"][log.between(row["start_cycle"], row["end_cycle"])] for log in logs
                     if row["valid"] and log.daemon_date == row["daemon_date"]]
            states = np.concatenate(parts) if parts else np.zeros(0)
            self.assertTrue(np.all(states == hapticd.STATES.index("engaged")), row)
            self.assertEqual(len(states), row["end_cycle"] - row["start_cycle"] + 1 if row["valid"] else 0)
