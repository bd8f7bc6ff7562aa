#include "rt/servo/black_box_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>
#include <tuple>
#include <vector>

#include "shared/error.h"
#include "shared/ipc/black_box_layout.h"
#include "shared/ipc/servo_state.h"
#include "shared/memory/file_descriptor.h"

namespace haptic {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".box";
constexpr std::string_view kHalf = ".tmp";  // followed by the process id of the writer, its lock
constexpr const char* kGroup = "haptic";
constexpr int kMaxCopies = 100;

std::optional<long> number_in(std::string_view digits) {
  long number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size() ||
      number < 0) {
    return std::nullopt;
  }
  return number;
}

/// Whether `rest`, which follows `hapticd-NAME-`, is `FAULT-cycleN.box` or `FAULT-cycleN-COPY.box`.
/// The name of another daemon may begin with this one's.
bool ends_a_black_box(std::string_view rest) {
  if (!rest.ends_with(kEnding)) return false;
  rest.remove_suffix(kEnding.size());
  constexpr std::string_view kCycle = "-cycle";
  const std::size_t at = rest.find(kCycle);
  if (at == std::string_view::npos) return false;
  bool is_fault = false;
  for (std::uint32_t kind = 0; kind < kFaultKinds; ++kind) {
    is_fault = is_fault || rest.substr(0, at) == name(static_cast<FaultKind>(kind));
  }
  const std::string_view numbers = rest.substr(at + kCycle.size());
  const std::size_t copy = numbers.find('-');
  return is_fault && number_in(numbers.substr(0, copy)) &&
         (copy == std::string_view::npos || number_in(numbers.substr(copy + 1)));
}

/// A file by its name: of this daemon's black boxes or not.
enum class FileKind : std::uint8_t { kOther, kBlackBox, kUnfinished };

FileKind kind_of(std::string_view file, std::string_view prefix) {
  if (!file.starts_with(prefix)) return FileKind::kOther;
  file.remove_prefix(prefix.size());
  if (ends_a_black_box(file)) return FileKind::kBlackBox;
  const std::size_t half = file.rfind(kHalf);
  const bool is_half = half != std::string_view::npos && ends_a_black_box(file.substr(0, half)) &&
                       number_in(file.substr(half + kHalf.size()));
  return is_half ? FileKind::kUnfinished : FileKind::kOther;
}

struct Kept {
  fs::path path;
  std::uint32_t number;
  timespec time;
  std::uintmax_t size;
  bool operator>(const Kept& other) const {
    return std::tuple(number, time.tv_sec, time.tv_nsec) >
           std::tuple(other.number, other.time.tv_sec, other.time.tv_nsec);
  }
};

/// The number of a black box; 0 of another file.
std::uint32_t number_of(int file) {
  BlackBoxHeader header{};
  const bool is_whole = pread(file, &header, sizeof header, 0) == ssize_t{sizeof header};
  return is_whole && header.magic == BlackBoxHeader::kMagic ? header.number : 0;
}

/// A writer has a lock on its file; the process number of one in another container says nothing.
bool is_being_written(int file) {
  return flock(file, LOCK_EX | LOCK_NB) != 0;
}

/// This user's black boxes of a daemon name. Removes what was left half written.
std::vector<Kept> kept_in(const fs::path& folder, const std::string& prefix) {
  std::vector<Kept> kept;
  std::error_code failed;  // what cannot be listed or removed stays
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    const fs::path& path = at->path();
    const FileKind kind = kind_of(path.filename().string(), prefix);
    if (kind == FileKind::kOther) continue;
    const FileDescriptor file(
        open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
    struct stat status {};
    if (file.get() < 0 || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
        status.st_uid != geteuid()) {
      continue;
    }
    if (kind == FileKind::kBlackBox) {
      kept.push_back({path, number_of(file.get()), status.st_mtim,
                      static_cast<std::uintmax_t>(status.st_size)});
    } else if (!is_being_written(file.get())) {
      unlink(path.c_str());
    }
  }
  std::ranges::sort(kept, std::greater<>());
  return kept;
}

