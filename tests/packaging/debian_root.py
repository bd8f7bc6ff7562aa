"""A minimal Debian system: the smallest system of a release with the requested packages only.

A folder and its mounts (proc, a /dev without this machine's devices), entered with chroot: needs root,
mmdebstrap, and the network for the first time only. The caller runs in a private mount namespace
(`enter_mount_namespace`), so that nothing stays mounted after any failure.
"""
import hashlib
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys

# Internal files of dpkg, apt and the account tools.
NOT_COMPARED = re.compile(r"(proc|sys|dev|tmp|run|var/(cache|lib/(dpkg|apt)|log/(apt|dpkg\.log|alternatives\.log)))(/|$)"
                          r"|etc/(passwd|group|shadow|gshadow|subuid|subgid)-?$|etc/\.pwd\.lock$")


def enter_mount_namespace():
    """Starts this program again in a private mount namespace; returns there."""
    if os.environ.get("HAPTIC_MOUNT_NAMESPACE") != "own":
        os.environ["HAPTIC_MOUNT_NAMESPACE"] = "own"
        os.execvp("unshare", ["unshare", "--mount", "--propagation", "private", sys.executable, *sys.argv])


def field(package, name):
    """One field of a package's control file."""
    return subprocess.run(["dpkg-deb", "-f", package, name], check=True, capture_output=True, text=True).stdout.strip()


def mirror():
    """The archive this machine installs from, or Debian's."""
    files = [pathlib.Path("/etc/apt/sources.list"), *pathlib.Path("/etc/apt/sources.list.d").glob("*")]
    text = "\n".join(file.read_text() for file in files if file.is_file())
    found = re.search(r"^URIs:\s*(\S*debian)/?$|^deb (?:\[[^]]*\] )?(\S*debian)/? bookworm ", text, re.M)
    return (found.group(1) or found.group(2)) if found else "http://deb.debian.org/debian"


def sources(suite):
    """The archives that an installed Debian of this release has: the release and its security updates."""
    return [f"deb {mirror()} {suite} main", f"deb {mirror()}-security {suite}-security main"]


