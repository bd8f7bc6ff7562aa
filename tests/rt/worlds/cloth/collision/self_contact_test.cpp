#include "rt/worlds/cloth/collision/self_contact.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <string>

#include "lab/samples/folding_cloth.h"
#include "shared/error.h"
#include "tests/support/no_allocation.h"

namespace haptic::cloth {
namespace {

constexpr double kDt = 1e-3, kThickness = 4e-3;

/// Two square sheets of one cloth, 5 x 5 particles at 2 cm, one above the other.
class TwoSheets {
 public:
  explicit TwoSheets(double gap, SelfContact::Settings settings = {.thickness = kThickness})
      : constraints_(masses()) {
    const ClothMesh sheet = make_grid({5, 5}, 0.08, 0.08);
    for (std::uint32_t layer = 0; layer < 2; ++layer) {
      for (const auto& v : sheet.vertices) {
        // Turned and moved, so that no features are parallel.
        const double c = std::cos(0.4 * layer), s = std::sin(0.4 * layer);
        const double x = v[0] - 0.04, y = v[1] - 0.04;
        for (const double value : {c * x - s * y, s * x + c * y, 0.02 * layer}) {
          rest_.push_back(value);
        }
      }
      for (const auto& t : sheet.triangles) {
        triangles_.push_back({t[0] + 25 * layer, t[1] + 25 * layer, t[2] + 25 * layer});
      }
    }
    contact_ = std::make_unique<SelfContact>(triangles_, rest_, settings);
    before_ = rest_;
    for (std::size_t i = 25; i < 50; ++i) before_[3 * i + 2] = gap;
    state_.x = before_;
    state_.v.assign(before_.size(), 0.0);
  }
  static std::vector<double> masses() {
    std::vector<double> m;
    for (std::size_t i = 0; i < 50; ++i)
      m.push_back(1e-3 * (1.0 + 0.1 * static_cast<double>(i % 7)));
    return m;
  }

  void set_velocity(std::size_t layer, const Vector3& v) {
    for (std::size_t i = 25 * layer; i < 25 * layer + 25; ++i) at(state_.v, i) = v;
  }
  SelfContact::Result step(double dt = kDt) {
    state_.x = before_;
    for (std::size_t k = 0; k < before_.size(); ++k) state_.x[k] += dt * state_.v[k];
    NoAllocation guard;
    return contact_->apply(constraints_, masses_, before_, dt, state_);
  }
  void keep() { before_ = state_.x; }
  Vector3 momentum() const {
    Vector3 sum = Vector3::Zero();
    for (std::size_t i = 0; i < 50; ++i) sum += masses_[i] * at(state_.v, i);
    return sum;
  }
  Vector3 centre() const {
    Vector3 sum = Vector3::Zero();
    for (std::size_t i = 0; i < 50; ++i) sum += masses_[i] * at(state_.x, i);
    return sum;
  }
  double energy() const {
    double sum = 0.0;
    for (std::size_t i = 0; i < 50; ++i) sum += 0.5 * masses_[i] * at(state_.v, i).squaredNorm();
    return sum;
  }
  double height(std::size_t layer) const {
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (std::size_t i = 25 * layer; i < 25 * layer + 25; ++i) {
      least = std::min(least, state_.x[3 * i + 2]);
      most = std::max(most, state_.x[3 * i + 2]);
    }
    return layer == 0 ? most : least;
  }

