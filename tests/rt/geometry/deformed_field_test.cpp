#include "rt/geometry/deformed_field.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <limits>
#include <vector>

#include "lab/oracle/field_scene.h"
#include "shared/error.h"
#include "tests/rt/geometry/deformed_bar.h"

namespace haptic {
namespace {

using namespace oracle;

/// The twelve affine modes: q = (translation, G row-major) gives u = t + G X.
void set_affine_modes(Proxies& proxies) {
  const std::size_t P = proxies.size();
  proxies.r = 12;
  proxies.displacement.assign(P * 3 * 12, 0.0);
  proxies.gradients.assign(P * 9 * 12, 0.0);
  for (std::size_t i = 0; i < P; ++i) {
    for (std::size_t a = 0; a < 3; ++a) {
      proxies.displacement[(3 * i + a) * 12 + a] = 1.0;
      for (std::size_t b = 0; b < 3; ++b) {
        proxies.displacement[(3 * i + a) * 12 + 3 + 3 * a + b] = proxies.points[3 * i + b];
        proxies.gradients[(9 * i + 3 * a + b) * 12 + 3 + 3 * a + b] = 1.0;
      }
    }
  }
}

std::vector<double> affine_state(const Matrix3& F, const Vector3& t) {
  std::vector<double> q = {t.x(), t.y(), t.z()};
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b) q.push_back(F(a, b) - (a == b ? 1.0 : 0.0));
  }
  return q;
}

constexpr double kRadius = 0.5;

FieldData ball(std::uint32_t n = 64) {
  return sample_field([](const Vector3& p) { return sphere_distance(p, kRadius); }, n, 1.5);
}

Proxies proxies_on_ball(std::size_t count) {
  Random random(40);
  Proxies proxies;
  for (std::size_t i = 0; i < count; ++i) proxies.add(kRadius * random_direction(random));
  set_affine_modes(proxies);
  return proxies;
}

double distance(const DeformedField& field, const Vector3& p) {
  FieldPoints points{};
  points.x[0] = p.x(), points.y[0] = p.y(), points.z[0] = p.z();
  FieldSamples samples;
  field.evaluate(points, 1, Culling::kSafe, samples);
  return samples.distance[0];
}

DeformedField one_domain(const FieldData& data, const Proxies& proxies) {
  std::vector<DistanceField> domains;
  domains.push_back(data.view());
  return {std::move(domains), proxies.view()};
}

TEST(DeformedField, an_affine_motion_is_the_rest_field_pulled_back) {
  const FieldData data = ball();
  const Proxies proxies = proxies_on_ball(40);
  DeformedField field = one_domain(data, proxies);
  const DistanceField rest = data.view();
  Random random(34);
  for (int state = 0; state < 40; ++state) {
    // Finite rotation and translation; every other state any affine map.
    Matrix3 F = Eigen::AngleAxisd(0.08 * state, random_direction(random)).toRotationMatrix();
    if (state % 2 == 1)
      F += 0.3 * Matrix3(random_direction(random) * random_direction(random).transpose());
    const Vector3 t = random_vector(random, 0.5);
    field.deform(affine_state(F, t));
    for (int i = 0; i < 500; ++i) {
      const Vector3 X = random_vector(random, 0.7), x = F * X + t;
      // Rounding of the maps: 1e-15 times a distance of 1 and the condition of F.
      ASSERT_NEAR(distance(field, x), rest.distance(X), 1e-12);
    }
  }
}

