#include "tests/rt/worlds/analytic_models.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>

#include "host/artifact/model_writer.h"

namespace haptic {

namespace {

using Floats = std::vector<float>;
using Indices = std::vector<std::uint32_t>;

void push(Floats& values, const Vector3& v) {
  for (int i = 0; i < 3; ++i) values.push_back(static_cast<float>(v[i]));
}

// Cube of `voxels`^3 from -half_width to half_width.
void add_field(ModelWriter& writer, std::uint64_t voxels, double half_width,
               double boundary_minimum, const std::function<double(const Vector3&)>& distance) {
  const double h = 2.0 * half_width / static_cast<double>(voxels);
  Floats values;
  for (std::uint64_t k = 0; k <= voxels; ++k) {
    for (std::uint64_t j = 0; j <= voxels; ++j) {
      for (std::uint64_t i = 0; i <= voxels; ++i) {
        const Vector3 p(static_cast<double>(i), static_cast<double>(j), static_cast<double>(k));
        values.push_back(static_cast<float>(distance(Vector3::Constant(-half_width) + h * p)));
      }
    }
  }
  writer.add("/field/values", values, {voxels + 1, voxels + 1, voxels + 1});
  const std::vector<double> frame = {-half_width, -half_width, -half_width, h, boundary_minimum};
  writer.add("/field/frame", frame, {5});
}

// One level, every point a leaf.
void add_shell(ModelWriter& writer, const Floats& points, const Floats& normals) {
  const std::uint64_t count = points.size() / 3;
  const auto n = static_cast<std::uint32_t>(count);
  Indices point(count);
  for (std::uint32_t i = 0; i < n; ++i) point[i] = i;
  writer.add("/shell/points", points, {count, 3});
  writer.add("/shell/normals", normals, {count, 3});
  writer.add("/shell/tree/level_begin", Indices{0, n}, {2});
  writer.add("/shell/tree/point", point, {count});
  writer.add("/shell/tree/child_begin", Indices(count, n), {count});
  writer.add("/shell/tree/child_count", Indices(count, 0), {count});
  writer.add("/shell/tree/radius", Floats(count, 0.0F), {count});
}

void plane_points(int side, double spacing, Floats& points, Floats& normals) {
  const double middle = 0.5 * (side - 1);
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      push(points, spacing * Vector3(i - middle, j - middle, 0.0));
      push(normals, -Vector3::UnitZ());
    }
  }
}

}  // namespace

std::filesystem::path model_folder(const char* name) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) /
                                       ("haptic_" + std::string(name) + std::to_string(getpid()));
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}

void write_ball(const std::filesystem::path& path, double radius, int points) {
  ModelWriter writer(path);
  add_field(writer, 32, 1.5 * radius, 0.5 * radius,
            [radius](const Vector3& p) { return p.norm() - radius; });

  Floats shell, normals;
  for (int i = 0; i < points; ++i) {  // Fibonacci lattice
    const double z = 1.0 - (2.0 * i + 1.0) / points;
    const double phi = 2.399963229728653 * i, s = std::sqrt(1.0 - z * z);
    const Vector3 e(s * std::cos(phi), s * std::sin(phi), z);
    push(shell, radius * e);
    push(normals, -e);
  }
  add_shell(writer, shell, normals);
  writer.commit();
}

void write_box(const std::filesystem::path& path, const Vector3& half) {
  ModelWriter writer(path);
  const double longest = half.maxCoeff();
  add_field(writer, 64, 1.5 * longest, 0.5 * longest, [half](const Vector3& p) {
    const Vector3 beyond = p.cwiseAbs() - half;
    return beyond.cwiseMax(0.0).norm() + std::min(beyond.maxCoeff(), 0.0);
  });
  writer.commit();
}

void write_plane(const std::filesystem::path& path, int side, double spacing) {
  ModelWriter writer(path);
  Floats points, normals;
  plane_points(side, spacing, points, normals);
  add_shell(writer, points, normals);
  writer.commit();
}

void write_sprung_plane(const std::filesystem::path& path, const SprungPlane& plane) {
  ModelWriter writer(path);
  Floats points, normals;
  plane_points(plane.side, plane.spacing, points, normals);
  const std::uint64_t count = points.size() / 3;
  add_shell(writer, points, normals);
  Floats displacement;
  for (std::uint64_t s = 0; s < count; ++s) {
    for (int i = 0; i < 3; ++i) push(displacement, plane.scale * Vector3::Unit(i));
  }
  writer.add("/shell/displacement", displacement, {count, 3, 3});
  writer.add("/shell/normal_correction", Floats(9 * count, 0.0F), {count, 3, 3});
  writer.add("/shell/tree/modal_radius", Floats(3 * count, 0.0F), {count, 3});
  // One vertex of mass 1 / scale² that carries the three modes.
  std::vector<double> basis(9, 0.0);
  for (const std::size_t diagonal : {0, 4, 8}) basis[diagonal] = plane.scale;
  writer.add("/mesh/vertices", std::vector<double>(3, 0.0), {1, 3});
  writer.add("/reduced/basis", basis, {3, 3});
  // Distinct entries i <= j (<= k <= l), last index fastest; xxxx, yyyy, zzzz stand at 0, 10, 14.
  std::vector<double> quadratic(6, 0.0), cubic(10, 0.0), quartic(15, 0.0);
  for (const std::size_t diagonal : {0, 3, 5}) quadratic[diagonal] = plane.quadratic;
  for (const std::size_t diagonal : {0, 10, 14}) quartic[diagonal] = plane.quartic;
  writer.add("/reduced/quadratic", quadratic, {6});
  writer.add("/reduced/cubic", cubic, {10});
  writer.add("/reduced/quartic", quartic, {15});
  const std::vector<double> damping = {plane.alpha, 0.0};
  writer.add("/reduced/damping", damping, {2});
  writer.commit();
}

}  // namespace haptic
