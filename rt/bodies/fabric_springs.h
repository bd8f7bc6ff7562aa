#pragma once

#include <vector>

#include "rt/bodies/cloth_mesh.h"
#include "rt/bodies/cloth_springs.h"

namespace haptic {

/// A fabric by what a laboratory measures of it, whatever the grid. Forces are per width.
struct FabricMaterial {
  double membrane = 1000.0;  ///< N/m, > 0: tension over strain of a pull along the threads
  double shear = 100.0;      ///< N/m, >= 0: shear force over the angle between the threads
  double bending = 1e-5;     ///< N m, >= 0: moment over curvature, D
  double damping = 0.0;      ///< N s/m, >= 0: tension over the rate of strain
};

/// Largest `shear` of a grid with cells of x by y [m]: their diagonals resist stretch too, and no
/// more than the whole of it. Infinite for squares. @returns N/m
double largest_shear(double x, double y, double membrane);

/// Springs of a fabric, by kind as SpringTopology::kFabric orders them.
///
/// The energy of any uniform deformation is that of the material, to the second order, on every
/// grid: springs along the threads have the width of the cells beside them, half at a border.
/// Bend springs exert no force of their own; their flexural rigidity is `bending` times the width
/// of their row, that of a shear spring `bending` times the width of a cell across it
/// (add_plate_stiffness). Source: docs/methods/cloth.md, "Fabric".
/// @throws InputError if a constant is out of its range, the mesh is no grid, or `shear` is above
///         largest_shear
Springs make_fabric_springs(const ClothMesh& mesh, const FabricMaterial& material);

/// Sets Springs::plate to what the flexural rigidities of bend and shear springs of a grid make:
///   E = 1/2 sum over bend springs   b / h^3 |x_0 - 2 x_1 + x_2|^2, h half their length at rest,
///     + 1/2 sum over shear springs  b l / A^2 |x_00 - x_10 - x_01 + x_11|^2 of their cell,
/// A the area of the cell. Positive semidefinite. Empties it where none or others have a rigidity.
/// @throws InputError if a spring with a flexural rigidity is not of a flat grid of equal cells
void add_plate_stiffness(const ClothMesh& mesh, Springs& springs);

/// Masses in proportion to the area that belongs to a particle of a grid: a quarter of each of its
/// cells. @param total  kg
std::vector<double> cell_masses(GridSize grid, double total);

}  // namespace haptic