TEST(DeformedField, under_a_small_stretch_the_error_is_that_of_the_material) {
  const FieldData data = ball();
  const Proxies proxies = proxies_on_ball(40);
  DeformedField field = one_domain(data, proxies);
  const double e = 0.01, voxel = data.view().edge();
  field.deform(affine_state((1.0 + e) * Matrix3::Identity(), Vector3::Zero()));
  Random random(35);
  for (int i = 0; i < 20000; ++i) {
    const Vector3 p = random_vector(random, 0.7);
    const double exact = sphere_distance(p, (1.0 + e) * kRadius);
    ASSERT_LE(std::abs(distance(field, p) - exact), 2.0 * e * std::abs(exact) + voxel);
    const DeformedField::Blend blend = field.blend(p, 0);
    double sum = 0.0;
    for (const double w : blend.weight) {
      ASSERT_GE(w, 0.0);
      sum += w;
    }
    ASSERT_NEAR(sum, 1.0, 1e-15);
    ASSERT_EQ(blend.weight[kProxyNeighbours - 1], 0.0);
    for (std::uint32_t s = 1; s < kProxyNeighbours; ++s) {
      ASSERT_GE(blend.inverse_distance[s - 1], blend.inverse_distance[s] * (1.0 - 1e-12));
    }
  }
}

TEST(DeformedField, neighbours_are_the_nearest_proxies) {
  const Bar bar;
  DeformedField field = bar.field();
  field.deform(std::vector<double>{0.2, 0.3, 0.1});
  Random random(36);
  for (int i = 0; i < 5000; ++i) {
    const Vector3 p = random_vector(random, 1.2);
    std::vector<double> distances;
    for (const Proxy& proxy : field.proxies().all()) {
      distances.push_back((p - Vector3(proxy.position)).norm());
    }
    std::sort(distances.begin(), distances.end());
    const DeformedField::Blend blend = field.blend(p, 0);
    for (std::uint32_t s = 0; s < kProxyNeighbours; ++s) {
      ASSERT_NEAR(1.0 / blend.inverse_distance[s], distances[s], 1e-12);
    }
  }
}

/// Whether all that is blended at p is read inside the box; outside, the rest field is a bound that
/// jumps at the box.
bool reads_samples_alone(const DeformedField& field, const Vector3& p) {
  const DeformedField::Blend blend = field.blend(p, 0);
  for (std::uint32_t s = 0; s < blend.count; ++s) {
    const Proxy& proxy = field.proxies().all()[blend.proxy[s]];
    Vector3 X(proxy.rest);
    for (int axis = 0; axis < 3; ++axis) {
      X += (p - Vector3(proxy.position))[axis] * Vector3(proxy.inverse + 4 * axis);
    }
    if (X.cwiseAbs().maxCoeff() > 1.3) return false;
  }
  return true;
}

TEST(DeformedField, is_continuous_in_space_and_state) {
  const Bar bar;
  DeformedField field = bar.field();
  std::vector<double> q = {0.25, 0.5, 0.1};
  field.deform(q);
  // |grad d| <= sqrt(3) |F^-1| + sum |d_s| |grad w_s|; far from it anywhere here.
  const double slope = 40.0;
  int steps_compared = 0;
  for (int line = 0; line < 20; ++line) {
    Random random(360 + static_cast<unsigned>(line));
    const Vector3 from = random_vector(random, 1.2);
    const Vector3 through = bar.proxies.point(static_cast<std::size_t>(3 * line));
    const int steps = 50000;
    const Vector3 step = 1.5 * (through - from) / steps;
    double before = distance(field, from);
    bool compared = false;  // the sample before was read inside the box
    for (int i = 1; i <= steps; ++i) {
      const Vector3 p = from + i * step;
      const double now = distance(field, p);
      const bool inside = reads_samples_alone(field, p);
      if (inside && compared) {
        ASSERT_LE(std::abs(now - before), slope * step.norm() + 1e-9) << line << " " << i;
        ++steps_compared;
      }
      compared = inside;
      before = now;
    }
  }
  EXPECT_GT(steps_compared, 500000);
  const Vector3 p(0.7, 0.2, 0.25);
  double before = distance(field, p);
  for (int i = 0; i < 20000; ++i) {
    q[1] += 1e-5;
    field.deform(q);
    const double now = distance(field, p);
    ASSERT_LE(std::abs(now - before), slope * 1e-5) << i;
    before = now;
  }
}

