// A reduced StVK body beside unreduced StVK, corotational and neo-Hookean ones: a cantilever under
// a large load, a twisted bar, and a pressed block, which StVK does not resist beyond its peak
// (docs/methods/reduced-dynamics.md, "Other elastic models").
#include <fmt/format.h>

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "host/fem/smallest_volume.h"
#include "host/fem/static_solver.h"
#include "host/reduction/reduced_statics.h"
#include "host/view/scene_renderer.h"
#include "lab/experiments/experiment.h"
#include "lab/experiments/face_surface.h"
#include "lab/experiments/figure.h"
#include "lab/experiments/subspace.h"
#include "lab/experiments/twisted_beam.h"
#include "lab/experiments/voxel_body.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr Material kRubber{1e6, 0.3, 1000.0};
constexpr ElasticModel kModels[] = {ElasticModel::kStvk, ElasticModel::kCorotational,
                                    ElasticModel::kNeoHookean};

std::string title_of(ElasticModel elastic) {
  return elastic == ElasticModel::kStvk ? "StVK" : std::string(name_of(elastic));
}

/// Largest |stretch - 1| over the principal directions at every quadrature point of cubes.
double largest_strain(const SolidMesh& mesh, const Eigen::VectorXd& u) {
  double largest = 0.0;
  for (int e = 0; e < mesh.element_count(); ++e) {
    CornerVectors local;
    const auto corners = mesh.element(e);
    for (int a = 0; a < 8; ++a) {
      local.col(a) = u.segment<3>(3 * Eigen::Index{corners[static_cast<std::size_t>(a)]});
    }
    for (const CornerVectors& gradient : mesh.shape(e).quadrature.gradient) {
      const Matrix3 F = Matrix3::Identity() + local * gradient.transpose();
      const Vector3 stretch = Eigen::JacobiSVD<Matrix3>(F).singularValues();
      largest = std::max(largest, (stretch.array() - 1.0).abs().maxCoeff());
    }
  }
  return largest;
}

StvkModel held_box(int nx, int ny, int nz, double edge, ElasticModel elastic) {
  SolidMesh mesh = make_box_mesh(nx, ny, nz, edge, kRubber);
  std::vector<std::uint32_t> fixed;
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    if (mesh.vertex(v).x() < 1e-9) fixed.push_back(static_cast<std::uint32_t>(v));
  }
  return {std::move(mesh), fixed, {.elastic = elastic}};
}

/// Uniform traction of `force` in all [N] on the end face x = length of a box of cubes.
Eigen::VectorXd end_traction(const StvkModel& model, const Vector3& force) {
  const Vector3 upper = model.mesh().upper();
  const auto share = [](double x, double length) {
    return x > 1e-9 && x < length - 1e-9 ? 1.0 : 0.5;
  };
  Eigen::VectorXd f = Eigen::VectorXd::Zero(model.dof_count());
  double sum = 0.0;
  for (int v = 0; v < model.vertex_count(); ++v) {
    const Vector3 X = model.mesh().vertex(v);
    if (X.x() < upper.x() - 1e-9) continue;
    const double weight = share(X.y(), upper.y()) * share(X.z(), upper.z());
    f.segment<3>(3 * v) = weight * force;
    sum += weight;
  }
  return f / sum;
}

/// Mean displacement of the end face [m].
Vector3 end_displacement(const StvkModel& model, const Eigen::VectorXd& u) {
  Vector3 sum = Vector3::Zero();
  int count = 0;
  for (int v = 0; v < model.vertex_count(); ++v) {
    if (model.mesh().vertex(v).x() < model.mesh().upper().x() - 1e-9) continue;
    sum += u.segment<3>(3 * v);
    ++count;
  }
  return sum / count;
}

