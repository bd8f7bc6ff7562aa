#pragma once

#include <utility>
#include <vector>

#include "lab/oracle/contact_scene.h"
#include "rt/contact/contact_pair.h"
#include "tests/rt/contact/plane_field.h"

namespace haptic::oracle {

/// A shell against the exact half-space z < 0.
struct PlaneScene {
  explicit PlaneScene(ShellData s, std::uint32_t field_dimension = 0, double scale = 1.0)
      : PlaneScene(s, flat_tree(s), field_dimension, scale) {}
  PlaneScene(ShellData s, TreeData t, std::uint32_t field_dimension = 0, double scale = 1.0)
      : shell_data(std::move(s)),
        tree_data(std::move(t)),
        shell(shell_data.view()),
        tree(tree_data.view()),
        field(field_dimension, scale) {}
  PlaneScene(const PlaneScene&) = delete;
  PlaneScene& operator=(const PlaneScene&) = delete;

  ContactPair pair(const ContactSettings& settings, HeldSide held = HeldSide::kShell,
                   std::span<const float> area_weights = {}) const {
    return {shell, tree, field, settings, held, area_weights};
  }

  ShellData shell_data;
  TreeData tree_data;
  PointShell shell;
  PointTree tree;
  PlaneField field;
};

/// One point at the shell's origin, its body above.
inline ShellData single_point() {
  ShellData shell;
  shell.add(Vector3::Zero(), Vector3::UnitZ());
  return shell;
}

inline BodyMotion standing_at(const Vector3& position) {
  return {.pose = {position, Quaternion::Identity()}};
}

}  // namespace haptic::oracle
