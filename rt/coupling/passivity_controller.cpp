#include "rt/coupling/passivity_controller.h"

#include <algorithm>
#include <cmath>

#include "shared/error.h"

namespace haptic {

namespace {

const char* bad_setting(const PassivitySettings& s, double dt) {
  if (!(dt > 0.0 && std::isfinite(dt))) return "time step";
  if (!(s.max_damping >= 0.0 && std::isfinite(s.max_damping))) return "passivity.max_damping";
  if (!(s.device_damping >= 0.0 && std::isfinite(s.device_damping))) {
    return "passivity.device_damping";
  }
  if (!(s.length > 0.0 && std::isfinite(s.length))) return "passivity.length";
  if (!(s.tolerance >= 0.0 && std::isfinite(s.tolerance))) return "passivity.tolerance";
  if (!(s.max_surplus >= 0.0)) return "passivity.max_surplus";
  if (!(s.max_deficit >= 0.0)) return "passivity.max_deficit";
  return nullptr;
}

}  // namespace

PassivityController::PassivityController(const PassivitySettings& settings, double dt, bool torque)
    : settings_(settings), dt_(dt), torque_(torque) {
  if (const char* key = bad_setting(settings, dt)) {
    throw InputError("passivity controller", key, "value out of range", "finite numbers >= 0");
  }
}

void PassivityController::begin(const Pose& hand) HAPTIC_REALTIME {
  hand_ = hand;
  moved_.setZero();
  turned_.setZero();
  sent_ = Wrench{};
  energy_ = balance_ = damping_ = 0.0;
}

void PassivityController::observe(const Pose& hand, double elapsed_s) HAPTIC_REALTIME {
  moved_ = hand.position - hand_.position;
  turned_ = torque_ ? rotation_logarithm(hand.orientation * hand_.orientation.conjugate())
                    : Vector3(Vector3::Zero());
  hand_ = hand;
  const double given = -(sent_.force.dot(moved_) + sent_.torque.dot(turned_));
  periods_ = std::max(elapsed_s / dt_, 1.0);
  moved_ /= periods_;
  turned_ /= periods_;
  if (!std::isfinite(given)) return;  // the servo raises a fault; the sums stay finite
  energy_ += given;
  balance_ += given;
}

// Squared motion of a step at the last velocity, rotations at `length` [m²].
double PassivityController::squared_motion() const HAPTIC_REALTIME {
  return moved_.squaredNorm() + settings_.length * settings_.length * turned_.squaredNorm();
}

Wrench PassivityController::control(const Wrench& intended, double stored,
                                    double granted) HAPTIC_REALTIME {
  damping_ = 0.0;
  if (!std::isfinite(stored) || !std::isfinite(granted)) return {};
  const double reference = settings_.reference == PassivityReference::kStored ? stored : 0.0;
  balance_ = std::clamp(balance_ + granted, reference - settings_.max_deficit,
                        reference + settings_.max_surplus);
  // The damping of the device covers the deficit of this step. It adds no surplus: energy that it
  // dissipates in free motion would otherwise permit an oscillation at the next wall.
  const double short_of = reference - balance_;
  if (short_of > 0.0) {
    balance_ += std::min(short_of, settings_.device_damping * squared_motion() * periods_ / dt_);
  }
  // A step like the last one stores or returns the energy intended . moved. With kStored only the
  // leak of a step counts, which is known after the step.
  double margin = balance_ - reference + settings_.tolerance;
  if (settings_.reference == PassivityReference::kZero) {
    margin -= intended.force.dot(moved_) + intended.torque.dot(turned_);
  }
  if (!settings_.enabled || !(margin < 0.0)) return {};
  const double squared = squared_motion();
  if (!(squared > 0.0)) return {};  // without motion, damping dissipates no energy
  damping_ = std::min(-margin * dt_ / squared, settings_.max_damping);
  return {-damping_ / dt_ * moved_,
          -damping_ * settings_.length * settings_.length / dt_ * turned_};
}

}  // namespace haptic
