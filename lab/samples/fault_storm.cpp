#include "lab/samples/fault_storm.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "lab/samples/spring_wall.h"
#include "rt/device/simulated_device.h"
#include "rt/servo/haptic_cycle.h"
#include "rt/servo/loop_watch.h"

namespace haptic {
namespace {

constexpr double kServoRate = 1000.0;
constexpr std::uint64_t kChunk = 1000;  // faults of one device and cycle
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
constexpr double kUnbounded = std::numeric_limits<double>::infinity();

/// What is not the device's to do wrong.
enum class OtherFault : std::uint8_t {
  kDiverged,
  kWorldNotFinite,
  kWorldFull,  ///< a capacity is used up
  kNanWrench,
  kInfiniteWrench,
  kHugeWrench,
  kGuardGone,
  kCall,
  kWorldLate,
  kSlowCycles,    ///< one after the other takes longer than its period
  kOperatorStop,  ///< the command
  kFastHand,
  kSpinningHand,
  kFarHand,
  kThrownHand,   ///< goes along with the force, and takes more power than it may
  kPressedHand,  ///< at rest under the full force, for longer than its impulse may last
  kOldReading,
  kFutureReading,
  kStopChannels,    ///< disagree
  kNobodyReached,   ///< the thread of the device is stalled
  kSupervisorGone,  ///< told from outside, like the guard
  kSuspended,
  kRefusedWait,
  kEnableReleased,  ///< no fault: the hand is stopped and idle
  kCount,
};

constexpr double kMaxSpeed = 4.0;        // m/s
constexpr double kMaxSpin = 40.0;        // rad/s
constexpr double kMaxDistance = 0.3;     // m
constexpr double kMaxPower = 5.0;        // W
constexpr double kMaxImpulse = 0.07;     // N·s within 10 ms: the pushed hand's own stays below
constexpr double kImpulseWindow = 0.01;  // s
constexpr double kMaxLength = 0.003;     // s, of cut power
constexpr std::uint64_t kLateSlots = 4;  // in a row
constexpr double kStop = 0.005;          // s, of a controlled stop
constexpr std::uint32_t kHeldButton = 1;
constexpr double kStuckPatience = 0.02;  // s, longer than a reversing hand is at rest
// Cycles until a fault of several is one: the longest run above, the force's ramp, the cycle that
// is over before it counts.
constexpr std::uint64_t kSeveral = 14;

/// The hand behind the device, which at times leaves its limits. The device's encoder watch is
/// not involved: the encoders are correct.
class RestlessHand final : public Device {
 public:
  RestlessHand(SimulatedDevice& device, const VirtualClock& clock)
      : device_(device), clock_(clock) {}
  const DeviceCapabilities& capabilities() const HAPTIC_REALTIME override {
    return device_.capabilities();
  }
  [[nodiscard]] DeviceStatus sense(DeviceState& state) HAPTIC_REALTIME override {
    const DeviceStatus status = device_.sense(state);
    if (does == OtherFault::kFastHand) state.twist.linear.x() = amount * kMaxSpeed;
    if (does == OtherFault::kSpinningHand) state.twist.angular.y() = amount * kMaxSpin;
    if (does == OtherFault::kFarHand) state.pose.position.x() = amount * kMaxDistance;
    if (does == OtherFault::kThrownHand) {
      state.pose.position.z() = -0.02;  // m: all of the force, along z
      state.twist.linear = {0.0, 0.0, 0.9 * kMaxSpeed};
    }
    if (does == OtherFault::kPressedHand) {
      state.pose.position.z() = -0.02;
      state.twist = Twist{};
    }
    state.buttons = does == OtherFault::kEnableReleased ? 0 : kHeldButton;
    state.stop_channels_disagree = does == OtherFault::kStopChannels;
    if (does == OtherFault::kOldReading) {
      state.taken_ns = clock_.now_ns() - static_cast<std::int64_t>(std::abs(amount) * 20e6);
    } else if (does == OtherFault::kFutureReading) {
      state.taken_ns = clock_.now_ns() + static_cast<std::int64_t>(std::abs(amount) * 1e3);
    }
    return status;
  }
  void set_enabled(bool enabled) HAPTIC_REALTIME override { device_.set_enabled(enabled); }
  [[nodiscard]] DeviceStatus actuate(const Wrench& wrench) HAPTIC_REALTIME override {
    return device_.actuate(wrench);
  }

