// Locking: one load on a distant vertex, replayed in bases of falling size against the full model
// (Barbic 2007, section 2.13.2; docs/methods/reduced-dynamics.md, "Locking", acceptance test 34).
#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <optional>

#include "host/unreduced/full_newmark.h"
#include "lab/experiments/experiment.h"
#include "lab/experiments/figure.h"
#include "lab/experiments/subspace.h"
#include "lab/experiments/trajectory.h"
#include "lab/experiments/voxel_body.h"
#include "lab/oracle/subspace_newmark.h"

namespace haptic {
namespace {

constexpr int kStepsPerPeriod = 129;  // Barbic 2007, section 2.13.2
constexpr int kMaxPolynomial = 50;    // the limit named there; beyond it the direct route

struct Basis {
  int k, r;  // r = k + k (k + 1) / 2: Gram-Schmidt of everything, no PCA
};

void stiffen(Experiment& experiment) {
  const bool quick = experiment.quick();
  const double length = 0.2;
  // Fixed in the lowest tenth of its height, also for a mesh of the user.
  VoxelBodySource source{"hose", {}, experiment.mesh(), length};
  const TriangleMesh surface = source.surface();
  const BoundingBox box = bounding_box(surface);
  Constraints constraints;
  if (experiment.mesh().empty()) {
    constraints.planes.push_back({0, PlaneConstraint::Side::kBelow, 0.06 * box.size().x()});
  } else {
    constraints.planes.push_back({1, PlaneConstraint::Side::kBelow, 0.1 * box.size().y()});
  }
  const VoxelBody body(surface, quick ? 13 : 28, true, {2e5, 0.3, 1000.0}, constraints);
  const StvkModel& model = body.model();

  // The load acts at the vertex farthest from the fixed ones, perpendicular to the line between.
  Vector3 held = Vector3::Zero();
  for (const std::uint32_t v : model.fixed_vertices())
    held += model.mesh().vertex(static_cast<int>(v));
  held /= static_cast<double>(model.fixed_vertices().size());
  int tip = 0;
  for (int v = 0; v < model.vertex_count(); ++v) {
    if ((model.mesh().vertex(v) - held).norm() > (model.mesh().vertex(tip) - held).norm()) tip = v;
  }
  const Vector3 along = (model.mesh().vertex(tip) - held).normalized();
  const Vector3 direction =
      along.cross(std::abs(along.y()) < 0.9 ? Vector3::UnitY() : Vector3::UnitX()).normalized();

  const int k = quick ? 6 : 20;
  const std::vector<Basis> bases =
      quick ? std::vector<Basis>{{6, 27}, {6, 18}, {6, 12}, {6, 7}, {3, 7}}
            : std::vector<Basis>{{20, 230}, {20, 60}, {20, 30}, {20, 15}, {10, 15}};
  const ModalData data(model, k);
  const double omega = std::sqrt(data.modes.eigenvalues[0]);
  const double period = 2.0 * std::numbers::pi / omega, dt = period / kStepsPerPeriod;
  const RayleighDamping damping{0.0, 0.02 / omega};
  const int pushed = 30, steps = quick ? 90 : 180;  // the load on the dragon's back

  const Eigen::MatrixXd thirty = derivative_basis(model, data, k, bases[2].r);
  const double force =
      force_for_deflection(reduced_energy(model, thirty), thirty, model, tip, direction, pushed, dt,
                           damping, steps, 0.45 * box.longest_side());
  const LoadHistory load = impulse(model, tip, force * direction, pushed);

  struct Row {
    std::string name;
    int r;  // 0: not a basis of derivatives
    Trajectory trajectory;
  };
  std::vector<Row> rows;
  const FullNewmarkSettings newton{.iterations = 20, .tolerance = 1e-5};
  {
    FullNewmark full(model, dt, damping, newton);
    rows.push_back({"unreduced", 0, run(full, load, steps)});
  }
  for (const Basis& b : bases) {
    const bool all = b.r == b.k + b.k * (b.k + 1) / 2;
    const Eigen::MatrixXd U =
        all ? full_derivative_basis(model, data) : derivative_basis(model, data, b.k, b.r);
    const std::string name = fmt::format("k={} r={}", b.k, b.r);
    if (b.r > kMaxPolynomial) {
      SubspaceNewmark direct(model, U, dt, damping, {.iterations = 20, .tolerance = 1e-5});
      rows.push_back({name + " (direct)", b.r, run(direct, load, steps)});
    } else {
      rows.push_back({name, b.r, run(reduced_energy(model, U), U, dt, damping, load, steps)});
    }
  }
  {
    FullNewmark linear(model, dt, damping, {.solver = FullSolver::kLinear});
    rows.push_back({"linear", 0, run(linear, load, steps)});
  }

  ResultTable table({"run", "peak L", "step of peak", "trajectory error %", "s/step"});
  Figure figure{"step", "displacement of the loaded vertex along the load [L]", {}};
  std::vector<double> errors;
  for (const Row& row : rows) {
    const Eigen::VectorXd y = row.trajectory.u.middleRows(3 * tip, 3).transpose() * direction;
    Eigen::Index at = 0;
    const double peak = y.maxCoeff(&at);
    errors.push_back(trajectory_error(model, row.trajectory, rows[0].trajectory));
    table.add({row.name, fmt::format("{:.3f}", peak / box.longest_side()), fmt::format("{}", at),
               fmt::format("{:.2f}", 100.0 * errors.back()),
               fmt::format("{:.1e}", row.trajectory.seconds_per_step)});
    FigureCurve curve{row.name};
    for (Eigen::Index i = 0; i < y.size(); ++i) {
      curve.x.push_back(static_cast<double>(i));
      curve.y.push_back(y[i] / box.longest_side());
    }
    curve.dashed = row.name == "linear";
    figure.curves.push_back(std::move(curve));
  }
  experiment.report(
      fmt::format(
          "{} of {} elements, lowest mode {:.2f} Hz, {} steps a period, {:.3g} N for {} steps",
          experiment.mesh().empty() ? "hose" : experiment.mesh(), model.mesh().element_count(),
          1.0 / period, kStepsPerPeriod, force, pushed),
      table);
  draw_figure(figure, experiment.path({}, ".png"));

  // Rows 1 to 4 have the same k and decreasing r. Errors must not decrease with r, within 10 %.
  for (std::size_t i = 1; i < 4; ++i) {
    experiment.at_most(
        fmt::format("T34 error of {} over that of {}", rows[i].name, rows[i + 1].name),
        errors[i] / errors[i + 1], 1.10);
  }
  experiment.at_most(fmt::format("T34 error of {} over that of {}", rows[2].name, rows[1].name),
                     errors[2] / errors[1], 1.3);
}

}  // namespace
}  // namespace haptic

int main(int argc, char** argv) {
  return haptic::run_experiment(argc, argv, "progressive_bases",
                                "Bases of falling size against the full model (T34)",
                                haptic::stiffen, haptic::Shape::kOwnOrMesh);
}
