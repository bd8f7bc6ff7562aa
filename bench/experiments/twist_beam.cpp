// Two twist modes and their three derivatives carry a beam to 270 degrees; the modes alone lock
// (Barbic 2007, section 2.8.6; docs/methods/reduced-dynamics.md, acceptance test 25).
#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <numbers>

#include "bench/experiments/experiment.h"
#include "bench/experiments/face_surface.h"
#include "bench/experiments/figure.h"
#include "bench/experiments/subspace.h"
#include "bench/experiments/voxel_body.h"
#include "host/reduction/mass_pca.h"
#include "host/view/scene_renderer.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr double kEdge = 0.05, kLength = 1.0;
constexpr double kDegree = std::numbers::pi / 180.0;
/// Stiffness [N/m] of the springs that pull each end vertex to its position in the rotated section,
/// across the axis. A beam of this size has a torsional stiffness of some 50 N m/rad, so 16
/// vertices at 0.1 m with 1e6 N/m each deviate by less than 0.1 degree.
constexpr double kSpring = 1e6;

/// The beam, its end face, and the positions of the end face after a rotation.
struct Beam {
  Beam() : model(make()) {
    for (int v = 0; v < model.vertex_count(); ++v) {
      if (model.mesh().vertex(v).x() < kLength - 1e-9) continue;
      end.push_back(v);
      centre += model.mesh().vertex(v);
    }
    centre /= static_cast<double>(end.size());
  }
  static StvkModel make() {
    SolidMesh mesh = make_box_mesh(20, 2, 3, kEdge, Material{1e6, 0.3, 1000.0});
    std::vector<std::uint32_t> fixed;
    for (int v = 0; v < mesh.vertex_count(); ++v) {
      if (mesh.vertex(v).x() < 1e-9) fixed.push_back(static_cast<std::uint32_t>(v));
    }
    return {std::move(mesh), fixed};
  }
  Eigen::Vector2d arm(int v) const { return (model.mesh().vertex(v) - centre).tail<2>(); }

