#pragma once

#include <string>
#include <utility>
#include <vector>

#include "host/log/log_reader.h"

namespace haptic {

/// What a log says about its recording besides its columns. A log of an earlier version has less.
struct LogFacts {
  std::vector<std::pair<std::string, std::string>> attributes{};  ///< of the file and of /session
  std::string scene_text{};                                       ///< /session/scene
  std::vector<std::pair<std::string, double>> parameters{};       ///< when the recording began
};

/// What the log lacks is empty. @throws InputError if it is damaged
LogFacts read_log_facts(const LogReader& log);

}  // namespace haptic