  bool reaches_motors() const HAPTIC_REALTIME override {
    return does != OtherFault::kNobodyReached && device_.reaches_motors();
  }

  OtherFault does = OtherFault::kCount;
  double amount = 1.1;  ///< of the limit, of either sign

 private:
  SimulatedDevice& device_;
  const VirtualClock& clock_;
};

struct Event {
  std::uint64_t begin, end;  // cycles
  FaultKind demanded;        // kNone: only the limits must hold
  OtherFault other;          // kCount: the device's own
  std::uint64_t within = 1;  // cycles
};

FaultKind demanded_by(const DeviceFault& fault) {
  switch (fault.kind) {
    case DeviceFaultKind::kJump:
      return std::abs(fault.size) >= 0.01 ? FaultKind::kEncoderImplausible : FaultKind::kNone;
    case DeviceFaultKind::kStuck:
      return FaultKind::kNone;  // implausible only where a motor pulls
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
    case DeviceFaultKind::kHot:
      return FaultKind::kOverheated;
    case DeviceFaultKind::kDiscrepancy:
      return FaultKind::kStopDiscrepancy;
    case DeviceFaultKind::kOld:
      return fault.size >= 0.1 ? FaultKind::kStaleInput : FaultKind::kNone;
    case DeviceFaultKind::kStall:
      return FaultKind::kDeviceStalled;
    case DeviceFaultKind::kButton:
      return FaultKind::kNone;  // a controlled stop, no fault; and this hand has no such button
  }
  return FaultKind::kNone;
}

FaultKind demanded_by(OtherFault fault) {
  switch (fault) {
    case OtherFault::kDiverged:
      return FaultKind::kWorldDiverged;
    case OtherFault::kWorldNotFinite:
      return FaultKind::kWorldNotFinite;
    case OtherFault::kWorldFull:
      return FaultKind::kWorldCapacity;
    case OtherFault::kNanWrench:
    case OtherFault::kInfiniteWrench:
      return FaultKind::kWrenchNotFinite;
    case OtherFault::kGuardGone:
      return FaultKind::kGuardLost;
    case OtherFault::kCall:
      return FaultKind::kForbiddenCall;
    case OtherFault::kWorldLate:
    case OtherFault::kSlowCycles:
    case OtherFault::kRefusedWait:
      return FaultKind::kOverload;
    case OtherFault::kOperatorStop:
      return FaultKind::kOperatorStop;
    case OtherFault::kFastHand:
    case OtherFault::kSpinningHand:
      return FaultKind::kSpeedLimit;
    case OtherFault::kFarHand:
      return FaultKind::kWorkspaceLimit;
    case OtherFault::kThrownHand:
      return FaultKind::kPowerLimit;
    case OtherFault::kPressedHand:
      return FaultKind::kImpulseLimit;
    case OtherFault::kOldReading:
      return FaultKind::kStaleInput;
    case OtherFault::kFutureReading:
      return FaultKind::kDeviceValue;
    case OtherFault::kStopChannels:
      return FaultKind::kStopDiscrepancy;
    case OtherFault::kNobodyReached:
      return FaultKind::kDeviceStalled;
    case OtherFault::kSupervisorGone:
      return FaultKind::kSupervisorLost;
    case OtherFault::kSuspended:
      return FaultKind::kSuspended;
    case OtherFault::kEnableReleased:
    case OtherFault::kHugeWrench:
    case OtherFault::kCount:
      break;
  }
  return FaultKind::kNone;
}

/// Kinds that the storm itself can bring about without a drawn fault: the hand is pushed hard.
bool may_come_by_itself(FaultKind fault) {
  return fault == FaultKind::kSpeedLimit || fault == FaultKind::kWorkspaceLimit ||
         fault == FaultKind::kPowerLimit || fault == FaultKind::kImpulseLimit ||
         fault == FaultKind::kEncoderImplausible;
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
    hardware.watch.stuck_s = kStuckPatience;
    hardware.watch.stuck_torque = 1.0;  // N
    hardware.faults = script_;
    SimulatedDevice device(pressing_hand(0.5), kServoRate,
                           {HandKind::kSpringDamper, 0.3, 300.0, 15.0}, {3.8e-5, 1e-3}, hardware);
    VirtualClock clock;
    RestlessHand hand(device, clock);
    device.set_clock(clock);
    SpringWall wall(clock);
    CommandChannel commands;
    MemorySink sink(0);
    HapticCycle::Settings settings;
    settings.rate_hz = kServoRate;
    settings.limits.force = kStormForce;
    settings.limits.torque = kStormTorque;
    settings.limits.ramp_s = 0.002;
    settings.limits.power = kMaxPower;
    settings.limits.power_s = kMaxLength;
    settings.limits.speed = kMaxSpeed;
    settings.limits.angular_speed = kMaxSpin;
    settings.limits.workspace_radius = kMaxDistance;
    settings.limits.stale_s = 0.020;
    settings.limits.overload_slots = kLateSlots;
    settings.limits.impulse = kMaxImpulse;
    settings.limits.impulse_window_s = kImpulseWindow;
    settings.limits.stop_s = kStop;
    settings.limits.enable_buttons = kHeldButton;
    HapticCycle cycle(hand, wall, clock, commands, sink, settings);
    Schedule schedule(1'000'000, clock.now_ns() + 1'000'000);
    std::size_t next = 0;
    ServoState before = cycle.sample().state;
    demand_ = nullptr;
    for (std::uint64_t k = 0; k < cycles; ++k) {
      while (next < events_.size() && events_[next].end <= k) ++next;
      const Event* event =
          next < events_.size() && events_[next].begin <= k ? &events_[next] : nullptr;
      const bool begins = event != nullptr && event->begin == k;
      const bool reset = operate(commands, before, event, begins);
      disturb(wall, cycle, hand, clock, event, begins);
      clock.sleep_until(schedule.next_ns());
      const std::int64_t woke = clock.now_ns();
      cycle.run(schedule.take(woke), woke);
      judge(cycle, device, before, reset, k, begins ? event : nullptr);
      before = cycle.sample().state;
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
    // Those that the cycle hears of by the reading and by the status of an exchange.
    constexpr auto kDrawn = static_cast<std::uint64_t>(DeviceFaultKind::kHot) + 1;
    constexpr auto kOthers = static_cast<std::uint64_t>(OtherFault::kCount);
    for (std::uint64_t i = 0; i < faults; ++i) {
      at += integer(3, 12);
      std::uint64_t lasts = integer(1, 4);
      const std::uint64_t kind = integer(0, kDrawn + kOthers - 1);
      Event event{at, at + lasts, FaultKind::kNone, OtherFault::kCount};
      if (kind < kDrawn) {
        DeviceFault fault;
        fault.kind = static_cast<DeviceFaultKind>(kind);
        if (fault.kind == DeviceFaultKind::kStuck) lasts = integer(1, 60);
        fault.at = static_cast<double>(at) / kServoRate;
        fault.lasts = static_cast<double>(lasts) / kServoRate;
        if (fault.kind == DeviceFaultKind::kJump) {
          fault.size = integer(0, 3) == 0 ? uniform(-0.001, 0.001)
                                          : std::copysign(uniform(0.01, 0.5), uniform(-1.0, 1.0));
        } else if (fault.kind == DeviceFaultKind::kLate) {
          fault.size = integer(0, 1) == 0 ? uniform(0.0, 0.015) : uniform(0.025, 0.2);
        }
        script_.push_back(fault);
        event.demanded = demanded_by(fault);
      } else {
        event.other = static_cast<OtherFault>(kind - kDrawn);
        event.demanded = demanded_by(event.other);
        if (event.other == OtherFault::kSlowCycles || event.other == OtherFault::kThrownHand ||
            event.other == OtherFault::kPressedHand || event.other == OtherFault::kOperatorStop) {
          lasts = event.within = kSeveral;
        }
      }
      event.end = at + lasts;
      ++result_.drawn_as[static_cast<std::size_t>(event.demanded)];
      events_.push_back(event);
      at += lasts;
    }
  }

  /// The operator, who waits for the end of a fault, resets and engages, and now and then stops.
  /// @returns whether a reset is posted
  bool operate(CommandChannel& commands, ServoState state, const Event* event, bool begins) {
    CommandReply reply{};
    commands.collect(reply);
    if (begins && event->other == OtherFault::kOperatorStop) {
      commands.post({CommandKind::kStop, 0, 0.0});
      return false;
    }
    if (state == ServoState::kFault && event == nullptr) {
      return commands.post({CommandKind::kReset, 0, 0.0});
    }
    if (state == ServoState::kIdle) commands.post({CommandKind::kEngage, 0, 0.0});
    return false;
  }

  void disturb(SpringWall& wall, HapticCycle& cycle, RestlessHand& hand, VirtualClock& clock,
               const Event* event, bool begins) {
    wall.disturbance = 0.0;
    wall.torque = uniform(-1.0, 1.0);
    wall.next_status = WorldStatus::kOk;
    wall.work_ns = 20'000;
    const OtherFault fault = event != nullptr ? event->other : OtherFault::kCount;
    hand.does = fault;
    if (begins) hand.amount = std::copysign(uniform(1.001, 2.0), uniform(-1.0, 1.0));
    if (fault == OtherFault::kSlowCycles) wall.work_ns = 1'000'000 + 1000 * integer(1, 900);
    if (!begins) return;
    switch (fault) {
      case OtherFault::kDiverged:
        wall.next_status = WorldStatus::kDiverged;
        break;
      case OtherFault::kWorldNotFinite:
        wall.next_status = WorldStatus::kNotFinite;
        break;
      case OtherFault::kWorldFull:
        wall.next_status = WorldStatus::kCapacity;
        break;
      case OtherFault::kWorldLate:
        wall.next_status = WorldStatus::kLate;
        break;
      case OtherFault::kNanWrench:
        wall.disturbance = kNotANumber;
        break;
      case OtherFault::kInfiniteWrench:
        wall.disturbance = -kUnbounded;
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
      case OtherFault::kSupervisorGone:
        cycle.report(FaultKind::kSupervisorLost);
        break;
      case OtherFault::kSuspended:
        clock.suspended_ns += static_cast<std::int64_t>(uniform(0.01, 1e4) * 1e9);
        break;
      case OtherFault::kRefusedWait:
        ++clock.refused_sleeps;
        break;
      case OtherFault::kSlowCycles:
      case OtherFault::kOperatorStop:
      case OtherFault::kFastHand:
      case OtherFault::kSpinningHand:
      case OtherFault::kFarHand:
      case OtherFault::kThrownHand:
      case OtherFault::kPressedHand:
      case OtherFault::kOldReading:
      case OtherFault::kFutureReading:
      case OtherFault::kStopChannels:
      case OtherFault::kNobodyReached:
      case OtherFault::kEnableReleased:
      case OtherFault::kCount:
        break;
    }
  }

  void judge(const HapticCycle& cycle, const SimulatedDevice& device, ServoState before, bool reset,
             std::uint64_t now, const Event* begun) {
    const FaultKind fault = cycle.sample().fault;
    const bool faulty = cycle.sample().state == ServoState::kFault;
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
    if (begun != nullptr && begun->demanded != FaultKind::kNone && before == ServoState::kEngaged) {
      demand_ = begun;
      ++result_.demanded;
      ++result_.met[static_cast<std::size_t>(begun->demanded)];
    }
    if (demand_ == nullptr) return;
    if (faulty) {
      if (fault == demand_->demanded) {
        ++result_.latched_as_met[static_cast<std::size_t>(fault)];
      } else if (!may_come_by_itself(fault)) {
        ++result_.wrong_kind;
      }
      demand_ = nullptr;
    } else if (now + 1 >= demand_->begin + demand_->within) {
      ++result_.missed;
      demand_ = nullptr;
    }
  }

  std::mt19937_64 random_;
  StormResult& result_;
  std::vector<DeviceFault> script_;
  std::vector<Event> events_;
  const Event* demand_ = nullptr;  // still to be latched
};

}  // namespace

StormResult run_storm(std::uint64_t faults, std::uint64_t seed) {
  StormResult result;
  Storm storm(seed, result);
  while (result.drawn < faults) storm.run(std::min(kChunk, faults - result.drawn));
  return result;
}

}  // namespace haptic
