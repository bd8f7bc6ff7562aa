#include "tests/physics/held_body.h"

#include <fmt/format.h>

#include "host/bake/body_mesh.h"
#include "host/reduction/rest_stiffness.h"

namespace haptic {

StvkModel held_body(const TriangleMesh& surface, int resolution, double nu,
                    const std::string& constraints, const std::string& groups) {
  const Recipe recipe = parse_recipe(
      fmt::format(
          "[source]\nmesh = \"drawn.obj\"\nscale = 1.0\n[mesh]\nresolution = {}\n[material]\n"
          "youngs_modulus = 1e6\npoisson_ratio = {}\ndensity = 1000.0\n{}\n"
          "[constraints]\n{}\n[reduction]\nlinear_modes = 2\ndimension = 2\n",
          resolution, nu, groups, constraints),
      "recipe.toml");
  StageResult<SourceSurface> source;
  source.value.mesh = surface;
  source.value.report = inspect_mesh(surface);
  StageProgress quiet(nullptr);
  const Ranks alone;
  return make_unreduced_body(recipe, source, Stages(quiet, alone, nullptr));
}

double work_of_body_force(const StvkModel& body, const Eigen::VectorXd& acceleration) {
  const StvkModel all(body.mesh(), {});
  const Eigen::VectorXd force = body.restrict_to_free(all.mass() * acceleration);
  return force.dot(Eigen::VectorXd(rest_stiffness(body)->solve(force)));
}

}  // namespace haptic
