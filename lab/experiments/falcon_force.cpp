// The force of a Novint Falcon for a commanded force: by the Jacobian of this driver and by the one
// that libnifalcon uses (docs/methods/devices.md, "Jacobian of the legs"), both against
// differences of the leg's angles in extended precision.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lab/experiments/experiment.h"
#include "lab/experiments/figure.h"
#include "lab/samples/published_kinematics.h"
#include "rt/device/falcon/kinematics.h"
#include "shared/error.h"

namespace haptic {
namespace {

struct Felt {
  Vector3 ours, published;
};

Felt felt(const FalconKinematics& kinematics, const Vector3& grip, const Vector3& force) {
  Vector3 angles;
  Matrix3 jacobian;
  if (!kinematics.inverse(grip, angles, jacobian)) throw OperationError("out of reach");
  const Matrix3 exact = oracle_jacobian(kinematics.geometry(), grip);
  return {felt_force(jacobian, exact, force),
          felt_force(published_jacobian(kinematics.geometry(), grip), exact, force)};
}

// The largest errors over the ball of 5 cm about (0, 0, 12) cm, for 1 N along each axis.
void over_workspace(Experiment& experiment, const FalconKinematics& kinematics) {
  const int steps = experiment.quick() ? 6 : 20;
  std::array<double, 3> ours{}, published{};
  int points = 0;
  for (int i = -steps; i <= steps; ++i) {
    for (int j = -steps; j <= steps; ++j) {
      for (int k = -steps; k <= steps; ++k) {
        const Vector3 offset = 0.05 / steps * Vector3(i, j, k);
        if (offset.norm() > 0.05) continue;
        ++points;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          const Vector3 force = Vector3::Unit(static_cast<Eigen::Index>(axis));
          const Felt got = felt(kinematics, Vector3(0, 0, 0.12) + offset, force);
          ours[axis] = std::max(ours[axis], (got.ours - force).norm());
          published[axis] = std::max(published[axis], (got.published - force).norm());
        }
      }
    }
  }
  ResultTable table({"1 N commanded along", "this driver, N off", "published formula, N off"});
  for (std::size_t axis = 0; axis < 3; ++axis) {
    table.add({std::string(1, "xyz"[axis]), fmt::format("{:.1e}", ours[axis]),
               fmt::format("{:.3f}", published[axis])});
  }
  experiment.report(fmt::format("Largest error over {} positions", points), table);
  experiment.at_most("error of this driver [N/N]", *std::max_element(ours.begin(), ours.end()),
                     1e-6);
}

void curves(const Experiment& experiment, const FalconKinematics& kinematics) {
  Figure figure{"height of the grip z [m]", "force felt along z [N]", {}};
  FigureCurve ours{"1 N along z, this driver"}, published{"1 N along z, published formula"};
  FigureCurve ours_aside{"1 N along x, this driver"};
  FigureCurve published_aside{"1 N along x, published formula"};
  published.dashed = published_aside.dashed = true;
  for (int k = 0; k <= 100; ++k) {
    const double z = 0.075 + 0.00095 * k;
    const Felt along = felt(kinematics, {0, 0, z}, Vector3::UnitZ());
    ours.x.push_back(z), ours.y.push_back(along.ours.z());
    published.x.push_back(z), published.y.push_back(along.published.z());
    if (z < 0.09 || z > 0.15) continue;
    const Felt aside = felt(kinematics, {-.04, .03, z}, Vector3::UnitX());
    ours_aside.x.push_back(z), ours_aside.y.push_back(aside.ours.z());
    published_aside.x.push_back(z), published_aside.y.push_back(aside.published.z());
  }
  figure.curves = {ours, published, ours_aside, published_aside};
  draw_figure(figure, experiment.path("", ".png"));
}

void run(Experiment& experiment) {
  const FalconKinematics kinematics{FalconGeometry{}};
  over_workspace(experiment, kinematics);
  curves(experiment, kinematics);
}

}  // namespace
}  // namespace haptic

int main(int argc, char** argv) {
  return haptic::run_experiment(argc, argv, "falcon_force",
                                "Force of the Falcon compared with the commanded force",
                                haptic::run);
}
