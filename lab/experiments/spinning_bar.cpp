// A soft bar that spins freely: a reduced body of the world with its inertial forces against the
// unreduced body in world axes, which needs none (docs/methods/multibody.md, "Free bodies that
// deform").
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "host/bake/group_mass.h"
#include "host/formats/mesh_file.h"
#include "host/mesh/catalogue.h"
#include "host/reduction/rigid_alignment.h"
#include "host/unreduced/baked_body.h"
#include "host/unreduced/full_newmark.h"
#include "lab/experiments/experiment.h"
#include "lab/experiments/figure.h"
#include "lab/experiments/made_scene.h"
#include "rt/worlds/solids/solids_world.h"

namespace haptic {
namespace {

/// A basis of r vectors: of linear modes alone, or with their derivatives.
struct Basis {
  const char* kind;
  int dimension;
  std::string name() const { return fmt::format("{}{}", kind, dimension); }
};

std::string recipe(const Basis& basis) {
  return fmt::format(R"([source]
mesh = "bar.obj"
length = 0.2
[mesh]
resolution = 20
cells = "full"
elements = "full"
[material]
youngs_modulus = 1e5
poisson_ratio = 0.4
density = 1000.0
damping_ratios = [0.0, 0.0]
[reduction]
free = true
basis = "{}"
linear_modes = {}
dimension = {}
)",
                     basis.kind, std::string(basis.kind) == "modes" ? basis.dimension : 12,
                     basis.dimension);
}

std::string scene(const Basis& basis, double rate, const Vector3& angular) {
  return fmt::format(
      "rate_hz = {:g}\ngravity = [0.0, 0.0, 0.0]\n[[body]]\nname = \"hand\"\nshape = \"sphere\"\n"
      "radius = 0.01\nrole = \"held\"\nposition = [0.0, 1.0, 0.0]\n[[body]]\nname = \"bar\"\n"
      "model = \"{}.h5\"\nrole = \"free\"\nangular_velocity = [{}, {}, {}]\n",
      rate, basis.name(), angular.x(), angular.y(), angular.z());
}

Eigen::MatrixXd reduced_run(const MadeScene& files, const Basis& basis, double rate,
                            const Vector3& angular, int steps) {
  const Scene parsed = parse_scene(scene(basis, rate, angular), files.folder() / "bar.toml");
  solids::SolidsWorld world(parsed, nullptr);
  const ModelFile model(files.folder() / (basis.name() + ".h5"));
  const Eigen::MatrixXd U = read_baked_basis(model);
  Eigen::MatrixXd u = Eigen::MatrixXd::Zero(U.rows(), steps + 1);
  for (int i = 1; i <= steps; ++i) {
    WorldOutput output;
    if (world.step({}, output) != WorldStatus::kOk) break;
    const auto q = world.deformable(1)->q();
    u.col(i) = U * Eigen::Map<const Eigen::VectorXd>(q.data(), U.cols());
  }
  return u;
}

/// The same motion of the whole mesh, from rest shape with the velocities of a rigid rotation.
Eigen::MatrixXd unreduced_run(const StvkModel& body, double rate, const Vector3& angular,
                              int steps) {
  FullNewmark dynamics(body, 1.0 / rate, {}, {.iterations = 8});
  const Vector3 centre = rigid_properties_of(body).centre;
  Eigen::Matrix3Xd places(3, body.vertex_count());
  Eigen::VectorXd v(body.dof_count());
  for (int i = 0; i < body.vertex_count(); ++i) {
    places.col(i) = body.mesh().vertex(i);
    v.segment<3>(3 * i) = angular.cross(places.col(i) - centre);
  }
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(body.dof_count());
  dynamics.set_state(none, v, none);
  Eigen::MatrixXd u = Eigen::MatrixXd::Zero(body.dof_count(), steps + 1);
  for (int i = 1; i <= steps; ++i) {
    dynamics.step(none);
    u.col(i) = dynamics.displacement();
  }
  return without_rigid_motion(body.scalar_mass(), places, u);
}

double norm(const SparseMatrix& mass, const Eigen::MatrixXd& u) {
  double sum = 0.0;
  for (Eigen::Index c = 0; c < u.cols(); ++c) {
    const Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>> x(
        u.col(c).data(), u.rows() / 3, 3);
    sum += (x.transpose() * (mass * x)).trace();
  }
  return std::sqrt(sum);
}

/// Elongation of the bar over time [mm]: the vertex furthest along it.
FigureCurve elongation(const StvkModel& body, const Eigen::MatrixXd& u, double rate,
                       const std::string& title, bool dashed) {
  int end = 0;
  for (int i = 0; i < body.vertex_count(); ++i) {
    if (body.mesh().vertex(i).x() > body.mesh().vertex(end).x()) end = i;
  }
  FigureCurve curve{.title = title, .dashed = dashed};
  for (Eigen::Index c = 0; c < u.cols(); ++c) {
    curve.x.push_back(static_cast<double>(c) / rate);
    curve.y.push_back(1e3 * u(3 * end, c));
  }
  return curve;
}

void spinning_bar(Experiment& experiment) {
  MadeScene files(experiment.path("files", ""));
  const auto mesh = files.folder() / "bar.obj";
  if (!std::filesystem::exists(mesh)) {
    write_obj(mesh, make_shape("box", {{"size_x", 0.2}, {"size_y", 0.02}, {"size_z", 0.03}}));
  }
  const std::vector<Basis> bases =
      experiment.quick()
          ? std::vector<Basis>{{"derivatives", 20}, {"modes", 30}}
          : std::vector<Basis>{{"derivatives", 12}, {"derivatives", 30}, {"derivatives", 60},
                               {"modes", 10},       {"modes", 20},       {"modes", 30}};
  std::vector<std::string> parts;
  for (const Basis& basis : bases) {
    files.add_file(basis.name() + ".toml", recipe(basis));
    parts.push_back(basis.name());
  }
  files.bake(parts);
  const ModelFile model(files.folder() / (parts.front() + ".h5"));
  const StvkModel body = read_baked_body(model);
  const SparseMatrix mass = body.scalar_mass();
  const double rate = 4000.0;
  const int steps = experiment.quick() ? 200 : 400;
  ResultTable table({"angular velocity [rad/s]", "basis", "r", "largest elongation [mm]",
                     "unreduced [mm]", "difference of the shapes"});
  Figure figure{"time [s]", "elongation of half the bar [mm]", {}};
  double worst = 0.0;
  for (const double speed : {5.0, 10.0, 20.0}) {
    // Mostly about the shortest axis, about which a bar spins stably, and a little across.
    const Vector3 angular = speed * Vector3(0.0, 0.1, 1.0).normalized();
    const Eigen::MatrixXd full = unreduced_run(body, rate, angular, steps);
    const double size = norm(mass, full);
    FigureCurve exact =
        elongation(body, full, rate, fmt::format("{:g} rad/s, unreduced", speed), true);
    for (const Basis& basis : bases) {
      const Eigen::MatrixXd reduced = reduced_run(files, basis, rate, angular, steps);
      const double error = norm(mass, reduced - full) / size;
      const FigureCurve curve = elongation(
          body, reduced, rate, fmt::format("{:g} rad/s, {}", speed, basis.name()), false);
      table.add({fmt::format("{:g}", speed), basis.kind, fmt::format("{}", basis.dimension),
                 fmt::format("{:.4f}", *std::ranges::max_element(curve.y)),
                 fmt::format("{:.4f}", *std::ranges::max_element(exact.y)),
                 fmt::format("{:.4f}", error)});
      if (&basis == &bases.back()) {
        figure.curves.push_back(curve);
        worst = std::max(worst, error);
      }
    }
    figure.curves.push_back(std::move(exact));
  }
  experiment.report("a soft bar that spins freely, against the unreduced one", table);
  draw_figure(figure, experiment.path("", ".png"));
  experiment.at_most("difference of the shapes, last basis", worst, 0.01);
}

}  // namespace
}  // namespace haptic

int main(int argc, char** argv) {
  return haptic::run_experiment(argc, argv, "spinning_bar",
                                "A free soft body that spins: its inertial forces against an "
                                "unreduced run",
                                haptic::spinning_bar);
}
