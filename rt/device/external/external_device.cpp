#include "rt/device/external/external_device.h"

#include <algorithm>
#include <cmath>

namespace haptic {
namespace {

// A hand that is twice as fast as the limit is stopped by the limit; a pose that is further than
// that was no hand. The allowance covers a coarse encoder and time stamps of the device's driver.
constexpr double kJumpFactor = 2.0;
constexpr double kJumpAllowance_m = 2e-3;
constexpr double kJumpAllowance_rad = 0.05;
constexpr double kAbsurd = 1e3;  // m, m/s, rad/s

bool are_sane(const double* values, int count) HAPTIC_REALTIME {
  for (int i = 0; i < count; ++i) {
    if (!(std::abs(values[i]) < kAbsurd)) return false;
  }
  return true;
}

Vector3 vector_of(const double (&v)[3]) HAPTIC_REALTIME {
  return {v[0], v[1], v[2]};
}

void count(std::atomic<std::uint64_t>& counter, std::uint64_t amount = 1) HAPTIC_REALTIME {
  counter.store(counter.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
}

}  // namespace

ExternalDevice::ExternalDevice(const ExternalSettings& settings, haptic_link_memory& memory,
                               LinkState& state, const Clock* clock)
    : settings_(settings),
      memory_(memory),
      state_(state),
      time_(clock),
      max_age_ns_(std::llround(1e9 * settings.max_age_s)) {
  capabilities_.name = settings_.name;
  capabilities_.sensed_freedoms = settings.freedoms;
  capabilities_.actuated_freedoms = settings.max_torque > 0.0 ? 6 : 3;
  capabilities_.max_force = settings.max_force;
  capabilities_.max_torque = settings.max_torque;
  capabilities_.max_stiffness = settings.max_stiffness;
  capabilities_.workspace_radius = settings.workspace_radius;
  capabilities_.needs_homing = true;
  capabilities_.resolution = settings.resolution;
  capabilities_.enable_button = settings.enable_button;
  capabilities_.limits = settings.limits;
}

void ExternalDevice::forget() HAPTIC_REALTIME {
  have_ = false;
  newest_ = {};
  state_.hung.store(false, std::memory_order_relaxed);
}

DeviceStatus ExternalDevice::sense(DeviceState& state) HAPTIC_REALTIME {
  state = DeviceState{};
  state.homed = false;
  // The adapter applies no force any more, whatever is demanded of it.
  state.emergency_stop = __atomic_load_n(&memory_.guard_zero, __ATOMIC_RELAXED) != 0;
  const std::uint64_t instance = state_.instance.load(std::memory_order_acquire);
  if (instance != instance_) {
    const bool left = instance_ != 0 && enabled_;
    instance_ = instance;
    forget();
    if (left) return DeviceStatus::kDisconnected;
  }
  if (instance_ == 0) return DeviceStatus::kOk;

  haptic_link_pose record;
  const bool whole = read(record);
  const std::int64_t now = time_.now_ns();
  if (whole && !(have_ && record.sequence == newest_.sequence)) {
    // Memory that the adapter before has left is no mistake of this one.
    if (have_ || record.instance == instance_) {
      const LinkFinding finding = judge(record, now);
      if (finding != LinkFinding::kNone) return refuse(finding);
      accept(record);
    }
  }
  if (!have_) return DeviceStatus::kOk;

  state.pose = pose_;
  state.twist.linear = vector_of(newest_.velocity);
  if (settings_.freedoms == 6) state.twist.angular = vector_of(newest_.angular_velocity);
  state.buttons = static_cast<std::uint32_t>(newest_.buttons);
  state.emergency_stop |= (newest_.flags & HAPTIC_LINK_STOP) != 0;
  state.taken_ns = newest_.time_ns;
  if (now - newest_.time_ns > max_age_ns_) {
    state_.last.store(LinkFinding::kStale, std::memory_order_relaxed);
    if (force_may_act()) state_.hung.store(true, std::memory_order_relaxed);
    return enabled_ ? DeviceStatus::kStale : DeviceStatus::kOk;
  }
  state_.hung.store(false, std::memory_order_relaxed);
  if ((newest_.flags & HAPTIC_LINK_ERROR) != 0) {
    state_.last.store(LinkFinding::kError, std::memory_order_relaxed);
    return enabled_ ? DeviceStatus::kDisconnected : DeviceStatus::kOk;
  }
  state.homed = (newest_.flags & HAPTIC_LINK_HOMED) != 0;
  return DeviceStatus::kOk;
}

// The numbers of slots and attempts bound it, whatever the adapter writes.
bool ExternalDevice::read(haptic_link_pose& record) HAPTIC_REALTIME {
  for (int attempt = 0; attempt < HAPTIC_LINK_SLOTS; ++attempt) {
    const std::uint64_t n = __atomic_load_n(&memory_.newest_pose, __ATOMIC_ACQUIRE);
    if (n == 0 && !have_) return false;  // nothing yet
    const haptic_link_pose_slot& slot = memory_.poses[n % HAPTIC_LINK_SLOTS];
    if (!haptic_link_read(&slot.version, &record, HAPTIC_LINK_POSE_WORDS, n)) continue;
    if (record.sequence == n) return true;
  }
  count(state_.torn);
  state_.last.store(LinkFinding::kTorn, std::memory_order_relaxed);
  return false;
}

LinkFinding ExternalDevice::judge(const haptic_link_pose& record,
                                  std::int64_t now_ns) const HAPTIC_REALTIME {
  if (record.instance != instance_) return LinkFinding::kForeign;
  if (record.time_ns > now_ns) return LinkFinding::kFuture;
  if (have_ && (record.sequence < newest_.sequence || record.time_ns < newest_.time_ns)) {
    return LinkFinding::kBackwards;
  }
  // What an adapter without a pose writes into it has no meaning.
  if ((record.flags & HAPTIC_LINK_HOMED) == 0) return LinkFinding::kNone;
  if (!are_sane(record.position, 3) || !are_sane(record.velocity, 3)) {
    return LinkFinding::kNotFinite;
  }
  const bool turns = settings_.freedoms == 6;
  const double* q = record.orientation;
  if (turns) {
    if (!are_sane(record.angular_velocity, 3) || !are_sane(q, 4)) return LinkFinding::kNotFinite;
    const double norm = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if (!(std::abs(norm - 1.0) < 1e-3)) return LinkFinding::kQuaternion;
  }
  if (!have_ || (newest_.flags & HAPTIC_LINK_HOMED) == 0) return LinkFinding::kNone;
  const double dt = 1e-9 * static_cast<double>(record.time_ns - newest_.time_ns);
  const double moved = (vector_of(record.position) - pose_.position).norm();
  if (moved > kJumpFactor * settings_.limits.speed * dt + kJumpAllowance_m) {
    return LinkFinding::kJump;
  }
  if (turns) {
    const double cosine = std::abs(Quaternion(q[0], q[1], q[2], q[3]).dot(pose_.orientation));
    const double turned = 2.0 * std::acos(std::min(cosine, 1.0));
    if (turned > kJumpFactor * settings_.limits.angular_speed * dt + kJumpAllowance_rad) {
      return LinkFinding::kJump;
    }
  }
  return LinkFinding::kNone;
}

DeviceStatus ExternalDevice::refuse(LinkFinding finding) HAPTIC_REALTIME {
  count(state_.refused);
  state_.last.store(finding, std::memory_order_relaxed);
  return finding == LinkFinding::kJump ? DeviceStatus::kImplausible : DeviceStatus::kBadValue;
}

void ExternalDevice::accept(const haptic_link_pose& record) HAPTIC_REALTIME {
  if (have_) count(state_.skipped, record.sequence - newest_.sequence - 1);
  newest_ = record;
  have_ = true;
  pose_ = Pose{};
  if ((record.flags & HAPTIC_LINK_HOMED) == 0) {
    std::fill(std::begin(newest_.velocity), std::end(newest_.velocity), 0.0);
    std::fill(std::begin(newest_.angular_velocity), std::end(newest_.angular_velocity), 0.0);
    return;
  }
  pose_.position = vector_of(record.position);
  if (settings_.freedoms == 6) {
    const double* q = record.orientation;
    pose_.orientation = Quaternion(q[0], q[1], q[2], q[3]).normalized();
  }
}

bool ExternalDevice::force_may_act() const HAPTIC_REALTIME {
  return instance_ != 0 && __atomic_load_n(&memory_.zero_since_ns, __ATOMIC_ACQUIRE) == 0;
}

DeviceStatus ExternalDevice::actuate(const Wrench& wrench) HAPTIC_REALTIME {
  const bool finite = is_finite(wrench);
  haptic_link_wrench record{};
  record.sequence = ++wrenches_;
  record.time_ns = time_.now_ns();
  if (enabled_ && finite && instance_ != 0) {
    record.state = HAPTIC_LINK_DRIVES;
    __atomic_store_n(&memory_.driven, 1, __ATOMIC_RELEASE);
    const Vector3 force = limited(wrench.force, settings_.max_force);
    const Vector3 torque = limited(wrench.torque, settings_.max_torque);
    for (int i = 0; i < 3; ++i) record.force[i] = force[i];
    for (int i = 0; i < 3; ++i) record.torque[i] = torque[i];
  }
  haptic_link_write(&memory_.newest_wrench,
                    &memory_.wrenches[wrenches_ % HAPTIC_LINK_SLOTS].version, &record,
                    HAPTIC_LINK_WRENCH_WORDS, wrenches_);
  return finite ? DeviceStatus::kOk : DeviceStatus::kBadValue;
}

}  // namespace haptic
