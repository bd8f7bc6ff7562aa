#include "host/files/temporary_file.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <random>
#include <string>
#include <system_error>

#include "shared/error.h"
#include "shared/files/file_lock.h"

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

constexpr std::string_view kEnding = ".tmp";
constexpr std::size_t kDigits = 16;
constexpr int kAttempts = 100;  // a name is taken, or removed at once, by accident only

[[noreturn]] void fail(const std::filesystem::path& target, const char* what) {
  throw OperationError(fmt::format("{}: {}: {}", target.string(), what, std::strerror(errno)));
}

/// Removes what processes that ended before they could have left. Another user's file, a link or a
/// FIFO of such a name is let alone.
void remove_abandoned(const std::filesystem::path& target) {
  const std::string stem = target.filename().string();
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder_of(target), ignored)) {
    if (without_temporary_ending(entry.path().filename().native()) != stem) continue;
    const FileDescriptor file(
        open(entry.path().c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY));
    struct stat status = {};
    if (file.get() < 0 || fstat(file.get(), &status) != 0) continue;
    if (!S_ISREG(status.st_mode) || status.st_uid != geteuid()) continue;
    // Its writer would hold it. One that has created but not yet locked it takes another name then.
    if (lock_file(file.get(), LockKind::kShared) != FileLock::kTaken) continue;
    ::unlink(entry.path().c_str());
  }
}

/// Creates and locks a file of a new name, which goes to `path`.
FileDescriptor create_beside(const std::filesystem::path& target, std::filesystem::path& path) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    path = target;
    path += temporary_ending();
    FileDescriptor file(
        open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (file.get() < 0 && errno == EEXIST) continue;
    if (file.get() < 0) fail(target, "cannot create a file beside it");
    if (lock_file(file.get()) == FileLock::kHeld) continue;  // remove_abandoned() removes it
    struct stat status = {};
    if (fstat(file.get(), &status) == 0 && status.st_nlink > 0) return file;
  }
  errno = EEXIST;
  fail(target, "cannot create a file beside it");
}

/// In place of METIS's handler `name`, which METIS installs for SIGTERM and SIGABRT during an
/// ordering: it jumps out of the ordering, so a SIGTERM that arrives then would not end the
/// process. METIS raises SIGABRT itself when it runs out of memory: that case is left to its own
/// version.
void end_ordering(int signal, const char* name) {
  using Handler = void (*)(int);
  if (signal == SIGABRT) {
    const auto own = reinterpret_cast<Handler>(::dlsym(RTLD_NEXT, name));
    if (own != nullptr) own(signal);
  }
  remove_temporary_files(signal);
}

}  // namespace

extern "C" void gk_sigthrow(int signal) {
  end_ordering(signal, "gk_sigthrow");
}
// The METIS within CHOLMOD from version 5 on, as in Debian 13.
extern "C" void SuiteSparse_metis_gk_sigthrow(int signal) {
  end_ordering(signal, "SuiteSparse_metis_gk_sigthrow");
}

void sync_to_disk(const std::filesystem::path& path) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (file.get() < 0 || fsync(file.get()) != 0) fail(path, "cannot be synced");
}

std::string temporary_ending() {
  std::uint64_t number = 0;
  if (getrandom(&number, sizeof number, 0) != sizeof number) number = std::random_device{}();
  return fmt::format("{}{:016x}", kEnding, number);
}

std::string_view without_temporary_ending(std::string_view name) {
  if (name.size() <= kEnding.size() + kDigits) return {};
  const std::string_view stem = name.substr(0, name.size() - kEnding.size() - kDigits);
  const std::string_view ending = name.substr(stem.size());
  const bool random = ending.find_first_not_of("0123456789abcdef", kEnding.size()) == ending.npos;
  return ending.starts_with(kEnding) && random ? stem : std::string_view();
}

bool is_being_written(const std::filesystem::path& path) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  return file.get() >= 0 && lock_file(file.get(), LockKind::kShared) == FileLock::kHeld;
}

TemporaryFile::TemporaryFile(const std::filesystem::path& target)
    : target_(target),
      file_(create_beside(target, path_)),
      slot_(take_slot(std::filesystem::absolute(path_).string())) {
  remove_abandoned(target);
}

TemporaryFile::~TemporaryFile() {
  if (!committed_) ::unlink(path_.c_str());
  give_back(slot_);
}

std::string TemporaryFile::open_name() const {
  return fmt::format("/proc/{}/fd/{}", ::getpid(), file_.get());
}

void TemporaryFile::commit() {
  // EINVAL: the file system does not support sync.
  if (fsync(file_.get()) != 0 && errno != EINVAL) fail(target_, "cannot be synced");
  publish();
  // After a power cut the new name exists only if its folder is on the disk, too.
  const FileDescriptor folder(open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() >= 0) fsync(folder.get());
}

void TemporaryFile::publish() {
  if (::rename(path_.c_str(), target_.c_str()) != 0) fail(target_, "cannot be replaced");
  committed_ = true;
}

}  // namespace haptic
