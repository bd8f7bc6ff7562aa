#pragma once

#include <cstddef>

namespace haptic {

/// Keeps a mapping of a file usable when another process makes the file shorter. An access to a
/// page that the file no longer has would end this process (SIGBUS); instead the page and all that
/// follow it in the mapping become private pages of zeros, and the access is repeated.
///
/// The handler of SIGBUS is installed with the first guard of the process, and calls the one before
/// it for every other address. It takes no memory and no lock, so it works in a real-time thread;
/// its one system call is on the list of the loop's filter.
class MappingGuard {
 public:
  MappingGuard() = default;  ///< of nothing
  /// @param data, size  a whole mapping, which begins on a page boundary. While kMost guards exist,
  ///                    a further one guards nothing.
  MappingGuard(void* data, std::size_t size);
  MappingGuard(MappingGuard&& other) noexcept;
  MappingGuard& operator=(MappingGuard&& other) noexcept;
  /// Before the mapping is removed.
  ~MappingGuard();

  static constexpr int kMost = 256;

 private:
  int slot_ = -1;
};

}  // namespace haptic
