#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace haptic {

/// Element types of a section; the numbers are written to files and never change.
enum class ElementType : std::uint32_t { kFloat32 = 1, kFloat64 = 2, kUint32 = 3, kUint8 = 4 };

constexpr std::uint32_t element_size(ElementType type) {
  switch (type) {
    case ElementType::kFloat32:
    case ElementType::kUint32:
      return 4;
    case ElementType::kFloat64:
      return 8;
    case ElementType::kUint8:
      return 1;
  }
  return 0;
}

inline constexpr std::uint32_t kMaxRank = 3;

/// One row of the table that the writer, the reader, `haptic inspect` and docs/artifact.md follow.
struct SectionInfo {
  std::string_view name;  ///< HDF5 path, at most 63 characters
  ElementType type;
  std::uint32_t rank;      ///< 1..3; shapes are row-major (C order)
  std::string_view shape;  ///< symbols of the shape, e.g. "3n x r"
  std::string_view unit;   ///< SI unit, "1" where dimensionless
  std::string_view meaning;
};
// clang-format off
/// Every section that a model file may contain. Each is optional; the sections of a group are
/// present all together or not at all.
/// n mesh vertices, m elements, r reduced coordinates, v surface vertices, t triangles,
/// G material groups, s shell points, T tree nodes, l levels, N field resolution (power of two),
/// P proxies, D domains, E = D (N+1), c condensed nodes, K condensed modes, S springs and
/// Q quadrilaterals of a cloth.
inline constexpr std::array kSections = {
    SectionInfo{"/surface/vertices", ElementType::kFloat64, 2, "v x 3", "m", "render surface, model frame"},
    SectionInfo{"/surface/triangles", ElementType::kUint32, 2, "t x 3", "1", "vertex indices, outward by the right hand"},
    SectionInfo{"/surface/basis", ElementType::kFloat32, 2, "3v x r", "kg^-1/2", "displacement of surface vertices per reduced coordinate (U_render = W U)"},
    SectionInfo{"/mesh/vertices", ElementType::kFloat64, 2, "n x 3", "m", "simulation mesh, model frame"},
    SectionInfo{"/mesh/elements", ElementType::kUint32, 2, "m x 8", "1", "hexahedra, VTK vertex order"},
    SectionInfo{"/mesh/tetrahedra", ElementType::kUint32, 2, "m x 4", "1", "tetrahedra, positively oriented; instead of /mesh/elements"},
    SectionInfo{"/mesh/fixed", ElementType::kUint32, 1, "fixed", "1", "constrained vertices, ascending; empty for a free body"},
    SectionInfo{"/mesh/moments", ElementType::kFloat64, 2, "m x 10", "1", "material in the cell of each hexahedron: integrals of 1, x, y, z, xx, yy, zz, xy, xz, yz in its edges about its centre; absent: every cell is full"},
    SectionInfo{"/mesh/held", ElementType::kFloat64, 1, "m", "1", "fraction of each hexahedron's material that lies in a fixed region, below 1: its stiffness is divided by 1 - fraction; absent: none"},
    SectionInfo{"/material/group", ElementType::kUint32, 1, "m", "1", "material group of each element, below G; absent where G is 1"},
    SectionInfo{"/material/names", ElementType::kUint8, 2, "G x 32", "1", "name of each group, ASCII padded with zeros"},
    SectionInfo{"/material/lame", ElementType::kFloat64, 2, "G x 2", "Pa", "lambda, mu of each group; zeros where it is anisotropic"},
    SectionInfo{"/material/elasticity", ElementType::kFloat64, 3, "G x 6 x 6", "Pa", "tensor components C of each group over the pairs 11, 22, 33, 12, 13, 23"},
    SectionInfo{"/material/viscosity", ElementType::kFloat64, 2, "G x 2", "Pa s", "phi, psi of each group, where they differ; else attributes of /reduced"},
    SectionInfo{"/material/density", ElementType::kFloat64, 1, "G", "kg/m^3", "density of each group"},
    SectionInfo{"/reduced/basis", ElementType::kFloat64, 2, "3n x r", "kg^-1/2", "mass-orthonormal basis U, column per mode, rows (x,y,z) per vertex"},
    SectionInfo{"/reduced/eigenvalues", ElementType::kFloat64, 1, "k", "s^-2", "eigenvalues of the retained linear modes, ascending"},
    SectionInfo{"/reduced/quadratic", ElementType::kFloat64, 1, "C(r+1,2)", "s^-2", "distinct entries of P, i <= j, last index fastest"},
    SectionInfo{"/reduced/cubic", ElementType::kFloat64, 1, "C(r+2,3)", "m^-1 kg^-1/2 s^-2", "distinct entries of Qsym, i <= j <= k, last index fastest"},
    SectionInfo{"/reduced/quartic", ElementType::kFloat64, 1, "C(r+3,4)", "m^-2 kg^-1 s^-2", "distinct entries of Ssym, i <= j <= k <= l, last index fastest"},
    SectionInfo{"/reduced/storage", ElementType::kUint32, 1, "1", "bytes", "size of a coefficient of the energy in the loop: 8 (also where absent) or 4"},
    SectionInfo{"/reduced/groups/quadratic", ElementType::kFloat64, 2, "2G x C(r+1,2)", "m kg^-1", "quadratic part of each group: row 2g at lambda = 1 Pa, mu = 0, row 2g + 1 at lambda = 0, mu = 1 Pa"},
    SectionInfo{"/reduced/groups/cubic", ElementType::kFloat64, 2, "2G x C(r+2,3)", "kg^-3/2", "cubic part of each group, rows likewise"},
    SectionInfo{"/reduced/groups/quartic", ElementType::kFloat64, 2, "2G x C(r+3,4)", "m^-1 kg^-2", "quartic part of each group, rows likewise"},
    SectionInfo{"/reduced/groups/mass", ElementType::kFloat64, 2, "G x C(r+1,2)", "m^3 kg^-1", "reduced mass matrix of each group at density 1 kg/m^3, i <= j, last index fastest"},
    SectionInfo{"/reduced/viscous/linear", ElementType::kFloat64, 1, "C(r+1,2)", "s^-1", "G1(i,j) of the viscosities, i <= j, last index fastest"},
    SectionInfo{"/reduced/viscous/mixed", ElementType::kFloat64, 2, "r x C(r+1,2)", "m^-1 kg^-1/2 s^-1", "G2(l,ij) of the viscosities, i <= j"},
    SectionInfo{"/reduced/viscous/quadratic", ElementType::kFloat64, 1, "C(C(r+1,2)+1,2)", "m^-2 kg^-1 s^-1", "G3(ij,kl) of the viscosities, pairs ij <= kl, last index fastest"},
    SectionInfo{"/reduced/damping", ElementType::kFloat64, 1, "2", "s^-1, s", "Rayleigh alpha, beta"},
    SectionInfo{"/reduced/inertia/linear", ElementType::kFloat64, 2, "r x 6", "kg^1/2 m", "free body: sum m (x u^T + u x^T) of each mode u, x from the centre of mass; 11, 22, 33, 12, 13, 23"},
    SectionInfo{"/reduced/inertia/quadratic", ElementType::kFloat64, 2, "C(r+1,2) x 6", "1", "free body: sum m (u_i u_j^T + u_j u_i^T) / 2, i <= j, last index fastest; components likewise"},
    SectionInfo{"/reduced/inertia/spin", ElementType::kFloat64, 2, "C(r+1,2) x 3", "1", "free body: sum m u_i x u_j, i <= j, last index fastest"},
    SectionInfo{"/condensed/nodes", ElementType::kUint32, 1, "c", "1", "condensed nodes: vertices of /mesh of the boundary elements without the fixed ones, ascending"},
    SectionInfo{"/condensed/compliance/single", ElementType::kFloat32, 2, "3c x 3c", "m/N", "block of K^-1 of the condensed nodes, exactly symmetric, row 3 node + axis"},
    SectionInfo{"/condensed/compliance/double", ElementType::kFloat64, 2, "3c x 3c", "m/N", "the same in double precision; instead of /condensed/compliance/single"},
    SectionInfo{"/condensed/modes", ElementType::kFloat64, 2, "3c x K", "kg^-1/2", "rows of the condensed nodes of the lowest modes of the whole mesh, orthonormal in its lumped mass"},
    SectionInfo{"/condensed/eigenvalues", ElementType::kFloat64, 1, "K", "s^-2", "eigenvalues of these modes, ascending"},
    SectionInfo{"/condensed/damping", ElementType::kFloat64, 1, "2", "s^-1, s", "Rayleigh alpha, beta of these modes"},
    SectionInfo{"/condensed/embedding/nodes", ElementType::kUint32, 2, "v x 8", "1", "condensed node at each corner of the element of a surface vertex; 4294967295: a fixed node"},
    SectionInfo{"/condensed/embedding/weights", ElementType::kFloat64, 2, "v x 8", "1", "shape functions of the corners, also of the fixed ones; their sum is 1"},
    SectionInfo{"/cloth/masses", ElementType::kFloat64, 1, "v", "kg", "mass of each particle of a cloth: every surface vertex is one"},
    SectionInfo{"/cloth/quads", ElementType::kUint32, 2, "Q x 4", "1", "corners in order of the quadrilaterals that pairs of triangles form; may be empty"},
    SectionInfo{"/cloth/grid", ElementType::kUint32, 1, "2", "1", "nx, ny of a rectangular grid, whose particle (i, j) is j nx + i; absent on any other mesh"},
    SectionInfo{"/cloth/springs/particles", ElementType::kUint32, 2, "S x 2", "1", "particles that a spring joins, the smaller number first"},
    SectionInfo{"/cloth/springs/kind", ElementType::kUint8, 1, "S", "1", "0 structural, 1 shear, 2 bend, 3 sequential, 4 interlaced"},
    SectionInfo{"/cloth/springs/rest", ElementType::kFloat64, 1, "S", "m", "rest length"},
    SectionInfo{"/cloth/springs/stiffness", ElementType::kFloat64, 1, "S", "N/m", "stiffness; of an interlaced spring its bound near rest"},
    SectionInfo{"/cloth/springs/damping", ElementType::kFloat64, 1, "S", "kg/s", "damping along the spring"},
    SectionInfo{"/cloth/springs/bending", ElementType::kFloat64, 1, "S", "N m^2", "flexural rigidity of an interlaced spring"},
    SectionInfo{"/shell/points", ElementType::kFloat32, 2, "s x 3", "m", "contact points, model frame, in farthest-point (level) order"},
    SectionInfo{"/shell/normals", ElementType::kFloat32, 2, "s x 3", "1", "unit inward normals"},
    SectionInfo{"/shell/weights", ElementType::kFloat32, 1, "s", "1", "area that each point represents, over their mean; absent: 1"},
    SectionInfo{"/shell/areas", ElementType::kFloat32, 1, "s", "m^2", "area of the surface that each point stands for; absent in models of older versions"},
    SectionInfo{"/shell/displacement", ElementType::kFloat32, 3, "s x 3 x r", "kg^-1/2", "modal displacement block U_s of each point"},
    SectionInfo{"/shell/normal_correction", ElementType::kFloat32, 3, "s x 3 x r", "m^-1 kg^-1/2", "normal-correction block DN_s of each point"},
    SectionInfo{"/shell/tree/level_begin", ElementType::kUint32, 1, "l + 1", "1", "first node of each level; the last entry is T"},
    SectionInfo{"/shell/tree/point", ElementType::kUint32, 1, "T", "1", "shell point at the centre of each node"},
    SectionInfo{"/shell/tree/child_begin", ElementType::kUint32, 1, "T", "1", "first child node (children are contiguous on the next level)"},
    SectionInfo{"/shell/tree/child_count", ElementType::kUint32, 1, "T", "1", "number of children, 0 for a leaf"},
    SectionInfo{"/shell/tree/radius", ElementType::kFloat32, 1, "T", "m", "bounding radius at rest, R0"},
    SectionInfo{"/shell/tree/modal_radius", ElementType::kFloat32, 2, "T x r", "kg^-1/2", "growth of the radius per abs(q_j) (BD radii a_ij)"},
    SectionInfo{"/field/values", ElementType::kFloat32, 3, "(N+1) x (N+1) x (N+1)", "m", "signed distance at voxel corners, index order z, y, x (x fastest); negative inside"},
    SectionInfo{"/field/frame", ElementType::kFloat64, 1, "5", "m", "lower corner x, y, z; voxel edge h; smallest value on the box surface"},
    SectionInfo{"/field/sparse", ElementType::kUint8, 1, "bytes", "m", "NanoVDB float grid of samples (x, y, z), exact near the surface, lower bounds elsewhere; instead of /field/values"},
    SectionInfo{"/field/resolution", ElementType::kUint32, 1, "1", "1", "N of /field/sparse"},
    SectionInfo{"/field/proxies/points", ElementType::kFloat64, 2, "P x 3", "m", "proxies on the rest surface, ascending by domain"},
    SectionInfo{"/field/proxies/displacement", ElementType::kFloat64, 3, "P x 3 x r", "kg^-1/2", "modal displacement block U_i of each proxy"},
    SectionInfo{"/field/proxies/gradients", ElementType::kFloat64, 3, "P x 9 x r", "m^-1 kg^-1/2", "du_a/dX_b of each proxy per reduced coordinate, row 3a + b"},
    SectionInfo{"/field/proxies/domain", ElementType::kUint32, 1, "P", "1", "domain of each proxy, below D; absent where the field is one domain"},
    SectionInfo{"/field/domains/values", ElementType::kFloat32, 3, "E x (N+1) x (N+1)", "m", "a grid as /field/values for each domain, one after the other; E = D (N+1)"},
    SectionInfo{"/field/domains/frame", ElementType::kFloat64, 2, "D x 5", "m", "/field/frame of each domain"},
    SectionInfo{"/rigid/mass", ElementType::kFloat64, 1, "1", "kg", "mass"},
    SectionInfo{"/rigid/centre", ElementType::kFloat64, 1, "3", "m", "centre of mass, model frame"},
    SectionInfo{"/rigid/inertia", ElementType::kFloat64, 2, "3 x 3", "kg m^2", "inertia about the centre of mass, model axes"},
};
// clang-format on
/// @returns the row of `name`, or nullptr for a name the format does not know.
constexpr const SectionInfo* find_section(std::string_view name) {
  for (const SectionInfo& info : kSections) {
    if (info.name == name) return &info;
  }
  return nullptr;
}

}  // namespace haptic
