#include "rt/worlds/cloth/contact/field_contacts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "rt/geometry/analytic_field.h"
#include "shared/error.h"
#include "tests/rt/worlds/cloth/contact/cloth_on_field.h"
#include "tests/rt/worlds/cloth/dense_cloth.h"

namespace haptic::cloth {
namespace {

/// Dropped on a sphere, and on the edge of a box: energy does not grow, and the cloth comes to rest
/// with its weight on the body or hanging from it.
TEST(FieldContacts, a_cloth_dropped_on_a_body_never_gains_energy_and_comes_to_rest) {
  const AnalyticShape sphere{ShapeKind::kSphere, {0.12}}, box{ShapeKind::kBox, {0.3, 0.3, 0.3}};
  for (const AnalyticShape& shape : {sphere, box}) {
    ClothOnField on(square_cloth(12, 0.04, cloth_materials(100.0, 0.05)), shape,
                    {.stiffness = 1e3, .friction = 0.6});
    on.cloth.system.surroundings().air.drag = 2.0 * on.cloth.system.masses()[0];
    on.body.pose.position = Vector3(0.22, 0.22, -0.2);
    if (shape == box) {
      on.body.pose.orientation = Quaternion(Eigen::AngleAxisd(0.7854, Vector3::UnitX()));
      on.body.pose.position.z() = -0.24;
    }
    double energy = on.energy(), worst = 0.0;
    for (int n = 0; n < 10000; ++n) {
      ASSERT_NO_FATAL_FAILURE(on.advance());
      const double now = on.energy();
      worst = std::max(worst, now - energy);
      energy = now;
    }
    const double weight = 9.81 * on.cloth.system.masses()[0] * double(on.cloth.system.size());
    // Planes turn with the surface within a step, which the step does not see.
    EXPECT_LT(worst, 1e-5 * weight * 0.08) << int(shape.kind);
    EXPECT_LT(as_vector(on.cloth.state.v).cwiseAbs().maxCoeff(), 1e-3) << int(shape.kind);
    const Wrench on_body = on.contacts.wrench_about(on.body.pose.position);
    EXPECT_NEAR(on_body.force.z(), -weight, 1e-2 * weight) << int(shape.kind);
  }
}

/// Stiff contacts of sites that share particles, with far too few iterations: the step brakes and
/// never drives. The ground is flat, since on a sphere a plane that turns by h v / R within a step
/// leaves a depth of (h v)^2 / 2 R, which 1e9 N/m make 1e-6 J.
TEST(FieldContacts, energy_never_grows_with_few_iterations) {
  for (const double stiffness : {1e3, 1e6, 1e9}) {
    for (const std::size_t iterations : {3u, 15u}) {
      ClothOnField on(square_cloth(10, 0.04, cloth_materials(100.0, 0.05)),
                      {ShapeKind::kPlane, {1.0}}, {.stiffness = stiffness, .friction = 0.4}, 0.02,
                      {.solver = {.most_iterations = iterations}, .most_passes = 3});
      on.body.pose.orientation = Quaternion(Eigen::AngleAxisd(0.3, Vector3(0.8, 0.6, 0.0)));
      on.body.pose.position = Vector3(0.17, 0.19, -0.07);
      double energy = on.energy(), worst = 0.0;
      for (int n = 0; n < 2000; ++n) {
        ASSERT_NO_FATAL_FAILURE(on.advance());
        const double now = on.energy();
        worst = std::max(worst, now - energy);
        energy = now;
      }
      const double weight = 9.81 * on.cloth.system.masses()[0] * double(on.cloth.system.size());
      // Linearised springs of the cloth.
      EXPECT_LT(worst, 1e-6 * weight * 0.07) << stiffness << " N/m, " << iterations;
    }
  }
}

/// A cloth of 0.2 kg/m^2, its masses by area.
SampleCloth fabric(std::uint32_t side, double cell) {
  SampleCloth cloth = square_cloth(side, cell, cloth_materials(10.0, 0.02));
  const ClothSites particles(cloth.mesh.triangles, cloth.state.x);
  std::vector<double> masses(cloth.system.size());
  for (std::size_t k = 0; k < particles.size(); ++k) {
    masses[particles.site(k).particles[0]] = 0.2 * particles.area(k);
  }
  Springs springs =
      make_springs(cloth.mesh, SpringTopology::kThreeKinds, cloth_materials(10.0, 0.02));
  ClothSystem system(masses, std::move(springs), cloth.mesh.triangles, {});
  ClothState state = cloth.state;
  return {std::move(cloth.mesh), std::move(system), std::move(state)};
}

/// A cloth that lies on a foundation sinks by its weight of an area everywhere, whatever its grid;
/// with sites between the particles, its mean depth is the same.
TEST(FieldContacts, a_foundation_does_not_change_with_the_grid) {
  const double foundation = 2e5, expected = 0.2 * 9.81 / foundation;
  for (const std::uint32_t side : {9u, 17u, 31u}) {
    for (const double spacing : {kNowhere, 0.02}) {
      ClothOnField on(fabric(side, 0.32 / (side - 1)), {ShapeKind::kPlane, {1.0}},
                      {.stiffness = foundation, .foundation = true}, spacing);
      on.cloth.system.surroundings().air.drag = 4.0 * (0.32 / (side - 1)) * (0.32 / (side - 1));
      for (int n = 0; n < 1500; ++n) ASSERT_NO_FATAL_FAILURE(on.advance());
      double mean = 0.0;
      for (std::size_t k = 0; k < on.sites.size(); ++k) {
        const double depth = -on.sites.at_site(k, on.cloth.state.x).z();
        mean += depth * on.sites.area(k) / (0.32 * 0.32);
        EXPECT_NEAR(depth, expected, (spacing == kNowhere ? 1e-3 : 1.0) * expected)
            << side << ' ' << k;
      }
      EXPECT_NEAR(mean, expected, 1e-3 * expected) << side << ' ' << spacing;
    }
  }
}

/// A cloth that lands on a rough plane and slides, in steps of these bounds.
struct Landing {
  ClothOnField on;
  int solved = 0;
  std::size_t iterations = 0;

