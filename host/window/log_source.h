#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/log/log_reader.h"
#include "host/offline/recorded_scene.h"
#include "host/view/log_contacts.h"
#include "host/window/moment_source.h"

namespace haptic {

/// Plays a log.
class LogSource final : public MomentSource {
 public:
  /// @throws InputError if the file is no log, or has no rows
  explicit LogSource(const std::filesystem::path& path);

  bool read(Moment& moment, double elapsed_s) override;
  const std::string& message() const override { return message_; }
  double rate_hz() const override { return log_.description().rate_hz; }
  Scene scene() const override { return recorded_scene(log_); }
  int generation() const override { return 1; }
  Timeline* timeline() override { return &timeline_; }
  std::optional<ReportedContacts> contacts() override;

 private:
  LogReader log_;
  std::vector<double> times_;
  std::vector<WarningFinding> warnings_;
  Timeline timeline_;
  std::string message_;
  std::uint64_t row_ = 0;  ///< that was read last, of frame_
  SceneFrame frame_;
  std::optional<LogContacts> contacts_;  ///< from the first question on
};

}  // namespace haptic
