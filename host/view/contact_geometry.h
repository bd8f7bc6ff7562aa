#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

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

/// What contact computes with, added to the frames that show it: spheres of point trees. Models are
/// opened and checked as a world does, once.
class ContactGeometry {
 public:
  /// Most spheres of a frame.
  static constexpr std::size_t kMostSpheres = 200'000;

  /// Adds the spheres of a level. Bodies whose trees end before it, and those whose vertices are in
  /// the state (cloth, condensed), which have no tree, add none.
  /// @throws InputError if no body has such spheres, there are too many, or a model is refused
  void add_spheres(SceneFrame& frame, const TreeChoice& choice);

  /// Levels of the body's tree; 0 without one. @throws InputError if its model is refused
  std::uint32_t tree_levels(const FrameBody& body);

  /// Opens all models again, as after a change of scene.
  void forget() { bodies_.clear(); }

 private:
  struct Body {
    std::unique_ptr<BodyModel> model;
    std::unique_ptr<TreeSpheres> tree;  ///< null without a point tree
  };
  Body& body(const FrameBody& shown);

  std::map<std::pair<std::string, std::size_t>, Body> bodies_;  // by source and dimension
};

/// Index of the body with this name. @param option for the message
/// @throws InputError if there is none, naming those that there are
std::size_t body_named(const SceneFrame& frame, const std::string& name, const char* option);

}  // namespace haptic
