#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "rt/bodies/cloth_mesh.h"
#include "rt/worlds/cloth/particle_vectors.h"

namespace haptic {

/// Which side of a sheet a point is on, without any code of the god-object: the sheet is a grid
/// whose projection along z covers each point once.
class HeightSheet {
 public:
  /// Of a point over the sheet. `covers` counts the triangles whose projection has it (edges and
  /// corners may count more than one, at equal heights): 0 beside the sheet.
  struct Height {
    double above = 0.0;  ///< of the point above the sheet along z [m]
    int covers = 0;
    bool folded = false;  ///< triangles at different heights: there is no side
  };

  /// @param mesh  a grid; outlives this
  explicit HeightSheet(const ClothMesh& mesh) : mesh_(mesh) {}

  /// @param x     particles [m], 3n values
  /// @param near  how far from its own cell, in cells, the sheet's triangles are searched first;
  ///              if none is found there, all are
  Height height(std::span<const double> x, const Vector3& p, int near = 2) const;

 private:
  void add(std::span<const double> x, const Vector3& p, std::size_t triangle, Height& height) const;

  const ClothMesh& mesh_;
};

}  // namespace haptic
