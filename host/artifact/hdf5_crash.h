#pragma once

#include <string>

namespace haptic {

/// Stands around calls of HDF5 for a file that anybody may have written. HDF5 1.10 does not survive
/// every wrong description (a null pointer, an address past the end of memory, a division by zero),
/// and nothing of ours can look at a description before HDF5 does. Where this thread crashes
/// meanwhile, the program ends as for other bad input: one line on standard error, exit code 2.
class Hdf5Crash {
 public:
  /// @param line  what to say, "log.h5: damaged: ..."; outlives this object
  explicit Hdf5Crash(const std::string& line);
  ~Hdf5Crash();
  Hdf5Crash(const Hdf5Crash&) = delete;
  Hdf5Crash& operator=(const Hdf5Crash&) = delete;

 private:
  const std::string* outer_;
};

/// The line for a file, or an object of it.
/// @param expected  "a log (haptic record)"
std::string line_of_crash(const std::string& path, const std::string& object,
                          const std::string& expected);

}  // namespace haptic
