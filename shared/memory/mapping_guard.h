#pragma once

#include <cstddef>
#include <string>

namespace haptic {

/// For a mapping of a file that another process makes shorter. An access to a page that the file no
/// longer has would end this process without a word (SIGBUS). Instead the page and all that follow
/// it in the mapping become private pages of zeros, and the access is repeated; or, where zeros
/// would be wrong numbers, the process says so and ends as for other bad input (exit code 2).
///
/// The handler of SIGBUS is installed with the first guard of the process, and calls the one before
/// it for every other address. It takes no memory and no lock, so it works in a real-time thread;
/// its one system call is on the list of the loop's filter.
class MappingGuard {
 public:
  MappingGuard() = default;  ///< of nothing
  /// @param data, size  a whole mapping, which begins on a page boundary. While kMost guards exist,
  ///                    a further one guards nothing.
  /// @param line        what is said before the process ends; must outlive this object. Null:
  /// zeros.
  MappingGuard(void* data, std::size_t size, const std::string* line = nullptr);
  MappingGuard(MappingGuard&& other) noexcept;
  MappingGuard& operator=(MappingGuard&& other) noexcept;
  /// Before the mapping is removed.
  ~MappingGuard();

  static constexpr int kMost = 256;

 private:
  int slot_ = -1;
};

}  // namespace haptic
