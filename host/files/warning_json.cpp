#include "host/files/warning_json.h"

#include <nlohmann/json.hpp>

namespace haptic {

nlohmann::json warnings_json(std::span<const WarningFinding> findings) {
  nlohmann::json list = nlohmann::json::array();
  for (const WarningFinding& finding : findings) {
    list.push_back({{"name", finding.warning->name},
                    {"text", finding.text()},
                    {"held_s", finding.held_s()},
                    {"last_cycle", finding.record.last_cycle},
                    {"largest", finding.record.largest}});
  }
  return list;
}

}  // namespace haptic
