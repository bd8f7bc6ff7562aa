#include "host/files/temporary_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <system_error>

#include "shared/error.h"

namespace haptic {
namespace {

// A signal handler may neither allocate nor lock: the names are in static memory, each with a flag.
struct Slot {
  std::array<char, PATH_MAX> name;
  volatile std::sig_atomic_t used = 0;
};
constexpr int kSlots = 8;
constexpr int kNoSlot = -1;
std::array<Slot, kSlots> slots;
std::mutex slots_mutex;

extern "C" void remove_temporary_files(int signal) {
  for (const Slot& slot : slots) {
    if (slot.used) ::unlink(slot.name.data());
  }
  // As if there were no handler. The flags SA_RESETHAND and SA_NODEFER would do the same, but METIS
  // saves and restores the handler of SIGTERM with signal(), which loses them.
  ::signal(signal, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  ::pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  ::raise(signal);
}

void handle_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
    struct sigaction now = {};
    if (::sigaction(signal, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) continue;
    struct sigaction action = {};
    action.sa_handler = remove_temporary_files;
    ::sigaction(signal, &action, nullptr);
  }
}

int take_slot(const std::string& name) {
  const std::lock_guard lock(slots_mutex);
  handle_signals();
  for (int i = 0; i < kSlots; ++i) {
    Slot& slot = slots[static_cast<std::size_t>(i)];
    if (slot.used || name.size() >= slot.name.size()) continue;
    std::memcpy(slot.name.data(), name.c_str(), name.size() + 1);
    slot.used = 1;
    return i;
  }
  return kNoSlot;
}

void give_back(int slot) {
  const std::lock_guard lock(slots_mutex);
  if (slot != kNoSlot) slots[static_cast<std::size_t>(slot)].used = 0;
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

/// Removes `<target>.tmp<pid>` of processes that ended before they could: those no longer exist and
/// have no lock (HDF5 locks the files it writes).
void remove_abandoned(const std::filesystem::path& target) {
  const std::string start = target.filename().string() + ".tmp";
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder_of(target), ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(start) || name.size() == start.size()) continue;
    if (name.find_first_not_of("0123456789", start.size()) != std::string::npos) continue;
    const pid_t pid = static_cast<pid_t>(std::strtol(name.c_str() + start.size(), nullptr, 10));
    if (pid <= 0 || pid == getpid() || kill(pid, 0) == 0 || errno != ESRCH) continue;
    const int fd = open(entry.path().c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) continue;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) std::filesystem::remove(entry.path(), ignored);
    close(fd);
  }
}

}  // namespace

void sync_to_disk(const std::filesystem::path& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool synced = fd >= 0 && fsync(fd) == 0;
  const int error = errno;
  if (fd >= 0) close(fd);
  if (!synced) {
    throw OperationError(
        fmt::format("{}: cannot be synced: {}", path.string(), std::strerror(error)));
  }
}

TemporaryFile::TemporaryFile(const std::filesystem::path& target)
    : target_(target),
      path_(target.string() + fmt::format(".tmp{}", ::getpid())),
      slot_(take_slot(std::filesystem::absolute(path_).string())) {
  remove_abandoned(target);
  // Only a process with the same id can have left it, and that process has ended.
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

TemporaryFile::~TemporaryFile() {
  std::error_code ignored;
  if (!committed_) std::filesystem::remove(path_, ignored);
  give_back(slot_);
}

void TemporaryFile::commit() {
  sync_to_disk(path_);
  publish();
  sync_to_disk(folder_of(target_));
}

void TemporaryFile::publish() {
  std::error_code error;
  std::filesystem::rename(path_, target_, error);
  if (error) {
    throw OperationError(
        fmt::format("{}: cannot be replaced: {}", target_.string(), error.message()));
  }
  committed_ = true;
}

}  // namespace haptic
