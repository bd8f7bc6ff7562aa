#include "rt/worlds/implausible_scene.h"

#include <fmt/format.h>

#include "shared/config/plausible_range.h"

namespace haptic {
namespace {

constexpr PlausibleRange kPlausibleWorldRate = {"Hz", 5.0,
                                                20e3};  // the slowest two-rate world to the bus
constexpr PlausibleRange kPlausibleServoRate = {"Hz", 100.0,
                                                20e3};  // below, even soft contact vibrates
constexpr PlausibleRange kPlausibleLengthScale = {"", 1e-3, 1e3};
constexpr PlausibleRange kPlausibleGravity = {"m/s^2", 0.0, 100.0};
constexpr PlausibleRange kPlausibleMass = {"kg", 1e-4, 10.0};  // of a tool in the hand
constexpr PlausibleRange kPlausibleDistance = {"m of hand motion", 0.0, 10.0};

}  // namespace

std::vector<std::string> implausible_values(const Scene& scene) {
  std::vector<std::string> lines;
  if (scene.servo_rate_hz) {
    note_implausible(lines, "servo_rate_hz", *scene.servo_rate_hz, kPlausibleServoRate);
    note_implausible(lines, "rate_hz", scene.rate_hz, kPlausibleWorldRate);
  } else {
    note_implausible(lines, "rate_hz", scene.rate_hz, kPlausibleServoRate);
  }
  note_implausible(lines, "length_scale", scene.length_scale, kPlausibleLengthScale);
  note_implausible(lines, "gravity", scene.gravity.norm(), kPlausibleGravity);
  note_implausible(lines, "coupling.mass", scene.coupling.mass, kPlausibleMass);
  for (const SceneBody& body : scene.bodies) {
    note_implausible(lines, fmt::format("distance of \"{}\" from the origin", body.name),
                     body.pose.position.norm() / scene.length_scale, kPlausibleDistance);
  }
  return lines;
}

}  // namespace haptic
