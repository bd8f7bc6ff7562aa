// How far does a beam bend in each basis under a transverse load at its tip? Derivatives follow,
// linear modes alone lock (docs/methods/reduced-dynamics.md, "Locking", acceptance test 24).
#include <fmt/format.h>

#include "host/fem/static_solver.h"
#include "host/reduction/reduced_statics.h"
#include "lab/experiments/experiment.h"
#include "lab/experiments/figure.h"
#include "lab/experiments/subspace.h"

namespace haptic {
namespace {

constexpr Material kRubber{1e6, 0.3, 1000.0};
constexpr double kEdge = 0.05, kLength = 1.0;

StvkModel held_beam() {
  SolidMesh mesh = make_box_mesh(20, 3, 3, kEdge, kRubber);
  std::vector<std::uint32_t> fixed;
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    if (mesh.vertex(v).x() < 1e-9) fixed.push_back(static_cast<std::uint32_t>(v));
  }
  return {std::move(mesh), fixed};
}

std::vector<int> end_face(const StvkModel& model) {
  std::vector<int> face;
  for (int v = 0; v < model.vertex_count(); ++v) {
    if (model.mesh().vertex(v).x() > kLength - 1e-9) face.push_back(v);
  }
  return face;
}

Vector3 tip(const std::vector<int>& face, const Eigen::VectorXd& u) {
  Vector3 sum = Vector3::Zero();
  for (const int v : face) sum += u.segment<3>(3 * v);
  return sum / static_cast<double>(face.size());
}

void bend(Experiment& experiment) {
  const StvkModel model = held_beam();
  const std::vector<int> face = end_face(model);
  const double side = 3.0 * kEdge;
  const double unit = kRubber.youngs_modulus * std::pow(side, 4) / 12.0 / (kLength * kLength);

  const ModalData data(model, 27);
  struct Basis {
    std::string name;
    Eigen::MatrixXd U;
    ReducedEnergy energy;
  };
  std::vector<Basis> bases;
  const auto add = [&](std::string name, Eigen::MatrixXd U) {
    ReducedEnergy energy = reduced_energy(model, U);
    bases.push_back({std::move(name), std::move(U), std::move(energy)});
  };
  add("derivatives k=6 r=12", derivative_basis(model, data, 6, 12));
  add("derivatives k=10 r=20", derivative_basis(model, data, 10, 20));
  add("linear modes r=6", linear_basis(data, 6));
  add("linear modes r=27", linear_basis(data, 27));

  const std::vector<double> loads =
      experiment.quick() ? std::vector{0.25, 1.0, 2.0, 4.0}
                         : std::vector{0.05, 0.125, 0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0};
  std::vector<std::string> columns = {"F L^2/EI", "full tip y [L]"};
  Figure figure{"transverse load F L^2 / EI", "tip deflection [L]", {{"full model"}}};
  for (const Basis& basis : bases) {
    columns.push_back(basis.name + " error %");
    figure.curves.push_back({basis.name});
  }
  ResultTable table(columns);
  std::vector<std::vector<double>> errors;  // basis by load
  for (FigureCurve& curve : figure.curves) {
    curve.x = {0.0};
    curve.y = {0.0};
    curve.points = true;
  }
  Eigen::VectorXd start;
  for (const double load : loads) {
    Eigen::VectorXd f = Eigen::VectorXd::Zero(model.dof_count());
    for (const int v : face) f(3 * v + 1) = load * unit / static_cast<double>(face.size());
    const StaticSolution solution =
        solve_static(model, f, {.load_steps = start.size() ? 2 : 10, .start = start});
    start = solution.u;
    const Vector3 full = tip(face, solution.u);
    std::vector<std::string> row = {fmt::format("{}", load), fmt::format("{:.4f}", full.y())};
    figure.curves[0].x.push_back(load);
    figure.curves[0].y.push_back(full.y() / kLength);
    errors.emplace_back();
    for (std::size_t b = 0; b < bases.size(); ++b) {
      const Eigen::VectorXd reduced_force = bases[b].U.transpose() * f;
      const StaticsSolution reduced = solve_reduced_statics(bases[b].energy, view(reduced_force));
      const Vector3 moved = tip(face, bases[b].U * vector_of(reduced.q));
      errors.back().push_back((moved - full).norm() / full.norm());
      row.push_back(fmt::format("{:.2f}", 100.0 * errors.back().back()));
      figure.curves[b + 1].x.push_back(load);
      figure.curves[b + 1].y.push_back(moved.y() / kLength);
    }
    table.add(row);
  }
  experiment.report("Beam of 20 x 3 x 3 cubes, L = 1 m, nu = 0.3: tip error |tip - full| / |full|",
                    table);
  draw_figure(figure, experiment.path({}, ".png"));

  for (std::size_t l = 0; l < loads.size(); ++l) {
    const std::string at = fmt::format(" at F L^2/EI = {}", loads[l]);
    if (loads[l] <= 2.0) {
      experiment.at_most("T24 derivatives k=6 r=12, tip error" + at, errors[l][0], 0.03);
    }
    if (loads[l] == 4.0) {
      experiment.at_most("T24 derivatives k=6 r=12, tip error" + at, errors[l][0], 0.05);
    }
    for (const std::size_t b : {2UL, 3UL}) {
      if (loads[l] == 0.25) experiment.at_least("T24 " + bases[b].name + at, errors[l][b], 0.40);
      if (loads[l] == 1.0) experiment.at_least("T24 " + bases[b].name + at, errors[l][b], 0.70);
    }
  }
}

}  // namespace
}  // namespace haptic

int main(int argc, char** argv) {
  return haptic::run_experiment(argc, argv, "static_beam",
                                "Static bending of a beam in each basis (T24)", haptic::bend);
}