  /// Displacement of the end face, (y, z) per vertex, turned by `angle` about the axis.
  Eigen::VectorXd target(double angle) const {
    Eigen::VectorXd t(2 * static_cast<Eigen::Index>(end.size()));
    const Eigen::Rotation2Dd turn(angle);
    for (std::size_t i = 0; i < end.size(); ++i) {
      t.segment<2>(2 * static_cast<Eigen::Index>(i)) = turn * arm(end[i]) - arm(end[i]);
    }
    return t;
  }
  /// Rows (y, z) of the end face of 3n x c.
  Eigen::MatrixXd end_rows(const Eigen::MatrixXd& U) const {
    Eigen::MatrixXd rows(2 * static_cast<Eigen::Index>(end.size()), U.cols());
    for (std::size_t i = 0; i < end.size(); ++i) {
      rows.middleRows(2 * static_cast<Eigen::Index>(i), 2) = U.middleRows(3 * end[i] + 1, 2);
    }
    return rows;
  }
  /// Angle of the rotation that best fits the end face, on the branch next to `before`.
  double turned(const Eigen::VectorXd& u, double before) const {
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
  /// Smallest determinant of the deformation gradient over all Gauss points.
  double smallest_volume(const Eigen::VectorXd& u) const {
    double smallest = 1.0;
    for (int e = 0; e < model.mesh().element_count(); ++e) {
      const auto corners = model.mesh().element(e);
      for (const CornerVectors& gradient : model.mesh().shape(e).quadrature.gradient) {
        Matrix3 F = Matrix3::Identity();
        for (int a = 0; a < 8; ++a) {
          F += u.segment<3>(3 * static_cast<Eigen::Index>(corners[static_cast<std::size_t>(a)])) *
               gradient.col(a).transpose();
        }
        smallest = std::min(smallest, F.determinant());
      }
    }
    return smallest;
  }
  /// How much a mode twists the section: y-z curl over the end face relative to its size there.
  double twist_fraction(const Eigen::VectorXd& mode) const {
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

  StvkModel model;
  std::vector<int> end;
  Vector3 centre = Vector3::Zero();
};

/// Minimum of W(x) + kSpring/2 |S x - t|^2 by Newton with backtracking and a shift where the matrix
/// is indefinite. The three callbacks define x: the full body or reduced coordinates.
struct HeldEnd {
  std::function<double(const Eigen::VectorXd&)> energy;
  std::function<Eigen::VectorXd(const Eigen::VectorXd&)> force;
  /// Solves (K(x) + kSpring S^T S + shift) d = b; false where it is not positive definite.
  std::function<bool(const Eigen::VectorXd&, double, const Eigen::VectorXd&, Eigen::VectorXd&)>
      solve;
  Eigen::MatrixXd S;

  void move_to(const Eigen::VectorXd& t, Eigen::VectorXd& x) const {
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
};

HeldEnd held_subspace(const Beam& beam, const Eigen::MatrixXd& U, const ReducedEnergy& energy) {
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

/// Free dofs of the whole body.
HeldEnd held_body(const Beam& beam) {
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

struct TwistPath {
  std::vector<double> prescribed, reached, energy;  // degrees, degrees, J
  Eigen::VectorXd x;                                // at the end
  double smallest_volume = 1.0;                     // at the end
};

/// @param expand x -> u
TwistPath twist(const Beam& beam, const HeldEnd& held,
                const std::function<Eigen::VectorXd(const Eigen::VectorXd&)>& expand, int step) {
  TwistPath path;
  path.x = Eigen::VectorXd::Zero(held.S.cols());
  double angle = 0.0;
  for (int degrees = 0; degrees <= 270; degrees += step) {
    held.move_to(beam.target(degrees * kDegree), path.x);
    const Eigen::VectorXd u = expand(path.x);
    angle = beam.turned(u, angle);
    path.prescribed.push_back(degrees);
    path.reached.push_back(angle / kDegree);
    path.energy.push_back(held.energy(path.x));
    path.smallest_volume = beam.smallest_volume(u);
  }
  return path;
}

void draw(const Experiment& experiment, const Beam& beam, const Eigen::MatrixXd& U,
          const HeldEnd& held) {
  const FaceSurface faces(beam.model.mesh(), 6);
  const std::filesystem::path model = experiment.path("beam", ".h5");
  write_display_model(model, faces.surface, faces.at_surface(U));
  SceneFrame frame;
  Eigen::VectorXd q = Eigen::VectorXd::Zero(U.cols());
  for (int degrees = 0; degrees <= 270; degrees += 5) {
    held.move_to(beam.target(degrees * kDegree), q);
    if (degrees % 90 != 0) continue;
    const Pose pose{{0.0, 0.0, -0.22 * degrees / 90.0}, Quaternion::Identity()};
    frame.bodies.push_back({fmt::format("{}", degrees), model, pose, {q.begin(), q.end()}});
  }
  SceneRenderer renderer({.width = 1000, .height = 560, .azimuth = 0.5, .elevation = 0.75});
  write_png(renderer.draw(frame), experiment.path("picture", ".png"));
}

void twist_beam(Experiment& experiment) {
  const Beam beam;
  const ModalData data(beam.model, 12);
  std::vector<int> twists;
  for (int i = 0; i < 12 && twists.size() < 2; ++i) {
    if (beam.twist_fraction(data.modes.shapes.col(i)) > 0.9) twists.push_back(i);
  }
  if (twists.size() < 2) throw OperationError("twist: fewer than two twist modes among twelve");
  const int a = twists[0], b = twists[1];
  Eigen::MatrixXd columns(beam.model.dof_count(), 5);
  columns << data.modes.shapes.col(a), data.modes.shapes.col(b),
      data.derivatives.shapes.col(modal_pair_index(a, a, 12)),
      data.derivatives.shapes.col(modal_pair_index(a, b, 12)),
      data.derivatives.shapes.col(modal_pair_index(b, b, 12));
  const auto orthonormal = [&](const Eigen::MatrixXd& X) {
    return beam.model.expand(
        mass_gram_schmidt(beam.model.scalar_mass(), beam.model.restrict_to_free(X)));
  };
  const Eigen::MatrixXd five = orthonormal(columns), two = orthonormal(columns.leftCols(2));
  const ReducedEnergy five_energy = reduced_energy(beam.model, five);
  const ReducedEnergy two_energy = reduced_energy(beam.model, two);
  const HeldEnd held = held_subspace(beam, five, five_energy);

  const int step = experiment.quick() ? 10 : 5;
  const TwistPath full = twist(
      beam, held_body(beam),
      [&](const Eigen::VectorXd& x) -> Eigen::VectorXd { return beam.model.expand(x); }, step);
  const TwistPath reduced = twist(
      beam, held, [&](const Eigen::VectorXd& q) -> Eigen::VectorXd { return five * q; }, step);
  const TwistPath modes = twist(
      beam, held_subspace(beam, two, two_energy),
      [&](const Eigen::VectorXd& q) -> Eigen::VectorXd { return two * q; }, step);

  ResultTable table({"prescribed deg", "full deg", "full J", "5 vectors deg", "5 vectors J",
                     "2 modes deg", "2 modes J"});
  for (std::size_t i = 0; i < full.prescribed.size(); ++i) {
    if (static_cast<int>(full.prescribed[i]) % 30 != 0) continue;
    table.add({fmt::format("{:.0f}", full.prescribed[i]), fmt::format("{:.2f}", full.reached[i]),
               fmt::format("{:.2f}", full.energy[i]), fmt::format("{:.2f}", reduced.reached[i]),
               fmt::format("{:.2f}", reduced.energy[i]), fmt::format("{:.2f}", modes.reached[i]),
               fmt::format("{:.2f}", modes.energy[i])});
  }
  experiment.report(
      fmt::format("Beam of 20 x 2 x 3 cubes, L = 1 m, end face turned; basis Psi_{0}, Psi_{1}, "
                  "Phi_{0}{0}, Phi_{0}{1}, Phi_{1}{1}",
                  a + 1, b + 1),
      table);
  Figure figure{"prescribed rotation [degrees]", "rotation reached [degrees]", {}};
  figure.curves = {{"full model", full.prescribed, full.reached},
                   {"2 modes + 3 derivatives", reduced.prescribed, reduced.reached},
                   {"2 modes", modes.prescribed, modes.reached}};
  draw_figure(figure, experiment.path({}, ".png"));
  draw(experiment, beam, five, held);

  const double highest = *std::max_element(modes.reached.begin(), modes.reached.end());
  experiment.at_most("T25 five vectors, degrees short of 270",
                     std::abs(reduced.reached.back() - 270.0), 3.0);
  experiment.at_least("T25 five vectors, smallest det F", reduced.smallest_volume, 1e-6);
  experiment.at_most("T25 five vectors, energy over full",
                     reduced.energy.back() / full.energy.back(), 2.2);
  // A rotation needs cos and sin of the angle; the modes alone give one of them and reach less than
  // 90.
  experiment.at_most("T25 two modes alone fail, largest rotation [degrees]", highest, 90.0);
}

}  // namespace
}  // namespace haptic

int main(int argc, char** argv) {
  return haptic::run_experiment(argc, argv, "twist_beam",
                                "A beam twisted by 270 degrees in five vectors (T25)",
                                haptic::twist_beam);
}
