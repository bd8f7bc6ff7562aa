// How far are stiffness, mass and frequencies of bars from beam theory, over resolutions, places of
// the grid, orientations and Poisson's ratios: voxels cut by the surface with assumed strains,
// beside whole voxels with strain at each point, as published.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "host/fem/static_solver.h"
#include "lab/experiments/experiment.h"
#include "lab/experiments/figure.h"
#include "lab/samples/beam_theory.h"
#include "lab/samples/solid_bar.h"

namespace haptic {
namespace {

const Vector3 kSize(0.2, 0.02, 0.03);  // m
constexpr double kModulus = 1e6, kDensity = 1000.0;

TheoreticalBeam theory(const Vector3& size, double nu) {
  return {size.x(),
          size.y() * size.z(),
          size.z() * std::pow(size.y(), 3) / 12.0,
          rectangle_shear_factor(nu),
          kModulus,
          kModulus / (2.0 * (1.0 + nu)),
          kDensity};
}

CutBody::Settings settings(double edge, double nu, double held, bool published = false) {
  return {.edge = edge,
          .held_below = held,
          .published = published,
          .material = {kModulus, nu, kDensity}};
}

double stiffness_ratio(const CutBody& body, double nu) {
  return body.end_stiffness(Vector3::UnitY()) / tip_stiffness(theory(kSize, nu));
}

/// The largest |x - 1| and where.
struct Worst {
  double least = 1.0, most = 1.0;
  void add(double x) {
    least = std::min(least, x);
    most = std::max(most, x);
  }
};

void straight(Experiment& experiment) {
  ResultTable table({"resolution", "nu 0", "nu 0.3", "mass", "f1, nu 0.3", "published, nu 0",
                     "published, nu 0.3", "published mass"});
  Figure figure{"voxels along 200 mm (at 12, the 20 mm of thickness are 1.2)",
                "tip stiffness over Timoshenko's",
                {{"cut, nu 0"}, {"cut, nu 0.3"}, {"published, nu 0"}, {"published, nu 0.3"}}};
  figure.logarithmic_y = true;
  Worst stiffness, frequency, mass;
  const int step = experiment.quick() ? 12 : 2;
  for (int resolution = 12; resolution <= (experiment.quick() ? 36 : 64); resolution += step) {
    const double edge = kSize.x() / resolution;
    std::vector<std::string> row = {std::to_string(resolution)};
    std::vector<double> values;
    for (const bool published : {false, true}) {
      const CutBody stiff(bar_surface(kSize), settings(edge, 0.0, 0.0, published));
      const CutBody body(bar_surface(kSize), settings(edge, 0.3, 0.0, published));
      const double of_zero = stiffness_ratio(stiff, 0.0), of_third = stiffness_ratio(body, 0.3);
      const double weight = body.mass() / 0.12;
      row.insert(row.end(), {fmt::format("{:.4f}", of_zero), fmt::format("{:.4f}", of_third)});
      if (!published) {
        const double f = body.first_held_frequency() / first_frequency(theory(kSize, 0.3), true);
        row.insert(row.end(), {fmt::format("{:.6f}", weight), fmt::format("{:.4f}", f)});
        stiffness.add(of_zero);
        stiffness.add(of_third);
        frequency.add(f);
        mass.add(weight);
      } else {
        row.push_back(fmt::format("{:.3f}", weight));
      }
      values.insert(values.end(), {of_zero, of_third});
    }
    table.add(row);
    for (std::size_t c = 0; c < values.size(); ++c) {
      figure.curves[c].x.push_back(resolution);
      figure.curves[c].y.push_back(values[c]);
      figure.curves[c].points = true;
    }
  }
  experiment.report("Cantilever of 200 x 20 x 30 mm: tip stiffness over Timoshenko's", table);
  draw_figure(figure, experiment.path({}, ".png"));
  experiment.at_most("straight: tip stiffness over Timoshenko's", stiffness.most, 1.08);
  experiment.at_least("straight: tip stiffness over Timoshenko's", stiffness.least, 0.92);
  experiment.at_most("straight: first frequency", frequency.most, 1.05);
  experiment.at_least("straight: first frequency", frequency.least, 0.95);
  experiment.at_most("straight: |mass - 1|", std::max(mass.most - 1.0, 1.0 - mass.least), 5e-3);
}

void shifted(Experiment& experiment) {
  ResultTable table({"resolution", "shift 0.25", "0.5", "0.75"});
  Worst worst;
  for (const int resolution : experiment.quick() ? std::vector{12} : std::vector{12, 16, 24, 32}) {
    std::vector<std::string> row = {std::to_string(resolution)};
    for (const double shift : {0.25, 0.5, 0.75}) {
      // The grid has a plane where the clamp ends, this part of a voxel inside the bar.
      const double edge = kSize.x() / resolution;
      const Vector3 size = kSize + Vector3(shift * edge, 0.0, 0.0);
      const CutBody body(bar_surface(size), settings(edge, 0.3, shift * edge));
      const double k = body.end_stiffness(Vector3::UnitY()) / tip_stiffness(theory(kSize, 0.3));
      worst.add(k);
      row.push_back(fmt::format("{:.4f}", k));
    }
    table.add(row);
  }
  experiment.report("The same, nu 0.3, clamped at a part of a voxel", table, "shifted");
  experiment.at_most("shifted: tip stiffness over Timoshenko's", worst.most, 1.08);
  experiment.at_least("shifted: tip stiffness over Timoshenko's", worst.least, 0.92);
}

void turned_bars(Experiment& experiment) {
  ResultTable table({"voxels of thickness", "20 about x", "about y", "about z", "45 about x",
                     "about y", "about z", "published, 45 about z"});
  const double exact = first_frequency(theory(kSize, 0.3), false);
  Worst coarse, fine;
  for (const double cells :
       experiment.quick() ? std::vector{1.2, 2.0} : std::vector{1.2, 1.6, 2.0, 2.4, 3.0, 4.0}) {
    std::vector<std::string> row = {fmt::format("{}", cells)};
    const auto ratio = [&](double degrees, int axis, bool published) {
      const CutBody body(turned(bar_surface(kSize), Vector3::Unit(axis), degrees),
                         settings(kSize.y() / cells, 0.3, -1.0, published));
      return std::pow(body.first_free_frequency() / exact, 2) * body.mass() / 0.12;
    };
    for (const double degrees : {20.0, 45.0}) {
      for (int axis = 0; axis < 3; ++axis) {
        const double k = ratio(degrees, axis, false);
        (cells < 2.0 ? coarse : fine).add(k);
        row.push_back(fmt::format("{:.3f}", k));
      }
    }
    row.push_back(fmt::format("{:.2f}", ratio(45.0, 2, true)));
    table.add(row);
  }
  experiment.report("Free bars turned by degrees, nu 0.3: stiffness by the first frequency", table,
                    "turned");
  experiment.at_most("turned, below two voxels of thickness", coarse.most, 1.30);
  experiment.at_least("turned, below two voxels of thickness", coarse.least, 0.85);
  experiment.at_most("turned, from two voxels on", fine.most, 1.12);
  experiment.at_least("turned, from two voxels on", fine.least, 0.90);
}

void incompressible(Experiment& experiment) {
  ResultTable table({"nu", "2 voxels", "3", "4", "published, 2", "3", "4"});
  Worst worst;
  for (const double nu : {0.45, 0.49, 0.499}) {
    std::vector<std::string> row = {fmt::format("{}", nu)};
    for (const bool published : {false, true}) {
      for (const int cells : {2, 3, 4}) {
        const CutBody body(bar_surface(kSize), settings(kSize.y() / cells, nu, 0.0, published));
        const double k = stiffness_ratio(body, nu);
        if (!published) worst.add(k);
        row.push_back(fmt::format("{:.3f}", k));
      }
    }
    table.add(row);
  }
  experiment.report("Nearly incompressible cantilevers: tip stiffness over Timoshenko's", table,
                    "incompressible");
  experiment.at_most("nearly incompressible, 2 to 4 voxels", worst.most, 1.05);
  experiment.at_least("nearly incompressible, 2 to 4 voxels", worst.least, 0.95);
}

void round_bars(Experiment& experiment) {
  const double radius = 0.01, length = 0.2, nu = 0.3, pi = std::numbers::pi;
  const TheoreticalBeam beam{length,
                             pi * radius * radius,
                             pi * std::pow(radius, 4) / 4.0,
                             circle_shear_factor(nu),
                             kModulus,
                             kModulus / (2.0 * (1.0 + nu)),
                             kDensity};
  ResultTable table({"resolution", "stiffness by f1", "published"});
  const TriangleMesh bar = round_bar_surface(radius, length);
  for (const auto& [resolution, bound] :
       {std::pair{12, 0.10}, {20, 0.06}, {40, 0.03}, {80, 0.02}}) {
    if (experiment.quick() && resolution > 20) continue;
    std::vector<std::string> row = {std::to_string(resolution)};
    for (const bool published : {false, true}) {
      const CutBody body(bar, settings(length / resolution, nu, 0.0, published));
      const double f = body.first_held_frequency() / first_frequency(beam, true);
      const double k = f * f * body.mass() / (kDensity * beam.area * length);
      row.push_back(fmt::format("{:.3f}", k));
      if (!published) {
        experiment.at_most(fmt::format("round, resolution {}", resolution), std::abs(k - 1.0),
                           bound);
      }
    }
    table.add(row);
  }
  experiment.report("Round cantilever of 10 mm radius and 200 mm", table, "round");
}

/// Nodal forces on the end of a bar: along y, or a couple about x. Unit resultants.
Eigen::VectorXd end_load(const CutBody& body, bool twist) {
  return twist ? body.end_couple() : body.end_force(Vector3::UnitY());
}

void large(Experiment& experiment) {
  ResultTable table({"load", "voxels", "motion", "half the voxel", "difference"});
  const TheoreticalBeam beam = theory(kSize, 0.3);
  const double bending = 4.0 * kModulus * beam.second_moment / (kSize.x() * kSize.x());
  const double couple = 0.5 * beam.shear_modulus * beam.second_moment * 4.0 / kSize.x();
  double worst = 0.0;
  for (const bool twist : {false, true}) {
    for (const int resolution : experiment.quick() ? std::vector{12} : std::vector{12, 20}) {
      const auto motion = [&](int voxels) {
        const CutBody body(bar_surface(kSize), settings(kSize.x() / voxels, 0.3, 0.0));
        const Eigen::VectorXd load = end_load(body, twist);
        const double size = twist ? couple : bending;
        const StaticSolution solution = solve_static(
            body.model(), size * load, {.load_steps = 8, .tolerance = 1e-8, .start = {}});
        return load.dot(solution.u);
      };
      const double own = motion(resolution), half = motion(2 * resolution);
      worst = std::max(worst, std::abs(own / half - 1.0));
      table.add({twist ? "couple about x" : "force along y, F L^2 / EI = 4",
                 std::to_string(resolution), fmt::format("{:.4g}", own),
                 fmt::format("{:.4g}", half), fmt::format("{:.2f} %", 100.0 * (own / half - 1.0))});
    }
  }
  experiment.report("Large bending [m] and twist [rad] against voxels of half the edge", table,
                    "large");
  experiment.at_most("large motion against half the voxel", worst, 0.1);
}

void compare(Experiment& experiment) {
  straight(experiment);
  shifted(experiment);
  turned_bars(experiment);
  incompressible(experiment);
  round_bars(experiment);
  large(experiment);
}

}  // namespace
}  // namespace haptic

int main(int argc, char** argv) {
  return haptic::run_experiment(argc, argv, "cut_voxels", "Bars of voxels against beam theory",
                                haptic::compare);
}
