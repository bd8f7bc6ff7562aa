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

/// The same under a level of the first `coarse` points, every other one below the nearest of them.
void add_levelled_shell(ModelWriter& writer, const Floats& points, const Floats& normals,
                        std::uint32_t coarse) {
  const std::uint64_t count = points.size() / 3;
  const auto n = static_cast<std::uint32_t>(count), nodes = coarse + n;
  const auto at = [&](std::uint32_t i) {
    return Vector3(points[3 * i], points[3 * i + 1], points[3 * i + 2]);
  };
  std::vector<Indices> children(coarse);
  Floats radius(nodes, 0.0F);
  for (std::uint32_t i = 0; i < n; ++i) {
    std::uint32_t nearest = 0;
    for (std::uint32_t c = 1; c < coarse; ++c) {
      if ((at(i) - at(c)).norm() < (at(i) - at(nearest)).norm()) nearest = c;
    }
    children[nearest].push_back(i);
    const auto reach = static_cast<float>(1.000001 * (at(i) - at(nearest)).norm());
    radius[nearest] = std::max(radius[nearest], reach);
  }
  Indices point, child_begin, child_count;
  for (std::uint32_t c = 0; c < coarse; ++c) {
    point.push_back(c);
    child_begin.push_back(c == 0 ? coarse : child_begin[c - 1] + child_count[c - 1]);
    child_count.push_back(static_cast<std::uint32_t>(children[c].size()));
  }
  for (const Indices& of : children) point.insert(point.end(), of.begin(), of.end());
  child_begin.resize(nodes, nodes);
  child_count.resize(nodes, 0);
  writer.add("/shell/points", points, {count, 3});
  writer.add("/shell/normals", normals, {count, 3});
  writer.add("/shell/tree/level_begin", Indices{0, coarse, nodes}, {3});
  writer.add("/shell/tree/point", point, {nodes});
  writer.add("/shell/tree/child_begin", child_begin, {nodes});
  writer.add("/shell/tree/child_count", child_count, {nodes});
  writer.add("/shell/tree/radius", radius, {nodes});
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

void add_ball(ModelWriter& writer, double radius, int points) {
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
}

void add_box(ModelWriter& writer, const Vector3& half) {
  const double longest = half.maxCoeff();
  add_field(writer, 64, 1.5 * longest, 0.5 * longest, [half](const Vector3& p) {
    const Vector3 beyond = p.cwiseAbs() - half;
    return beyond.cwiseMax(0.0).norm() + std::min(beyond.maxCoeff(), 0.0);
  });
}

/// The centre of mass is the origin, the axes are principal ones.
void add_mass(ModelWriter& writer, double mass, const Vector3& inertia) {
  writer.add("/rigid/mass", std::vector<double>{mass}, {1});
  writer.add("/rigid/centre", std::vector<double>(3, 0.0), {3});
  writer.add(
      "/rigid/inertia",
      std::vector<double>{inertia.x(), 0.0, 0.0, 0.0, inertia.y(), 0.0, 0.0, 0.0, inertia.z()},
      {3, 3});
}

/// Distinct entries of a symmetric tensor over r indices that has `value` on its diagonal.
std::vector<double> on_diagonal(int r, int order, double value) {
  std::vector<double> entries;
  std::vector<int> index(static_cast<std::size_t>(order), 0);
  const auto visit = [&](const auto& self, std::size_t at) -> void {
    if (at == index.size()) {
      entries.push_back(index.front() == index.back() ? value : 0.0);
      return;
    }
    for (int i = at == 0 ? 0 : index[at - 1]; i < r; ++i) {
      index[at] = i;
      self(self, at + 1);
    }
  };
  visit(visit, 0);
  return entries;
}

/// Rows of `whole` times each share.
std::vector<double> in_shares(const std::vector<double>& whole, const std::vector<double>& shares) {
  std::vector<double> rows;
  for (const double share : shares) {
    for (const double value : whole) rows.push_back(share * value);
  }
  return rows;
}

/// Shell, basis and energy of `count` points that the springs carry as a whole.
void add_springs(ModelWriter& writer, const SprungPlane& plane, std::uint64_t count) {
  const auto r = static_cast<std::uint64_t>(plane.modes);
  Floats displacement;
  for (std::uint64_t s = 0; s < count; ++s) {
    for (std::uint64_t i = 0; i < 3; ++i) {
      for (std::uint64_t j = 0; j < r; ++j) {
        const double share = i == j ? 1.0 : i == 2 && j == 0 ? plane.lift : 0.0;
        displacement.push_back(static_cast<float>(share * plane.scale));
      }
    }
  }
  writer.add("/shell/displacement", displacement, {count, 3, r});
  writer.add("/shell/normal_correction", Floats(3 * r * count, 0.0F), {count, 3, r});
  writer.add("/shell/tree/modal_radius", Floats(r * count, 0.0F), {count, r});
  // One vertex of mass 1 / scale² that carries the modes.
  std::vector<double> basis(3 * r, 0.0);
  for (std::size_t i = 0; i < r; ++i) basis[i * r + i] = plane.scale;
  writer.add("/mesh/vertices", std::vector<double>(3, 0.0), {1, 3});
  writer.add("/reduced/basis", basis, {3, r});
  auto quadratic = on_diagonal(plane.modes, 2, plane.quadratic);
  quadratic.front() *= plane.stiffer_x;
  const auto cubic = on_diagonal(plane.modes, 3, 0.0),
             quartic = on_diagonal(plane.modes, 4, plane.quartic);
  writer.add("/reduced/quadratic", quadratic, {quadratic.size()});
  writer.add("/reduced/cubic", cubic, {cubic.size()});
  writer.add("/reduced/quartic", quartic, {quartic.size()});
  const std::vector<double> damping = {plane.alpha, 0.0};
  writer.add("/reduced/damping", damping, {2});
}

}  // namespace

