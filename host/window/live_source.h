#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "host/window/moment_source.h"
#include "shared/ipc/telemetry_reader.h"

namespace haptic {

/// Follows a daemon by its name, through its restarts and changes of scene.
class LiveSource final : public MomentSource {
 public:
  /// @param any_model  show models that were changed since the daemon read them
  LiveSource(std::string daemon_name, bool any_model)
      : name_(std::move(daemon_name)), any_model_(any_model) {}

  bool read(Moment& moment, double elapsed_s) override;
  const std::string& message() const override { return message_; }
  double rate_hz() const override { return rate_hz_; }
  Scene scene() const override;
  int generation() const override { return generation_; }
  bool is_steered() const override { return is_steered_; }
  double length_scale() const override { return length_scale_; }
  std::string daemon() const override { return name_; }

 private:
  void connect();

  std::string name_, message_;
  bool any_model_;
  std::optional<TelemetryReader> reader_;
  double rate_hz_ = 0.0, length_scale_ = 1.0;
  bool is_steered_ = false;
  std::uint64_t instance_ = 0;  ///< of the scene that is shown
  int generation_ = 0;
  double until_check_s_ = 0.0;
};

}  // namespace haptic
