#include "rt/worlds/cloth/scene_constraints.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>

#include "rt/worlds/cloth/particle_constraints.h"
#include "shared/assert.h"
#include "shared/error.h"

namespace haptic::cloth {

namespace {

/// Feedback against drift from a sphere: critically damped, 50 rad/s.
constexpr double kSphereStiffness = 2500.0, kSphereDamping = 100.0;  // 1/s^2, 1/s

std::vector<std::uint32_t> grid_set(const std::string& set, const ClothMesh& mesh) {
  if (set == "corners") return grid_corners(mesh);
  const std::map<std::string_view, GridBorder> borders = {{"bottom", GridBorder::kBottom},
                                                          {"top", GridBorder::kTop},
                                                          {"left", GridBorder::kLeft},
                                                          {"right", GridBorder::kRight}};
  const std::string_view name = std::string_view(set).substr(0, set.find('-'));
  const auto border = borders.find(name);
  HAPTIC_DEMAND(border != borders.end());
  return name.size() == set.size() ? grid_border(mesh, border->second)
                                   : border_corners(mesh, border->second);
}

bool is_in(const SceneClothConstraint::Box& box, const std::array<double, 3>& p) {
  for (std::size_t c = 0; c < 3; ++c) {
    const auto axis = static_cast<Eigen::Index>(c);
    if (!(p[c] >= box.low[axis] && p[c] <= box.high[axis])) return false;
  }
  return true;
}

}  // namespace

std::vector<std::uint32_t> constrained_particles(const SceneClothConstraint& constraint,
                                                 const ClothMesh& mesh, const std::string& source) {
  const std::size_t n = mesh.vertices.size();
  std::vector<std::uint32_t> particles = constraint.particles;
  for (const std::uint32_t i : particles) {
    if (i < n) continue;
    throw InputError(source, constraint.key + ".particles", fmt::format("found {}", i),
                     fmt::format("a number below {}, the particles of the cloth", n));
  }
  if (!constraint.set.empty()) {
    if (!mesh.grid) {
      throw InputError(source, constraint.key + ".set",
                       fmt::format("found \"{}\" of a cloth that is no grid", constraint.set),
                       "particles by number, or low and high of a box");
    }
    particles = grid_set(constraint.set, mesh);
  }
  if (constraint.within) {
    for (std::size_t i = 0; i < n; ++i) {
      if (is_in(*constraint.within, mesh.vertices[i])) {
        particles.push_back(static_cast<std::uint32_t>(i));
      }
    }
    if (particles.empty()) {
      throw InputError(source, constraint.key + ".low", "found no particle in the box",
                       "low and high around particles of the cloth at rest, model frame");
    }
  }
  std::ranges::sort(particles);
  particles.erase(std::unique(particles.begin(), particles.end()), particles.end());
  return particles;
}

std::size_t tethers_needed(std::span<const SceneClothConstraint> constraints, const ClothMesh& mesh,
                           const std::string& source) {
  std::size_t count = 0;
  for (const SceneClothConstraint& c : constraints) {
    if (c.kind != SceneClothConstraint::Kind::kSphere) continue;
    count += constrained_particles(c, mesh, source).size();
  }
  return count;
}

void apply_constraints(std::span<const SceneClothConstraint> constraints, const ClothMesh& mesh,
                       const std::string& source, const ClothState& state, bool is_explicit,
                       ClothSystem& system) {
  using Kind = SceneClothConstraint::Kind;
  std::map<std::uint32_t, std::string> by;
  for (const SceneClothConstraint& c : constraints) {
    for (const std::uint32_t i : constrained_particles(c, mesh, source)) {
      const auto [other, is_new] = by.emplace(i, c.key);
      if (!is_new) {
        throw InputError(source, c.key,
                         fmt::format("found particle {}, which {} has too", i, other->second),
                         "one constraint for a particle");
      }
      const Vector3 x = at(state.x, i);
      switch (c.kind) {
        case Kind::kPin:
          system.constraints().pin(i, x);
          break;
        case Kind::kPlane:
          system.constraints().keep_in_plane(i, x, c.direction);
          break;
        case Kind::kLine:
          system.constraints().keep_on_line(i, x, c.direction);
          break;
        case Kind::kFollow:
          system.constraints().follow(i, x, x);
          break;
        case Kind::kSphere: {
          const double radius = (x - c.centre).norm();
          if (!(radius > 0.0)) {
            throw InputError(source, c.key, fmt::format("found particle {} at its centre", i),
                             "a centre elsewhere");
          }
          if (!is_explicit) {
            system.constraints().keep_on_sphere(i, c.centre, radius);
            break;
          }
          const bool added = system.tethers().add(
              SphereConstraint{i, c.centre, radius, kSphereStiffness, kSphereDamping});
          HAPTIC_DEMAND(added);
          break;
        }
      }
    }
  }
}

std::vector<FollowingParticle> following_particles(
    std::span<const SceneClothConstraint> constraints, const ClothMesh& mesh,
    const std::string& source, const ClothState& state) {
  std::vector<FollowingParticle> all;
  for (const SceneClothConstraint& c : constraints) {
    if (c.kind != SceneClothConstraint::Kind::kFollow) continue;
    for (const std::uint32_t i : constrained_particles(c, mesh, source)) {
      all.push_back({i, at(state.x, i), c.amplitude, c.frequency});
    }
  }
  return all;
}

}  // namespace haptic::cloth
