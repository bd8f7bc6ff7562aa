#!/usr/bin/env python3
"""A running daemon against faulty or hostile clients and readers of its messages.

Usage: hostile_operators_test.py HAPTIC HAPTICD [unittest arguments]
"""
import fcntl
import os
import pathlib
import signal
import sys
import threading
import time
import unittest

import h5py

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from daemon_case import SECONDS  # noqa: E402
from hostile_case import (APPLIED, ENGAGE, EXPIRED, MALFORMED, PATIENT, RESET, STATE_CHANGED,  # noqa: E402
                          HostileCase, command)
from programs import TWO_SPHERES, run  # noqa: E402

HAPTIC, HAPTICD = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:3])
NOBODY = 65534


class HostileOperators(HostileCase):
    programs = {"haptic": HAPTIC, "hapticd": HAPTICD}

    # ---- readers of messages

    def test_a_closed_message_pipe_does_not_stop_the_daemon(self):
        reading, writing = os.pipe()
        process = self.daemon("--engage", stderr=writing)
        os.close(writing)
        os.close(reading)
        for _ in range(5):  # each gives a line that is not read
            self.refused("set", "limits.force", "-1")
            self.must("release")
            self.must("engage")
        self.goes_on_engaged()
        self.expect_stops(process)

    def test_a_full_message_pipe_does_not_stop_the_daemon(self):
        reading, writing = os.pipe()
        self.addCleanup(os.close, reading)
        fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096)
        flags = fcntl.fcntl(writing, fcntl.F_GETFL)
        fcntl.fcntl(writing, fcntl.F_SETFL, flags | os.O_NONBLOCK)
        try:
            while True:
                os.write(writing, b"x")
        except BlockingIOError:
            pass
        fcntl.fcntl(writing, fcntl.F_SETFL, flags)
        process = self.daemon("--engage", stderr=writing)
        os.close(writing)
        for _ in range(5):
            self.must("release")
            self.must("engage")
        self.goes_on_engaged()
        self.expect_stops(process)

    # ---- clients

    def test_stop_is_answered_whatever_sixteen_clients_do(self):
        process = self.daemon("--engage")
        over = threading.Event()
        asked = [0] * 16

        def flood(i):
            client = self.client()
            client.greeted()
            while not over.is_set():
                kind = (ENGAGE, RESET, 5, 77)[i % 4]
                try:
                    client.ask(command(kind))
                    asked[i] += 1
                except OSError:
                    return

        threads = [threading.Thread(target=flood, args=[i]) for i in range(16)]
        for thread in threads:
            thread.start()
        try:
            self.until(lambda: min(asked) > 0)
            for _ in range(10):
                self.must("stop")
        finally:
            over.set()
            for thread in threads:
                thread.join()
        self.until(lambda: self.haptic("stop").returncode == 0)
        self.wait_for("fault", "operator_stop")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(SECONDS), 0, self.said())

    def test_idle_and_garbage_connections_do_not_block_stop(self):
        process = self.daemon("--engage")
        silent = [self.client(what) for what in ("commands", "stop") for _ in range(100)]
        for client in silent[::3]:
            try:
                client.socket.send(b"\xff" * 100)
            except OSError:
                pass  # disconnected by now
        self.goes_on_engaged()
        self.assertGreater(self.status()["command_garbage"], 0)
        self.expect_stops(process)

    def test_an_engage_is_dropped_when_its_client_disconnects(self):
        process = self.daemon()
        client = self.client()
        client.greeted()
        process.send_signal(signal.SIGSTOP)
        tasks = pathlib.Path(f"/proc/{process.pid}/task")
        self.until(lambda: all(") T " in (task / "stat").read_text() for task in tasks.iterdir()))
        client.socket.send(command(ENGAGE))
        client.close()
        time.sleep(0.2)
        process.send_signal(signal.SIGCONT)
        before = self.status()["cycles"]
        self.until(lambda: self.status()["cycles"] > before + 100)
        self.assertTrue(self.state_is("idle"), self.status())
        self.must("engage")
        self.expect_stops(process)

    def test_an_engage_is_refused_after_its_deadline_and_in_another_epoch(self):
        process = self.daemon()
        client = self.client()
        magic, _, _, epoch = client.greeted()
        self.assertEqual(magic, 0x32444D4354504148)
        self.assertEqual(client.ask(command(ENGAGE, deadline_ns=1, epoch=epoch))[0], EXPIRED)
        # The state that the client has seen has changed: another client stopped and reset meanwhile.
        self.must("stop")
        self.must("reset")
        self.wait_for("idle")
        reply = client.ask(command(ENGAGE, epoch=epoch))
        self.assertEqual(reply[0], STATE_CHANGED)
        self.assertTrue(self.state_is("idle"), self.status())
        self.assertEqual(client.ask(command(ENGAGE, epoch=reply[6]))[0], APPLIED)
        self.assertTrue(self.state_is("engaged"), self.status())
        self.expect_stops(process)

    def test_a_flood_is_one_line_a_second_in_the_journal(self):
        process = self.daemon()
        client = self.client()
        client.greeted()
        begin = time.monotonic()
        for _ in range(300):
            self.assertEqual(client.ask(b"x")[0], MALFORMED)
            self.assertNotEqual(client.ask(command(2))[0], MALFORMED)
        seconds = time.monotonic() - begin
        lines = [line for line in self.said().splitlines() if "release" in line or "packets" in line]
        # Two causes, each once a second and with one line for the suppressed messages.
        self.assertLessEqual(len(lines), 4 * (seconds + 1))
        self.assertGreater(len(lines), 0)
        self.expect_stops(process)

    # ---- one operator at a time, and records of their commands

    @unittest.skipUnless(os.getuid() == 0, "only root can act as two users")
    def test_one_operator_at_a_time(self):
        place = self.folder / "run"
        place.mkdir()
        os.chown(self.folder, NOBODY, NOBODY)
        os.chown(place, NOBODY, NOBODY)
        os.environ["RUNTIME_DIRECTORY"] = str(place)
        self.addCleanup(os.environ.pop, "RUNTIME_DIRECTORY")
        as_nobody = ["setpriv", "--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups"]

        def nobody(*arguments):
            return run(*as_nobody, HAPTIC, *arguments, "--name", self.name, cwd=self.folder)

        process = self.daemon(before=as_nobody)
        self.assertIsNone(self.status()["operator"])
        self.assertEqual(nobody("engage").returncode, 0)
        holder = self.status()["operator"]
        self.assertEqual((holder["uid"], holder["client"]), (NOBODY, "haptic"))
        for words in (["release"], ["set", "limits.force", "1"], ["load", "scene.toml"], ["engage"]):
            self.refused(*words, says=["has the device"])
        self.assertTrue(self.state_is("engaged"))
        self.must("stop")  # is allowed to every operator
        self.refused("reset", says=["has the device"])
        self.must("takeover")
        self.assertEqual(self.status()["operator"]["uid"], 0)
        self.assertEqual(nobody("reset").returncode, 1)
        self.must("reset")
        self.wait_for("idle")
        self.must("engage")
        self.must("release")
        self.assertIsNone(self.status()["operator"])
        self.assertEqual(nobody("engage").returncode, 0)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(SECONDS), 0, self.said())
        for line in (f"engage by user {NOBODY}", "takeover by user 0", "stop by user 0"):
            self.assertIn(line, self.said())

    def test_who_did_what_is_in_log_black_box_and_journal_and_replayed(self):
        (self.folder / "hand.csv").write_text("time_s,x_m,y_m,z_m,qw,qx,qy,qz\n" + "".join(
            f"{0.5 * i},0,{0.062 - 0.004 * (i % 2)},0,1,0,0,0\n" for i in range(40)))
        (self.folder / "scene.toml").write_text(
            TWO_SPHERES + PATIENT + '[coupling]\nstiffness = 200.0\n[device]\nscript = "hand.csv"\n')
        process = self.daemon("--engage")
        log = self.start(HAPTIC, "record", "-o", "log.h5", "--from-oldest", "--name", self.name)
        for stiffness in ("150", "90"):
            before = self.status()["cycles"]
            self.until(lambda: self.status()["cycles"] > before + 300)
            self.must("set", "coupling.stiffness", stiffness)
        self.refused("set", "coupling.stiffness", "-5")
        before = self.status()["cycles"]
        self.until(lambda: self.status()["cycles"] > before + 300)
        log.send_signal(signal.SIGINT)
        self.assertEqual(log.wait(SECONDS), 0, self.said())
        with h5py.File(self.folder / "log.h5") as file:
            events = {name: file["/events"][name][:] for name in file["/events"]}
            first = file["/samples/cycle"][0]
        self.assertEqual([k.decode() for k in events["key"]], ["coupling.stiffness"] * 3)
        self.assertEqual(list(events["value"]), [150.0, 90.0, -5.0])
        self.assertEqual(list(events["answer"] == APPLIED), [True, True, False])
        self.assertEqual(list(events["executed"]), [1, 1, 0])
        self.assertEqual(set(events["uid"]), {os.getuid()})
        self.assertEqual({c.decode() for c in events["client"]}, {"haptic"})
        self.assertEqual(first, 0)
        replayed = run(HAPTIC, "replay", "log.h5", cwd=self.folder)
        self.assertEqual(replayed.returncode, 0, replayed.stderr + replayed.stdout)
        self.must("stop")
        self.until(lambda: "the last seconds were written to" in self.said())
        box = next(self.folder.glob("hapticd-*operator_stop*.box"))
        made = run(HAPTIC, "record", "--from-box", box.name, "-o", "box.h5", cwd=self.folder)
        self.assertEqual(made.returncode, 0, made.stderr)
        with h5py.File(self.folder / "box.h5") as file:
            events = {name: list(file["/events"][name][:]) for name in ("command", "value", "fault", "uid", "kind")}
        commands = list(zip(events["command"], events["value"]))
        self.assertEqual(commands[:4], [(5, 150.0), (5, 90.0), (5, -5.0), (3, 0.0)])
        self.assertEqual(set(events["uid"][:4]), {os.getuid()})
        self.assertEqual((events["kind"][-1], events["fault"][-1] != 0), (2, True))
        for line in ("set coupling.stiffness 150 by user", "stop by user"):
            self.assertIn(line, self.said())
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(SECONDS), 0, self.said())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
