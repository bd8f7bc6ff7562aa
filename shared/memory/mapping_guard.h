#pragma once

#include <cstddef>
#include <string>

namespace haptic {

/// Protects this process from SIGBUS when another process truncates a file that is mapped here. On
/// an access beyond the new end of the file, the rest of the mapping is replaced by private pages
/// of zeros and the access is repeated. A mapping whose content must not be replaced by zeros is
/// given an error line instead: the process prints it and exits with code 2.
///
/// The handler of SIGBUS is installed with the first guard of the process, and calls the one before
/// it for every other address. It takes no memory and no lock, so it works in a real-time thread;
/// its one system call is on the list of the loop's filter.
class MappingGuard {
 public:
  MappingGuard() = default;  ///< of nothing
  /// @param data, size  a whole mapping, which begins on a page boundary. While kMax guards exist,
  ///                    a further one guards nothing.
  /// @param line        error to print before the process exits; outlives this object. Null: the
  ///                    mapping is continued with zeros.
  MappingGuard(void* data, std::size_t size, const std::string* line = nullptr);
  MappingGuard(MappingGuard&& other) noexcept;
  MappingGuard& operator=(MappingGuard&& other) noexcept;
  /// Before the mapping is removed.
  ~MappingGuard();

  static constexpr int kMax = 256;

 private:
  int slot_ = -1;
};

}  // namespace haptic
