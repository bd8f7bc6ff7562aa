#include "lab/experiments/calm_run.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "rt/worlds/solids/solids_world.h"

namespace haptic {

void CalmRun::take(const CalmRun& other) {
  switches = std::max(switches, other.switches);
  change = std::max(change, other.change);
  change_ms = std::max(change_ms, other.change_ms);
  felt = std::max(felt, other.felt);
  largest = std::max(largest, other.largest);
  spread = std::max(spread, other.spread);
  fault_s = std::max(fault_s, other.fault_s);
}

CalmRun play_calm(const Scene& scene, const HandScript& hand, HandKind kind, double still_s,
                  double rest_s) {
  SimulatedDevice device(hand, scene.rate_hz, {.kind = kind});
  solids::SolidsWorld world(scene, nullptr);
  const double end = std::isfinite(still_s) ? still_s + rest_s + 2.0 : hand.end_time();
  CalmRun calm;
  bool touches = false;
  Vector3 last = Vector3::Zero();
  double last_felt = 0.0;
  double sum = 0.0, squares = 0.0, count = 0.0;
  const auto cycles_a_ms =
      static_cast<std::size_t>(std::lround(std::max(1.0, scene.rate_hz / 1e3)));
  std::vector<Vector3> latest(cycles_a_ms, Vector3::Zero());
  for (std::size_t i = 0; static_cast<double>(i) / scene.rate_hz < end; ++i) {
    const double t = static_cast<double>(i) / scene.rate_hz, hand_t = std::min(t, still_s);
    DeviceState state;
    if (device.sense(state) != DeviceStatus::kOk) break;
    if (hand_t != t) {
      state.pose = hand.pose(hand_t);
      state.twist = {};
    }
    WorldOutput output;
    if (world.step(state, output) != WorldStatus::kOk) {
      calm.fault_s = t;
      break;
    }
    if (device.actuate(output.device_wrench) != DeviceStatus::kOk) break;
    const Vector3& force = output.contact_wrench.force;
    calm.change = std::max(calm.change, (force - last).norm());
    Vector3& millisecond_ago = latest[i % cycles_a_ms];
    calm.change_ms = std::max(calm.change_ms, (force - millisecond_ago).norm());
    millisecond_ago = force;
    calm.largest = std::max(calm.largest, force.norm());
    calm.switches += (force.norm() > 0.0) != touches;
    touches = force.norm() > 0.0;
    last = force;
    const double felt = output.device_wrench.force.norm();
    calm.felt = std::max(calm.felt, std::abs(felt - last_felt));
    last_felt = felt;
    if (t < still_s + rest_s) continue;
    sum += felt, squares += felt * felt, count += 1.0;
  }
  if (count > 0.0 && sum > 0.0) {
    const double mean = sum / count;
    calm.spread = std::sqrt(std::max(0.0, squares / count - mean * mean)) / mean;
  }
  return calm;
}

}  // namespace haptic