void make_room(const fs::path& folder, const std::string& prefix, std::uintmax_t size) {
  const std::vector<Kept> kept = kept_in(folder, prefix);
  std::uintmax_t total = size;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    total += kept[i].size;
    const bool is_newest = i == 0;
    const bool is_too_much = i + 1 >= kMaxBlackBoxFiles || total > kMaxBlackBoxBytes;
    if (is_too_much && !is_newest) unlink(kept[i].path.c_str());
  }
}

std::string prefix_of(const std::string& daemon_name) {
  return fmt::format("hapticd-{}-", daemon_name);
}

[[noreturn]] void fail(const fs::path& path, const char* what) {
  throw OperationError(fmt::format("{}: {}: {}", path.string(), what, std::strerror(errno)));
}

/// Whatever the umask.
void let_group_read(int file) {
  if (const struct group* entry = getgrnam(kGroup)) {
    // Refused to a user who is not in the group: the file keeps its group.
    static_cast<void>(!fchown(file, static_cast<uid_t>(-1), entry->gr_gid));
  }
  fchmod(file, 0640);
}

/// @returns the file, locked
FileDescriptor write_synced(const fs::path& path,
                            std::initializer_list<std::span<const std::byte>> pieces) {
  FileDescriptor file(
      open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (file.get() < 0) fail(path, "cannot create");
  static_cast<void>(flock(file.get(), LOCK_EX));  // another writer has another file
  let_group_read(file.get());
  for (std::span<const std::byte> rest : pieces) {
    while (!rest.empty()) {
      const ssize_t written = write(file.get(), rest.data(), rest.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) fail(path, "cannot write");
      rest = rest.subspan(static_cast<std::size_t>(written));
    }
  }
  // EINVAL: the file system does not support fsync.
  if (fsync(file.get()) != 0 && errno != EINVAL) fail(path, "cannot sync");
  return file;
}

/// @returns false if there is a file of that name
bool take_name(const fs::path& half, const fs::path& path) {
  if (renameat2(AT_FDCWD, half.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno == EEXIST) return false;
  // The file system does not support RENAME_NOREPLACE.
  if (errno != EINVAL && errno != ENOSYS) fail(path, "cannot rename into place");
  if (access(path.c_str(), F_OK) == 0) return false;
  if (rename(half.c_str(), path.c_str()) != 0) fail(path, "cannot rename into place");
  return true;
}

/// After a power cut the new name exists only if its folder is on the disk, too.
void sync_folder(const fs::path& folder) {
  const FileDescriptor open_folder(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (open_folder.get() >= 0) fsync(open_folder.get());
}

}  // namespace

std::uint32_t next_black_box_number(const fs::path& folder, const std::string& daemon_name) {
  const std::vector<Kept> kept = kept_in(folder, prefix_of(daemon_name));
  const std::uint32_t newest = kept.empty() ? 0 : kept.front().number;
  return newest == std::numeric_limits<std::uint32_t>::max() ? newest : newest + 1;
}

fs::path keep_black_box(const fs::path& folder, const std::string& daemon_name,
                        const std::string& fault,
                        std::initializer_list<std::span<const std::byte>> pieces) {
  std::uintmax_t size = 0;
  for (const std::span<const std::byte> piece : pieces) size += piece.size();
  const std::string prefix = prefix_of(daemon_name);
  make_room(folder, prefix, size);
  const std::string stem = prefix + fault;
  fs::path path = folder / fmt::format("{}{}", stem, kEnding);
  const fs::path half = fmt::format("{}{}{}", path.string(), kHalf, getpid());
  try {
    const FileDescriptor locked = write_synced(half, pieces);
    // A daemon that was started again may fail in the same cycle as before.
    for (int copy = 2; !take_name(half, path); ++copy) {
      if (copy > kMaxCopies) {
        errno = EEXIST;
        fail(path, "cannot be named");
      }
      path = folder / fmt::format("{}-{}{}", stem, copy, kEnding);
    }
  } catch (const OperationError&) {
    unlink(half.c_str());
    throw;
  }
  sync_folder(folder);
  return path;
}

}  // namespace haptic
