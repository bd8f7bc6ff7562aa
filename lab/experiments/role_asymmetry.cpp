// Two copies of one body, one moved into the other along a line: the force on the moving one when
// it carries the field and when it carries the points (docs/methods/contact-and-coupling.md, A57;
// Barbic 2007, Figs. 3.29 and 3.30).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/field/contact_surface.h"
#include "host/formats/mesh_file.h"
#include "host/mesh/catalogue.h"
#include "lab/experiments/experiment.h"
#include "lab/experiments/figure.h"
#include "lab/experiments/touch_body.h"
#include "rt/contact/contact_pair.h"

namespace haptic {
namespace {

/// Force on the moving body and how deep the points are [voxels].
struct Role {
  std::vector<Vector3> force;
  std::vector<double> depth;
};

TriangleMesh body_mesh(const Experiment& experiment) {
  const TriangleMesh mesh =
      experiment.mesh().empty() ? make_shape("bolt", {}) : read_mesh(experiment.mesh());
  return make_contact_surface(scaled(mesh, 0.1 / bounding_box(mesh).longest_side())).mesh;
}

void role_asymmetry(Experiment& experiment) {
  const TriangleMesh mesh = body_mesh(experiment);
  const std::uint32_t resolution = experiment.quick() ? 64 : 256;
  const std::uint32_t points = experiment.quick() ? 20'000 : 256'000;
  const int samples = experiment.quick() ? 180 : 1800;
  const OwnedField field = make_field(mesh, resolution);
  PointShellSettings shell_settings;
  shell_settings.points = points;
  shell_settings.levels = experiment.quick() ? 3 : 5;
  const ShellLevels levels = leading_levels(
      build_point_shell(SurfaceDistance(mesh), shell_settings), shell_settings.levels);
  const double h = field.field->edge();

  ContactSettings settings;
  settings.stiffness = 500.0;
  ContactPair moving_field(*levels.shell, *levels.tree, *field.field, settings, HeldSide::kField);
  ContactPair moving_points(*levels.shell, *levels.tree, *field.field, settings, HeldSide::kShell);

  // Rotated so that the parts do not all meet at once; z is the direction of motion.
  const Quaternion turn = rotation_exponential(Vector3(0.15, 0.4, -0.1));
  const auto moving = [&](double z) { return Pose{{0.004, 0.003, -z}, turn}; };
  const auto touches = [&](double z) {
    return moving_field.evaluate(Pose(), moving(z), {}).contacts > 0 ||
           moving_points.evaluate(moving(z), Pose(), {}).contacts > 0;
  };
  double first = -0.2;
  while (!touches(first) && first < 0.1) first += 0.5 * h;
  const double begin = first - h, length = 5.0 * h;

  Role roles[2];
  std::vector<double> index;
  for (int i = 0; i < samples; ++i) {
    const Pose pose = moving(begin + length * i / (samples - 1));
    index.push_back(i);
    for (int r = 0; r < 2; ++r) {
      ContactPair& pair = r == 0 ? moving_field : moving_points;
      const ContactResult& result =
          r == 0 ? pair.evaluate(Pose(), pose, {}) : pair.evaluate(pose, Pose(), {});
      double depth = 0.0;
      for (const Contact& c : pair.contacts()) depth = std::max(depth, c.depth);
      roles[r].force.push_back(result.on_held.force);
      roles[r].depth.push_back(depth / h);
    }
  }

  // Both roles, up to a depth of one voxel, where both are in contact.
  double shallow = 0.0, shallow_force = 0.0, deep = 0.0, deep_force = 0.0;
  ResultTable table({"sample", "travel voxels", "depth, field moves", "depth, points move",
                     "|F| field moves N", "|F| points move N", "|difference| N", "angle deg"});
  for (int i = 0; i < samples; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Vector3 &a = roles[0].force[at], &b = roles[1].force[at];
    const bool within = std::max(roles[0].depth[at], roles[1].depth[at]) <= 1.0;
    double& difference = within ? shallow : deep;
    double& force = within ? shallow_force : deep_force;
    difference = std::max(difference, (a - b).norm());
    force = std::max({force, a.norm(), b.norm()});
    if (i % (samples / 18) != 0) continue;
    const double both = a.norm() * b.norm();
    table.add({fmt::format("{}", i), fmt::format("{:.2f}", 5.0 * i / (samples - 1) - 1.0),
               fmt::format("{:.2f}", roles[0].depth[at]), fmt::format("{:.2f}", roles[1].depth[at]),
               fmt::format("{:.3f}", a.norm()), fmt::format("{:.3f}", b.norm()),
               fmt::format("{:.3f}", (a - b).norm()),
               both > 0.0 ? fmt::format("{:.1f}",
                                        57.2958 * std::acos(std::clamp(a.dot(b) / both, -1.0, 1.0)))
                          : "-"});
  }
  experiment.report(
      fmt::format("{} points and {}^3 samples on both, voxel {:.3f} mm, {} samples over "
                  "5 voxels; travel counts from the first touch",
                  points, resolution, 1e3 * h, samples),
      table);

  Figure figure{"sample", "force on the moving body [N]", {}};
  const char* axes[] = {"x", "y", "z"};
  for (int axis = 2; axis >= 0; --axis) {
    for (int r = 0; r < 2; ++r) {
      FigureCurve curve{fmt::format("{}, {} moves", axes[axis], r == 0 ? "field" : "shell"), index};
      for (const Vector3& f : roles[r].force) curve.y.push_back(f[axis]);
      curve.dashed = r == 1;
      figure.curves.push_back(std::move(curve));
    }
  }
  draw_figure(figure, experiment.path({}, ".png"));
  Figure depth{"sample",
               "deepest point [voxels]",
               {{"field moves", index, roles[0].depth}, {"points move", index, roles[1].depth}}};
  draw_figure(depth, experiment.path("depth", ".png"));

  experiment.at_least("deepest point of either role [voxels]",
                      std::min(roles[0].depth.back(), roles[1].depth.back()), 1.0);
  experiment.at_least("A57 both roles push the moving body back, smallest -F_z at the end [N]",
                      std::min(roles[0].force.back().z(), roles[1].force.back().z()), 0.0);
  // No published value; the limit is the result of a first run with a margin.
  experiment.at_most("A57 difference of the roles over the largest force, up to one voxel deep",
                     shallow / std::max(shallow_force, 1e-12), 0.3);
  fmt::print("deeper: {:.3f}\n", deep / std::max(deep_force, 1e-12));
}

}  // namespace
}  // namespace haptic

int main(int argc, char** argv) {
  return haptic::run_experiment(argc, argv, "role_asymmetry",
                                "Forces of a pair when its roles are swapped (A57)",
                                haptic::role_asymmetry, haptic::Shape::kOwnOrMesh);
}
