#pragma once

#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

#include "rt/geometry/modal_coordinates.h"
#include "rt/geometry/point_shell.h"
#include "rt/geometry/point_tree.h"
#include "rt/geometry/signed_field.h"
#include "shared/math/pose.h"

namespace haptic {

/// Bytes that a traversal of a point tree must read, as the model stores them: for every visited
/// node its point, radius and index of its children, and its r modal radii where the radius at rest
/// does not decide; for every point looked up P, U and eight samples of the field; for every
/// contact N and DN. Each number counts once a cycle. The walk is plain, with safe culling and
/// without coherence between cycles (docs/methods/contact-and-coupling.md, "Traversal").
class BytesNeeded {
 public:
  struct Count {
    double nodes = 0.0, points = 0.0, contacts = 0.0;
    double bytes = 0.0;
    double line_bytes = 0.0;  ///< of all cache lines that contain any of them
  };

  /// The three outlive it.
  BytesNeeded(const PointShell& shell, const PointTree& tree, const SignedField& field);

  /// At one state; the field is deformed already.
  Count count(const Pose& shell_pose, const Pose& field_pose, std::span<const double> shell_q);

 private:
  void note(std::uint32_t array, std::size_t first, std::size_t bytes);

  const PointShell* shell_;
  const PointTree* tree_;
  const SignedField* field_;
  ModalCoordinates q_;
  std::vector<double> room_;                // per point; NaN: not looked up
  std::vector<std::uint32_t> list_, next_;  // nodes of a level
  std::unordered_set<std::uint64_t> lines_;
  Count count_;
};

}  // namespace haptic
