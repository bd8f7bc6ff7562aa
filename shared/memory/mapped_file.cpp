#include "shared/memory/mapped_file.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "shared/error.h"
#include "shared/printable.h"

namespace haptic {

MappedFile::MappedFile(int file, std::size_t size, const std::filesystem::path& path)
    : line_(printable(InputError(path.string(), "", "found a file that was cut while it was read",
                                 "one that is not changed")
                          .what())) {
  void* const data = mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
  if (data == MAP_FAILED) {
    throw OperationError(
        fmt::format("{}: cannot be mapped ({})", path.string(), std::strerror(errno)));
  }
  bytes_ = {static_cast<std::byte*>(data), size};
  guard_ = MappingGuard(data, size, &line_);
}

MappedFile::~MappedFile() {
  guard_ = MappingGuard();
  munmap(bytes_.data(), bytes_.size());
}

}  // namespace haptic
