// Bodies fixed in regions whose border cuts cells, against closed forms: the body is fixed up to
// the border, not only at the vertices inside.
#include "tests/physics/held_body.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "host/mesh/catalogue.h"
#include "lab/samples/beam_theory.h"
#include "lab/samples/solid_bar.h"

namespace haptic {
namespace {

constexpr double kDensity = 1000.0, kModulus = 1e6;

double shear_modulus(double nu) {
  return kModulus / (2.0 * (1.0 + nu));
}

std::string toml(const Vector3& x) {
  return fmt::format("[{}, {}, {}]", x.x(), x.y(), x.z());
}

template <typename Function>
double integral(double from, double to, const Function& f) {
  constexpr int kIntervals = 2000;
  double sum = 0.0;
  for (int i = 0; i < kIntervals; ++i) sum += f(from + (i + 0.5) * (to - from) / kIntervals);
  return sum * (to - from) / kIntervals;
}

/// Acceleration (3n) of one rad/s^2 about an axis through the origin.
Eigen::VectorXd swirl(const StvkModel& body, const Vector3& axis) {
  Eigen::VectorXd a(body.dof_count());
  for (int v = 0; v < body.vertex_count(); ++v) {
    a.segment<3>(3 * v) = axis.cross(body.mesh().vertex(v));
  }
  return a;
}

/// Acceleration (3n) of 1 m/s^2 along y.
Eigen::VectorXd lift(const StvkModel& body) {
  Eigen::VectorXd a = Eigen::VectorXd::Zero(body.dof_count());
  for (int v = 0; v < body.vertex_count(); ++v) a[3 * v + 1] = 1.0;
  return a;
}

/// The same body fixed at the vertices alone, which is too soft: shows the effect of the held
/// fractions.
StvkModel held_at_vertices(const StvkModel& body) {
  const SolidMesh& mesh = body.mesh();
  CellSettings cells = mesh.cells();
  cells.held.clear();
  return {SolidMesh(mesh.vertices(), mesh.elements(), mesh.groups(), std::move(cells)),
          body.fixed_vertices()};
}

const Vector3 kBar(0.2, 0.02, 0.03);

/// Clamped in planes at 10 mm and at `end`, of which the second ends within a cell.
StvkModel clamped_twice(double end, int resolution, double nu) {
  return held_body(bar_surface(kBar), resolution, nu,
                   fmt::format("planes = [{{ axis = \"x\", below = 0.01 }}, "
                               "{{ axis = \"x\", above = {} }}]",
                               end));
}

TEST(HeldBody, a_bar_between_two_clamps_has_their_distance) {
  for (const double end : {0.1803, 0.1837, 0.1871, 0.1889}) {
    const double length = end - 0.01, area = kBar.y() * kBar.z(), w = kDensity * area;
    const double bending = kModulus * area * kBar.y() * kBar.y() / 12.0;
    const double shear = rectangle_shear_factor(0.0) * shear_modulus(0.0) * area;
    const double expected = w * w * std::pow(length, 5) / (720.0 * bending) +
                            w * w * std::pow(length, 3) / (12.0 * shear);
    for (const int resolution : {12, 17, 24}) {
      const StvkModel body = clamped_twice(end, resolution, 0.0);
      EXPECT_NEAR(work_of_body_force(body, lift(body)) / expected, 1.0, 0.04)
          << end << " " << resolution;
    }
    const StvkModel loose = held_at_vertices(clamped_twice(end, 12, 0.0));
    EXPECT_GT(work_of_body_force(loose, lift(loose)) / expected, 1.05) << end;
  }
}

// The first border across an axis is at a plane of the grid, and holds exactly without fractions.
TEST(HeldBody, a_single_clamp_ends_at_a_plane_of_the_grid) {
  for (const std::string clamp :
       {"planes = [{ axis = \"x\", below = 0.0137 }]",
        "boxes = [{ min = [0.0, 0.0, 0.0], max = [0.0137, 0.02, 0.03] }]"}) {
    const StvkModel body = held_body(bar_surface(kBar), 13, 0.3, clamp);
    EXPECT_TRUE(body.mesh().cells().held.empty()) << clamp;
    double end = 0.0;
    for (const std::uint32_t v : body.fixed_vertices()) {
      end = std::max(end, body.mesh().vertex(static_cast<int>(v)).x());
    }
    EXPECT_NEAR(end, 0.0137, 1e-12) << clamp;
  }
}

// Clamps hold the width too, which beam theory does not know: against voxels of a fifth of the
// edge.
TEST(HeldBody, a_bar_between_two_clamps_that_hold_its_width_converges) {
  for (const double nu : {0.3, 0.45}) {
    const StvkModel fine = clamped_twice(0.1871, 60, nu);
    const double expected = work_of_body_force(fine, lift(fine));
    for (const int resolution : {12, 17, 24}) {
      const StvkModel body = clamped_twice(0.1871, resolution, nu);
      EXPECT_NEAR(work_of_body_force(body, lift(body)) / expected, 1.0, 0.06)
          << nu << " " << resolution;
    }
  }
}

// A cantilever of two layers with their border at any height: the theory of composite beams.
TEST(HeldBody, a_beam_of_two_layers_has_their_border) {
  const Vector3& size = kBar;
  constexpr double kFactor = 10.0;  // of the upper layer's modulus
  for (const double border : {0.0061, 0.0093, 0.0138}) {
    // First and second moments of E over the section, from its lower face.
    const double upper = size.y() - border;
    const double E0 = kModulus * size.z() * (border + kFactor * upper);
    const double E1 = kModulus * size.z() *
                      (border * border + kFactor * (size.y() * size.y() - border * border)) / 2.0;
    const double E2 =
        kModulus * size.z() *
        (std::pow(border, 3) + kFactor * (std::pow(size.y(), 3) - std::pow(border, 3))) / 3.0;
    const double bending = E2 - E1 * E1 / E0, length = 0.19, w = kDensity * size.y() * size.z();
    const double expected = w * w * std::pow(length, 5) / (20.0 * bending);  // shear is left out
    for (const int resolution : {14, 20, 26, 33}) {
      const StvkModel body =
          held_body(bar_surface(size), resolution, 0.0, "planes = [{ axis = \"x\", below = 0.01 }]",
                    fmt::format("[[material.group]]\nname = \"stiff\"\nyoungs_modulus = {}\n"
                                "plane = {{ axis = \"y\", above = {} }}\n",
                                kFactor * kModulus, border));
      EXPECT_NEAR(work_of_body_force(body, lift(body)) / expected, 1.0, 0.03)
          << border << " " << resolution;
    }
  }
}

// A disc on a fixed axle under a body force about the axis: circumferential displacement r w(r).
TEST(HeldBody, a_disc_turns_about_its_axle) {
  const double R = 0.02, thickness = 0.008;
  for (const double a : {0.006, 0.0087}) {
    const double nu = 0.3, mu = shear_modulus(nu);
    const double expected = integral(a, R, [&](double r) {
      const double turn =
          kDensity / (4.0 * mu) *
          (0.5 * std::pow(R, 4) * (1.0 / (a * a) - 1.0 / (r * r)) - 0.5 * (r * r - a * a));
      return 2.0 * std::numbers::pi * thickness * kDensity * r * r * r * turn;
    });
    for (const double tilt : {0.0, 25.0}) {
      const Vector3 about = Vector3(0.0, 1.0, 1.0).normalized();
      const Matrix3 turn =
          Eigen::AngleAxisd(tilt * std::numbers::pi / 180.0, about).toRotationMatrix();
      const TriangleMesh disc = turned(round_bar_surface(R, thickness), about, tilt);
      const Vector3 axis = turn * Vector3::UnitX(), lower = bounding_box(disc).lower;
      for (const int resolution : {10, 13, 16, 24, 32}) {
        const StvkModel body =
            held_body(disc, resolution, nu,
                      fmt::format("cylinders = [{{ from = {}, to = {}, radius = {} }}]",
                                  toml(-axis * 0.01 - lower), toml(axis * 0.02 - lower), a));
        const Eigen::VectorXd load = swirl(body, axis);
        // At the coarsest the radius of the axle is 1.5 voxels.
        EXPECT_NEAR(work_of_body_force(body, load) / expected, 1.0, resolution == 10 ? 0.15 : 0.06)
            << a << " " << tilt << " " << resolution;
        EXPECT_GT(work_of_body_force(held_at_vertices(body), load) / expected, 1.15);
      }
    }
  }
}

// A ball with a fixed core under the same load: circumferential displacement v(r) sin(theta).
TEST(HeldBody, a_ball_turns_about_its_core) {
  const double R = 0.02, nu = 0.3, mu = shear_modulus(nu);
  const TriangleMesh ball = make_shape("sphere", {{"radius", 1.0006 * R}, {"subdivisions", 4}});
  const Vector3 lower = bounding_box(ball).lower;
  for (const double a : {0.007, 0.011}) {
    const double B = -kDensity * std::pow(R, 5) / (15.0 * mu);
    const double A = -B / std::pow(a, 3) + kDensity * a * a / (10.0 * mu);
    const double expected = integral(a, R, [&](double r) {
      const double v = A * r + B / (r * r) - kDensity * std::pow(r, 3) / (10.0 * mu);
      return 8.0 / 3.0 * std::numbers::pi * kDensity * r * r * r * v;
    });
    for (const int resolution : {10, 13, 16, 21, 24}) {
      const StvkModel body =
          held_body(ball, resolution, nu,
                    fmt::format("spheres = [{{ centre = {}, radius = {} }}]", toml(-lower), a));
      const Vector3 axis = Vector3(1.0, 2.0, 3.0).normalized();
      const Eigen::VectorXd load = swirl(body, axis);
      // Below two voxels of radius few vertices lie in the core.
      const bool is_coarse = a * resolution < 2.3 * 2.0 * R;
      EXPECT_NEAR(work_of_body_force(body, load) / expected, 1.0, is_coarse ? 0.35 : 0.06)
          << a << " " << resolution;
      EXPECT_GT(work_of_body_force(held_at_vertices(body), load) / expected, 1.3);
    }
  }
}

}  // namespace
}  // namespace haptic