  std::vector<TriangleCorners> triangles_;
  ParticleVectors rest_, before_;
  ClothState state_;
  std::vector<double> masses_ = masses();
  ParticleConstraints constraints_;
  std::unique_ptr<SelfContact> contact_;
};

TEST(SelfContact, what_is_apart_keeps_every_bit) {
  TwoSheets sheets(0.02);
  sheets.set_velocity(1, {0.3, 0.1, -1.0});
  ASSERT_EQ(sheets.step(), SelfContact::Result::kDone);
  for (std::size_t i = 0; i < 50; ++i) {
    const Vector3 v = i < 25 ? Vector3::Zero() : Vector3(0.3, 0.1, -1.0);
    ASSERT_EQ(Vector3(at(sheets.state_.v, i)), v);
    ASSERT_EQ(Vector3(at(sheets.state_.x, i)), at(sheets.before_, i) + kDt * v);
  }
  EXPECT_EQ(sheets.contact_->figures().impulses, 0u);
}

TEST(SelfContact, momentum_is_kept_and_energy_does_not_grow) {
  // Slow and fast, near and far; rounding of 50 sums of 1e-3 kg times the speed.
  for (const double speed : {0.1, 1.0, 10.0, 100.0}) {
    for (const double gap : {1e-3, 3e-3, 6e-3, 0.019}) {
      TwoSheets sheets(gap);
      sheets.set_velocity(0, {0.0, 0.2 * speed, 0.3 * speed});
      sheets.set_velocity(1, {0.5 * speed, 0.0, -speed});
      disturb(sheets.state_.v, 0.2 * speed, 5);
      const Vector3 momentum = sheets.momentum();
      const double energy = sheets.energy();
      ASSERT_NE(sheets.step(), SelfContact::Result::kNotFinite);
      EXPECT_LT((sheets.momentum() - momentum).norm(), 1e-15 * 50 * speed) << speed << " " << gap;
      EXPECT_LE(sheets.energy(), energy * (1.0 + 1e-14));
      Vector3 centre = Vector3::Zero();
      for (std::size_t i = 0; i < 50; ++i) centre += sheets.masses_[i] * at(sheets.before_, i);
      centre += kDt * momentum;
      EXPECT_LT((sheets.centre() - centre).norm(), 1e-15 * 50 * (1.0 + kDt * speed));
      EXPECT_EQ(CrossingCount(sheets.triangles_)(sheets.state_.x), 0u);
    }
  }
}

TEST(SelfContact, layers_nearer_than_the_thickness_move_apart_by_a_share_of_it) {
  SelfContact::Settings settings{.thickness = kThickness};
  settings.recovery = 0.25;
  TwoSheets sheets(1e-3, settings);
  double gap = 1e-3;
  for (int step = 0; step < 60; ++step) {
    ASSERT_EQ(sheets.step(), SelfContact::Result::kDone);
    // No velocity comes from the push.
    ASSERT_EQ(sheets.energy(), 0.0);
    const double now = sheets.height(1) - sheets.height(0);
    ASSERT_LE(sheets.contact_->figures().penetration, kThickness - gap + 1e-12);
    gap = std::min(gap, now);
    sheets.keep();
  }
  // The corners of the sheets are beyond each other's border, and stay; what faces is apart.
  EXPECT_LT(sheets.contact_->figures().penetration, 1e-5);
}

TEST(SelfContact, friction_holds_a_layer_that_slides_slowly) {
  for (const double friction : {0.0, 10.0}) {
    SelfContact::Settings settings{.thickness = kThickness};
    settings.friction = friction;
    TwoSheets sheets(0.9 * kThickness, settings);
    sheets.set_velocity(1, {0.01, 0.0, -0.1});
    ASSERT_EQ(sheets.step(), SelfContact::Result::kDone);
    const double sliding = (sheets.state_.v[3 * 37] - sheets.state_.v[3 * 12]);
    if (friction == 0.0) {
      EXPECT_NEAR(sliding, 0.01, 1e-12);
    } else {
      EXPECT_LT(std::abs(sliding), 0.005);
    }
  }
}

TEST(SelfContact, pins_and_planes_are_honoured) {
  TwoSheets sheets(2e-3);
  for (std::size_t i = 0; i < 25; ++i) {
    sheets.constraints_.pin(i, at(sheets.before_, i));
    sheets.constraints_.keep_in_plane(25 + i, at(sheets.before_, 25 + i), Vector3::UnitY());
  }
  sheets.set_velocity(1, {0.3, 0.0, -1.0});
  const double energy = sheets.energy();
  ASSERT_NE(sheets.step(), SelfContact::Result::kNotFinite);
  for (std::size_t i = 0; i < 25; ++i) {
    EXPECT_EQ(Vector3(at(sheets.state_.x, i)), at(sheets.before_, i));
    EXPECT_EQ(Vector3(at(sheets.state_.v, i)), Vector3::Zero());
    EXPECT_EQ(sheets.state_.x[3 * (25 + i) + 1], sheets.before_[3 * (25 + i) + 1]);
  }
  EXPECT_LE(sheets.energy(), energy);
  EXPECT_GT(sheets.height(1), sheets.height(0));
}

TEST(SelfContact, where_every_particle_is_pinned_they_stand_still_rather_than_pass) {
  TwoSheets sheets(2e-3);
  for (std::size_t i = 0; i < 50; ++i) sheets.constraints_.pin(i, at(sheets.before_, i));
  // As of targets that jump through the other layer.
  sheets.set_velocity(1, {0.0, 0.0, -5.0});
  EXPECT_EQ(sheets.step(), SelfContact::Result::kZones);
  EXPECT_EQ(CrossingCount(sheets.triangles_)(sheets.state_.x), 0u);
  EXPECT_GT(sheets.height(1), sheets.height(0));
  EXPECT_GT(sheets.contact_->figures().joined, 0u);
}

TEST(SelfContact, layers_that_coincide_are_counted_and_left_alone) {
  TwoSheets sheets(0.0);
  sheets.set_velocity(1, {0.0, 0.0, -1.0});
  ASSERT_NE(sheets.step(), SelfContact::Result::kNotFinite);
  EXPECT_GT(sheets.contact_->figures().touching, 0u);
  for (const double value : sheets.state_.x) ASSERT_TRUE(std::isfinite(value));
}

TEST(SelfContact, a_full_list_holds_the_cloth_and_lets_nothing_pass) {
  SelfContact::Settings settings{.thickness = kThickness};
  settings.pairs_per_triangle = 2;
  TwoSheets sheets(3e-3, settings);
  sheets.set_velocity(1, {0.0, 0.0, -10.0});
  const Vector3 momentum = sheets.momentum();
  ASSERT_EQ(sheets.step(), SelfContact::Result::kHeld);
  EXPECT_EQ(sheets.contact_->figures().joined, 50u);
  EXPECT_NEAR(sheets.height(1) - sheets.height(0), 3e-3, 1e-15);
  EXPECT_LT((sheets.momentum() - momentum).norm(), 1e-15);
}

TEST(SelfContact, a_bound_of_the_distances_holds_the_cloth_and_lets_nothing_pass) {
  SelfContact::Settings settings{.thickness = kThickness};
  settings.distances_per_triangle = 1;
  TwoSheets sheets(3e-3, settings);
  sheets.set_velocity(1, {0.0, 0.0, -10.0});
  ASSERT_EQ(sheets.step(), SelfContact::Result::kHeld);
  EXPECT_NEAR(sheets.height(1) - sheets.height(0), 3e-3, 1e-15);
  // The bound is 64, one distance for each triangle. The pairs that are measured before the passes
  // come on top, and what the pair that reaches the bound still takes.
  EXPECT_LT(sheets.contact_->figures().distances, 64 + sheets.contact_->figures().candidates + 41);
}

TEST(SelfContact, what_is_not_finite_changes_nothing) {
  for (const double bad : {std::nan(""), HUGE_VAL, 1e200}) {
    TwoSheets sheets(3e-3);
    ClothState& state = sheets.state_;
    state.x[7] = bad;
    const ClothState copy = state;
    EXPECT_EQ(
        sheets.contact_->apply(sheets.constraints_, sheets.masses_, sheets.before_, kDt, state),
        SelfContact::Result::kNotFinite);
    EXPECT_EQ(std::memcmp(copy.x.data(), state.x.data(), 8 * state.x.size()), 0);
    EXPECT_EQ(copy.v, state.v);
  }
}

std::string refused(double gap, const SelfContact::Settings& settings) {
  try {
    TwoSheets sheets(gap, settings);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(SelfContact, settings_out_of_range_are_refused) {
  const double nan = std::nan(""), infinite = std::numeric_limits<double>::infinity();
  for (const double bad : {0.0, -1.0, nan, infinite}) {
    EXPECT_NE(refused(0.1, {.thickness = bad}).find("thickness"), std::string::npos);
  }
  for (const double bad : {-0.1, nan, infinite}) {
    SelfContact::Settings settings{.thickness = kThickness};
    settings.friction = bad;
    EXPECT_NE(refused(0.1, settings).find("friction"), std::string::npos);
    settings = {.thickness = kThickness};
    settings.recovery = bad;
    EXPECT_NE(refused(0.1, settings).find("recovery"), std::string::npos);
    settings = {.thickness = kThickness};
    settings.slack = bad;
    EXPECT_NE(refused(0.1, settings).find("slack"), std::string::npos);
  }
  SelfContact::Settings settings{.thickness = kThickness};
  settings.passes = 0;
  EXPECT_NE(refused(0.1, settings).find("passes"), std::string::npos);
  settings = {.thickness = kThickness};
  settings.distances_per_triangle = 0;
  EXPECT_NE(refused(0.1, settings).find("distances_per_triangle"), std::string::npos);
  settings = {.thickness = kThickness};
  settings.pairs_per_triangle = 0;
  EXPECT_NE(refused(0.1, settings).find("pairs_per_triangle"), std::string::npos);
}

TEST(SelfContact, a_thickness_that_the_rest_shape_does_not_have_is_refused) {
  // The least distance is that of a cell's corner from its diagonal: 0.02 m / sqrt(2).
  const std::string message = refused(0.1, {.thickness = 0.0142});
  EXPECT_NE(message.find("0.0141421"), std::string::npos) << message;
  EXPECT_EQ(refused(0.1, {.thickness = 0.0141}), "");
}

}  // namespace
}  // namespace haptic::cloth
