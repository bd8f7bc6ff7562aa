#pragma once

#include <utility>

#include "lab/oracle/contact_scene.h"
#include "rt/contact/contact_pair.h"
#include "rt/contact/contact_traversal.h"

namespace haptic::oracle {

/// Data of a shell, its tree and a field, with the views on them.
struct ContactFixture {
  ContactFixture(ShellData s, TreeData t, FieldData f)
      : shell_data(std::move(s)),
        tree_data(std::move(t)),
        field_data(std::move(f)),
        shell(shell_data.view()),
        tree(tree_data.view()),
        field(field_data.view()) {}
  ContactFixture(const ContactFixture&) = delete;
  ContactFixture& operator=(const ContactFixture&) = delete;

  ContactPair pair(const ContactSettings& settings, HeldSide held = HeldSide::kField) const {
    return {shell, tree, field, settings, held};
  }

  ContactTraversal traversal(const TraversalSettings& settings = {}) const {
    return {shell, tree, field, settings};
  }

  ShellData shell_data;
  TreeData tree_data;
  FieldData field_data;
  PointShell shell;
  PointTree tree;
  DistanceField field;
};

/// The cube [-1/2, 1/2]^3 in a box of side 2. Around the middle of a face distance is linear, so
/// the samples (exact in float) give it exactly: a half-space with its box.
inline FieldData cube_field(std::uint32_t n = 64) {
  return sample_field([](const Vector3& p) { return box_distance(p, Vector3::Constant(0.5)); }, n,
                      2.0);
}

}  // namespace haptic::oracle
