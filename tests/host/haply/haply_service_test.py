#!/usr/bin/env python3
"""haptic-haply and a daemon with an emulated Haply Inverse Service, which speaks the documented messages of the Inverse
SDK 3.5: an inventory on connection, then one state update for each message.

Usage: haply_service_test.py HAPTIC HAPTICD GUARD HAPTIC_HAPLY [unittest arguments]
"""
import asyncio
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import unittest

try:
    import websockets
except ImportError:
    print("skipped: python3-websockets not installed")
    sys.exit(77)

TREE = pathlib.Path(__file__).resolve().parents[3]
sys.path.append(str(TREE / "tests/support"))
from adapter_rig import AdapterRig  # noqa: E402

HAPTIC, HAPTICD, GUARD, HAPLY = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:5])


class Service:
    """`answer` is "state", "garbage", "types", "silence", "drop" or "stuck"."""

    def __init__(self):
        self.answer, self.forces, self.profiles, self.port = "state", [], [], None
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()

    def listen(self, port=0):
        async def serve():
            return await websockets.serve(self.serve, "127.0.0.1", port)
        self.server = asyncio.run_coroutine_threadsafe(serve(), self.loop).result(10)
        self.port = self.server.sockets[0].getsockname()[1]

    def stop(self):
        async def close():
            self.server.close()
            await self.server.wait_closed()
        asyncio.run_coroutine_threadsafe(close(), self.loop).result(10)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()

    @staticmethod
    def state(inventory=False):
        device = {"device_id": "049D", "status": {"ready": True},
                  "state": {"cursor_position": {"x": 0.0, "y": -0.14, "z": 0.16},
                            "cursor_velocity": {"x": 0.0, "y": 0.0, "z": 0.0}}}
        if inventory:
            device["config"] = {"type": "inverse3", "handedness": "right"}
        grip = {"device_id": "61548", "state": {"orientation": {"w": 1.0, "x": 0.0, "y": 0.0, "z": 0.0},
                                                "buttons": {"a": True, "b": False, "c": False}, "hall": 0}}
        return json.dumps({"session_id": 7, "inverse3": [device], "wireless_verse_grip": [grip]})

    async def serve(self, socket, path=None):
        await socket.send(self.state(inventory=True))
        try:
            async for text in socket:
                message = json.loads(text)
                if "session" in message:
                    self.profiles.append(message["session"]["configure"]["profile"]["name"])
                values = message["inverse3"][0]["commands"]["set_cursor_force"]["values"]
                self.forces.append((values["x"], values["y"], values["z"]))
                if self.answer == "drop":
                    return
                if self.answer == "garbage":
                    await socket.send("{ \x00 not JSON")
                elif self.answer == "types":
                    await socket.send(self.state().replace("0.16", '"high"'))
                elif self.answer == "state":
                    await socket.send(self.state())
                while self.answer == "stuck":  # reads no more, and goes on sending
                    await socket.send(self.state())
                    await asyncio.sleep(0.001)
        except websockets.ConnectionClosed:
            pass


class HaplyService(AdapterRig):
    programs = {"haptic": HAPTIC, "hapticd": HAPTICD, "hapticd-guard": GUARD}

    def setUp(self):
        super().setUp()
        # The hand is 10 mm inside of the wall: its force points upwards. The emulated service is Python.
        self.set_up_rig(HAPTIC, 0.05, "haply-inverse3", 200)  # less than the silence below
        self.service = Service()
        self.daemon("--device", "device.toml", "--unguarded")

    def adapter(self, *options):
        return self.start(HAPLY, "--link", self.link, "--port", self.service.port, "--silence", "0.5", "--rate", "200",
                          *options)

    def running(self):
        self.service.listen()
        self.addCleanup(self.service.stop)
        adapter = self.adapter()
        self.wait_for("idle")
        self.engage()
        return adapter

    def engage(self):
        """Beside other work the adapter may be late, which is a fault, too: then once more."""
        def is_engaged():
            state = self.status()["state"]
            if state in ("fault", "idle"):
                self.haptic("reset" if state == "fault" else "engage")
            return state == "engaged"
        self.until(is_engaged)

    def test_the_force_reaches_the_service_in_its_axes_and_ends_with_zero(self):
        adapter = self.running()
        self.until(lambda: self.service.forces[-1][2] > 0.05)  # up: z of the service
        # Everything but the wall's normal is small: contact points of a sphere are not symmetric.
        x, y, z = self.service.forces[-1]
        self.assertLess(abs(x) + abs(y), 0.3 * z)
        self.assertEqual(self.service.profiles, ["hapticd:haptic-haply"])
        adapter.send_signal(signal.SIGTERM)
        self.assertEqual(adapter.wait(30), 0, self.said())
        self.until(lambda: self.service.forces[-1] == (0, 0, 0))
        self.until(lambda: self.status()["state"] == "fault")

    def test_a_service_that_comes_late_is_found(self):
        self.service.listen()
        self.service.stop()
        late = Service()
        late.port = self.service.port
        self.service = late
        self.adapter()
        self.until(lambda: "trying again" in self.said())
        self.assertTrue(self.state_is("homing"))
        late.listen(late.port)
        self.addCleanup(late.stop)
        self.wait_for("idle")

    def test_every_failure_of_the_service_is_a_fault_and_ends(self):
        self.running()
        lost, stale = ("device_lost",), ("stale_input",)
        for answer, faults, says in [("garbage", lost, "found no JSON"),
                                     ("types", lost, "inverse3.state.cursor_position.z: found no number"),
                                     ("silence", stale, "is silent"),
                                     ("stuck", lost + stale, "takes no messages"),
                                     ("drop", lost, "closed")]:
            with self.subTest(answer):
                self.service.answer = answer
                self.until(lambda faults=faults: self.status()["fault"] in faults)
                self.until(lambda says=says: says in self.said())
                self.assertEqual(self.status()["force_N"], [0, 0, 0])
                self.service.answer = "state"
                self.engage()

    def test_a_zero_that_was_not_taken_is_not_confirmed(self):
        self.running()
        self.until(lambda: self.service.forces[-1][2] > 0.05)
        self.service.answer = "stuck"
        self.until(lambda: "takes no messages" in self.said())
        taken = len(self.service.forces)
        now = subprocess.run([GUARD, "--safe-outputs-now", "--manifest", "device.toml", "--give-up-s", "0.2"],
                             cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual((now.returncode, now.stderr.count("\n")), (1, 1), now.stderr)
        self.assertIn("THE OUTPUTS MAY NOT BE SAFE", now.stderr)
        self.assertIn("has not confirmed a zero force", now.stderr)
        self.assertEqual(len(self.service.forces), taken)

    def test_without_hapticd_the_force_is_zero(self):
        self.service.listen()
        self.addCleanup(self.service.stop)
        self.start(HAPLY, "--link", "nobody", "--port", self.service.port)
        self.until(lambda: len(self.service.forces) > 50)
        self.assertEqual(set(self.service.forces), {(0, 0, 0)})

    def test_bad_options_are_one_line(self):
        for options in (["--host", "nowhere"], ["--rate", "0"], ["--port", "x"], ["--centre", "1", "2", "nan"],
                        ["--rate", "nan"], ["--silence", "nan"]):
            result = subprocess.run([HAPLY, *options], capture_output=True, text=True, timeout=30)
            self.assertEqual((result.returncode, result.stderr.count("\n")), (2, 1), (options, result.stderr))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]])
