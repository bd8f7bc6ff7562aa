// A bar with six bumps is drawn over the edge of a shelf whose shell has one to five levels: finer
// points feel finer features (Barbic 2007, Fig. 3.26).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/mesh/implicit_solid.h"
#include "lab/experiments/experiment.h"
#include "lab/experiments/figure.h"
#include "lab/experiments/touch_body.h"
#include "rt/contact/contact_pair.h"
#include "rt/coupling/hand_coupling.h"
#include "rt/coupling/virtual_coupling.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr int kBumps = 6;
constexpr double kBumpRadius = 0.003, kBumpSpacing = 0.012;  // m
constexpr double kStiffness = 400.0;                         // of the coupling [N/m]

/// Along x, bumps below; its flat underside is y = 0.
TriangleMesh bumpy_bar(std::uint32_t resolution) {
  const Vector3 half(0.045, 0.005, 0.006);
  const Implicit solid = [=](const Vector3& p) {
    double d = box_distance(p - Vector3(0.0, half.y(), 0.0), half, 0.001);
    for (int b = 0; b < kBumps; ++b) {
      const Vector3 centre(kBumpSpacing * (b - 0.5 * (kBumps - 1)), 0.0, 0.0);
      d = smooth_union(d, (p - centre).norm() - kBumpRadius, 0.0005);
    }
    return d;
  };
  return implicit_surface(
      solid, {{-half.x(), -kBumpRadius, -half.z()}, {half.x(), 2.0 * half.y(), half.z()}},
      resolution);
}

/// A wall, round on top at y = 0, thinner than the way between two bumps.
TriangleMesh shelf(std::uint32_t resolution) {
  const Vector3 half(0.0015, 0.05, 0.08);
  const Implicit solid = [=](const Vector3& p) {
    return box_distance(p + Vector3(0.0, half.y(), 0.0), half, 0.0014);
  };
  return implicit_surface(
      solid, {{-half.x(), -2.0 * half.y(), -half.z()}, {half.x(), 0.0, half.z()}}, resolution);
}

/// Force on the hand while it draws the bar along x at a height below contact.
std::vector<double> drawn_force(const ShellLevels& levels, const DistanceField& field,
                                const Vector3& from, const Vector3& to, int cycles, double reach) {
  ContactSettings contact;
  contact.stiffness = 2000.0;
  ContactPair pair(*levels.shell, *levels.tree, field, contact, HeldSide::kField);
  CouplingSettings settings;
  settings.force = {kStiffness, 1e3};
  settings.torque = {4.0, 1e3};
  settings.bounding_radius = reach;
  const VirtualCoupling coupling(settings);
  HandCoupling at_hand;
  at_hand.stiffness = settings.force.stiffness;
  at_hand.rotational_stiffness = settings.torque.stiffness;
  std::vector<double> felt;
  Pose hand{from, Quaternion::Identity()}, held = hand;
  held.position.y() += 0.01;
  for (int i = -200; i < cycles; ++i) {  // lowers it first
    hand.position = from + std::max(0, i) * (to - from) / cycles;
    const CouplingLoad load = coupling.simulated(hand, held);
    const ContactResult& touch = pair.evaluate(Pose(), held, {});
    if (coupling.advance(hand, load, touch.on_held, touch.gradient, held) != CouplingStatus::kOk) {
      throw OperationError("bumps: the pose is not finite");
    }
    if (i >= 0) felt.push_back(at_hand.wrench(hand, {}, held, {}).force.y());
  }
  return felt;
}

/// Maxima that exceed the valleys on both sides by `prominence`.
int peaks(const std::vector<double>& force, double prominence) {
  int count = 0;
  double low = force.front(), high = force.front();
  bool rising = true;
  for (const double f : force) {
    if (rising) {
      high = std::max(high, f);
      if (f < high - prominence) ++count, rising = false, low = f;
    } else {
      low = std::min(low, f);
      if (f > low + prominence) rising = true, high = f;
    }
  }
  return count;
}

void felt_bumps(Experiment& experiment) {
  const std::uint32_t levels = 5;
  PointShellSettings shell_settings;
  shell_settings.points = experiment.quick() ? 64'000 : 256'000;
  shell_settings.levels = levels;
  const SampledShell sampled =
      build_point_shell(SurfaceDistance(shelf(experiment.quick() ? 160 : 320)), shell_settings);
  const TriangleMesh bar = bumpy_bar(experiment.quick() ? 120 : 300);
  const OwnedField field = make_field(bar, experiment.quick() ? 128 : 256);

  const double depth = 0.002, way = 0.084;
  const int cycles = experiment.quick() ? 1000 : 3000;
  std::vector<double> place;
  for (int i = 0; i < cycles; ++i) place.push_back(1e3 * way * i / cycles);
  std::vector<std::vector<double>> felt;
  std::vector<std::uint32_t> counts;
  std::vector<double> highest;
  for (std::uint32_t l = 1; l <= levels; ++l) {
    const ShellLevels leading = leading_levels(sampled, l);
    counts.push_back(leading.shell->size());
    felt.push_back(drawn_force(leading, *field.field, {-0.5 * way, -depth, 0.0},
                               {0.5 * way, -depth, 0.0}, cycles, 0.05));
    highest.push_back(*std::max_element(felt.back().begin(), felt.back().end()));
  }

  ResultTable table({"levels", "points", "bumps felt", "highest N", "off the finest N"});
  Figure figure{"drawn over the edge [mm]", "felt upwards [N]", {}};
  for (std::size_t l = 0; l < felt.size(); ++l) {
    table.add({fmt::format("{}", l + 1), fmt::format("{}", counts[l]),
               fmt::format("{}", peaks(felt[l], 0.3 * kStiffness * kBumpRadius)),
               fmt::format("{:.3f}", highest[l]),
               fmt::format("{:.3f}", std::abs(highest[l] - highest.back()))});
    figure.curves.push_back(
        {fmt::format("{} points, {} level{}", counts[l], l + 1, l > 0 ? "s" : ""), place, felt[l]});
  }
  std::reverse(figure.curves.begin(), figure.curves.end());
  experiment.report(fmt::format("Six bumps of {} mm, {} mm apart; {} cycles at 1 kHz",
                                1e3 * kBumpRadius, 1e3 * kBumpSpacing, cycles),
                    table);
  draw_figure(figure, experiment.path({}, ".png"));

  const double prominence = 0.3 * kStiffness * kBumpRadius;
  experiment.at_least("bumps felt with five levels", peaks(felt[4], prominence), kBumps);
  experiment.at_most("bumps felt with five levels", peaks(felt[4], prominence), kBumps);
  experiment.at_most("bumps felt with one level", peaks(felt[0], prominence), kBumps - 1);
  for (std::size_t l = 1; l + 1 < felt.size(); ++l) {
    experiment.at_most(
        fmt::format("difference to the highest force of the finest, {} levels against {}", l + 1,
                    l),
        std::abs(highest[l] - highest.back()), std::abs(highest[l - 1] - highest.back()));
  }
}

}  // namespace
}  // namespace haptic

int main(int argc, char** argv) {
  return haptic::run_experiment(
      argc, argv, "felt_bumps",
      "Bumps felt through shells of one to five levels (Barbic 2007, figure 3.26)",
      haptic::felt_bumps);
}