class DebianRoot:
    def __init__(self, cache, suite, depends="", keep=False):
        """
        @param cache   folder that keeps base systems, and roots that stay, between runs
        @param suite   the release: bookworm, trixie
        @param depends packages that the root has from the start, as a `Depends` field lists them
        @param keep    the root as an earlier run left it, where there is one; it stays after close()
        """
        key = hashlib.sha256(f"minbase {sources(suite)} {depends}".encode()).hexdigest()[:12]
        base = cache / f"base-{suite}-{key}.tar"
        cache.mkdir(parents=True, exist_ok=True)
        if not base.exists():
            print(f"base system: {suite}, {depends or 'nothing else'}", file=sys.stderr)
            made = base.with_suffix(".tmp.tar")
            satisfied = [f"--customize-hook=chroot \"$1\" apt-get satisfy -y -qq \"{depends}\""] if depends else []
            result = subprocess.run(["mmdebstrap", "--variant=minbase", "--aptopt=APT::Install-Recommends \"false\"",
                                     *satisfied, suite, made, *sources(suite)], capture_output=True, text=True)
            if result.returncode != 0:
                raise RuntimeError(f"mmdebstrap: {result.stderr[-2000:]}")
            made.rename(base)
        self.path, self.keep = cache / f"root-{suite}-{key}", keep
        if not (keep and self.path.exists()):
            shutil.rmtree(self.path, ignore_errors=True)
            self.path.mkdir()
            subprocess.run(["tar", "-xf", base, "-C", self.path, "--exclude=./dev/*"], check=True)
        # A mount of its own: programs in the root can make mount namespaces (unshare --mount).
        self._mount(None, self.path, "")
        self._mount("proc", "proc", "proc")
        self._mount("tmpfs", "tmpfs", "dev")
        for node in ("null", "zero", "full", "random", "urandom", "tty"):
            (self.path / "dev" / node).touch()
            self._mount(None, f"/dev/{node}", f"dev/{node}")
        for link, target in (("fd", "/proc/self/fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2")):
            (self.path / "dev" / link).symlink_to(target)
        (self.path / "dev/pts").mkdir()
        subprocess.run(["mount", "-t", "devpts", "-o", "newinstance,ptmxmode=0666", "devpts", self.path / "dev/pts"],
                       check=True)
        (self.path / "dev/ptmx").symlink_to("pts/ptmx")
        (self.path / "dev/shm").mkdir()
        self._mount("tmpfs", "tmpfs", "dev/shm")

    def _mount(self, kind, source, target):
        subprocess.run(["mount", *(["-t", kind] if kind else ["--bind"]), source, self.path / target], check=True)

    def close(self):
        """Unmounts the root and, unless it is kept, removes it; the base system stays."""
        subprocess.run(["umount", "--recursive", self.path], check=True)
        if not self.keep:
            shutil.rmtree(self.path)

    ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8",
                   "DEBIAN_FRONTEND": "noninteractive"}

    def attempt(self, *command, user=None):
        """Runs a command in the root; returns the CompletedProcess, output as text."""
        as_user = ["runuser", "-u", user, "--"] if user else []
        return subprocess.run(["chroot", self.path, *as_user, *command], capture_output=True, text=True, cwd="/",
                              stdin=subprocess.DEVNULL, env=self.ENVIRONMENT)

    def run(self, *command, user=None):
        """The same for a command that must succeed; returns its standard output."""
        result = self.attempt(*command, user=user)
        if result.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: exit code {result.returncode}\n{result.stdout}{result.stderr}")
        return result.stdout

    def install(self, *packages):
        """apt-get install of package files; there is no network, so every dependency must be installed or declared."""
        names = []
        for package in packages:
            shutil.copy(package, self.path / "tmp")
            names.append(f"/tmp/{package.name}")
        return self.run("apt-get", "install", "-y", "--no-install-recommends", "-o", "Dpkg::Use-Pty=0",
                        "-o", "Acquire::http::Proxy=http://127.0.0.1:9", *names)

    def status(self, package):
        """Status as of dpkg: installed, config-files, not-installed."""
        result = self.attempt("dpkg-query", "-W", "-f", "${db:Status-Status}", package)
        return result.stdout or "not-installed"

    def listed(self, package):
        """Absolute paths of the package's files and folders."""
        return {line for line in self.run("dpkg", "-L", package).splitlines() if line != "/."}

    def read(self, path):
        return (self.path / path.lstrip("/")).read_text()

    def write(self, path, text):
        file = self.path / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def exists(self, path):
        return os.path.lexists(self.path / path.lstrip("/"))

    def owner_and_mode(self, path):
        """As `stat -c '%U %G %a'` inside the root."""
        return self.run("stat", "-c", "%U %G %a", path).strip()

    def snapshot(self):
        """{absolute path: kind, mode, owner, content} of everything but dpkg's own records."""
        found = {}
        for folder, folders, files in os.walk(self.path):
            inside = os.path.relpath(folder, self.path)
            keep = lambda name: not NOT_COMPARED.match(os.path.normpath(os.path.join(inside, name)))
            folders[:] = [name for name in folders if keep(name)]
            for name in folders + [name for name in files if keep(name)]:
                path = os.path.join(folder, name)
                status = os.lstat(path)
                if stat.S_ISLNK(status.st_mode):
                    content = os.readlink(path)
                elif stat.S_ISREG(status.st_mode) and re.match(r"(etc|var)(/|$)", inside):
                    content = hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()
                else:
                    content = status.st_size if stat.S_ISREG(status.st_mode) else None
                found["/" + os.path.normpath(os.path.join(inside, name))] = (
                    oct(status.st_mode), status.st_uid, status.st_gid, content)
        return found
