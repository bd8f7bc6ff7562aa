#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "rt/bodies/body_model.h"
#include "rt/bodies/deformable_body.h"
#include "rt/worlds/cloth/cloth_settings.h"
#include "rt/worlds/cloth/collision/volume_hierarchy.h"
#include "rt/worlds/cloth/contact/cloth_sites.h"
#include "rt/worlds/cloth/contact/field_contacts.h"
#include "rt/worlds/scene.h"

namespace haptic::cloth {

/// The anchored bodies that a cloth lies on or hangs against: rigid ones, and reduced ones that
/// give way as partners of ContactStep.
///
/// A step: touch(); ContactStep::step(); complete().
class ClothBodies {
 public:
  /// @param models  of all bodies of the scene; outlive this
  /// @param cloth   its triangles and particles at rest, world
  /// @throws InputError if an anchored body has no field, or deforms and its field does not
  ClothBodies(const Scene& scene, std::span<const std::unique_ptr<BodyModel>> models,
              std::span<const TriangleCorners> cloth, std::span<const double> rest, double dt);

  bool empty() const { return bodies_.empty(); }
  std::size_t size() const { return bodies_.size(); }
  /// Unknowns of the bodies that give way: partners 0, 1, ... of the step.
  std::vector<std::uint32_t> partners() const;

  /// Finds the contacts and sets the partners.
  /// @returns false if the step has no place for all contacts
  bool touch(const BoxHierarchy& hierarchy, const ClothState& state,
             ContactStep& step) HAPTIC_REALTIME;
  enum class Result : std::uint8_t { kDone, kDiverged };
  /// Moves the bodies that give way. @param[out] failed  the body of the scene that diverged
  Result complete(const ContactStep& step, std::size_t& failed) HAPTIC_REALTIME;
  void reset() HAPTIC_REALTIME;

  /// Copies q of each body into its place. @param first  of each body of the scene
  void write_coordinates(std::span<double> coordinates) const HAPTIC_REALTIME;

  void set_contact(double stiffness, double friction) HAPTIC_REALTIME;
  std::size_t left_out() const HAPTIC_REALTIME;  ///< contacts without a place in the last step
  std::vector<std::string> warnings() const;

 private:
  struct Body {
    std::size_t body = 0;  // index in the scene
    std::string name;
    SignedField* field = nullptr;
    Pose pose;
    std::unique_ptr<ClothSites> sites;
    std::string pierced;  // pierced_warning() at the start
    std::unique_ptr<FieldContacts> contacts;
    std::unique_ptr<DeformableBody> dynamics;  // of one that gives way
    std::uint32_t partner = 0;
    std::size_t first_coordinate = 0;
    std::vector<double> matrix, load, still;  // r x r, r; zeros
  };
  std::vector<Body> bodies_;
  double dt_;
};

/// Distance of the sites of a cloth for a body [m]: half its thickness, but no more than a quarter
/// of its size, so that no part of it that thick passes between them.
double site_spacing(const SignedField& field);

/// A line for the operator if points of the cloth at x [m] are inside the body; empty otherwise.
std::string pierced_warning(const ClothSites& sites, std::span<const double> x,
                            const SignedField& field, const Pose& pose);

}  // namespace haptic::cloth
