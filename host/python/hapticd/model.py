"""Baked models (model.h5): docs/artifact.md lists their sections."""
from __future__ import annotations

import os
from typing import Any, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _hapticd
from .errors import InputError
from .hdf5 import attributes, find, open_hdf5, reading


class Model:
    """A model file: `model["/mesh/vertices"]` is a section. Raises Truncated for a file that was cut off, InputError
    for one that is damaged."""

    def __init__(self, path: Union[str, os.PathLike[str]]):
        self.path = os.fspath(path)
        self._file, _ = open_hdf5(self.path, "a model of haptic bake")
        try:
            with open(self.path, "rb") as file:
                if file.read(8) != b"\x89HAPTIC\n":
                    raise InputError(f"{self.path}: found an HDF5 file without the index of a model, "
                                     "expected a model of haptic bake")
            self._model = _hapticd.ModelFile(self.path)  # as the daemon reads it, every hash checked
        except BaseException:
            self._file.close()
            raise
        self.sections: list[str] = sorted(self._model.names)  #: names, as in docs/artifact.md

    def __contains__(self, name: str) -> bool:
        return name in self.sections

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self.sections:
            raise InputError(f"{self.path}: {name}: found no such section, expected one of {', '.join(self.sections)}")
        return self._model.section(name)

    def attributes(self, group: str = "/provenance") -> dict[str, Any]:
        """Attributes of a group that docs/artifact.md names: those of /mesh are the material, SI units."""
        found = find(self._file, self.path, group)
        if found is None:
            raise InputError(f"{self.path}: {group}: found no such group")
        with reading(self.path, "a model of haptic bake"):
            return attributes(found, _hapticd.model_attribute_names("/" + group.strip("/")))

    @property
    def dimension(self) -> int:
        """r, the number of reduced coordinates; 0 of a rigid body."""
        return int(self["/reduced/basis"].shape[1]) if "/reduced/basis" in self else 0

    def displacement(self, q: ArrayLike) -> NDArray[Any]:
        """u = U q of all vertices of /mesh, n x 3 [m]. `q`: r reduced coordinates [m kg^1/2]."""
        coordinates = np.asarray(q, dtype=float)
        if coordinates.shape != (self.dimension,) or not self.dimension:
            raise InputError(f"{self.path}: q: found shape {coordinates.shape}, expected ({self.dimension},)")
        return np.asarray(np.asarray(self["/reduced/basis"], dtype=float) @ coordinates).reshape(-1, 3)

    def deformed_vertices(self, q: ArrayLike) -> NDArray[Any]:
        """Vertices of /mesh displaced by U q, n x 3 [m]."""
        return np.asarray(np.asarray(self["/mesh/vertices"], dtype=float) + self.displacement(q))

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Model:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
