"""Exceptions of the package. Their text is the line that `haptic` would print."""
from typing import Any


class Error(Exception):
    """Whatever this package raises on purpose."""


class InputError(Error, ValueError):
    """Bad input: names the file or argument, the key, what was found and what was expected."""


class OperationError(Error, RuntimeError):
    """The input was fine but the operation failed: a fault was latched, the daemon does not answer."""

    #: Of a world that faulted: the Samples up to the fault.
    samples: Any = None


class NoDaemon(OperationError):
    """No daemon runs under this name, or it may not be commanded."""


class LayoutMismatch(InputError):
    """Shared memory of another version or build of hapticd, or damaged."""


class Refused(OperationError):
    """The daemon refused a command; the text is its reason."""


class Truncated(InputError):
    """A file that was cut off."""