TEST(DeformedField, gradient_is_the_derivative) {
  const Bar bar;
  DeformedField field = bar.field();
  field.deform(std::vector<double>{0.2, 0.4, 0.1});
  Random random(37);
  int close = 0;
  const int samples = 3000;
  for (int i = 0; i < samples; ++i) {
    const Vector3 p = random_vector(random, 0.9).cwiseProduct(Vector3(1.0, 0.4, 0.4));
    const SignedField::Sample sample = field.distance_and_gradient(p);
    ASSERT_NEAR(sample.distance, distance(field, p), 1e-12);
    Vector3 slope;
    const double step = 1e-7;
    for (int axis = 0; axis < 3; ++axis) {
      const Vector3 e = step * Vector3::Unit(axis);
      slope[axis] = (distance(field, p + e) - distance(field, p - e)) / (2.0 * step);
    }
    if ((slope - sample.gradient).norm() < 1e-5 * (1.0 + slope.norm())) ++close;
  }
  // The others straddle a voxel face or a change of neighbours within 1e-7.
  EXPECT_GT(close, samples - 10);
}

TEST(DeformedField, no_point_within_the_free_radius_is_inside) {
  const Bar bar;
  DeformedField field = bar.field();
  Random random(38);
  double tightness = 0.0;
  int used = 0;
  for (int state = 0; state < 12; ++state) {
    const double s = 0.05 * state;
    field.deform(std::vector<double>{s, -s, 0.5 * s});
    for (int round = 0; round < 400; ++round) {
      FieldPoints batch{};
      const double reach = round % 2 == 0 ? 0.4 : 2.0;
      for (std::uint32_t i = 0; i < kFieldBatch; ++i) {
        const Vector3 p = random_vector(random, 1.2).cwiseProduct(Vector3(1.0, reach, reach));
        batch.x[i] = p.x(), batch.y[i] = p.y(), batch.z[i] = p.z();
      }
      FieldSamples samples;
      field.evaluate(batch, kFieldBatch, Culling::kSafe, samples);
      for (std::uint32_t i = 0; i < kFieldBatch; ++i) {
        const Vector3 p(batch.x[i], batch.y[i], batch.z[i]);
        ASSERT_EQ(samples.distance[i], distance(field, p));  // whatever the batch
        if (samples.distance[i] < 0.0) continue;
        ASSERT_GE(samples.free_radius[i], 0.0);
        tightness += samples.free_radius[i] / std::max(samples.distance[i], 0.1);
        ++used;
        for (int probe = 0; probe < 12; ++probe) {
          const Vector3 other = p + samples.free_radius[i] * random_direction(random);
          ASSERT_GE(distance(field, other), 0.0) << "state " << state;
        }
      }
    }
  }
  EXPECT_GT(tightness / used, 0.2);  // a bound worth having
}

TEST(DeformedField, a_free_point_stays_free_until_the_motion_bound_is_used_up) {
  const Bar bar;
  DeformedField field = bar.field();
  Random random(39);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  for (int state = 0; state < 300; ++state) {
    std::vector<double> q(3), other(3), dq(3);
    for (std::size_t j = 0; j < 3; ++j) {
      q[j] = 0.3 * unit(random);
      dq[j] = 0.1 * unit(random);
      other[j] = q[j] + dq[j];
    }
    field.deform(q);
    FieldPoints batch{};
    for (std::uint32_t i = 0; i < kFieldBatch; ++i) {
      const Vector3 p = random_vector(random, 1.2).cwiseProduct(Vector3(1.0, 0.6, 0.6));
      batch.x[i] = p.x(), batch.y[i] = p.y(), batch.z[i] = p.z();
    }
    FieldSamples samples;
    field.evaluate(batch, kFieldBatch, Culling::kSafe, samples);
    const double reach = field.reach(), depth = field.inner_depth();
    EXPECT_GT(depth, 0.0);
    field.deform(other);
    const double moved = field.deformation_bound(dq);
    EXPECT_LE(field.reach(), reach + moved + 1e-12);
    EXPECT_EQ(field.inner_depth(), depth);  // that at rest
    for (std::uint32_t i = 0; i < kFieldBatch; ++i) {
      if (samples.distance[i] < 0.0 || samples.free_radius[i] <= moved) continue;
      const Vector3 p(batch.x[i], batch.y[i], batch.z[i]);
      ASSERT_GE(distance(field, p), 0.0);
      ASSERT_GE(distance(field, p + (samples.free_radius[i] - moved) * random_direction(random)),
                0.0);
    }
    for (int i = 0; i < 20; ++i) {
      const Vector3 p = random_vector(random, 1.5);
      if (distance(field, p) < 0.0) {
        ASSERT_LE(p.norm(), field.reach());
      }
    }
  }
}

