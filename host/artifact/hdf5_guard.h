#pragma once

#include <sys/resource.h>

#include <cstdint>
#include <string>

namespace haptic {

/// Protects the program while HDF5 reads a file that anybody may have written: HDF5 interprets what
/// the file describes before we can check it.
///
/// HDF5 1.10 crashes on some wrong descriptions (a null pointer, an address past the end of memory,
/// a division by zero). If this thread crashes while a guard exists, the program ends as for other
/// bad input: one line on standard error, exit code 2. HDF5 also allocates as much memory as a
/// description states, up to 4 GiB: while a guard exists, the process gets at most kMemory more,
/// and a call that needs more fails.
class Hdf5Guard {
 public:
  static constexpr std::uint64_t kMemory = std::uint64_t{256} << 20;  ///< bytes; a band is 64 MiB

  /// @param line  the message, "log.h5: damaged: ..."; must outlive this object
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
