#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>

namespace haptic {

/// When a file was last changed, CLOCK_REALTIME [ns]; 0 if there is no such file.
inline std::int64_t modification_time_ns(const std::filesystem::path& path) {
  struct stat file {};
  if (stat(path.c_str(), &file) != 0) return 0;
  return std::int64_t{file.st_mtim.tv_sec} * 1'000'000'000 + file.st_mtim.tv_nsec;
}

}  // namespace haptic