/// Two legs side by side, the second pulled away: what is between them must be free.
TEST(DeformedField, domains_remove_the_mirror_image_of_a_leg) {
  const double gap = 0.3, half = 0.1, length = 0.5;
  const auto leg = [=](const Vector3& p, double side) {
    return box_distance(p - Vector3(side * gap, 0.0, 0.0), Vector3(half, half, length));
  };
  const FieldData both =
      sample_field([&](const Vector3& p) { return std::min(leg(p, -1.0), leg(p, 1.0)); }, 64, 1.6);
  const FieldData left = sample_field([&](const Vector3& p) { return leg(p, -1.0); }, 64, 1.6);
  const FieldData right = sample_field([&](const Vector3& p) { return leg(p, 1.0); }, 64, 1.6);
  Proxies proxies;
  Random random(370);
  for (const double side : {-1.0, 1.0}) {
    for (int i = 0; i < 20; ++i) {
      Vector3 p = random_vector(random, 1.0).cwiseProduct(Vector3(half, half, length));
      p[i % 2] = i % 4 < 2 ? half : -half;
      proxies.add(p + Vector3(side * gap, 0.0, 0.0));
      proxies.domain.push_back(side < 0.0 ? 0 : 1);
    }
  }
  // One mode: each leg moves outwards as a whole.
  proxies.r = 1;
  for (std::size_t i = 0; i < proxies.size(); ++i) {
    const double side = proxies.domain[i] == 0 ? -1.0 : 1.0;
    proxies.displacement.insert(proxies.displacement.end(), {side, 0.0, 0.0});
  }
  proxies.gradients.assign(9 * proxies.size(), 0.0);

  std::vector<DistanceField> two;
  two.push_back(left.view());
  two.push_back(right.view());
  DeformedField parts(std::move(two), proxies.view());
  proxies.domain.clear();
  DeformedField whole = one_domain(both, proxies);
  const std::vector<double> q = {0.4};
  parts.deform(q);
  whole.deform(q);
  // The legs are at -0.7 and 0.7 now; between them nothing touches.
  const double voxel = left.view().edge();
  int phantom_whole = 0, phantom_parts = 0, inside = 0;
  for (int i = 0; i < 40000; ++i) {
    const Vector3 p = random_vector(random, 1.0).cwiseProduct(Vector3(1.0, 0.2, 0.5));
    const double exact =
        std::min(leg(p + Vector3(0.4, 0.0, 0.0), -1.0), leg(p - Vector3(0.4, 0.0, 0.0), 1.0));
    if (exact < 0.0) ++inside;
    if (exact > 0.05 && distance(whole, p) < 0.0) ++phantom_whole;
    if (exact > 0.05 && distance(parts, p) < 0.0) ++phantom_parts;
    // Each leg moves rigidly: exact up to interpolation.
    ASSERT_NEAR(distance(parts, p), exact, 0.87 * voxel + (exact > 0.3 ? 1.0 : 0.0));
  }
  EXPECT_GT(inside, 1000);
  EXPECT_GT(phantom_whole, 100);
  EXPECT_EQ(phantom_parts, 0);
  // Force on the right leg: its modes, whichever way.
  std::vector<double> fq = {0.0};
  parts.add_reduced_force(Vector3(0.6, 0.0, 0.0), Vector3(3.0, 1.0, 0.0), fq);
  EXPECT_NEAR(fq[0], 3.0, 1e-12);
}

