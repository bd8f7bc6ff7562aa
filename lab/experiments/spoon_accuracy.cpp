// A spoon hit at its tip: full model, re-simulation, modal derivatives and sketch, all replayed
// with the same impulse, step and damping. Barbic 2007, figure 2.3; acceptance tests 32 and 33.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "host/reduction/sketch.h"
#include "host/unreduced/full_newmark.h"
#include "lab/experiments/experiment.h"
#include "lab/experiments/figure.h"
#include "lab/experiments/subspace.h"
#include "lab/experiments/trajectory.h"
#include "lab/experiments/voxel_body.h"

namespace haptic {
namespace {

constexpr double kDeflection = 0.45;  // of the length, at the tip

/// The loads of a sketch on the linear model: the tip is pulled upwards and to the sides, with at
/// most `strongest` [N]. No load points down, and none is as strong as that of the test.
std::vector<ForceSample> sketch(int tip, double strongest) {
  std::vector<ForceSample> samples;
  for (const double side : {0.0, 0.25, -0.25, 0.5, -0.5}) {
    for (int i = 1; i <= 12; ++i) {
      const double force = strongest * i / 12.0;
      samples.push_back({0.1 * static_cast<double>(samples.size()),
                         {{static_cast<std::uint32_t>(tip),
                           {0.0, force * std::sqrt(1.0 - side * side), force * side}}}});
    }
  }
  return samples;
}

void compare(Experiment& experiment) {
  const int k = 6, r = 12;
  const double length = 0.2, held = 0.035;
  Constraints constraints;
  constraints.planes.push_back({0, PlaneConstraint::Side::kBelow, held});
  VoxelBodySource source{"spoon", {}, experiment.mesh(), length};
  const VoxelBody body(source.surface(), experiment.quick() ? 28 : 73, true, {6e7, 0.4, 1000.0},
                       constraints);
  const StvkModel& model = body.model();
  const BoundingBox box = bounding_box(body.surface());
  const int tip = body.vertex_near({box.upper.x(), box.upper.y(), box.centre().z()});

  const int per_period = experiment.quick() ? 60 : 129;  // 129: 3.8's resolution of a period
  const ModalData data(model, k);
  const double omega = std::sqrt(data.modes.eigenvalues[0]);
  const double period = 2.0 * std::numbers::pi / omega, dt = period / per_period;
  const RayleighDamping damping{0.0, 0.02 / omega};  // ratio 0.01 at the lowest mode
  const int hit = per_period / 12;
  const int steps = experiment.quick() ? 3 * per_period / 2 : 3 * per_period;

  const Eigen::MatrixXd derivatives = derivative_basis(model, data, k, r);
  const ReducedEnergy derivative_energy = reduced_energy(model, derivatives);
  const double force =
      force_for_deflection(derivative_energy, derivatives, model, tip, Vector3::UnitY(), hit, dt,
                           damping, per_period / 2, kDeflection * length);
  const LoadHistory load = impulse(model, tip, force * Vector3::UnitY(), hit);

  FullNewmark full(model, dt, damping, {.iterations = 20, .tolerance = 1e-5});
  const Trajectory reference = run(full, load, steps);

  struct Row {
    std::string name;
    Trajectory trajectory;
  };
  std::vector<Row> rows = {{"full model", reference}};
  const auto add = [&](const std::string& name, const Eigen::MatrixXd& U) {
    rows.push_back({name, run(reduced_energy(model, U), U, dt, damping, load, steps)});
  };
  add("re-simulation r=12", shape_basis(model, reference.u.rightCols(steps), r));
  add("derivatives k=6 r=12", derivatives);
  // The static load that bends the linear model as far as the test reaches, times 0.7: weaker.
  Eigen::VectorXd unit = Eigen::VectorXd::Zero(model.dof_count());
  unit(3 * tip + 1) = 1.0;
  const SparseFactorization rest = factor_rest_stiffness(model);
  const Eigen::VectorXd answer = model.expand(rest.solve(model.restrict_to_free(unit)));
  const double strongest = 0.7 * kDeflection * length / answer(3 * tip + 1);
  const SketchShapes sketched = sketch_shapes(model, rest, sketch(tip, strongest), "sketch");
  add("sketch r=12", shape_basis(model, sketched.shapes, r));
  add("linear modes r=12", linear_basis(ModalData(model, r), r));

  ResultTable table(
      {"basis", "frequency Hz", "df %", "amplitude L", "dA %", "trajectory error %", "s/step"});
  Figure figure{"time [periods of the lowest mode]", "vertical tip displacement [L]", {}};
  const Eigen::VectorXd truth = reference.at(tip, 1);
  const double f0 = frequency_of(truth, dt), A0 = truth.cwiseAbs().maxCoeff();
  std::vector<double> df, error;
  for (const Row& row : rows) {
    const Eigen::VectorXd y = row.trajectory.at(tip, 1);
    const double f = frequency_of(y, dt), A = y.cwiseAbs().maxCoeff();
    df.push_back(f / f0 - 1.0);
    error.push_back(trajectory_error(model, row.trajectory, reference));
    table.add({row.name, fmt::format("{:.2f}", f), fmt::format("{:+.2f}", 100.0 * df.back()),
               fmt::format("{:.3f}", A / length), fmt::format("{:+.2f}", 100.0 * (A / A0 - 1.0)),
               fmt::format("{:.2f}", 100.0 * error.back()),
               fmt::format("{:.2e}", row.trajectory.seconds_per_step)});
    FigureCurve curve{row.name};
    for (Eigen::Index i = 0; i < y.size(); ++i) {
      curve.x.push_back(static_cast<double>(i) / per_period);
      curve.y.push_back(y[i] / length);
    }
    curve.dashed = row.name.starts_with("linear");
    figure.curves.push_back(std::move(curve));
  }
  experiment.report(
      fmt::format(
          "Spoon of {} elements, lowest mode {:.2f} Hz, {} steps a period, impulse of {:.3g} "
          "N over {} steps; sketch: {} loads, {} kept, {} shapes",
          model.mesh().element_count(), 1.0 / period, per_period, force, hit, sketched.samples,
          sketched.forces.size(), sketched.kept.size()),
      table);
  draw_figure(figure, experiment.path({}, ".png"));
  experiment.at_most("T32 re-simulation, trajectory error", error[1], 0.02);
  experiment.at_most("T33 derivatives, frequency", std::abs(df[2]), 0.07);
  experiment.at_most("T33 sketch, frequency", std::abs(df[3]), 0.15);
  // Artificial stiffening: linear modes without derivatives lock and the frequency rises.
  experiment.at_least("T34 linear modes, frequency over the full one", 1.0 + df[4], 1.5);
}

}  // namespace
}  // namespace haptic

int main(int argc, char** argv) {
  return haptic::run_experiment(argc, argv, "spoon_accuracy",
                                "A hit spoon in four bases against the full model (T32, T33)",
                                haptic::compare, haptic::Shape::kOwnOrMesh);
}
