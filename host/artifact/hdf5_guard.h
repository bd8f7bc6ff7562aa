#pragma once

#include <sys/resource.h>

#include <cstdint>
#include <string>

namespace haptic {

/// Stands around calls of HDF5 for a file that anybody may have written; nothing of ours can look
/// at what the file describes before HDF5 does.
///
/// HDF5 1.10 does not survive every wrong description (a null pointer, an address past the end of
/// memory, a division by zero). Where this thread crashes meanwhile, the program ends as for other
/// bad input: one line on standard error, exit code 2. And it asks for as much memory as a
/// description says that it takes, up to 4 GiB: meanwhile the process gets no more than kMemory,
/// and the call fails.
class Hdf5Guard {
 public:
  static constexpr std::uint64_t kMemory = std::uint64_t{256} << 20;  ///< bytes; a band is 64 MiB

  /// @param line  what to say, "log.h5: damaged: ..."; outlives this object
  explicit Hdf5Guard(const std::string& line);
  ~Hdf5Guard();
  Hdf5Guard(const Hdf5Guard&) = delete;
  Hdf5Guard& operator=(const Hdf5Guard&) = delete;

 private:
  const std::string* outer_;
  rlimit before_{};  ///< of memory
  bool is_bounded_ = false;
};

/// The line for a file, or an object of it.
/// @param expected  "a log (haptic record)"
std::string line_of_damage(const std::string& path, const std::string& object,
                           const std::string& expected);

}  // namespace haptic