TEST(DeformedField, force_is_applied_to_the_nearest_proxy_or_to_all_by_weight) {
  const Bar bar;
  DeformedField nearest = bar.field(), weighted = bar.field(ProxyForce::kWeighted);
  const std::vector<double> q = {0.1, 0.2, 0.0};
  nearest.deform(q);
  weighted.deform(q);
  Random random(52);
  for (int i = 0; i < 200; ++i) {
    const Vector3 p = random_vector(random, 1.0), f = random_vector(random, 2.0);
    const DeformedField::Blend blend = nearest.blend(p, 0);
    std::vector<double> a(3, 0.5), b(3, 0.5);
    nearest.add_reduced_force(p, f, a);
    weighted.add_reduced_force(p, f, b);
    const auto row = [&](std::uint32_t proxy, std::size_t j) {
      Vector3 u;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        u[static_cast<int>(axis)] = bar.proxies.displacement[(3 * proxy + axis) * 3 + j];
      }
      return u.dot(f);
    };
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_NEAR(a[j], 0.5 + row(blend.proxy[0], j), 1e-12);
      double sum = 0.5;
      for (std::uint32_t s = 0; s < blend.count; ++s)
        sum += blend.weight[s] * row(blend.proxy[s], j);
      EXPECT_NEAR(b[j], sum, 1e-12);
    }
  }
}

TEST(DeformedField, an_anchor_follows_the_material) {
  const Bar bar;
  DeformedField field = bar.field();
  field.deform(std::vector<double>{0.1, 0.2, 0.0});
  const Vector3 p(0.5, 0.15, 0.1);
  const FieldAnchor anchor = field.anchor(p);
  EXPECT_LE((field.anchor_position(anchor) - p).norm(), 1e-14);
  field.deform(std::vector<double>{0.0, 0.0, 0.0});
  const Vector3 rest = Vector3(field.proxies().all()[anchor.patch].rest) + anchor.local;
  EXPECT_LE((field.anchor_position(anchor) - rest).norm(), 1e-14);
}

TEST(DeformedField, a_proxy_turned_inside_out_is_left_out) {
  const FieldData data = ball();
  Proxies proxies = proxies_on_ball(40);
  // Proxy 0 alone has the gradient mode doubled, so that it inverts first.
  for (std::size_t a = 0; a < 9; ++a) {
    for (std::size_t j = 0; j < 12; ++j) proxies.gradients[a * 12 + j] *= 2.0;
  }
  DeformedField field = one_domain(data, proxies);
  field.deform(affine_state(0.4 * Matrix3::Identity(), Vector3::Zero()));
  EXPECT_EQ(field.deformation_bound(std::vector<double>(12, 0.0)),
            std::numeric_limits<double>::infinity());
  const DistanceField rest = data.view();
  Random random(9);
  for (int i = 0; i < 2000; ++i) {
    const Vector3 X = random_vector(random, 0.7);
    ASSERT_NEAR(distance(field, 0.4 * X), rest.distance(X), 1e-12);
  }
  field.deform(affine_state(-Matrix3::Identity(), Vector3::Zero()));  // all of them
  EXPECT_GT(distance(field, Vector3::Zero()), 0.0);
  field.deform(std::vector<double>(12, 0.0));
  EXPECT_LT(distance(field, Vector3::Zero()), 0.0);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(distance(field, Vector3(nan, 0.0, 0.0)) < 0.0);
  EXPECT_FALSE(distance(field, Vector3(0.0, 0.0, nan)) < 0.0);
}

TEST(DeformedField, refuses_proxies_that_do_not_fit) {
  const FieldData data = ball(16);
  const auto made = [&](const Proxies& proxies) { (void)one_domain(data, proxies); };
  const Proxies good = proxies_on_ball(8);
  EXPECT_NO_THROW(made(good));
  Proxies bad = good;
  bad.displacement.pop_back();
  EXPECT_THROW(made(bad), InputError);
  bad = good;
  bad.gradients[7] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(made(bad), InputError);
  bad = good;
  bad.domain.assign(8, 1);  // of one domain
  EXPECT_THROW(made(bad), InputError);
  bad = good;
  bad.domain.assign(7, 0);
  EXPECT_THROW(made(bad), InputError);
  EXPECT_THROW(made(proxies_on_ball(kMaxProxies + 1)), InputError);
}

}  // namespace
}  // namespace haptic
