#include "tests/rt/servo/fault_storm.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "rt/device/simulated_device.h"
#include "rt/servo/haptic_cycle.h"
#include "rt/servo/loop_watch.h"
#include "tests/rt/servo/spring_wall.h"

namespace haptic {
namespace {

constexpr double kRate = 1000.0;
constexpr std::uint64_t kChunk = 1000;  // faults of one device and cycle
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// What is not the device's to do wrong.
enum class OtherFault : std::uint8_t {
  kDiverged,
  kWorldNotFinite,
  kNanWrench,
  kInfiniteWrench,
  kHugeWrench,
  kGuardGone,
  kCall,
  kCount,
};

struct Event {
  std::uint64_t begin, end;  // cycles
  FaultKind demanded;        // kNone: only the limits must hold
  OtherFault other;          // kCount: the device's own
};

FaultKind demanded_by(const DeviceFault& fault) {
  switch (fault.kind) {
    case DeviceFaultKind::kJump:
      return std::abs(fault.size) >= 0.01 ? FaultKind::kEncoderImplausible : FaultKind::kNone;
    case DeviceFaultKind::kStuck:
      return FaultKind::kNone;  // short; the watch's patience is longer
    case DeviceFaultKind::kDisconnect:
    case DeviceFaultKind::kEio:
      return FaultKind::kDeviceLost;
    case DeviceFaultKind::kNan:
    case DeviceFaultKind::kUnhomed:
      return FaultKind::kDeviceValue;
    case DeviceFaultKind::kLate:
      return fault.size >= 0.025 ? FaultKind::kStaleCommand : FaultKind::kNone;
    case DeviceFaultKind::kStop:
      return FaultKind::kEmergencyStop;
  }
  return FaultKind::kNone;
}

FaultKind demanded_by(OtherFault fault) {
  switch (fault) {
    case OtherFault::kDiverged:
      return FaultKind::kWorldDiverged;
    case OtherFault::kWorldNotFinite:
      return FaultKind::kWorldNotFinite;
    case OtherFault::kNanWrench:
    case OtherFault::kInfiniteWrench:
      return FaultKind::kWrenchNotFinite;
    case OtherFault::kGuardGone:
      return FaultKind::kGuardLost;
    case OtherFault::kCall:
      return FaultKind::kForbiddenCall;
    case OtherFault::kHugeWrench:
    case OtherFault::kCount:
      break;
  }
  return FaultKind::kNone;
}

/// Kinds that the storm itself can bring about without a drawn fault: the hand is pushed hard.
bool may_come_by_itself(FaultKind fault) {
  return fault == FaultKind::kSpeedLimit || fault == FaultKind::kWorkspaceLimit ||
         fault == FaultKind::kPowerLimit || fault == FaultKind::kEncoderImplausible;
}

/// In and out of the wall, 20 mm deep, twice a second: 20 N where 8 are allowed.
HandScript pressing_hand(double seconds) {
  std::vector<HandSample> rows;
  for (double t = 0.0; t <= seconds; t += 0.02) {
    HandSample row;
    row.time = t;
    row.pose.position.z() = 0.005 - 0.025 * std::sin(4.0 * 3.14159 * t);
    rows.push_back(row);
  }
  return HandScript(std::move(rows));
}

class Storm {
 public:
  Storm(std::uint64_t seed, StormResult& result) : random_(seed), result_(result) {}

  void run(std::uint64_t faults) {
    draw(faults);
    const std::uint64_t cycles = events_.back().end + 10;
    SimulatedHardware hardware;
    hardware.watch.speed = 5.0;  // m/s
    hardware.faults = script_;
    SimulatedDevice device(pressing_hand(0.5), kRate, {HandKind::kSpringDamper, 0.3, 300.0, 15.0},
                           {3.8e-5, 1e-3}, hardware);
    VirtualClock clock;
    device.set_clock(clock);
    SpringWall wall(clock);
    CommandChannel commands;
    MemorySink sink(0);
    HapticCycle::Settings settings;
    settings.rate_hz = kRate;
    settings.limits.force = kStormForce;
    settings.limits.torque = kStormTorque;
    settings.limits.ramp_s = 0.002;
    settings.limits.power = 5.0;
    settings.limits.speed = 4.0;
    settings.limits.workspace_radius = 0.3;
    settings.limits.stale_s = 0.020;
    settings.limits.overload_s = 1e6;
    HapticCycle cycle(device, wall, clock, commands, sink, settings);
    Schedule schedule(1'000'000, clock.now_ns() + 1'000'000);
    std::size_t next = 0;
    ServoState before = cycle.state();
    for (std::uint64_t k = 0; k < cycles; ++k) {
      while (next < events_.size() && events_[next].end <= k) ++next;
      const Event* event =
          next < events_.size() && events_[next].begin <= k ? &events_[next] : nullptr;
      const bool reset = operate(commands, before, event != nullptr);
      disturb(wall, cycle,
              event != nullptr && event->begin == k ? event->other : OtherFault::kCount);
      clock.sleep_until(schedule.next_ns());
      const std::int64_t woke = clock.now_ns();
      cycle.run(schedule.take(woke), woke);
      judge(cycle, device, before, reset, event != nullptr && event->begin == k ? event : nullptr);
      before = cycle.state();
    }
    result_.cycles += cycles;
    result_.drawn += faults;
  }

