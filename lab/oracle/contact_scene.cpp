#include "lab/oracle/contact_scene.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace haptic::oracle {
namespace {

float rounded_up(double value) {
  const auto nearest = static_cast<float>(value);
  return nearest < value ? std::nextafter(nearest, std::numeric_limits<float>::infinity())
                         : nearest;
}

Vector3 point_of(const ShellData& shell, std::uint32_t s) {
  return {shell.points[3 * s], shell.points[3 * s + 1], shell.points[3 * s + 2]};
}

Vector3 column_of(const ShellData& shell, std::uint32_t s, std::uint32_t j) {
  const float* u = shell.displacement.data() + std::size_t{3} * shell.r * s;
  return {u[j], u[shell.r + j], u[2 * shell.r + j]};
}

void push(std::vector<float>& to, const Vector3& v) {
  for (int i = 0; i < 3; ++i) to.push_back(static_cast<float>(v[i]));
}

std::uint32_t nearest_of_level(const ShellData& shell, const TreeData& tree, std::uint32_t level,
                               std::uint32_t point) {
  std::uint32_t best = tree.level_begin[level];
  double best_distance = std::numeric_limits<double>::infinity();
  for (std::uint32_t n = tree.level_begin[level]; n < tree.level_begin[level + 1]; ++n) {
    const double d = (point_of(shell, tree.point[n]) - point_of(shell, point)).squaredNorm();
    if (d < best_distance) best_distance = d, best = n;
  }
  return best;
}

void bound(const ShellData& shell, TreeData& tree, std::uint32_t node) {
  const std::uint32_t c = tree.point[node];
  double rest = 0.0;
  std::vector<double> modal(shell.r, 0.0);
  for (std::uint32_t s : subtree_points(tree, node)) {
    rest = std::max(rest, (point_of(shell, s) - point_of(shell, c)).norm());
    for (std::uint32_t j = 0; j < shell.r; ++j) {
      modal[j] = std::max(modal[j], (column_of(shell, s, j) - column_of(shell, c, j)).norm());
    }
  }
  tree.radius[node] = rounded_up(rest);
  for (std::uint32_t j = 0; j < shell.r; ++j) {
    tree.modal_radius[std::size_t{shell.r} * node + j] = rounded_up(modal[j]);
  }
}

/// z^k x^m in component `to`, k = 0 or 1.
Mode beam_mode(int to, bool times_z, int m) {
  return {[=](const Vector3& p) {
            Vector3 u = Vector3::Zero();
            u[to] = std::pow(p.x(), m) * (times_z ? p.z() : 1.0);
            return u;
          },
          [=](const Vector3& p) {
            Matrix3 g = Matrix3::Zero();
            g(to, 0) = m * std::pow(p.x(), m - 1) * (times_z ? p.z() : 1.0);
            if (times_z) g(to, 2) = std::pow(p.x(), m);
            return g;
          }};
}

}  // namespace

std::vector<Mode> affine_modes() {
  std::vector<Mode> modes;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      modes.push_back({[=](const Vector3& p) {
                         Vector3 u = Vector3::Zero();
                         u[i] = p[j];
                         return u;
                       },
                       [=](const Vector3&) {
                         Matrix3 g = Matrix3::Zero();
                         g(i, j) = 1.0;
                         return g;
                       }});
    }
  }
  return modes;
}

std::vector<Mode> bending_modes() {
  std::vector<Mode> modes;
  for (int m = 3; m <= 5; ++m) modes.push_back(beam_mode(0, false, m));
  for (int m = 2; m <= 5; ++m) modes.push_back(beam_mode(2, false, m));
  for (int m = 1; m <= 4; ++m) modes.push_back(beam_mode(0, true, m));
  for (int m = 1; m <= 4; ++m) modes.push_back(beam_mode(2, true, m));
  return modes;
}

void ShellData::add(const Vector3& point, const Vector3& inward_normal) {
  push(points, point);
  push(normals, inward_normal.normalized());
}

void ShellData::set_modes(const std::vector<Mode>& modes) {
  r = static_cast<std::uint32_t>(modes.size());
  displacement.assign(std::size_t{3} * r * size(), 0.0f);
  normal_correction.assign(displacement.size(), 0.0f);
  for (std::uint32_t s = 0; s < size(); ++s) {
    const Vector3 p = point_of(*this, s);
    const Vector3 n(normals[3 * s], normals[3 * s + 1], normals[3 * s + 2]);
    for (std::uint32_t j = 0; j < r; ++j) {
      const Vector3 u = modes[j].displacement(p), dn = modes[j].gradient(p) * n;
      for (std::uint32_t i = 0; i < 3; ++i) {
        displacement[(std::size_t{3} * s + i) * r + j] = static_cast<float>(u[i]);
        normal_correction[(std::size_t{3} * s + i) * r + j] = static_cast<float>(dn[i]);
      }
    }
  }
}

