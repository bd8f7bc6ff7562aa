#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "host/log/log_description.h"
#include "host/offline/offline_cycle.h"

namespace haptic {

struct OfflineSettings {
  std::optional<std::filesystem::path> trajectory;  ///< hand script instead of the scene's
  std::optional<double>
      seconds;  ///< duration of the hand script that is simulated [s]; absent: all of it
};

/// A scene and the hand script that it is run along, from the first pose to the last.
class ScriptedCycles {
 public:
  /// @throws InputError for a bad scene, model or script
  ScriptedCycles(const Scene& as_read, const OfflineSettings& settings);

  OfflineCycle& cycle() { return *cycle_; }
  DeviceCapabilities device() const { return device_->capabilities(); }
  /// As a log describes them.
  std::vector<LogBody> bodies();
  /// Cycles of the whole run; cycle k is at k / rate.
  std::uint64_t count() const { return count_; }

 private:
  std::unique_ptr<Device> device_;  // before what uses it
  std::unique_ptr<OfflineCycle> cycle_;
  std::uint64_t count_;
};

}  // namespace haptic