 private:
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  std::uint64_t integer(std::uint64_t low, std::uint64_t high) {
    return std::uniform_int_distribution<std::uint64_t>(low, high)(random_);
  }

  void draw(std::uint64_t faults) {
    script_.clear();
    events_.clear();
    std::uint64_t at = 5;
    constexpr auto kOthers = static_cast<std::uint64_t>(OtherFault::kCount);
    for (std::uint64_t i = 0; i < faults; ++i) {
      at += integer(3, 12);
      const std::uint64_t lasts = integer(1, 4);
      const std::uint64_t kind = integer(0, kDeviceFaultKinds + kOthers - 1);
      if (kind < kDeviceFaultKinds) {
        DeviceFault fault;
        fault.kind = static_cast<DeviceFaultKind>(kind);
        fault.at = static_cast<double>(at) / kRate;
        fault.lasts = static_cast<double>(lasts) / kRate;
        if (fault.kind == DeviceFaultKind::kJump) {
          fault.size = integer(0, 3) == 0 ? uniform(-0.001, 0.001)
                                          : std::copysign(uniform(0.01, 0.5), uniform(-1.0, 1.0));
        } else if (fault.kind == DeviceFaultKind::kLate) {
          fault.size = integer(0, 1) == 0 ? uniform(0.0, 0.015) : uniform(0.025, 0.2);
        }
        script_.push_back(fault);
        events_.push_back({at, at + lasts, demanded_by(fault), OtherFault::kCount});
      } else {
        const auto other = static_cast<OtherFault>(kind - kDeviceFaultKinds);
        events_.push_back({at, at + lasts, demanded_by(other), other});
      }
      at += lasts;
    }
  }

  /// The operator, who waits for the end of a fault, resets and engages. @returns whether a reset
  /// is posted
  bool operate(CommandChannel& commands, ServoState state, bool during_fault) {
    CommandReply reply{};
    commands.collect(reply);
    if (state == ServoState::kFault && !during_fault) {
      return commands.post({CommandKind::kReset, 0, 0.0});
    }
    if (state == ServoState::kIdle) commands.post({CommandKind::kEngage, 0, 0.0});
    return false;
  }

  void disturb(SpringWall& wall, HapticCycle& cycle, OtherFault fault) {
    wall.disturbance = 0.0;
    wall.torque = uniform(-1.0, 1.0);
    wall.next_status = WorldStatus::kOk;
    switch (fault) {
      case OtherFault::kDiverged:
        wall.next_status = WorldStatus::kDiverged;
        break;
      case OtherFault::kWorldNotFinite:
        wall.next_status = WorldStatus::kNotFinite;
        break;
      case OtherFault::kNanWrench:
        wall.disturbance = kNan;
        break;
      case OtherFault::kInfiniteWrench:
        wall.disturbance = -kInfinity;
        break;
      case OtherFault::kHugeWrench:
        wall.disturbance = uniform(-1e30, 1e30);
        break;
      case OtherFault::kGuardGone:
        cycle.report(FaultKind::kGuardLost);
        break;
      case OtherFault::kCall:
        LoopWatch::note_forbidden_call(2);
        break;
      case OtherFault::kCount:
        break;
    }
  }

  void judge(const HapticCycle& cycle, const SimulatedDevice& device, ServoState before, bool reset,
             const Event* begun) {
    const FaultKind fault = cycle.sample().fault;
    const bool faulty = cycle.state() == ServoState::kFault;
    const double force = device.felt().force.norm();
    const double torque = device.felt().torque.norm();
    if (!std::isfinite(force) || !std::isfinite(torque)) ++result_.not_finite;
    // Rounding of the norm that was scaled to the limit.
    if (force > kStormForce * (1.0 + 1e-12) || torque > kStormTorque * (1.0 + 1e-12)) {
      ++result_.over_limit;
    }
    result_.largest_force = std::max(result_.largest_force, force);
    result_.largest_torque = std::max(result_.largest_torque, torque);
    // An output that was refused keeps acting for the rest of its cycle; the line drops next.
    if (faulty && before == ServoState::kFault && (force > 0.0 || torque > 0.0)) {
      ++result_.pushed_in_fault;
    }
    if (before == ServoState::kFault && !faulty && !reset) ++result_.let_loose;
    if (faulty && before != ServoState::kFault) {
      ++result_.latched[static_cast<std::size_t>(fault)];
    }
    if (begun == nullptr || before != ServoState::kEngaged) return;
    if (begun->demanded == FaultKind::kNone) return;
    ++result_.demanded;
    if (!faulty) {
      ++result_.missed;
    } else if (fault != begun->demanded && !may_come_by_itself(fault)) {
      ++result_.wrong_kind;
    }
  }

  std::mt19937_64 random_;
  StormResult& result_;
  std::vector<DeviceFault> script_;
  std::vector<Event> events_;
};

}  // namespace

StormResult run_storm(std::uint64_t faults, std::uint64_t seed) {
  StormResult result;
  Storm storm(seed, result);
  while (result.drawn < faults) storm.run(std::min(kChunk, faults - result.drawn));
  return result;
}

}  // namespace haptic
