#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic::solids {

enum class JointType : std::uint8_t {
  kBall,        ///< the point of both bodies coincides
  kHinge,       ///< point and axis coincide
  kPrismatic,   ///< the second body slides along the axis of the first, without turning
  kOrientation  ///< the second body has the orientation of the first, turned by `target`
};

/// A PD servo on the angle of a hinge or the offset of a prismatic joint, of the second body
/// relative to the first: force -(stiffness (e - target) + damping de/dt) up to `force_limit`.
struct ServoSettings {
  double stiffness = 0.0;                                        ///< N·m/rad or N/m, > 0
  double damping = 0.0;                                          ///< N·m·s/rad or N·s/m, >= 0
  double force_limit = std::numeric_limits<double>::infinity();  ///< N·m or N, > 0
};

/// A button of the device that moves the target of a joint while it is pressed.
struct TargetButton {
  std::uint32_t button = 0;  ///< bit of DeviceState::buttons
  double target = 0.0;       ///< while pressed [rad or m]
  double speed = 0.0;        ///< of the target when it is pressed and released [rad/s or m/s], > 0
};

struct JointSettings {
  JointType type = JointType::kBall;
  Vector3 point = Vector3::Zero();  ///< m, world at the start; not of an orientation
  Vector3 axis = Vector3::UnitX();  ///< unit, world at the start; not of a ball
  /// Prismatic: eight rows, three of them redundant, as published, instead of five.
  bool published_form = false;
  std::optional<ServoSettings> servo{};
  std::optional<TargetButton> button{};  ///< of a joint with a target
  /// Of the servo, or of an orientation [rad or m], and the range in which it can be set.
  double target = 0.0;
  double minimum = -1e3, maximum = 1e3;

  bool has_target() const { return servo || type == JointType::kOrientation; }
};

/// A joint on one of its bodies, world axes.
struct JointSide {
  Vector3 origin = Vector3::Zero();    ///< about which the body turns [m]
  Vector3 point = Vector3::Zero();     ///< of the joint [m]
  Matrix3 axes = Matrix3::Identity();  ///< of the joint; the first column is its axis

  /// After the motion (translation of the origin; rotation vector) of the body.
  JointSide moved(const Vector6& motion) const HAPTIC_REALTIME;
};

/// An equation of a joint, and its derivatives with respect to the motions of both bodies.
struct JointRow {
  double error = 0.0;  ///< m or rad
  Vector6 first = Vector6::Zero(), second = Vector6::Zero();
};

/// Equations of a joint between two rigid bodies: as functions of the bodies' poses, zero where the
/// joint is closed. Allocates nothing.
/// Source: docs/methods/multibody.md, "Joints"; Xu, Zhao & Barbic 2014, section 5.
class Joint {
 public:
  static constexpr std::size_t kMaxRows = 8;

  /// @param first, second  poses at which the joint is closed
  Joint(const JointSettings& settings, const Pose& first, const Pose& second);

  std::uint32_t size() const HAPTIC_REALTIME { return size_; }
  /// Whether coordinate() is an angle.
  bool is_turning() const HAPTIC_REALTIME { return type_ != JointType::kPrismatic; }
  /// Whether the error of a row is an angle, or a length.
  bool is_angle(std::uint32_t row) const HAPTIC_REALTIME {
    return forms_[row].kind == Kind::kAngle || forms_[row].kind == Kind::kColumn;
  }

  JointSide first(const Pose& pose, const Vector3& origin) const HAPTIC_REALTIME {
    return side(frames_[0], pose, origin);
  }
  JointSide second(const Pose& pose, const Vector3& origin) const HAPTIC_REALTIME {
    return side(frames_[1], pose, origin);
  }

  /// Errors of all rows. @param target  of an orientation [rad]  @param errors  size() values
  void errors(const JointSide& first, const JointSide& second, double target,
              std::span<double> errors) const HAPTIC_REALTIME;
  /// The same with derivatives.
  void rows(const JointSide& first, const JointSide& second, double target,
            std::span<JointRow> rows) const HAPTIC_REALTIME;
  /// The coordinate of a servo: offset of a prismatic joint, angle of a hinge in [-pi, pi].
  JointRow coordinate(const JointSide& first, const JointSide& second) const HAPTIC_REALTIME;

 private:
  /// a_i and b_j: columns of the axes of the first and of the second body; e_i: world axes.
  enum class Kind : std::uint8_t {
    kPoint,   // (p_b - p_a) . e_i
    kAcross,  // (p_b - p_a) . a_i
    kAngle,   // a_i . b_j
    kColumn   // (b_i - a_i) . e_j
  };
  struct Form {
    Kind kind;
    std::uint8_t i, j;
  };
  struct Frame {
    Vector3 point;  // model frame
    Matrix3 axes;
  };

  static JointSide side(const Frame& frame, const Pose& pose,
                        const Vector3& origin) HAPTIC_REALTIME;
  JointSide turned(const JointSide& first, double target) const HAPTIC_REALTIME;
  static double error_of(const Form& form, const JointSide& a, const JointSide& b) HAPTIC_REALTIME;
  void add(Kind kind, int i, int j = 0);

  JointType type_;
  Frame frames_[2];
  std::array<Form, kMaxRows> forms_{};
  std::uint32_t size_ = 0;
};

}  // namespace haptic::solids
