"""log= of an experiment: a trial is valid if and only if the log has every cycle of it."""
import functools
import hashlib
import os
import signal
import time

import numpy as np

import hapticd
from conftest import PROGRAMS
from daemon_case import SECONDS
from hapticd import experiment
from scenes import PRESS, PressCase

Experiment = functools.partial(experiment.Experiment, most_missed=1.0)


class TrialLogs(PressCase):
    def setUp(self):
        super().setUp()
        self.session = hapticd.Session(self.name)
        self.log = self.folder / "log.h5"

    def record(self, **options):
        recorder = self.start(PROGRAMS["haptic"], "record", "-o", self.log, "--name", self.name, **options)
        self.until(lambda: self.log.exists() and self.log.stat().st_size > 0)
        return recorder

    def end(self, recorder):
        recorder.terminate()
        self.assertEqual(recorder.wait(SECONDS), 0, self.said())

    def run_trials(self, participant, trials=2):
        running = Experiment(self.session, self.folder / "results.csv", log=self.log, on_invalid="keep")
        return running.run([{}] * trials, participant)

    def test_every_cycle_of_a_valid_trial_is_in_the_log_when_it_ends(self):
        self.daemon()
        recorder = self.record(environment={"TZ": "Pacific/Kiritimati"})  # a date in another time zone
        rows = []

        def participant(trial):
            rows.extend(running.rows[len(rows):])
            if rows:
                with hapticd.Log(self.log) as log:
                    part = log.between(rows[-1]["start_cycle"], rows[-1]["end_cycle"])
                    lengths.append(part.stop - part.start)
            time.sleep(0.02)
            return 1

        lengths = []
        running = Experiment(self.session, self.folder / "results.csv", log=self.log)
        running.run([{}] * 3, participant)
        self.assertEqual([row["valid"] for row in running.rows], [True] * 3, running.rows)
        self.assertEqual(lengths, [row["end_cycle"] - row["start_cycle"] + 1 for row in running.rows[:2]])
        self.end(recorder)

    def test_the_log_of_another_daemon_is_none(self):
        self.daemon()
        own, self.name = self.name, f"{self.name}-b"
        self.daemon()
        self.record()
        self.name = own
        with self.assertRaisesRegex(hapticd.OperationError, "cannot begin: .*log.h5 is being recorded of another"):
            Experiment(self.session, self.folder / "results.csv", log=self.log, on_invalid="stop").run(
                [{}], lambda trial: 1)

    def test_cycles_that_a_stopped_recorder_lost_make_the_trial_invalid(self):
        self.daemon()
        recorder = self.record()

        def participant(trial):
            if trial.number == 1:
                recorder.send_signal(signal.SIGSTOP)
                time.sleep(6.0)  # the ring holds four seconds
                recorder.send_signal(signal.SIGCONT)
            return 1

        rows = self.run_trials(participant)
        self.end(recorder)
        self.assertEqual([row["valid"] for row in rows], [False, True], rows)
        with hapticd.Log(self.log) as log:
            lengths = [len(log["cycle"][log.between(row["start_cycle"], row["end_cycle"])]) for row in rows]
        cycles = [row["end_cycle"] - row["start_cycle"] + 1 for row in rows]
        self.assertEqual(rows[0]["reason"], f"{self.log} lacks {cycles[0] - lengths[0]} of {cycles[0]} cycles")
        self.assertEqual(lengths[1], cycles[1])

    def test_a_recording_goes_on_in_the_next_scene(self):
        self.daemon()
        (self.folder / "other.toml").write_text(PRESS)
        recorder = self.record()

        def participant(trial):
            self.session.load(self.folder / ("other.toml" if trial.number % 2 else "scene.toml"))
            self.session.wait_for("engaged")
            return 1

        rows = self.run_trials(participant, trials=3)
        self.end(recorder)
        self.assertEqual([(row["valid"], row["reason"]) for row in rows], [(True, "")] * 3)
        logs = [hapticd.Log(self.folder / name) for name in ("log.h5", "log.2.h5", "log.3.h5", "log.4.h5")]
        for row in rows:
            cycles = np.concatenate([log["cycle"][log.between(row["start_cycle"], row["end_cycle"])] for log in logs])
            self.assertEqual(len(cycles), row["end_cycle"] - row["start_cycle"] + 1)

    def test_a_log_that_is_no_file_is_not_waited_for(self):
        self.daemon()
        os.mkfifo(self.log)
        with self.assertRaisesRegex(hapticd.OperationError, "cannot begin: .*log.h5 is not being recorded"):
            Experiment(self.session, self.folder / "results.csv", log=self.log, on_invalid="stop").run(
                [{}], lambda trial: 1)


class SceneHashes(PressCase):
    def test_the_hash_is_of_what_the_daemon_read(self):
        self.daemon()
        session, scene = hapticd.Session(self.name), self.folder / "scene.toml"
        text = scene.read_bytes()
        self.assertEqual(session.telemetry().scene_text, text)
        os.utime(scene)
        scene.unlink()
        os.mkfifo(scene)  # nobody reads the file again
        rows = Experiment(session, self.folder / "results.csv").run([{}], lambda trial: 1)
        self.assertEqual(rows[0]["scene_hash"], hashlib.sha256(text).hexdigest())
        done = self.haptic("record", "--seconds", "0.2", "-o", self.folder / "log.h5")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(hapticd.Log(self.folder / "log.h5").scene_hash, rows[0]["scene_hash"])
