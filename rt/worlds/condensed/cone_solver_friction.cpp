#include <algorithm>
#include <array>
#include <cmath>

#include "rt/worlds/condensed/cone_solver.h"
#include "rt/worlds/condensed/vector_products.h"
#include "shared/assert.h"

namespace haptic::condensed {
namespace {

/// Of the largest demand: a sweep that changes less is the last one.
constexpr double kSettled = 1e-10;
constexpr int kAlternations = 20;

using Vec3 = std::array<double, 3>;

/// The system of one contact in its own axes: pressing direction -n, two tangents.
struct LocalContact {
  std::array<Vec3, 3> axes;
  std::array<Vec3, 3> A;  // m/N
  Vec3 c;                 // demand without the contact's own force [m]
};

/// Tangents are chosen from the normal alone.
std::array<Vec3, 3> axes_of(const double* n) HAPTIC_REALTIME {
  const Vec3 away = std::abs(n[0]) < 0.6 ? Vec3{1.0, 0.0, 0.0} : Vec3{0.0, 1.0, 0.0};
  const double along = away[0] * n[0] + away[1] * n[1];
  Vec3 t{away[0] - along * n[0], away[1] - along * n[1], -along * n[2]};
  const double length = std::sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
  for (double& x : t) x /= length;
  const Vec3 s{n[1] * t[2] - n[2] * t[1], n[2] * t[0] - n[0] * t[2], n[0] * t[1] - n[1] * t[0]};
  return {Vec3{-n[0], -n[1], -n[2]}, t, s};
}

/// x of |x| <= radius with least (A x / 2 - g) . x for the tangential block of A.
std::array<double, 2> least_in_disc(const LocalContact& local, std::array<double, 2> g,
                                    double radius) HAPTIC_REALTIME {
  if (!(radius > 0.0)) return {};
  // Eigenvectors of the 2 x 2 block.
  const double a = local.A[1][1], b = local.A[1][2], d = local.A[2][2];
  const double angle = 0.5 * std::atan2(2.0 * b, a - d), cosine = std::cos(angle),
               sine = std::sin(angle);
  const double mean = 0.5 * (a + d), half = std::sqrt(0.25 * (a - d) * (a - d) + b * b);
  const double large = mean + half, small = std::max(mean - half, 0.0);
  const double g1 = cosine * g[0] + sine * g[1], g2 = cosine * g[1] - sine * g[0];
  const double force = std::sqrt(g1 * g1 + g2 * g2);
  const auto at = [&](double shift) HAPTIC_REALTIME {
    return std::array{g1 / (large + shift), g2 / (small + shift)};
  };
  std::array<double, 2> y{};
  double shift = 0.0;
  if (small > 1e-12 * large) y = at(0.0);
  if (!(small > 1e-12 * large) || y[0] * y[0] + y[1] * y[1] > radius * radius) {
    // |y| falls with the shift; Newton on 1 / |y|, which is nearly linear, from below its root.
    shift = std::max({0.0, force / radius - large, 1e-12 * large});
    for (int i = 0; i < 30; ++i) {
      y = at(shift);
      const double length = std::sqrt(y[0] * y[0] + y[1] * y[1]);
      const double slope = (y[0] * y[0] / (large + shift) + y[1] * y[1] / (small + shift)) / length;
      const double next = shift + (length / radius - 1.0) * length / slope;
      if (!(next - shift > 1e-15 * next)) break;
      shift = next;
    }
    const double length = std::sqrt(y[0] * y[0] + y[1] * y[1]);
    if (length > radius) {
      for (double& x : y) x *= radius / length;
    }
  }
  return {cosine * y[0] - sine * y[1], sine * y[0] + cosine * y[1]};
}

/// Solution of the 3 x 3 system by Cholesky; false if it is singular.
bool stick(const LocalContact& local, Vec3& x) HAPTIC_REALTIME {
  const auto& A = local.A;
  const double floor = 1e-12 * std::max({A[0][0], A[1][1], A[2][2]});
  std::array<Vec3, 3> L{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = A[i][j];
      for (std::size_t k = 0; k < j; ++k) sum -= L[i][k] * L[j][k];
      if (i == j && !(sum > floor)) return false;
      L[i][j] = i == j ? std::sqrt(sum) : sum / L[j][j];
    }
  }
  for (std::size_t i = 0; i < 3; ++i) {
    x[i] = local.c[i];
    for (std::size_t k = 0; k < i; ++k) x[i] -= L[i][k] * x[k];
    x[i] /= L[i][i];
  }
  for (std::size_t i = 3; i-- > 0;) {
    for (std::size_t k = i + 1; k < 3; ++k) x[i] -= L[k][i] * x[k];
    x[i] /= L[i][i];
  }
  return true;
}

/// Coulomb's law for one contact; x is its force (pressure, two tangents), in: the present one.
void solve_contact(const LocalContact& local, double mu, Vec3& x) HAPTIC_REALTIME {
  Vec3 sticking;
  if (stick(local, sticking) && sticking[0] >= 0.0 &&
      std::sqrt(sticking[1] * sticking[1] + sticking[2] * sticking[2]) <= mu * sticking[0]) {
    x = sticking;
    return;
  }
  const auto& A = local.A;
  for (int i = 0; i < kAlternations; ++i) {
    const Vec3 before = x;
    const double demand = local.c[0] - A[0][1] * x[1] - A[0][2] * x[2];
    x[0] = A[0][0] > 0.0 ? std::max(demand / A[0][0], 0.0) : 0.0;
    const auto t =
        least_in_disc(local, {local.c[1] - A[1][0] * x[0], local.c[2] - A[2][0] * x[0]}, mu * x[0]);
    x[1] = t[0];
    x[2] = t[1];
    double change = 0.0, size = 0.0;
    for (std::size_t k = 0; k < 3; ++k) {
      change = std::max(change, std::abs(x[k] - before[k]));
      size = std::max(size, std::abs(x[k]));
    }
    if (change <= 1e-14 * size) break;
  }
}

}  // namespace

