#pragma once

#include <cstdint>
#include <vector>

#include "host/mesh/triangle_mesh.h"

namespace haptic {

/// Where the model frame has its origin.
enum class SourceOrigin : std::uint8_t {
  kFile,    ///< the file's own origin
  kCentre,  ///< centre of the bounding box
  kMass,    ///< centre of mass of the homogeneous body
  kPoint    ///< a point of the file
};

/// How the coordinates of the mesh's file become those of the model, as [source] says.
struct SourceFrame {
  double length = 0.0;  ///< longest side of the file's bounding box [m]; 0: `unit` counts
  double unit = 1.0;    ///< m per unit of the file
  Matrix3 rotation = Matrix3::Identity();
  SourceOrigin origin = SourceOrigin::kFile;
  Vector3 point = Vector3::Zero();  ///< kPoint: in coordinates of the file

  /// @param box of the file's coordinates, with a longest side > 0
  double scale(const BoundingBox& box) const;
};

template <class Archive>
void archive(Archive& a, SourceFrame& f) {
  a(f.length, f.unit, f.rotation, f.origin, f.point);
}

/// What is wanted of a surface that is not whole.
struct SourceRepair {
  double close_holes = 0.01;        ///< largest hole that is closed, over the longest side
  bool open = false;                ///< an open surface is taken with the offset surface around it
  bool keep_largest = false;        ///< the component of the largest area alone
  std::vector<std::uint32_t> keep;  ///< these components alone, from 1; empty: all
};

template <class Archive>
void archive(Archive& a, SourceRepair& r) {
  a(r.close_holes, r.open, r.keep_largest, r.keep);
}

}  // namespace haptic
