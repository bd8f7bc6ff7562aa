#include "rt/device/encoder_watch.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "shared/error.h"

namespace haptic {
namespace {

// A difference of two angles of many turns is rounded; no count is as small.
constexpr double kRounding = 1e-9;  // rad

void require(double value, std::string_view source, std::size_t encoder, const char* key,
             const char* unit) {
  if (value > 0.0) return;
  throw InputError(source, fmt::format("encoder {}: {}", encoder + 1, key),
                   fmt::format("found {}", value), fmt::format("a number > 0 [{}]", unit));
}

}  // namespace

EncoderWatch::EncoderWatch(std::span<const EncoderLimits> limits, std::string_view source) {
  for (std::size_t i = 0; i < limits.size(); ++i) {
    require(limits[i].speed, source, i, "speed", "rad/s");
    require(limits[i].stuck_s, source, i, "stuck_s", "s");
    require(limits[i].stuck_torque, source, i, "stuck_torque", "N·m");
    encoders_.push_back({limits[i]});
  }
}

DeviceStatus EncoderWatch::check(std::span<const double> angle, std::span<const double> torque,
                                 double elapsed_s) HAPTIC_REALTIME {
  if (angle.size() != encoders_.size() || torque.size() != encoders_.size() ||
      !(elapsed_s >= 0.0)) {
    return DeviceStatus::kBadValue;
  }
  for (std::size_t i = 0; i < encoders_.size(); ++i) {
    if (!std::isfinite(angle[i]) || !std::isfinite(torque[i])) return DeviceStatus::kBadValue;
  }
  DeviceStatus status = DeviceStatus::kOk;
  jumped_ = false;
  for (std::size_t i = 0; i < encoders_.size(); ++i) {
    Encoder& encoder = encoders_[i];
    const double change = std::abs(angle[i] - encoder.angle);
    encoder.angle = angle[i];
    if (!started_) {
      encoder.still_s = 0.0;
      continue;
    }
    const bool driven = std::abs(torque[i]) >= encoder.limits.stuck_torque;
    encoder.still_s = change == 0.0 && driven ? encoder.still_s + elapsed_s : 0.0;
    const bool jumped = change > encoder.limits.speed * elapsed_s + kRounding;
    jumped_ = jumped_ || jumped;
    if (jumped || encoder.still_s > encoder.limits.stuck_s) {
      if (status == DeviceStatus::kOk) culprit_ = i;
      status = DeviceStatus::kImplausible;
    }
  }
  started_ = true;
  return status;
}

}  // namespace haptic
