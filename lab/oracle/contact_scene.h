#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "lab/oracle/field_scene.h"
#include "rt/geometry/point_shell.h"
#include "rt/geometry/point_tree.h"

/// Plain, slow, independent makers of shells and trees: the data behind the contact tests.
namespace haptic::oracle {

/// One displacement mode: u(X) and its gradient, row i = gradient of component i.
struct Mode {
  std::function<Vector3(const Vector3&)> displacement;
  std::function<Matrix3(const Vector3&)> gradient;
};

/// The nine linear displacement fields u = E_ij X: q = entries of G (row-major) gives u = G X.
std::vector<Mode> affine_modes();
/// Fifteen modes of a beam along x: its axis in the x-z plane and its cross-sections turning, each
/// a polynomial in x; they hold a bend of large angle.
std::vector<Mode> bending_modes();

/// Owner of what a PointShell looks at.
struct ShellData {
  std::uint32_t r = 0;
  std::vector<float> points, normals, displacement, normal_correction;
  std::uint32_t size() const { return static_cast<std::uint32_t>(points.size() / 3); }
  void add(const Vector3& point, const Vector3& inward_normal);
  /// Evaluates the modes at every point: U_s, DN_s (PointShell).
  void set_modes(const std::vector<Mode>& modes);
  PointShell view() const { return {r, points, normals, displacement, normal_correction}; }
};

/// Spiral of m nearly even points on a sphere about the origin, normals inward.
ShellData spiral_sphere(double radius, std::uint32_t m);
/// m uniform random points on a sphere about the origin, normals inward.
ShellData random_sphere(Random& random, double radius, std::uint32_t m);
/// n x n points on the face z = -half of a cube of side 2 half, normals inward (+z).
ShellData cube_face(double half, std::uint32_t n);
/// m random points on the sides of the beam [0, length] x [-w, w]^2, normals inward.
ShellData random_beam(Random& random, double length, double w, std::uint32_t m);

/// Owner of what a PointTree looks at.
struct TreeData {
  std::uint32_t r = 0, point_count = 0;
  std::vector<std::uint32_t> level_begin, point, child_begin, child_count;
  std::vector<float> radius, modal_radius;
  PointTree view() const {
    return {r, point_count, level_begin, point, child_begin, child_count, radius, modal_radius};
  }
};

/// Nested tree (PointTree): level i holds the first `sizes[i]` points; the parent of a node is the
/// nearest node of the level above, or any node if `random_parents` is given. The last size is the
/// size of the shell. Radii bound the stored floats and are rounded up.
TreeData nested_tree(const ShellData& shell, const std::vector<std::uint32_t>& sizes,
                     Random* random_parents = nullptr);
/// Every point a node of one level.
TreeData flat_tree(const ShellData& shell);

/// Points of the subtree of `node`, found by recursion.
std::vector<std::uint32_t> subtree_points(const TreeData& tree, std::uint32_t node);

}  // namespace haptic::oracle