/// A cantilever of 1 m under a transverse load at its end: |tip displacement|, energy, strain.
void bend(Experiment& experiment) {
  const int nx = experiment.quick() ? 10 : 20, n = experiment.quick() ? 2 : 3;
  const double edge = 1.0 / nx, side = n * edge;
  const double unit = kRubber.youngs_modulus * std::pow(side, 4) / 12.0;
  const StvkModel stvk = held_box(nx, n, n, edge, ElasticModel::kStvk);
  const Eigen::MatrixXd U = derivative_basis(stvk, ModalData(stvk, 10), 10, 20);
  const ReducedEnergy energy = reduced_energy(stvk, U);
  ResultTable table({"F L^2/EI", "model", "tip [L]", "energy J", "largest strain", "least det F"});
  std::vector<Eigen::VectorXd> starts(std::size(kModels));
  for (const double load : {0.25, 1.0, 4.0, 10.0}) {
    const Eigen::VectorXd f = end_traction(stvk, load * unit * Vector3::UnitY());
    Vector3 full = Vector3::Zero();
    const auto add = [&](const std::string& name, const Eigen::VectorXd& u, double stored) {
      const Vector3 tip = end_displacement(stvk, u);
      table.add({fmt::format("{}", load), name, fmt::format("{:.4f}", tip.norm()),
                 fmt::format("{:.3f}", stored),
                 fmt::format("{:.3f}", largest_strain(stvk.mesh(), u)),
                 fmt::format("{:.3f}", smallest_volume(stvk.mesh(), u).ratio)});
      return tip;
    };
    for (std::size_t m = 0; m < std::size(kModels); ++m) {
      const StvkModel model = held_box(nx, n, n, edge, kModels[m]);
      const StaticSolution solution = solve_static(model, f, {.start = starts[m]});
      starts[m] = solution.u;
      const Vector3 tip = add(title_of(kModels[m]), solution.u, model.energy(solution.u));
      if (m == 0) full = tip;
      if (load <= 1.0) {
        experiment.at_most(
            fmt::format("{} against StVK, tip, at F L^2/EI = {}", title_of(kModels[m]), load),
            (tip - full).norm() / full.norm(), 0.02);
      }
    }
    const Eigen::VectorXd reduced_force = U.transpose() * f;
    const Eigen::VectorXd u = U * vector_of(solve_reduced_statics(energy, view(reduced_force)).q);
    const Vector3 tip = add("StVK, reduced r=20", u, stvk.energy(u));
    experiment.at_most(fmt::format("reduced against StVK, tip, at F L^2/EI = {}", load),
                       (tip - full).norm() / full.norm(), load <= 4.0 ? 0.02 : 0.05);
  }
  experiment.report(fmt::format("Cantilever of {} x {} x {} cubes, L = 1 m", nx, n, n), table,
                    "bend");
}

/// The beam of twist_beam turned by 270 degrees in steps of 10.
void twist(Experiment& experiment) {
  ResultTable table({"degrees", "model", "reached", "energy J", "largest strain", "least det F"});
  SceneFrame frame;
  const auto add = [&](const TwistedBeam& beam, const std::string& name, const HeldEnd& held,
                       const std::function<Eigen::VectorXd(const Eigen::VectorXd&)>& expand) {
    Eigen::VectorXd x = Eigen::VectorXd::Zero(held.S.cols()), u;
    double angle = 0.0;
    for (int degrees = 10; degrees <= 270; degrees += 10) {
      held.move_to(beam.target(degrees * kTurnDegree), x);
      u = expand(x);
      angle = beam.turned(u, angle);
      if (degrees % 90 != 0) continue;
      table.add({fmt::format("{}", degrees), name, fmt::format("{:.2f}", angle / kTurnDegree),
                 fmt::format("{:.2f}", held.energy(x)),
                 fmt::format("{:.3f}", largest_strain(beam.model.mesh(), u)),
                 fmt::format("{:.3f}", smallest_volume(beam.model.mesh(), u).ratio)});
    }
    experiment.at_most(name + ", degrees short of 270", std::abs(angle / kTurnDegree - 270.0), 3.0);
    const FaceSurface faces(beam.model.mesh(), 6);
    const auto index = frame.bodies.size();
    const std::filesystem::path file = experiment.path(fmt::format("twist{}", index), ".h5");
    write_display_model(file, faces.surface, faces.at_surface(u));
    const Pose pose{{0.0, 0.0, -0.24 * static_cast<double>(index)}, Quaternion::Identity()};
    frame.bodies.push_back({name, file, pose, {1.0}});
    return held.energy(x);
  };
  std::vector<double> energies;
  for (const ElasticModel elastic : kModels) {
    const TwistedBeam beam(elastic);
    energies.push_back(
        add(beam, title_of(elastic), held_body(beam),
            [&](const Eigen::VectorXd& x) -> Eigen::VectorXd { return beam.model.expand(x); }));
  }
  const TwistedBeam beam;
  const Eigen::MatrixXd U = derivative_basis(beam.model, ModalData(beam.model, 12), 12, 40);
  const ReducedEnergy energy = reduced_energy(beam.model, U);
  add(beam, "StVK, reduced r=40", held_subspace(beam, U, energy),
      [&](const Eigen::VectorXd& q) -> Eigen::VectorXd { return U * q; });
  experiment.report("Beam of 20 x 2 x 3 cubes, end face turned by springs", table, "twist");
  SceneRenderer renderer({.width = 1000, .height = 560, .azimuth = 0.5, .elevation = 0.75});
  write_png(renderer.draw(frame), experiment.path("picture", ".png"));
  for (std::size_t m = 1; m < energies.size(); ++m) {
    experiment.at_most(title_of(kModels[m]) + ", energy of the twist, difference from StVK",
                       std::abs(energies[m] / energies[0] - 1.0), 0.3);
  }
}