std::filesystem::path model_folder(const char* name) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) /
                                       ("haptic_" + std::string(name) + std::to_string(getpid()));
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}

void write_levelled_ball(const std::filesystem::path& path, double radius, int points, int coarse) {
  ModelWriter writer(path);
  Floats shell, normals;
  // Every prefix covers the ball evenly: the plastic number's sequence on height and angle.
  for (int i = 0; i < points; ++i) {
    const double u = std::fmod(0.5 + i / 1.324717957244746, 1.0);
    const double phi = 6.283185307179586 * std::fmod(0.5 + i / 1.7548776662466927, 1.0);
    const double z = 1.0 - 2.0 * u, s = std::sqrt(1.0 - z * z);
    const Vector3 e(s * std::cos(phi), s * std::sin(phi), z);
    push(shell, radius * e);
    push(normals, -e);
  }
  add_levelled_shell(writer, shell, normals, static_cast<std::uint32_t>(coarse));
  writer.commit();
}

void write_ball(const std::filesystem::path& path, double radius, int points) {
  ModelWriter writer(path);
  add_ball(writer, radius, points);
  writer.commit();
}

void write_sprung_ball(const std::filesystem::path& path, double radius, const SprungPlane& springs,
                       bool proxies) {
  ModelWriter writer(path);
  constexpr int kPoints = 200;
  add_ball(writer, radius, kPoints);
  add_springs(writer, springs, kPoints);
  if (!proxies) return writer.commit();
  // Proxies at the corners of a cube about the ball: a translation is exact whatever they are.
  std::vector<double> points, displacement;
  const auto r = static_cast<std::size_t>(springs.modes);
  constexpr std::uint64_t kProxies = 8;
  for (std::uint64_t p = 0; p < kProxies; ++p) {
    for (std::size_t i = 0; i < 3; ++i) {
      points.push_back(((p >> i) & 1 ? 1.0 : -1.0) * (1.0 + 0.1 * static_cast<double>(p)) * radius);
      for (std::size_t j = 0; j < r; ++j) displacement.push_back(i == j ? springs.scale : 0.0);
    }
  }
  writer.add("/field/proxies/points", points, {kProxies, 3});
  writer.add("/field/proxies/displacement", displacement, {kProxies, 3, r});
  writer.add("/field/proxies/gradients", std::vector<double>(kProxies * 9 * r, 0.0),
             {kProxies, 9, r});
  writer.commit();
}

void write_box(const std::filesystem::path& path, const Vector3& half) {
  ModelWriter writer(path);
  add_box(writer, half);
  writer.commit();
}