  Landing(double tolerance, std::size_t passes)
      : on(square_cloth(12, 0.03, cloth_materials(100.0, 0.05)), {ShapeKind::kPlane, {1.0}},
           {.stiffness = 1e3, .friction = 0.4}, kNowhere,
           {.solver = {.most_iterations = 100, .tolerance = tolerance}, .most_passes = passes}) {
    on.body.pose.orientation = Quaternion(Eigen::AngleAxisd(0.3, Vector3(0.8, 0.6, 0.0)));
    on.body.pose.position = Vector3(0.17, 0.19, -0.03);
  }
  void advance() {
    on.advance();
    const ContactStep::Outcome& outcome = on.step.outcome();
    EXPECT_EQ(outcome.converged, outcome.residual <= 0.01);
    solved += outcome.converged ? 1 : 0;
    iterations += outcome.iterations;
  }
};

/// A step says whether it is solved with the contacts as they press at its end: where the cloth
/// lands not in one pass, nearly always in six, with a quarter more iterations at most: what one
/// pass leaves is small, and a pass whose contacts change is not solved to its end.
TEST(FieldContacts, a_step_is_solved_where_its_residual_is_within_the_tolerance) {
  constexpr int kSteps = 600;
  Landing one(0.01, 1), six(0.01, 6);
  for (int n = 0; n < kSteps; ++n) {
    ASSERT_NO_FATAL_FAILURE(one.advance());
    ASSERT_NO_FATAL_FAILURE(six.advance());
    EXPECT_LE(six.on.step.outcome().passes, 6u);
  }
  EXPECT_LT(one.solved, kSteps - 20);
  EXPECT_GT(six.solved, 0.98 * kSteps);
  EXPECT_LT(4 * six.iterations, 5 * one.iterations);
}

TEST(FieldContacts, friction_anchors_hold_a_cloth_on_a_slope_without_creep) {
  const double angle = 0.4;
  ClothOnField on(square_cloth(6, 0.04, cloth_materials(100.0, 0.05)), {ShapeKind::kPlane, {1.0}},
                  {.stiffness = 1e3, .friction = 0.5});
  on.body.pose.orientation = Quaternion(Eigen::AngleAxisd(angle, Vector3::UnitY()));
  for (std::size_t i = 0; i < on.cloth.system.size(); ++i) {
    at(on.cloth.state.x, i) = on.body.pose.to_world(Vector3(at(on.cloth.state.x, i)));
  }
  for (int n = 0; n < 2000; ++n) ASSERT_NO_FATAL_FAILURE(on.advance());
  const ParticleVectors before = on.cloth.state.x;
  for (int n = 0; n < 10000; ++n) ASSERT_NO_FATAL_FAILURE(on.advance());
  EXPECT_LT((as_vector(on.cloth.state.x) - as_vector(before)).cwiseAbs().maxCoeff(), 1e-11);
}

/// A cloth has a thickness: it lies half of it above the ground.
TEST(FieldContacts, a_cloth_lies_half_its_thickness_above_the_ground) {
  ClothOnField on(square_cloth(4, 0.04, cloth_materials(100.0, 0.05)), {ShapeKind::kPlane, {1.0}},
                  {.stiffness = 1e3, .thickness = 0.002});
  for (std::size_t i = 0; i < 16; ++i) on.cloth.state.x[3 * i + 2] = 0.003;
  for (int n = 0; n < 2000; ++n) ASSERT_NO_FATAL_FAILURE(on.advance());
  const double depth = on.cloth.system.masses()[0] * 9.81 / 1e3;
  for (std::size_t i = 0; i < 16; ++i)
    EXPECT_NEAR(on.cloth.state.x[3 * i + 2], 0.001 - depth, 1e-9);
}

/// A half-space below z = q0 + q1 x in its frame: flat to first order in q1.
class RisingGround final : public SignedField {
 public:
  void evaluate(const FieldPoints& points, std::uint32_t count, Culling,
                FieldSamples& samples) const HAPTIC_REALTIME override {
    for (std::uint32_t k = 0; k < count; ++k) {
      samples.distance[k] = points.z[k] - q_[0] - q_[1] * points.x[k];
      samples.free_radius[k] = 0.5 * samples.distance[k];
    }
  }
  void prefetch(const FieldPoints&, std::uint32_t) const HAPTIC_REALTIME override {}
  Sample distance_and_gradient(const Vector3& p) const HAPTIC_REALTIME override {
    return {p.z() - q_[0] - q_[1] * p.x(), Vector3(-q_[1], 0.0, 1.0)};
  }
  double edge() const HAPTIC_REALTIME override { return 0.01; }
  double reach() const HAPTIC_REALTIME override { return 1e6; }
  std::uint32_t dimension() const HAPTIC_REALTIME override { return 2; }
  void deform(std::span<const double> q) HAPTIC_REALTIME override { q_ = {q[0], q[1]}; }
  void add_reduced_force(const Vector3& p, const Vector3& f,
                         std::span<double> reduced) const HAPTIC_REALTIME override {
    reduced[0] += f.z();
    reduced[1] += p.x() * f.z();
  }