/// A slab, three times as wide as high so that it does not buckle as a whole, pressed by a growing
/// load until it has no stable equilibrium without inverted elements.
void press(Experiment& experiment) {
  const int n = experiment.quick() ? 2 : 3;
  ResultTable table({"F/EA", "model", "height [L]", "least det F"});
  Figure figure{"height [L]", "load F / EA", {}};
  std::vector<double> borne;
  for (const ElasticModel elastic : kModels) {
    const StvkModel model = held_box(n, 3 * n, 3 * n, 1.0 / n, elastic);
    FigureCurve curve{title_of(elastic), {1.0}, {0.0}};
    curve.points = true;
    StaticSolution last;
    const auto add = [&](double load) {
      table.add({fmt::format("{:.3f}", load), title_of(elastic),
                 fmt::format("{:.4f}", curve.x.back()),
                 fmt::format("{:.3f}", smallest_volume(model.mesh(), last.u).ratio)});
    };
    double load = 0.0;
    for (int step = 1; step <= 24; ++step) {
      const double next = 0.025 * step;
      const Eigen::VectorXd f =
          end_traction(model, -9.0 * next * kRubber.youngs_modulus * Vector3::UnitX());
      std::optional<StaticSolution> found;
      try {
        found = solve_static(model, f, {.load_steps = 1, .start = last.u});
      } catch (const OperationError&) {
      }
      const double ratio = found ? smallest_volume(model.mesh(), found->u).ratio : 0.0;
      if (!found || !found->stable || ratio <= 0.0) {
        if ((step - 1) % 4 != 0) add(load);
        const char* why = !found         ? "no equilibrium found"
                          : ratio <= 0.0 ? "turned inside out"
                                         : "unstable";
        table.add({fmt::format("{:.3f}", next), title_of(elastic), why, ""});
        break;
      }
      last = *found;
      load = next;
      curve.x.push_back(1.0 + end_displacement(model, last.u).x());
      curve.y.push_back(next);
      if (step % 4 == 0) add(load);
    }
    borne.push_back(load);
    figure.curves.push_back(std::move(curve));
  }
  experiment.report(fmt::format("Slab of {0} x {1} x {1} cubes pressed on one face", n, 3 * n),
                    table, "press");
  draw_figure(figure, experiment.path({}, ".png"));
  // StVK bears 1 / sqrt 27 of its modulus: E between free sides, 1.35 E between held ones.
  experiment.at_most("StVK, largest load borne [E A]", borne[0], 1.35 / std::sqrt(27.0));
  experiment.at_least("neo-Hookean, largest load borne, of StVK's", borne[2] / borne[0], 2.0);
}

void compare(Experiment& experiment) {
  bend(experiment);
  twist(experiment);
  press(experiment);
}

}  // namespace
}  // namespace haptic

int main(int argc, char** argv) {
  return haptic::run_experiment(argc, argv, "elastic_models",
                                "Reduced StVK beside StVK, corotational and neo-Hookean elements",
                                haptic::compare);
}
