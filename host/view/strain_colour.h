#pragma once

#include <map>
#include <span>
#include <vector>

#include "host/fem/sampled_strain.h"
#include "host/fem/solid_mesh.h"
#include "host/mesh/embedding.h"
#include "host/view/display_basis.h"
#include "shared/artifact/model_file.h"

namespace haptic {

/// What the colour of a deformable surface shows (Barbic 2007, Figure 2.1).
enum class SurfaceColour {
  kBody,    ///< the body's own colour
  kStrain,  ///< largest eigenvalue of Green's strain E [1]
  kStress   ///< largest eigenvalue of the second Piola-Kirchhoff stress S = C : E [Pa]
};

/// Strain or stress at the display vertices of a model, for many states: the vertices are embedded
/// in the volume mesh once.
class SurfaceStrain {
 public:
  /// @param quantity not kBody @param model outlives the object
  /// @throws InputError if the model has no volume mesh, basis or material
  SurfaceStrain(const ModelFile& model, const DisplayBasis& basis, SurfaceColour quantity);

  /// The largest eigenvalue at each display vertex: strain and stress of the element that contains
  /// it, as the body's energy has them (host/fem/sampled_strain.h), or from F = I + du/dX for plain
  /// elements; those of the material between a fixed region and the free corners of a cell.
  /// @param q r values or fewer, the rest zero @throws InputError if there are more
  std::vector<double> largest_eigenvalues(std::span<const double> q) const;

 private:
  using CornerDisplacements = Eigen::Matrix<double, 3, 8>;
  Eigen::Matrix3d plain_tensor(const EmbeddedPoint& point, const CornerDisplacements& u) const;
  Eigen::Matrix3d cell_tensor(const EmbeddedPoint& point, const CornerDisplacements& u) const;

  std::span<const double> basis_;  ///< 3n x r
  std::size_t dimension_;
  SurfaceColour quantity_;
  SolidMesh mesh_;
  std::vector<EmbeddedPoint> points_;
  std::map<std::uint32_t, SampledStress> stresses_;  ///< of the points' elements
};

/// Dark blue at or below 0 over green to yellow at `top`: k x 3, 0..1. @param top > 0
std::vector<float> colours_of(std::span<const double> values, double top);

}  // namespace haptic
