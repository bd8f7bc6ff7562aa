#pragma once

#include <Eigen/Geometry>
#include <string>

#include "host/view/scene_frame.h"
#include "rt/geometry/signed_field.h"

namespace haptic {

/// The plane on which a body's distance field is shown.
struct SliceChoice {
  std::string body{};   ///< empty: none
  int axis = 0;         ///< of the plane's normal in the body's model frame: 0, 1, 2 for x, y, z
  double offset = 0.0;  ///< of the plane along it [m]

  bool operator==(const SliceChoice&) const = default;
};

/// Reads "BODY:x=0.01". @throws InputError for anything else
SliceChoice parse_slice(const std::string& text);

/// Samples the field in its present state by the batches of the loop, two to a voxel but at most
/// kMaxSamples along a side, on the part of the plane that `box` and a margin of the
/// range around it contain.
/// @param choice  its body's name is not used
/// @param box     of the body now, model frame [m], not empty
/// @param range   of the colours [m], > 0
/// @param pose    of the body, world
FieldSlice sample_slice(const SignedField& field, const SliceChoice& choice,
                        const Eigen::AlignedBox3d& box, double range, const Pose& pose);
inline constexpr int kMaxSamples = 256;

/// Largest absolute distance of the colours [m]: the field's greatest depth, but at most a quarter
/// of the box's diagonal, rounded up to 1, 2 or 5 times a power of ten.
double slice_range(const SignedField& field, const Eigen::AlignedBox3d& box);

}  // namespace haptic
