#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "shared/math/pose.h"

namespace haptic {

/// Model files whose contact and dynamics have closed forms.

/// A fresh folder of this test under the temporary folder.
std::filesystem::path model_folder(const char* name);

/// Rigid ball of `radius` about its origin: field (32 voxels across three radii) and a point shell.
void write_ball(const std::filesystem::path& path, double radius, int points = 200);

/// The points of such a ball alone, in a tree of two levels, the first of `coarse` points.
void write_levelled_ball(const std::filesystem::path& path, double radius, int points, int coarse);

/// Rigid box of half-sides `half` about its origin: field only, 64 voxels across three half-sides.
void write_box(const std::filesystem::path& path, const Vector3& half);

/// Homogeneous rigid box of half-sides `half` about its origin: field, mass, and points on its
/// faces as a grid of `side` x `side`, a twentieth of its length from the edges: a point on an edge
/// would have the normal of one face only.
void write_solid_box(const std::filesystem::path& path, const Vector3& half, double density,
                     int side = 4);

/// A ball like that of write_ball, with the mass of a homogeneous one.
void write_solid_ball(const std::filesystem::path& path, double radius, double density);

/// Any rigid body about its origin, which is its centre of mass: points with inward normals, and a
/// field of `voxels`^3 over a cube of half-side `half_width`.
struct RigidShape {
  std::vector<Vector3> points, normals;  ///< empty: no shell
  std::uint32_t coarse = 0;  ///< > 0: a tree of two levels, of these first points and of all
  std::function<double(const Vector3&)>
      distance;  ///< changes by 1 m a metre at most; empty: no field
  int voxels = 64;
  double half_width = 0.0;            ///< m
  double boundary_minimum = 0.0;      ///< of the distance on the cube's sides [m], > 0
  double mass = 0.0;                  ///< kg; 0: none
  Vector3 inertia = Vector3::Zero();  ///< about its axes [kg m^2]
};
void write_rigid_shape(const std::filesystem::path& path, const RigidShape& shape);

/// Points of a plane z = 0, solid below: `side` x `side` points `spacing` apart, rigid.
void write_plane(const std::filesystem::path& path, int side, double spacing);

/// The same plane on springs: three translational modes of mass 1 / scale², energy
/// W(q) = 1/2 quadratic |q|² + 1/4 quartic sum q_i^4, point displacement U_s = scale I.
struct SprungPlane {
  int side = 5;
  double spacing = 1e-3;
  double scale = 2.0;        // kg^-1/2: a mass of 0.25 kg
  double quadratic = 800.0;  // s^-2: 200 N/m
  double quartic = 0.0;      // m^-2 kg^-1 s^-2
  double alpha = 40.0;       // 1/s
  int modes = 3;             // the first of x, y, z
  double lift = 0.0;         // z of the points in the mode x, of its x
  double stiffer_x = 1.0;    // stiffness of the mode x, of the others'
  /// With /reduced/groups: "base" (lambda 100, mu 50 Pa, 1000 kg/m^3) is 3/4 of the springs, half
  /// of it by lambda, and of the mass; "rim" (20, 40 Pa, 500 kg/m^3) the rest, all of it by mu.
  bool editable = false;
};
void write_sprung_plane(const std::filesystem::path& path, const SprungPlane& plane);

/// A ball like that of write_ball on the same springs (side and spacing do not count): shell, field
/// and proxies move by scale q as a whole. Without proxies its field cannot follow.
void write_sprung_ball(const std::filesystem::path& path, double radius, const SprungPlane& springs,
                       bool proxies = true);

}  // namespace haptic