/// Block Gauss-Seidel. residual_ is b - S lambda throughout.
ConeSolver::Outcome ConeSolver::solve_with_friction(const SymmetricView& S,
                                                    std::span<const double> b,
                                                    std::span<const double> normals,
                                                    std::span<const double> mu,
                                                    std::span<double> lambda) HAPTIC_REALTIME {
  const std::size_t count = S.rows / 3;
  double largest_demand = 0.0;
  for (std::size_t i = 0; i < S.rows; ++i) {
    residual_[i] = b[i] - dot(S.row(i), lambda.data(), S.rows);
    largest_demand = std::max(largest_demand, std::abs(b[i]));
  }
  Outcome outcome;
  outcome.converged = false;
  while (!outcome.converged && outcome.iterations < sweeps_) {
    ++outcome.iterations;
    outcome.residual = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = 3 * i;
      LocalContact local{axes_of(&normals[at]), {}, {}};
      Vec3 x, change{};
      for (std::size_t k = 0; k < 3; ++k) {
        x[k] = dot(local.axes[k].data(), &lambda[at], 3);
        local.c[k] = dot(local.axes[k].data(), &residual_[at], 3);
      }
      for (std::size_t k = 0; k < 3; ++k) {
        Vec3 along;  // S_ii axis
        for (std::size_t a = 0; a < 3; ++a)
          along[a] = dot(S.row(at + a) + at, local.axes[k].data(), 3);
        for (std::size_t l = 0; l < 3; ++l)
          local.A[l][k] = dot(local.axes[l].data(), along.data(), 3);
      }
      for (std::size_t k = 0; k < 3; ++k) local.c[k] += dot(local.A[k].data(), x.data(), 3);
      solve_contact(local, mu[i], x);
      for (std::size_t a = 0; a < 3; ++a) {
        double force = 0.0;
        for (std::size_t k = 0; k < 3; ++k) force += local.axes[k][a] * x[k];
        change[a] = force - lambda[at + a];
        lambda[at + a] = force;
      }
      for (std::size_t a = 0; a < 3; ++a) {
        add_scaled(-change[a], S.row(at + a), S.rows, residual_.data());
        outcome.residual = std::max(outcome.residual, std::abs(change[a]) * S(at + a, at + a));
      }
    }
    outcome.converged = outcome.residual <= kSettled * largest_demand;
  }
  return outcome;
}

}  // namespace haptic::condensed
