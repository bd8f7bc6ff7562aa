#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "rt/bodies/condensed_model.h"
#include "rt/worlds/condensed/contact_compliance.h"
#include "rt/worlds/condensed/contact_row.h"
#include "shared/artifact/model_file.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic::condensed {

/// The shape of a condensed body whose modes turn its parts far: every node has a frame that the
/// modes rotate, in which both the modal displacement and the local dent are laid.
///
/// With w = W q the rotation of a node by the modes (modal_rotations),
///   u = V(w) U1 q + R(w) u_static,   R = exp(w),   V = the mean of exp(t w), 0 <= t <= 1
/// instead of U1 q + u_static. The modes themselves stay linear. For small w it is the linear
/// shape. Source: docs/methods/static-dynamic.md, "Large rotations"; Choi & Ko 2005.
class CorotatedShape {
 public:
  /// @param contacts  whose modes are in use; outlives this object
  /// @throws InputError as modal_rotations
  CorotatedShape(const ModelFile& file, const ContactCompliance& contacts);

  /// @param q  modal amplitudes of the displayed pose @param linear  node displacements of the
  ///           linear pose: 3 a node [m] @param shape  the same of the corotated one
  void update(std::span<const double> q, std::span<const double> linear,
              std::span<double> shape) HAPTIC_REALTIME;
  /// How a contact point moves from the last update on: by `turn` times a change of the statics,
  /// and by `gradient` times one of the modes.
  /// @param linear    as of the last update
  /// @param gradient  3 x modes, row-major, with `stride` values from row to row
  /// @returns the turn, exp(w) at the point
  Matrix3 frame_at(const ContactRow& row, std::span<const double> linear,
                   std::span<double> gradient, std::size_t stride) const HAPTIC_REALTIME;
  /// Turns a displacement by the linear modes into the corotated one, V(w) u.
  /// @param u  3 a node [m]
  void turn_modal(std::span<double> u) const HAPTIC_REALTIME;
  void reset() HAPTIC_REALTIME;

 private:
  const ContactCompliance* contacts_;
  std::vector<double> rotations_;     // modes x s
  std::vector<double> turn_, modal_;  // w and U1 q: 3 a node
  std::vector<const double*> rows_;   // of the kernels
};

/// Mean of exp(t w) over 0 <= t <= 1.
Matrix3 mean_rotation(const Vector3& w) HAPTIC_REALTIME;

}  // namespace haptic::condensed