 private:
  std::array<double, 2> q_{};
};

/// Ground that is turned and gives way: at rest its reduced forces are those of the contacts.
TEST(FieldContacts, a_field_that_deforms_gives_way) {
  SampleCloth cloth = square_cloth(6, 0.04, cloth_materials(100.0, 0.05));
  RisingGround ground;
  const ClothSites sites(cloth.mesh.triangles, cloth.state.x);
  BoxHierarchy hierarchy(cloth.mesh.triangles, cloth.state.x, {});
  FieldContacts contacts(sites, ground, {.stiffness = 1e3, .friction = 0.5});
  const std::array<std::uint32_t, 1> dimensions{2};
  ContactStep step(cloth.system, kStep, tight_contact(), dimensions);
  FieldContacts::Body body;
  body.pose.orientation = Quaternion(Eigen::AngleAxisd(0.5 * M_PI, Vector3::UnitZ()));
  Eigen::Vector2d q = Eigen::Vector2d::Zero();
  const Eigen::Vector2d stiffness(100.0, 2.0);  // of q0 [N/m] and q1 [N m]
  for (int n = 0; n < 4000; ++n) {
    ground.deform({q.data(), 2});
    ASSERT_EQ(hierarchy.refit(cloth.state.x), UpdateResult::kDone);
    contacts.find(hierarchy, cloth.state, body, kStep);
    step.clear();
    ASSERT_TRUE(contacts.add_to(step, {FieldContacts::Partner::Kind::kReduced, 0}));
    // Quasi-static, with a damper of the same size.
    const Eigen::Matrix2d A = 2.0 * stiffness.asDiagonal().toDenseMatrix();
    const Eigen::Vector2d b = -stiffness.cwiseProduct(q);
    step.set_partner(0, {A.data(), 4}, {b.data(), 2});
    ASSERT_EQ(step.step(cloth.state), ClothStepResult::kOk);
    contacts.settle(step);
    q += Eigen::Map<const Eigen::Vector2d>(step.partner_motion(0).data());
  }
  // The cloth covers y from 0 to 0.2 in the world, which is x = 0 to 0.2 of the ground.
  const double weight = 9.81 * cloth.system.masses()[0] * 36.0;
  EXPECT_NEAR(q[0], -weight / stiffness[0], 1e-3 * weight / stiffness[0]);
  EXPECT_NEAR(q[1], -weight * 0.1 / stiffness[1], 0.02 * weight * 0.1 / stiffness[1]);
}

TEST(FieldContacts, more_touches_than_places_keep_the_deepest_and_the_energy) {
  SampleCloth cloth = square_cloth(6, 0.02, cloth_materials(100.0));
  for (std::size_t i = 0; i < 36; ++i) cloth.state.x[3 * i + 2] = -1e-4 * double(i + 1);
  ClothOnField on(std::move(cloth), {ShapeKind::kPlane, {1.0}}, {.stiffness = 1e3, .capacity = 10});
  on.find();
  EXPECT_EQ(on.contacts.touches().size(), 10u);
  EXPECT_EQ(on.contacts.left_out(), 26u);
  double all = 0.0, kept = 0.0;
  for (int i = 1; i <= 36; ++i) all += 0.5e3 * std::pow(1e-4 * i, 2);
  ASSERT_TRUE(on.contacts.add_to(on.step, {}));
  for (std::size_t k = 0; k < 10; ++k) {
    const ClothContact& contact = on.step.contact(k);
    EXPECT_GE(contact.particles[0], 26u);
    kept += 0.5 * contact.stiffness * contact.gap * contact.gap;
  }
  EXPECT_NEAR(kept, all, 1e-12 * all);
}

TEST(FieldContacts, settings_out_of_range_are_refused) {
  SampleCloth cloth = square_cloth(3, 0.02, cloth_materials(100.0));
  const ClothSites sites(cloth.mesh.triangles, cloth.state.x);
  const AnalyticField field({ShapeKind::kSphere, {0.1}});
  EXPECT_THROW(FieldContacts(sites, field, {.stiffness = -1.0}), InputError);
  EXPECT_THROW(FieldContacts(sites, field, {.friction = std::nan("")}), InputError);
  EXPECT_THROW(FieldContacts(sites, field, {.thickness = -1e-3}), InputError);
}

}  // namespace
}  // namespace haptic::cloth
