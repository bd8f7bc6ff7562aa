#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "lab/samples/folding_cloth.h"
#include "lab/samples/moving_cloths.h"
#include "tests/support/no_allocation.h"

namespace haptic::cloth {
namespace {

/// A cloth of 12 x 12 particles, rolled up to two layers and more, without springs: every step
/// its particles get random velocities.
class KickedRoll {
 public:
  KickedRoll(unsigned seed, bool pins)
      : random_(seed),
        mesh_(make_grid({12, 12}, 1.0, 1.0)),
        masses_(144, 1e-3),
        constraints_(masses_),
        contact_(mesh_.triangles, positions(mesh_), settings()) {
    x_ = waving(mesh_, 0.0, 0.0, 9.0);
    for (std::size_t i = 0; i < 144; ++i)
      at(x_, i) *= 1.0 + 0.3 * mesh_.vertices[i][0];  // a spiral
    if (pins) {
      for (std::size_t i = 0; i < 144; i += 17) constraints_.pin(i, at(x_, i));
    }
  }
  static SelfContact::Settings settings() {
    SelfContact::Settings settings{.thickness = 0.01};
    settings.slack = 0.005;
    settings.passes = 2;
    settings.distances_per_triangle = 1000;
    return settings;
  }

  SelfContact::Result step(double speed) {
    const double dt = 1e-3;
    ClothState state{x_, ParticleVectors(x_.size(), 0.0)};
    std::normal_distribution<double> normal(0.0, speed);
    for (double& value : state.v) value = normal(random_);
    constraints_.filter(state.v);
    for (std::size_t k = 0; k < x_.size(); ++k) state.x[k] += dt * state.v[k];
    const double energy = kinetic(state.v);
    const Vector3 momentum = sum(state.v);
    SelfContact::Result result;
    {
      NoAllocation guard;
      result = contact_.apply(constraints_, masses_, x_, dt, state);
    }
    EXPECT_LE(kinetic(state.v), energy * (1.0 + 1e-13));
    if (constraints_.count() == 0) {
      // Rounding of some thousand impulses on a sum of 144.
      EXPECT_LT((sum(state.v) - momentum).norm(), 1e-15 * 144 * 100 * speed);
    }
    for (std::size_t i = 0; i < 144; ++i) {
      if (constraints_.hold(i) == ParticleConstraints::Hold::kPinned) {
        EXPECT_EQ(Vector3(at(state.x, i)), Vector3(at(x_, i)));
      }
    }
    x_ = state.x;
    return result;
  }
  std::size_t crossings() const { return CrossingCount(mesh_.triangles)(x_); }

 private:
  static double kinetic(const ParticleVectors& v) {
    double energy = 0.0;
    for (const double value : v) energy += value * value;
    return energy;
  }
  static Vector3 sum(const ParticleVectors& v) {
    Vector3 all = Vector3::Zero();
    for (std::size_t i = 0; i < v.size() / 3; ++i) all += at(v, i);
    return all;
  }

  std::mt19937 random_;
  ClothMesh mesh_;
  std::vector<double> masses_;
  ParticleConstraints constraints_;
  SelfContact contact_;
  ParticleVectors x_;
};

TEST(KickedRoll, no_kick_makes_layers_cross) {
  int done = 0, zones = 0, held = 0;
  for (unsigned seed = 1; seed <= 24; ++seed) {
    KickedRoll roll(seed, seed % 2 == 0);
    ASSERT_EQ(roll.crossings(), 0u);
    const double speeds[] = {3.0, 10.0, 30.0, 300.0};
    for (int step = 0; step < 12; ++step) {
      const SelfContact::Result result = roll.step(speeds[seed % 4]);
      ASSERT_NE(result, SelfContact::Result::kNotFinite);
      done += result == SelfContact::Result::kDone ? 1 : 0;
      zones += result == SelfContact::Result::kZones ? 1 : 0;
      held += result == SelfContact::Result::kHeld ? 1 : 0;
      ASSERT_EQ(roll.crossings(), 0u) << seed << " " << step;
    }
  }
  // All three ways are taken.
  EXPECT_GT(done, 10);
  EXPECT_GT(zones, 10);
  EXPECT_GT(held, 10);
  RecordProperty("done", done);
  RecordProperty("zones", zones);
  RecordProperty("held", held);
}

TEST(FoldedFlat, a_cloth_folded_flat_exactly_comes_through_and_is_counted) {
  // Both halves share every place, so no side is known: they are left alone.
  SampleCloth cloth = square_cloth(11, 0.02, cloth_materials(100.0, 0.02));
  SelfContact contact(cloth.mesh.triangles, cloth.state.x, {.thickness = 2e-3});
  for (std::size_t i = 0; i < 121; ++i) {
    double& u = cloth.state.x[3 * i];
    u = u > 0.1 ? 0.2 - u : u;
  }
  cloth.system.constraints().pin(0, at(cloth.state.x, 0));
  ImplicitEuler step(cloth.system, 1e-3);
  for (int k = 0; k < 100; ++k) {
    const ParticleVectors before = cloth.state.x;
    ASSERT_EQ(step.step(cloth.state), ClothStepResult::kOk);
    ASSERT_NE(
        contact.apply(cloth.system.constraints(), cloth.system.masses(), before, 1e-3, cloth.state),
        SelfContact::Result::kNotFinite);
    if (k == 0) {
      EXPECT_GT(contact.figures().touching, 100u);
    }
  }
  EXPECT_TRUE(all_finite(cloth.state.x));
}

}  // namespace
}  // namespace haptic::cloth
