"""A log whose texts want to be markup."""
import shutil

import h5py

HOSTILE = "</pre><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">'"


def hostile_log(folder, log):
    """@returns hostile.h5 in the folder, a copy of the log with other texts"""
    copy = folder / "hostile.h5"
    shutil.copy(log, copy)
    with h5py.File(copy, "r+") as file:
        for thing, name in ((file, "scene"), (file, "source"), (file["bodies/0"], "name"),
                            (file["bodies/0"], "model")):
            del thing.attrs[name]
            thing.attrs.create(name, HOSTILE.encode(), dtype=h5py.string_dtype("utf-8", len(HOSTILE)))
    return copy