ShellData spiral_sphere(double radius, std::uint32_t m) {
  ShellData shell;
  const double turn = std::numbers::pi * (3.0 - std::sqrt(5.0));
  for (std::uint32_t s = 0; s < m; ++s) {
    const double z = 1.0 - (2.0 * s + 1.0) / m, ring = std::sqrt(1.0 - z * z);
    const Vector3 n(ring * std::cos(turn * s), ring * std::sin(turn * s), z);
    shell.add(radius * n, -n);
  }
  return shell;
}

ShellData random_sphere(Random& random, double radius, std::uint32_t m) {
  ShellData shell;
  for (std::uint32_t s = 0; s < m; ++s) {
    const Vector3 n = random_direction(random);
    shell.add(radius * n, -n);
  }
  return shell;
}

ShellData cube_face(double half, std::uint32_t n) {
  ShellData shell;
  for (std::uint32_t j = 0; j < n; ++j) {
    for (std::uint32_t i = 0; i < n; ++i) {
      const double x = half * ((2.0 * i + 1.0) / n - 1.0), y = half * ((2.0 * j + 1.0) / n - 1.0);
      shell.add({x, y, -half}, Vector3::UnitZ());
    }
  }
  return shell;
}

ShellData random_beam(Random& random, double length, double w, std::uint32_t m) {
  ShellData shell;
  std::uniform_real_distribution<double> along(0.0, length), across(-w, w);
  std::uniform_int_distribution<int> side(0, 3);
  for (std::uint32_t s = 0; s < m; ++s) {
    const int which = side(random);
    const double x = along(random), c = across(random);
    const double edge = which % 2 == 0 ? w : -w, in = which % 2 == 0 ? -1.0 : 1.0;
    if (which < 2) {
      shell.add({x, c, edge}, {0.0, 0.0, in});
    } else {
      shell.add({x, edge, c}, {0.0, in, 0.0});
    }
  }
  return shell;
}

TreeData nested_tree(const ShellData& shell, const std::vector<std::uint32_t>& sizes,
                     Random* random_parents) {
  TreeData tree;
  tree.r = shell.r;
  tree.point_count = shell.size();
  tree.level_begin = {0, sizes.front()};
  for (std::uint32_t s = 0; s < sizes.front(); ++s) tree.point.push_back(s);
  for (std::uint32_t level = 0; level + 1 < sizes.size(); ++level) {
    const std::uint32_t begin = tree.level_begin[level], end = tree.level_begin[level + 1];
    std::vector<std::vector<std::uint32_t>> children(end - begin);
    std::uniform_int_distribution<std::uint32_t> any(begin, end - 1);
    for (std::uint32_t s = 0; s < sizes[level + 1]; ++s) {
      const std::uint32_t parent =
          random_parents ? any(*random_parents) : nearest_of_level(shell, tree, level, s);
      children[parent - begin].push_back(s);
    }
    for (const auto& family : children) {
      tree.child_begin.push_back(static_cast<std::uint32_t>(tree.point.size()));
      tree.child_count.push_back(static_cast<std::uint32_t>(family.size()));
      tree.point.insert(tree.point.end(), family.begin(), family.end());
    }
    tree.level_begin.push_back(static_cast<std::uint32_t>(tree.point.size()));
  }
  tree.child_begin.resize(tree.point.size(), 0);
  tree.child_count.resize(tree.point.size(), 0);
  tree.radius.resize(tree.point.size());
  tree.modal_radius.resize(tree.point.size() * tree.r);
  for (std::uint32_t node = 0; node < tree.point.size(); ++node) bound(shell, tree, node);
  return tree;
}

TreeData flat_tree(const ShellData& shell) {
  return nested_tree(shell, {shell.size()});
}

std::vector<std::uint32_t> subtree_points(const TreeData& tree, std::uint32_t node) {
  std::vector<std::uint32_t> points = {tree.point[node]};
  for (std::uint32_t c = 0; c < tree.child_count[node]; ++c) {
    const auto below = subtree_points(tree, tree.child_begin[node] + c);
    points.insert(points.end(), below.begin(), below.end());
  }
  return points;
}

}  // namespace haptic::oracle
