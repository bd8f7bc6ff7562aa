#include "lab/experiments/twisted_beam.h"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <cmath>
#include <cstdint>
#include <utility>

#include "host/fem/sparse_factorization.h"
#include "rt/dynamics/vector_views.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr double kEdge = 0.05, kLength = 1.0;
/// Stiffness [N/m] of the springs that pull each end vertex to its position in the rotated section,
/// across the axis. A beam of this size has a torsional stiffness of some 50 N m/rad, so 16
/// vertices at 0.1 m with 1e6 N/m each deviate by less than 0.1 degree.
constexpr double kSpring = 1e6;

StvkModel held_beam_of(ElasticModel elastic) {
  SolidMesh mesh = make_box_mesh(20, 2, 3, kEdge, Material{1e6, 0.3, 1000.0});
  std::vector<std::uint32_t> fixed;
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    if (mesh.vertex(v).x() < 1e-9) fixed.push_back(static_cast<std::uint32_t>(v));
  }
  return {std::move(mesh), fixed, {.elastic = elastic}};
}

}  // namespace

TwistedBeam::TwistedBeam(ElasticModel elastic) : model(held_beam_of(elastic)) {
  for (int v = 0; v < model.vertex_count(); ++v) {
    if (model.mesh().vertex(v).x() < kLength - 1e-9) continue;
    end.push_back(v);
    centre += model.mesh().vertex(v);
  }
  centre /= static_cast<double>(end.size());
}

Eigen::VectorXd TwistedBeam::target(double angle) const {
  Eigen::VectorXd t(2 * static_cast<Eigen::Index>(end.size()));
  const Eigen::Rotation2Dd turn(angle);
  for (std::size_t i = 0; i < end.size(); ++i) {
    t.segment<2>(2 * static_cast<Eigen::Index>(i)) = turn * arm(end[i]) - arm(end[i]);
  }
  return t;
}

Eigen::MatrixXd TwistedBeam::end_rows(const Eigen::MatrixXd& U) const {
  Eigen::MatrixXd rows(2 * static_cast<Eigen::Index>(end.size()), U.cols());
  for (std::size_t i = 0; i < end.size(); ++i) {
    rows.middleRows(2 * static_cast<Eigen::Index>(i), 2) = U.middleRows(3 * end[i] + 1, 2);
  }
  return rows;
}

double TwistedBeam::turned(const Eigen::VectorXd& u, double before) const {
  const Eigen::VectorXd moved = end_rows(u);
  double along = 0.0, across = 0.0;
  for (std::size_t i = 0; i < end.size(); ++i) {
    const Eigen::Vector2d a = arm(end[i]);
    const Eigen::Vector2d b = a + moved.segment<2>(2 * static_cast<Eigen::Index>(i));
    along += a.dot(b);
    across += a.x() * b.y() - a.y() * b.x();
  }
  const double angle = std::atan2(across, along), full = 2.0 * std::numbers::pi;
  return angle + full * std::round((before - angle) / full);
}

double TwistedBeam::twist_fraction(const Eigen::VectorXd& mode) const {
  const Eigen::VectorXd moved = end_rows(mode);
  double curl = 0.0, square = 0.0;
  for (std::size_t i = 0; i < end.size(); ++i) {
    const Eigen::Vector2d a = arm(end[i]);
    curl += a.x() * moved[2 * static_cast<Eigen::Index>(i) + 1] -
            a.y() * moved[2 * static_cast<Eigen::Index>(i)];
    square += a.squaredNorm();
  }
  return std::abs(curl) / std::sqrt(square) / moved.norm();
}

void HeldEnd::move_to(const Eigen::VectorXd& t, Eigen::VectorXd& x) const {
  const auto potential = [&](const Eigen::VectorXd& y) {
    return energy(y) + 0.5 * kSpring * (S * y - t).squaredNorm();
  };
  for (int iteration = 0; iteration < 200; ++iteration) {
    const Eigen::VectorXd gradient = force(x) + kSpring * S.transpose() * (S * x - t);
    Eigen::VectorXd step;
    double shift = 0.0;
    while (!solve(x, shift, -gradient, step)) {
      shift = shift == 0.0 ? 1.0 : 10.0 * shift;
      if (shift > 1e12) throw OperationError("twist: no descent direction");
    }
    const double slope = gradient.dot(step), before = potential(x);
    // The decrement is an energy; converged when it is below 1e-10 J.
    if (-slope < 1e-10) return;
    double length = 1.0;
    while (length > 1e-6 && potential(x + length * step) > before + 1e-4 * length * slope) {
      length *= 0.5;
    }
    x += length * step;
  }
  throw OperationError("twist: no equilibrium in 200 iterations");
}

HeldEnd held_subspace(const TwistedBeam& beam, const Eigen::MatrixXd& U,
                      const ReducedEnergy& energy) {
  const auto r = static_cast<std::size_t>(U.cols());
  const Eigen::MatrixXd S = beam.end_rows(U);
  const auto evaluate = [&energy, r](const Eigen::VectorXd& q) {
    ReducedEnergy::Workspace workspace(energy.dimension());
    std::pair<Eigen::VectorXd, Eigen::MatrixXd> result(q, Eigen::MatrixXd(q.size(), q.size()));
    energy.force_and_stiffness(view(q), {result.first.data(), r}, {result.second.data(), r * r},
                               workspace);
    return result;
  };
  return {[&energy](const Eigen::VectorXd& q) { return energy.energy(view(q)); },
          [evaluate](const Eigen::VectorXd& q) { return evaluate(q).first; },
          [evaluate, S](const Eigen::VectorXd& q, double shift, const Eigen::VectorXd& b,
                        Eigen::VectorXd& d) {
            Eigen::MatrixXd A = evaluate(q).second + kSpring * S.transpose() * S;
            A.diagonal().array() += shift;
            const Eigen::LLT<Eigen::MatrixXd> cholesky(A);
            if (cholesky.info() != Eigen::Success) return false;
            d = cholesky.solve(b);
            return true;
          },
          S};
}

HeldEnd held_body(const TwistedBeam& beam) {
  const StvkModel& model = beam.model;
  Eigen::MatrixXd S =
      Eigen::MatrixXd::Zero(2 * static_cast<Eigen::Index>(beam.end.size()), model.free_dof_count());
  for (std::size_t i = 0; i < beam.end.size(); ++i) {
    for (int c = 0; c < 2; ++c) {
      S(2 * static_cast<Eigen::Index>(i) + c, 3 * model.free_index(beam.end[i]) + 1 + c) = 1.0;
    }
  }
  const SparseMatrix springs = kSpring * SparseMatrix((S.transpose() * S).sparseView());
  const SparseMatrix mass = model.mass();
  return {[&model](const Eigen::VectorXd& x) { return model.energy(model.expand(x)); },
          [&model](const Eigen::VectorXd& x) -> Eigen::VectorXd {
            return model.restrict_to_free(model.force(model.expand(x)));
          },
          [&model, springs, mass](const Eigen::VectorXd& x, double shift, const Eigen::VectorXd& b,
                                  Eigen::VectorXd& d) {
            const SparseMatrix A = model.stiffness(model.expand(x)) + springs + shift * mass;
            try {
              d = SparseFactorization(A).solve(b);
            } catch (const OperationError&) {
              return false;
            }
            return true;
          },
          S};
}

}  // namespace haptic
