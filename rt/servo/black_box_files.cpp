#include "rt/servo/black_box_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <functional>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include "shared/error.h"
#include "shared/ipc/servo_state.h"
#include "shared/memory/file_descriptor.h"

namespace haptic {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".box";
constexpr std::string_view kHalf = ".tmp";  // followed by the process id of the writer
constexpr int kMostCopies = 100;

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

struct Kept {
  fs::path path;
  timespec time;
  std::uintmax_t size;
  bool operator>(const Kept& other) const {
    return std::pair(time.tv_sec, time.tv_nsec) > std::pair(other.time.tv_sec, other.time.tv_nsec);
  }
};

void make_room(const fs::path& folder, const std::string& prefix, std::uintmax_t size) {
  std::vector<Kept> kept;
  std::error_code failed;  // what cannot be listed or removed stays
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    const std::string file = at->path().filename().string();
    struct stat status {};
    if (!file.starts_with(prefix) || lstat(at->path().c_str(), &status) != 0 ||
        !S_ISREG(status.st_mode)) {
      continue;
    }
    const std::string_view rest = std::string_view(file).substr(prefix.size());
    if (ends_a_black_box(rest)) {
      kept.push_back({at->path(), status.st_mtim, static_cast<std::uintmax_t>(status.st_size)});
    } else if (const std::size_t half = rest.rfind(kHalf); half != std::string_view::npos) {
      const std::optional<long> process = number_in(rest.substr(half + kHalf.size()));
      const bool is_writing =
          process && (kill(static_cast<pid_t>(*process), 0) == 0 || errno != ESRCH);
      if (process && !is_writing && ends_a_black_box(rest.substr(0, half))) {
        unlink(at->path().c_str());
      }
    }
  }
  std::ranges::sort(kept, std::greater<>());
  std::uintmax_t total = size;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    total += kept[i].size;
    if (i + 1 >= kMostBlackBoxFiles || total > kMostBlackBoxBytes) unlink(kept[i].path.c_str());
  }
}

[[noreturn]] void fail(const fs::path& path, const char* what) {
  throw OperationError(fmt::format("{}: {}: {}", path.string(), what, std::strerror(errno)));
}

void write_synced(const fs::path& path, std::initializer_list<std::span<const std::byte>> pieces) {
  const FileDescriptor file(
      open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (file.get() < 0) fail(path, "cannot create");
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

fs::path keep_black_box(const fs::path& folder, const std::string& daemon_name,
                        const std::string& fault,
                        std::initializer_list<std::span<const std::byte>> pieces) {
  std::uintmax_t size = 0;
  for (const std::span<const std::byte> piece : pieces) size += piece.size();
  const std::string prefix = fmt::format("hapticd-{}-", daemon_name);
  make_room(folder, prefix, size);
  const std::string stem = prefix + fault;
  fs::path path = folder / fmt::format("{}{}", stem, kEnding);
  const fs::path half = fmt::format("{}{}{}", path.string(), kHalf, getpid());
  try {
    write_synced(half, pieces);
    // A daemon that was started again may fail in the same cycle as before.
    for (int copy = 2; !take_name(half, path); ++copy) {
      if (copy > kMostCopies) {
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
