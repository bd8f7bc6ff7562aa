#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "rt/bodies/cloth_mesh.h"

namespace haptic {

/// What a spring resists, and by which law (docs/methods/cloth.md, "Topology").
enum class SpringKind : std::uint8_t {
  kStructural,  ///< along the threads; linear
  kShear,       ///< along the diagonals; linear
  kBend,        ///< past a particle or across an edge; linear
  kSequential,  ///< Choi & Ko 2002, type 1: linear, acts only when longer than at rest
  kInterlaced,  ///< Choi & Ko 2002, type 2: a buckling strip, acts only when shorter than at rest
};
constexpr std::size_t kSpringKinds = 5;

/// Which springs a cloth has.
enum class SpringTopology : std::uint8_t {
  kThreeKinds,  ///< structural, shear, bend (Provot 1995)
  kChoiKo,      ///< sequential and interlaced (Choi & Ko 2002)
  kEdges,       ///< edges that exert no force, for limits of their length (Fuhrmann et al. 2003)
  kFabric,      ///< pairs as three kinds, constants of a material (make_fabric_springs)
};

/// Constants of the springs of one kind.
struct SpringMaterial {
  double stiffness = 0.0;  ///< N/m, >= 0; kInterlaced: the bound c_b of its stiffness near rest
  double damping = 0.0;    ///< kg/s, >= 0, along the spring
  double bending = 0.0;    ///< N m^2, >= 0; kInterlaced only: flexural rigidity of the strip
};
using SpringMaterials = std::array<SpringMaterial, kSpringKinds>;

/// Springs as arrays, in a fixed order: by kind, within a kind by their first particles.
struct Springs {
  std::vector<std::uint32_t> first, second;  ///< particles, first < second
  std::vector<SpringKind> kind;
  std::vector<double> rest;       ///< m, > 0
  std::vector<double> stiffness;  ///< N/m
  std::vector<double> damping;    ///< kg/s
  std::vector<double> bending;    ///< N m^2
  /// Stiffness of a part of no length at rest [N/m], of either sign, whose sum is the bending of a
  /// fabric, positive semidefinite (add_plate_stiffness). Empty: none.
  std::vector<double> plate;

  std::size_t size() const { return first.size(); }
  std::size_t count(SpringKind of) const;
};

/// Springs of a checked mesh; rest lengths are the distances in it.
///
/// On a grid: structural (i+-1, j), (i, j+-1); shear (i+-1, j+-1); bend (i+-2, j), (i, j+-2). Choi
/// & Ko: sequential are the first two kinds, interlaced (i+-2, j), (i, j+-2) and (i+-2, j+-2).
/// On any other mesh: structural on edges, bend between the two vertices opposite an edge; where
/// the edge is the diagonal of a quad, both are shear. Sequential and interlaced correspond.
/// A pair of particles has at most one spring: the one whose kind comes first.
/// @throws InputError if a constant of `materials` is negative or not finite, or where two
///         particles of a spring are at the same place
Springs make_springs(const ClothMesh& mesh, SpringTopology topology,
                     const SpringMaterials& materials);

}  // namespace haptic
