#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "rt/worlds/cloth/contact/contact_step.h"
#include "tests/rt/worlds/cloth/contact/contact_samples.h"

namespace haptic::cloth {
namespace {

/// A pinned cloth of 20 x 20 particles at 1 kHz, and a hand that stands 1 cm below its middle: the
/// spring from the hand to the touched point, as in "Point in the hand".
struct PressedCloth {
  static constexpr double kDepth = 0.01;
  static constexpr std::uint32_t kParticle = 10 * 20 + 10;
  SampleCloth cloth = square_cloth(20, 0.02, cloth_materials(100.0, 0.02), weightless());

  PressedCloth() {
    // Air takes the cloth's own slow waves to 1e-8 in 2 s: c / 2 m = 10 per second.
    cloth.system.surroundings().air.drag = 20.0 * cloth.system.masses()[0];
    for (const auto side :
         {GridBorder::kBottom, GridBorder::kTop, GridBorder::kLeft, GridBorder::kRight}) {
      for (const std::uint32_t i : grid_border(cloth.mesh, side)) {
        cloth.system.constraints().pin(i, at(cloth.state.x, i));
      }
    }
  }
  /// Of the touched point over the hand.
  double gap() const { return at(cloth.state.x, kParticle).z() * -1.0 - kDepth; }
};

/// Root mean square of what a signal differs from its mean, in the given steps.
double vibration(const std::vector<double>& signal, std::size_t from, std::size_t to) {
  double mean = 0.0, sum = 0.0;
  for (std::size_t k = from; k < to; ++k) mean += signal[k] / double(to - from);
  for (std::size_t k = from; k < to; ++k) sum += std::pow(signal[k] - mean, 2);
  return std::sqrt(sum / double(to - from));
}

/// @param inside  the touched point is inside a triangle
std::vector<double> implicit_forces(double stiffness, bool inside, int steps) {
  PressedCloth pressed;
  ContactStep step(pressed.cloth.system, kStep, tight_contact());
  std::vector<double> forces;
  for (int k = 0; k < steps; ++k) {
    step.clear();
    ClothContact contact{.particles = {PressedCloth::kParticle},
                         .normal = -Vector3::UnitZ(),
                         .stiffness = stiffness};
    if (inside) {
      contact.particles = {PressedCloth::kParticle, PressedCloth::kParticle + 1,
                           PressedCloth::kParticle + 20};
      contact.weights = {0.5, 0.2, 0.3};
      contact.count = 3;
    }
    double height = 0.0;
    for (std::uint32_t c = 0; c < contact.count; ++c) {
      height += contact.weights[c] * at(pressed.cloth.state.x, contact.particles[c]).z();
    }
    contact.gap = -height - PressedCloth::kDepth;
    EXPECT_TRUE(step.add(contact));
    EXPECT_EQ(step.step(pressed.cloth.state), ClothStepResult::kOk);
    forces.push_back(step.force(0).normal);
  }
  return forces;
}

/// The reaction as a force of the start of the step, on the same implicit cloth.
std::vector<double> explicit_forces(double stiffness, int steps) {
  PressedCloth pressed;
  ClothSystem& system = pressed.cloth.system;
  ImplicitEuler euler(system, kStep, {.most_iterations = 500, .tolerance = 1e-12});
  std::vector<double> forces;
  for (int k = 0; k < steps; ++k) {
    forces.push_back(stiffness * std::max(0.0, -pressed.gap()));
    // An impulse before the step is the same as a force in its right side, to first order.
    at(pressed.cloth.state.v, PressedCloth::kParticle).z() -=
        kStep * forces.back() / system.masses()[0];
    if (euler.step(pressed.cloth.state) != ClothStepResult::kOk) break;
  }
  return forces;
}

/// The text presses a cloth with a point at 1 kHz and finds that it vibrates.
TEST(ContactStepHand, a_pressed_cloth_comes_to_rest_at_any_stiffness_of_the_hand) {
  for (const double stiffness : {10.0, 1e3, 1e5}) {
    for (const bool inside : {false, true}) {
      const std::vector<double> forces = implicit_forces(stiffness, inside, 2000);
      const double last = forces.back();
      EXPECT_GT(last, 0.0);
      EXPECT_LT(vibration(forces, 1900, 2000), 1e-6 * last) << stiffness << ", " << inside;
    }
  }
}

TEST(ContactStepHand, the_force_of_the_start_of_the_step_vibrates) {
  const std::vector<double> forces = explicit_forces(1e5, 2000);
  double mean = 0.0;
  for (const double force : forces) mean += force / double(forces.size());
  EXPECT_TRUE(forces.size() < 2000 || vibration(forces, 1900, 2000) > 0.5 * mean);
}

}  // namespace
}  // namespace haptic::cloth
