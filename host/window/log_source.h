#pragma once

#include <string>
#include <vector>

#include "host/log/log_reader.h"
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
  std::filesystem::path scene() const override { return log_.description().scene_path; }
  int generation() const override { return 1; }
  Timeline* timeline() override { return &timeline_; }

 private:
  LogReader log_;
  std::vector<double> times_;
  Timeline timeline_;
  std::string message_;
};

}  // namespace haptic
