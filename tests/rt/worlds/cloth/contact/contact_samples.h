#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lab/samples/cloth_samples.h"
#include "rt/worlds/cloth/contact/contact_step.h"

namespace haptic::cloth {

constexpr double kStep = 1e-3;  // s

constexpr ContactStepSettings tight_contact(std::size_t capacity = 1024) {
  return {.solver = {.most_iterations = 500, .tolerance = 1e-12},
          .most_passes = 8,
          .contact_capacity = capacity};
}

/// One particle of mass `mass` [kg] without springs, at the origin.
inline SampleCloth one_particle(double mass, ClothSurroundings surroundings = {}) {
  ClothSystem system({mass}, Springs{}, {}, surroundings);
  ClothState state;
  state.x.assign(3, 0.0);
  state.v.assign(3, 0.0);
  return {{}, std::move(system), std::move(state)};
}

/// A still surface {height = 0} under a cloth, with the friction anchors of every particle.
struct StillSurface {
  double stiffness, friction;
  std::vector<Vector3> anchors;
  std::vector<double> forces;

  StillSurface(double k, double mu, std::size_t particles)
      : stiffness(k), friction(mu), anchors(particles), forces(particles) {
    at_.reserve(particles);
  }

  /// Adds a contact of each particle with `gap` [m] below `margin`.
  /// @param surface  (position, normal) -> gap
  template <class Surface>
  void add(ContactStep& step, const ClothState& state, double margin, Surface surface) {
    step.clear();
    at_.clear();
    for (std::uint32_t i = 0; i < anchors.size(); ++i) {
      ClothContact contact;
      contact.particles[0] = i;
      contact.gap = surface(Vector3(at(state.x, i)), contact.normal);
      if (contact.gap > margin) {
        forces[i] = 0.0;
        continue;
      }
      if (forces[i] == 0.0) anchors[i] = at(state.x, i);
      contact.stiffness = stiffness;
      contact.friction = friction;
      contact.stretch = at(state.x, i) - anchors[i];
      contact.last_normal_force = forces[i];
      at_.push_back(i);
      EXPECT_TRUE(step.add(contact));
    }
  }
  void settle(const ContactStep& step) {
    for (std::size_t k = 0; k < at_.size(); ++k) {
      const ContactForce force = step.force(k);
      anchors[at_[k]] += force.slip;
      forces[at_[k]] = force.normal;
    }
  }
  /// Energy of the normal springs [J].
  template <class Surface>
  double energy(const ClothState& state, Surface surface) const {
    double sum = 0.0;
    Vector3 normal;
    for (std::size_t i = 0; i < anchors.size(); ++i) {
      const double depth = std::max(0.0, -surface(Vector3(at(state.x, i)), normal));
      sum += 0.5 * stiffness * depth * depth;
    }
    return sum;
  }

 private:
  std::vector<std::uint32_t> at_;
};

}  // namespace haptic::cloth
