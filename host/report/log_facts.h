#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace haptic {

/// What a log says about its recording besides its columns. A log of an earlier version has less.
struct LogFacts {
  std::vector<std::pair<std::string, std::string>> attributes{};  ///< of the file and of /session
  std::string scene_text{};                                       ///< /session/scene
  std::vector<std::pair<std::string, double>> parameters{};       ///< when the recording began
};

/// @throws InputError if the file cannot be opened; what it lacks is empty
LogFacts read_log_facts(const std::filesystem::path& path);

}  // namespace haptic