void write_solid_box(const std::filesystem::path& path, const Vector3& half, double density,
                     int side) {
  ModelWriter writer(path);
  add_box(writer, half);
  Floats points, normals;
  for (int axis = 0; axis < 3; ++axis) {
    for (const double sign : {-1.0, 1.0}) {
      for (int i = 0; i < side * side; ++i) {
        Vector3 p, n = Vector3::Zero();
        p[axis] = sign * half[axis];
        n[axis] = -sign;
        p[(axis + 1) % 3] = 0.95 * half[(axis + 1) % 3] * (2.0 * (i % side) / (side - 1) - 1.0);
        p[(axis + 2) % 3] = 0.95 * half[(axis + 2) % 3] * (2.0 * (i / side) / (side - 1) - 1.0);
        push(points, p);
        push(normals, n);
      }
    }
  }
  add_shell(writer, points, normals);
  std::vector<double> corners;
  for (int c = 0; c < 8; ++c) {
    for (int i = 0; i < 3; ++i) corners.push_back((c >> i & 1 ? 1.0 : -1.0) * half[i]);
  }
  writer.add("/surface/vertices", corners, {8, 3});
  writer.add("/surface/triangles", Indices{0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                           2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5},
             {12, 3});
  const double mass = density * 8.0 * half.prod();
  const Vector3 squares = half.cwiseAbs2();
  add_mass(writer, mass, mass / 3.0 * (Vector3::Constant(squares.sum()) - squares));
  writer.commit();
}

void write_solid_ball(const std::filesystem::path& path, double radius, double density) {
  ModelWriter writer(path);
  add_ball(writer, radius, 200);
  const double mass = density * 4.0 / 3.0 * 3.141592653589793 * std::pow(radius, 3.0);
  add_mass(writer, mass, Vector3::Constant(0.4 * mass * radius * radius));
  writer.commit();
}

void write_rigid_shape(const std::filesystem::path& path, const RigidShape& shape) {
  ModelWriter writer(path);
  if (shape.distance) {
    add_field(writer, static_cast<std::uint64_t>(shape.voxels), shape.half_width,
              shape.boundary_minimum, shape.distance);
  }
  if (!shape.points.empty()) {
    Floats points, normals;
    for (const Vector3& p : shape.points) push(points, p);
    for (const Vector3& n : shape.normals) push(normals, n);
    if (shape.coarse > 0) {
      add_levelled_shell(writer, points, normals, shape.coarse);
    } else {
      add_shell(writer, points, normals);
    }
  }
  if (shape.mass > 0.0) add_mass(writer, shape.mass, shape.inertia);
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
  add_springs(writer, plane, count);
  const auto quadratic = on_diagonal(plane.modes, 2, plane.quadratic),
             cubic = on_diagonal(plane.modes, 3, 0.0),
             quartic = on_diagonal(plane.modes, 4, plane.quartic),
             mass = on_diagonal(plane.modes, 2, 1.0);
  if (plane.editable) {
    const std::vector<double> shares = {0.375 / 100.0, 0.375 / 50.0, 0.0, 0.25 / 40.0};
    const std::vector<double> mass_shares = {0.75 / 1000.0, 0.25 / 500.0};
    writer.add("/reduced/groups/quadratic", in_shares(quadratic, shares), {4, quadratic.size()});
    writer.add("/reduced/groups/cubic", in_shares(cubic, shares), {4, cubic.size()});
    writer.add("/reduced/groups/quartic", in_shares(quartic, shares), {4, quartic.size()});
    writer.add("/reduced/groups/mass", in_shares(mass, mass_shares), {2, mass.size()});
    writer.add("/material/lame", std::vector<double>{100.0, 50.0, 20.0, 40.0}, {2, 2});
    writer.add("/material/density", std::vector<double>{1000.0, 500.0}, {2});
    std::vector<std::uint8_t> names(64, 0);
    std::copy_n("base", 4, names.begin());
    std::copy_n("rim", 3, names.begin() + 32);
    writer.add("/material/names", names, {2, 32});
    writer.add("/mesh/elements", Indices(8, 0), {1, 8});
    writer.add("/material/group", Indices{0}, {1});
  }
  writer.commit();
}

}  // namespace haptic
