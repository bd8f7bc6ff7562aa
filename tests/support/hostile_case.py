"""A daemon of two spheres that neighbours trouble, and a client that sends it arbitrary packets."""
import socket
import struct

from daemon_case import SECONDS, DaemonCase
from programs import TWO_SPHERES, run_folder

# shared/ipc/command.h
COMMAND = struct.Struct("<IId64s448sqQ32s9d")
GREETING = struct.Struct("<QQQQ")
REPLY = struct.Struct("<IIIIddQQ256s")
ENGAGE, STOP, RESET = 1, 3, 4
APPLIED, MALFORMED, STATE_CHANGED, EXPIRED = 1, 6, 13, 14

# A loaded machine may not schedule the daemon for hundreds of milliseconds; that is not tested here.
PATIENT = "[limits]\nstale_s = 10.0\noverload_slots = 100000\noverload_fraction = 1.0\noverload_window_s = 10.0\n"


def command(kind, deadline_ns=0, epoch=0):
    return COMMAND.pack(kind, 0, 0.0, b"", b"", deadline_ns, epoch, b"hostile", *9 * [0.0])


class Client:
    """A foreign client that sends arbitrary packets to the socket of a daemon."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.connect(str(path))  # behind others, if need be
        self.socket.settimeout(SECONDS)

    def greeted(self):
        return GREETING.unpack(self.socket.recv(4096))

    def ask(self, packet):
        self.socket.send(packet)
        return REPLY.unpack(self.socket.recv(4096))

    def close(self):
        self.socket.close()


class HostileCase(DaemonCase):
    def setUp(self):
        super().setUp()
        (self.folder / "scene.toml").write_text(TWO_SPHERES + PATIENT)

    def run_file(self, what):
        """The daemon's file in this user's run folder."""
        return run_folder() / f"{self.name}.{what}"

    def client(self, what="commands"):
        client = Client(self.run_file(what))
        self.addCleanup(client.close)
        return client

    def goes_on_engaged(self):
        before = self.status()["cycles"]
        self.until(lambda: self.status()["cycles"] > before)
        self.assertTrue(self.state_is("engaged"), self.status())
