"""Commands: what they do, and that refusals carry the daemon's words."""
import hapticd
from scenes import PressCase


class Commands(PressCase):
    def setUp(self):
        super().setUp()
        self.session = hapticd.Session(self.name)

    def test_engage_release_stop_reset(self):
        self.daemon()
        self.session.engage()
        self.session.wait_for("engaged")
        with self.assertRaisesRegex(hapticd.Refused, r"^reset: refused: not possible in this state \(engaged\)$"):
            self.session.reset()
        self.session.release()
        self.session.wait_for("idle")
        self.session.stop()
        self.session.wait_for("fault")
        self.assertEqual(self.session.state(), ("fault", "operator_stop"))
        self.session.reset()
        self.session.wait_for("idle")
        with self.assertRaisesRegex(hapticd.OperationError, "waited for engaged"):
            self.session.wait_for("engaged", 0.05)
        with self.assertRaises(hapticd.InputError):
            self.session.wait_for("engagd")

    def test_set(self):
        self.daemon()
        self.session.set("coupling.stiffness", 150.0)
        self.wait_until(lambda: self.session.parameters()["coupling.stiffness"].value == 150.0)
        with self.assertRaisesRegex(hapticd.Refused, "did you mean coupling.stiffness"):
            self.session.set("coupling.stifness", 1.0)
        with self.assertRaisesRegex(hapticd.Refused, "value out of range .allowed 1 to 300"):
            self.session.set("coupling.stiffness", -1.0)
        with self.assertRaises(hapticd.InputError):
            self.session.set("coupling.stiffness", float("nan"))
        with self.assertRaisesRegex(hapticd.InputError, "^coupling.stiffness: found 'soft', expected a number$"):
            self.session.set("coupling.stiffness", "soft")
        with self.assertRaisesRegex(hapticd.InputError, "^mark: found 5, expected a text$"):
            self.session.mark(5)
        self.assertEqual(repr(self.session), f'<Session with hapticd "{self.name}">')

    def test_what_was_answered_is_in_the_events(self):
        """Also if the daemon is killed at once: a results file says what the log must have."""
        self.daemon()
        telemetry = hapticd.Telemetry(self.name)
        for i in range(200):
            self.session.mark(f"mark {i}")
            events = telemetry.events()
            self.assertEqual(hapticd.telemetry.text_of(events[-1]["text"]), f"mark {i}")

    def test_mark_load_pull(self):
        self.daemon()
        cycle = self.session.mark("trial 3 ü")
        telemetry = hapticd.Telemetry(self.name)
        while len(telemetry.events()) == 0:  # the answer may come before the event is published
            pass
        event = telemetry.events()[-1]
        self.assertEqual((hapticd.telemetry.text_of(event["text"]), int(event["command"])), ("trial 3 ü", 10))
        self.assertGreater(cycle, 0)
        self.assertEqual(cycle, int(event["cycle"]))
        for bad in ("", "two\nlines", "x" * 1000, "\ud800"):
            with self.assertRaises(hapticd.InputError):
                self.session.mark(bad)
        (self.folder / "bad.toml").write_text("rate_hz = -5\n")
        with self.assertRaisesRegex(hapticd.Refused, "bad.toml.*rate_hz"):
            self.session.load(self.folder / "bad.toml")
        with self.assertRaises(hapticd.Refused):
            self.session.pull("nobody", (0, 0, 0), by=(0, 0.01, 0))
        with self.assertRaises(hapticd.InputError):
            self.session.pull("wall", (0, 0, 0))

    def test_no_daemon(self):
        for command in (self.session.engage, self.session.stop, lambda: self.session.mark("x"),
                        lambda: self.session.set("limits.force", 1.0)):
            with self.assertRaises(hapticd.NoDaemon):
                command()
