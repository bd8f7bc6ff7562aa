#include "host/files/output_claim.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "shared/error.h"
#include "shared/files/file_lock.h"

namespace haptic {
namespace {

/// Whether the name still is that of the open file.
bool is_file(const std::filesystem::path& path, int descriptor) {
  struct stat named {
  }, opened{};
  return ::lstat(path.c_str(), &named) == 0 && ::fstat(descriptor, &opened) == 0 &&
         named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
}

std::filesystem::path numbered(const std::filesystem::path& path, int number) {
  if (number == 1) return path;
  std::filesystem::path other = path;
  other.replace_filename(
      fmt::format("{}-{}{}", path.stem().string(), number, path.extension().string()));
  return other;
}

}  // namespace

OutputClaim::OutputClaim(std::filesystem::path target, FileDescriptor file, bool is_new)
    : target_(std::move(target)), file_(std::move(file)), is_new_(is_new) {}

std::optional<OutputClaim> OutputClaim::of_new_name(const std::filesystem::path& target) {
  FileDescriptor file(
      ::open(target.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (file.get() < 0) {
    if (errno == EEXIST) return std::nullopt;
    throw OperationError(
        fmt::format("{}: cannot be created: {}", target.string(), std::strerror(errno)));
  }
  lock_file(file.get());  // nobody else knows the file
  return OutputClaim(target, std::move(file), true);
}

OutputClaim OutputClaim::of_free_name(const std::filesystem::path& target) {
  for (int number = 1;; ++number) {
    if (auto claim = of_new_name(numbered(target, number))) return std::move(*claim);
  }
}

OutputClaim::OutputClaim(const std::filesystem::path& target, Existing existing)
    : target_(target), file_(-1), is_new_(false) {
  for (;;) {
    if (auto claim = of_new_name(target)) {
      file_ = std::move(claim->file_);
      is_new_ = std::exchange(claim->is_new_, false);
      return;
    }
    if (existing == Existing::kRefused) {
      throw InputError(target.string(), "", "the file exists",
                       "a new name, or --force or --number");
    }
    FileDescriptor file(::open(target.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (file.get() < 0 && errno == ENOENT) continue;  // it was removed
    if (file.get() < 0) {
      throw InputError(target.string(), "",
                       fmt::format("cannot be replaced: {}", std::strerror(errno)), "a new name");
    }
    if (lock_file(file.get()) == FileLock::kHeld) {
      throw InputError(target.string(), "", "another process is writing the file",
                       "a new name, or --number");
    }
    if (!is_file(target, file.get())) continue;  // another process has just replaced it
    file_ = std::move(file);
    return;
  }
}

OutputClaim::~OutputClaim() {
  if (is_new_ && file_.get() >= 0 && is_file(target_, file_.get())) ::unlink(target_.c_str());
}

}  // namespace haptic
