// Two twist modes and their three derivatives carry a beam to 270 degrees; the modes alone lock
// (Barbic 2007, section 2.8.6; docs/methods/reduced-dynamics.md, acceptance test 25).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "host/fem/smallest_volume.h"
#include "host/reduction/mass_pca.h"
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

struct TwistPath {
  std::vector<double> prescribed, reached, energy;  // degrees, degrees, J
  Eigen::VectorXd x;                                // at the end
  double smallest_volume = 1.0;                     // at the end
};

/// @param expand x -> u
TwistPath twist(const TwistedBeam& beam, const HeldEnd& held,
                const std::function<Eigen::VectorXd(const Eigen::VectorXd&)>& expand, int step) {
  TwistPath path;
  path.x = Eigen::VectorXd::Zero(held.S.cols());
  double angle = 0.0;
  for (int degrees = 0; degrees <= 270; degrees += step) {
    held.move_to(beam.target(degrees * kTurnDegree), path.x);
    const Eigen::VectorXd u = expand(path.x);
    angle = beam.turned(u, angle);
    path.prescribed.push_back(degrees);
    path.reached.push_back(angle / kTurnDegree);
    path.energy.push_back(held.energy(path.x));
    path.smallest_volume = smallest_volume(beam.model.mesh(), u).ratio;
  }
  return path;
}

void draw(const Experiment& experiment, const TwistedBeam& beam, const Eigen::MatrixXd& U,
          const HeldEnd& held) {
  const FaceSurface faces(beam.model.mesh(), 6);
  const std::filesystem::path model = experiment.path("beam", ".h5");
  write_display_model(model, faces.surface, faces.at_surface(U));
  SceneFrame frame;
  Eigen::VectorXd q = Eigen::VectorXd::Zero(U.cols());
  for (int degrees = 0; degrees <= 270; degrees += 5) {
    held.move_to(beam.target(degrees * kTurnDegree), q);
    if (degrees % 90 != 0) continue;
    const Pose pose{{0.0, 0.0, -0.22 * degrees / 90.0}, Quaternion::Identity()};
    frame.bodies.push_back({fmt::format("{}", degrees), model, pose, {q.begin(), q.end()}});
  }
  SceneRenderer renderer({.width = 1000, .height = 560, .azimuth = 0.5, .elevation = 0.75});
  write_png(renderer.draw(frame), experiment.path("picture", ".png"));
}

void twist_beam(Experiment& experiment) {
  const TwistedBeam beam;
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
