#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/view/field_slice.h"
#include "host/view/scene_frame.h"
#include "host/view/tree_spheres.h"
#include "rt/bodies/body_model.h"

namespace haptic {

/// Which spheres of point trees are shown.
struct TreeChoice {
  std::uint32_t level = 0;  ///< 1 is the coarsest; 0: none
  std::string body{};       ///< empty: all bodies with a tree

  bool operator==(const TreeChoice&) const = default;
};

/// What contact computes with, added to the frames that show it: spheres of point trees and slices
/// of distance fields. Models are opened and checked as a world does, once.
class ContactGeometry {
 public:
  /// Most spheres of a frame.
  static constexpr std::size_t kMaxSpheres = 200'000;

  /// Adds the spheres of a level. Bodies whose trees end before it, and those whose vertices are in
  /// the state (cloth, condensed), which have no tree, add none.
  /// @throws InputError if no body has such spheres, there are too many, or a model is refused
  void add_spheres(SceneFrame& frame, const TreeChoice& choice);

  /// Levels of the body's tree; 0 without one. @throws InputError if its model is refused
  std::uint32_t tree_levels(const FrameBody& body);

  /// Adds the slice, if one is chosen. @throws InputError if the body has no field that a world
  /// could use in its present state, the plane passes it by, or the model is refused
  void add_slice(SceneFrame& frame, const SliceChoice& choice);

  /// Where a slice of a body's field can be.
  struct SliceRoom {
    Eigen::AlignedBox3d box;  ///< of the body at rest, and the range around it, model frame [m]
    double range;             ///< of the colours [m]
  };
  /// @returns nullopt if it has no such field @throws InputError if its model is refused
  std::optional<SliceRoom> slice_room(const FrameBody& body);

  /// Opens all models again, as after a change of scene.
  void forget() { bodies_.clear(); }

 private:
  struct Body {
    std::unique_ptr<BodyModel> model;
    std::unique_ptr<TreeSpheres> tree;  ///< null without a point tree
    std::optional<SliceRoom> room;      ///< slice_room, once it was asked for
  };
  Body& body(const FrameBody& shown);
  Eigen::AlignedBox3d box_of(const FrameBody& shown, std::vector<double> q);

  std::map<std::pair<std::string, std::size_t>, Body> bodies_;  // by source and dimension
};

/// Index of the body with this name. @param option for the message
/// @throws InputError if there is none, naming those that there are
std::size_t body_named(const SceneFrame& frame, const std::string& name, const char* option);

}  // namespace haptic
