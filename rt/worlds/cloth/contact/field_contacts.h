#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rt/contact/friction_anchors.h"
#include "rt/geometry/signed_field.h"
#include "rt/worlds/cloth/cloth_system.h"
#include "rt/worlds/cloth/collision/volume_hierarchy.h"
#include "rt/worlds/cloth/contact/cloth_sites.h"
#include "rt/worlds/cloth/contact/contact_step.h"
#include "rt/worlds/cloth/contact/site_path.h"
#include "shared/realtime.h"

namespace haptic::cloth {

/// Contacts of the sites of a cloth with a signed field, that of one body.
///
/// A cloth has a thickness: the gap of a site is its distance minus half of it. Sites that touch,
/// and those that may within the step, become contacts; one that enters within it has the plane of
/// its entry. A site inside stays on the side that it came from, also behind the middle of a thin
/// body. Friction is that of anchors on the body.
///
/// A step: find(); add_to(); ContactStep::step(); settle(). Memory is from construction on.
/// Source: docs/methods/cloth.md, "Sites and fields".
class FieldContacts {
 public:
  struct Settings {
    double stiffness = 500.0;  ///< of one site [N/m], >= 0
    bool foundation = false;   ///< `stiffness` is per area of the cloth [N/m^3], not of one site
    double friction = 0.0;     ///< mu >= 0
    double thickness = 0.0;    ///< of the cloth [m], >= 0
    std::size_t capacity = 1024;
  };
  /// The field's body at the start of a step.
  struct Body {
    Pose pose{};
    Twist twist{};                   ///< of the material origin, world axes: expected over the step
    std::span<const double> qdot{};  ///< of a deforming field, which is in its state
  };
  /// A site that touches, or may within the step.
  struct Touch {
    std::uint32_t site;
    double gap;   ///< m, above `plane`
    double rank;  ///< energy of the spring [J]; minus the gap where it does not touch
    Vector3 p;    ///< of the site, material frame of the body [m]
    SurfacePlane plane;
  };
  /// The unknowns of the body in a ContactStep.
  struct Partner {
    enum class Kind : std::uint8_t {
      kNone,     ///< moves as prescribed
      kRigid,    ///< 6: translation, rotation vector about `centre`, world axes
      kReduced,  ///< r: reduced coordinates of a field that deforms
    };
    Kind kind = Kind::kNone;
    std::uint32_t index = 0;
    Vector3 centre = Vector3::Zero();  ///< world [m]
  };

  /// @param sites, field  outlive this object
  /// @throws InputError if a setting is out of range
  FieldContacts(const ClothSites& sites, const SignedField& field, const Settings& settings);

  Settings& adjustable() HAPTIC_REALTIME { return settings_; }  ///< stiffness and friction

  /// Finds the contacts of a step of `h` [s].
  /// @param hierarchy  of the triangles of the sites, refitted to `state`
  /// @returns their number
  std::size_t find(const BoxHierarchy& hierarchy, const ClothState& state, const Body& body,
                   double h) HAPTIC_REALTIME;
  /// How far the body can go in any direction before a site touches it, at most `most` [m]; 0 where
  /// one does. @param hierarchy  refitted to `state`
  double clearance(const BoxHierarchy& hierarchy, const ClothState& state, const Pose& pose,
                   double most) HAPTIC_REALTIME;
  std::span<const Touch> touches() const HAPTIC_REALTIME { return {touches_.data(), kept_}; }
  /// Touches of the last find() that had no place. Those that store most are kept, with a stiffness
  /// at which they together store what all would.
  std::size_t left_out() const HAPTIC_REALTIME { return found_ - kept_; }

  /// Adds the contacts. @returns false if `step` has no place for all
  bool add_to(ContactStep& step, const Partner& partner) HAPTIC_REALTIME;
  /// After the step: moves the anchors of friction.
  void settle(const ContactStep& step) HAPTIC_REALTIME;
  /// Sum of the forces on the body, torque about `centre`, of the last settle().
  Wrench wrench_about(const Vector3& centre) const HAPTIC_REALTIME;
  /// Of the pressures on the body, friction left out: their sum, and that along their normals.
  struct Pressure {
    double sum = 0.0;                 ///< N
    Vector3 force = Vector3::Zero();  ///< N, world
    double friction_limit = 0.0;      ///< largest force of pressures and frictions, summed [N]
  };
  Pressure pressure(const ContactStep& step) const HAPTIC_REALTIME;

  /// Forgets sides and friction.
  void clear_history() HAPTIC_REALTIME;

 private:
  /// The side that a site inside the body came from.
  struct Side {
    SurfacePlane plane;
    std::uint64_t cycle = 0;  // last one with it
  };
  struct Way;
  template <class Visit>
  void for_near_sites(const BoxHierarchy& hierarchy, const ClothState& state, const Pose& pose,
                      double margin, Visit visit) HAPTIC_REALTIME;
  void visit(std::uint32_t site, const Way& way, double distance, const Vector3& p,
             const Vector3& change) HAPTIC_REALTIME;
  void visit_outside(std::uint32_t site, const Way& way, double gap, const Vector3& p,
                     const Vector3& change) HAPTIC_REALTIME;
  bool came_through(const Side& side, const Vector3& p, double offset) const HAPTIC_REALTIME;
  void keep(std::uint32_t site, const Vector3& p, const SurfacePlane& plane) HAPTIC_REALTIME;
  void choose() HAPTIC_REALTIME;
  double stiffness(std::uint32_t site) const HAPTIC_REALTIME {
    return settings_.foundation ? settings_.stiffness * sites_.area(site) : settings_.stiffness;
  }
  std::span<const double> jacobian(const Touch& touch, const Partner& partner) HAPTIC_REALTIME;

  const ClothSites& sites_;
  const SignedField& field_;
  Settings settings_;
  FrictionAnchors anchors_;
  std::vector<Side> sides_;
  std::vector<Touch> touches_;
  struct Force {
    Vector3 force, place;  // on the body, world
  };
  std::vector<Force> forces_;  // of the touches that are kept
  TriangleList near_;
  std::vector<double> jacobian_, row_;
  std::size_t found_ = 0, kept_ = 0, first_ = 0;
  double factor_ = 1.0;
  Body body_;
  Matrix3 to_world_ = Matrix3::Identity();
  std::uint64_t cycle_ = 1;
};

}  // namespace haptic::cloth
