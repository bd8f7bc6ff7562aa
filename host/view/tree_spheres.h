#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/view/scene_frame.h"
#include "rt/contact/traversal_layout.h"
#include "shared/memory/huge_vector.h"

namespace haptic {

/// The spheres of a point tree as the contact traversal has them: centres by its kernels, radii
/// R(q) by its layout, so that what is shown is what culls.
/// Source: docs/methods/contact-and-coupling.md, "Point tree"; Barbic 2007, Eq 3.12.
class TreeSpheres {
 public:
  /// Copies from both. @throws InputError if shell and tree do not match
  TreeSpheres(const PointShell& shell, const PointTree& tree);

  std::uint32_t levels() const { return static_cast<std::uint32_t>(level_begin_.size() - 1); }
  /// Nodes of a level, 1 (the coarsest) to levels().
  std::uint32_t nodes(std::uint32_t level) const {
    return level_begin_[level] - level_begin_[level - 1];
  }

  /// Appends the spheres of a level. Those of the last level have the radius 0: their points alone
  /// are tested.
  /// @param level  1 to levels()
  /// @param pose   of the body, world
  /// @param q      reduced coordinates, as many as the shell has
  /// @param body   index for FrameSphere::body
  void append(std::uint32_t level, const Pose& pose, std::span<const double> q, std::size_t body,
              std::vector<FrameSphere>& spheres);

 private:
  TraversalLayout layout_;
  const TraversalKernels* kernels_;
  std::vector<std::uint32_t> level_begin_;       // levels + 1
  HugeVector<double> coordinates_, magnitudes_;  // (1 | q | 0), (1 | |q| | 0)
};

}  // namespace haptic
