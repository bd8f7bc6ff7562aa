// Which integrator for which cloth (the decision diagram of Vanacken 2005, figure 9.3, after
// Hauth: stiff? nearly oscillatory?), measured: the largest stable step of each, the largest step
// that keeps the energy of an oscillation, and the cost of a simulated second with either.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lab/experiments/cloth_method.h"
#include "lab/experiments/experiment.h"
#include "lab/samples/cloth_samples.h"
#include "lab/timing/call_times.h"
#include "rt/worlds/cloth/critical_step.h"
#include "shared/assert.h"

namespace haptic {
namespace {

constexpr double kMaxLength = 1.0 / 30.0;  // the text's rate of the cloth [s]
// Enough for a solution: a truncated one moves less, which would count as damping.
constexpr cloth::SolverSettings kSolver{.most_iterations = 400, .tolerance = 1e-4};
constexpr double kKept = 0.1;  // of the energy beside what the dampers take, and of the way

/// Structural springs of 12 x 12 particles, 0.36 m wide; damping along the springs.
struct Kind {
  const char* name;
  double stiffness, damping;  // N/m, kg/s
};
constexpr Kind kKinds[] = {
    {"soft", 20.0, 0.002}, {"stiff, damped", 2000.0, 0.1}, {"stiff, hardly damped", 2000.0, 1e-4}};

/// A sheet without weight whose upper border is held and whose rest is drawn down by 3 %: it
/// swings in its plane, mainly in its lowest mode. Or a sheet that hangs and swings to the side.
enum class Motion { kStretch, kSwing };

cloth::SampleCloth start_of(const Kind& kind, Motion motion) {
  constexpr std::uint32_t kSide = 12;
  constexpr double kSpacing = 0.0327;
  cloth::ClothSurroundings surroundings = cloth::weightless();
  if (motion == Motion::kSwing) surroundings.gravity = Vector3(0.0, -9.81, 0.0);
  cloth::SampleCloth cloth = cloth::square_cloth(
      kSide, kSpacing, cloth::cloth_materials(kind.stiffness, kind.damping), surroundings);
  const double length = kSpacing * (kSide - 1), angle = 0.4;
  for (std::size_t i = 0; i < cloth.system.size(); ++i) {
    auto x = cloth::at(cloth.state.x, i);
    const double below = length - x.y();
    if (motion == Motion::kStretch) {
      x.y() -= 0.03 * below;
    } else {
      x = Vector3(x.x(), length - below * std::cos(angle), below * std::sin(angle));
    }
  }
  for (const std::uint32_t i : cloth::grid_border(cloth.mesh, cloth::GridBorder::kTop)) {
    cloth.system.constraints().pin(i, cloth::at(cloth.state.x, i));
  }
  return cloth;
}

/// Energy over that of the lowest state. Leapfrog methods have the velocities of the middle of a
/// step; the mean of two is that of the positions between them.
class EnergyMeter {
 public:
  EnergyMeter(const cloth::ClothSystem& system, bool half_steps, double lowest)
      : system_(system), half_steps_(half_steps), lowest_(lowest) {}
  double operator()(const cloth::ClothState& before, const cloth::ClothState& after) {
    if (!half_steps_) return system_.energy(after) - lowest_;
    middle_ = before;
    for (std::size_t k = 0; k < middle_.v.size(); ++k) {
      middle_.v[k] = 0.5 * (before.v[k] + after.v[k]);
    }
    return system_.energy(middle_) - lowest_;
  }

 private:
  const cloth::ClothSystem& system_;
  bool half_steps_;
  double lowest_;
  cloth::ClothState middle_;
};

/// Lowest energy: of the sheet at rest.
double lowest_energy(const Kind& kind, Motion motion) {
  cloth::SampleCloth cloth = start_of(kind, motion);
  if (motion == Motion::kStretch) return 0.0;
  cloth.system.surroundings().air.drag = 1e-3;
  const auto integrator = make_integrator(ClothMethod::kImplicitEuler, cloth.system, 0.05, kSolver);
  for (int k = 0; k < 400; ++k) (void)integrator->step(cloth.state);
  cloth.system.surroundings().air.drag = 0.0;
  return cloth.system.energy(cloth.state);
}

/// One second of a motion. `moved` tells a cloth that keeps its energy from one that stands still.
struct Second {
  double lost;   // share of the energy
  double moved;  // largest root mean square of the displacements from the start [m]
};

double displacement(const cloth::ParticleVectors& a, const cloth::ParticleVectors& b) {
  double sum = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return std::sqrt(3.0 * sum / static_cast<double>(a.size()));
}

/// @returns none if the motion is unstable: it diverges, or has twice its first energy at any time
std::optional<Second> second_of(const Kind& kind, Motion motion, double lowest, ClothMethod method,
                                double h) {
  cloth::SampleCloth cloth = start_of(kind, motion);
  const double first = cloth.system.energy(cloth.state) - lowest;
  // Rounding, so that no symmetry hides an instability.
  cloth::disturb(cloth.state.v, 1e-6 * std::sqrt(first), 3);
  const auto integrator = make_integrator(method, cloth.system, h, kSolver);
  EnergyMeter meter(cloth.system, has_half_step_velocity(method), lowest);
  const auto steps = static_cast<int>(std::ceil(1.0 / h));
  double energy = first, moved = 0.0;
  cloth::ClothState before = cloth.state;
  const cloth::ParticleVectors start = cloth.state.x;
  for (int k = 0; k < steps; ++k) {
    if (has_half_step_velocity(method)) before = cloth.state;
    if (integrator->step(cloth.state) != cloth::ClothStepResult::kOk) return std::nullopt;
    if (has_half_step_velocity(method) && k == 0) continue;
    energy = meter(before, cloth.state);
    if (!(energy < 2.0 * first)) return std::nullopt;
    moved = std::max(moved, displacement(cloth.state.x, start));
  }
  return Second{1.0 - energy / first, moved};
}

/// The largest step [s] for which `holds`, found by bisection to within a factor of 1.2, from
/// `below` up to kMaxLength; 0 if it does not hold at `below`.
template <class Holds>
double largest_step(double below, Holds&& holds) {
  if (!holds(below)) return 0.0;
  double above = below;
  while (above < kMaxLength) {
    above = std::min(2.0 * below, kMaxLength);
    if (!holds(above)) break;
    below = above;
  }
  if (below >= kMaxLength) return kMaxLength;
  while (above / below > 1.2) {
    const double middle = std::sqrt(above * below);
    (holds(middle) ? below : above) = middle;
  }
  return below;
}

/// Microseconds of a step of length h.
double cost_us(const Kind& kind, Motion motion, ClothMethod method, double h, int calls) {
  cloth::SampleCloth cloth = start_of(kind, motion);
  const auto integrator = make_integrator(method, cloth.system, h, kSolver);
  CallTimes times;
  for (int k = 0; k < calls; ++k) {
    times.time([&] { (void)integrator->step(cloth.state); });
  }
  return times.timing().median;
}

/// The best of the methods so far, and how much the second is behind.
struct Winner {
  std::string name = "none";
  double cost = HUGE_VAL, second = HUGE_VAL;
  void offer(const char* by, double value) {
    if (value < cost) {
      second = cost;
      cost = value;
      name = by;
    } else {
      second = std::min(second, value);
    }
  }
  std::string text() const {
    return cost == HUGE_VAL ? name : fmt::format("{}: {:.2g} ms (next {:.2g})", name, cost, second);
  }
};

class ChoiceTables {
 public:
  explicit ChoiceTables(Experiment& experiment) : experiment_(experiment) {}

  void measure(const Kind& kind, Motion motion) {
    const std::string motion_name = motion == Motion::kStretch ? "stretch" : "swing";
    cloth::SampleCloth cloth = start_of(kind, motion);
    const double verlet = cloth::verlet_step_limit(cloth.system, cloth.state.x);
    const double lowest = lowest_energy(kind, motion);
    // What the dampers take, by RK4 at a step far below its limit.
    const std::optional<Second> damped =
        second_of(kind, motion, lowest, ClothMethod::kRungeKutta4, 0.2 * verlet);
    HAPTIC_DEMAND(damped.has_value());
    Winner stable_winner, moving_winner, true_winner;
    double stable_verlet = 0.0;
    for (const ClothMethod method : kClothMethods) {
      std::map<double, std::optional<Second>> known;  // both searches try the same steps
      const auto at_step = [&](double h) {
        const auto found = known.find(h);
        if (found != known.end()) return found->second;
        return known[h] = second_of(kind, motion, lowest, method, h);
      };
      // An explicit method that needs less than half of Verlet's step, or an implicit one that
      // needs less than all of it, never wins. Euler's and midpoint's limits are given all the
      // same, down to a twentieth.
      const bool weak = method == ClothMethod::kEuler || method == ClothMethod::kMidpoint;
      const double shortest = (weak ? 0.05 : is_explicit(method) ? 0.5 : 1.0) * verlet;
      const double stable =
          largest_step(shortest, [&](double h) { return at_step(h).has_value(); });
      const double kept = largest_step(shortest, [&](double h) {
        const std::optional<Second> of = at_step(h);
        return of && std::abs(of->lost - damped->lost) <= kKept &&
               std::abs(of->moved / damped->moved - 1.0) <= kKept;
      });
      const int calls = experiment_.quick() ? 20 : 100;
      const auto cost = [&](double h) {
        return h > 0.0 ? 1e-3 * cost_us(kind, motion, method, h, calls) / h : HUGE_VAL;
      };
      const double stable_cost = cost(stable), true_cost = cost(kept);
      stable_winner.offer(name_of(method), stable_cost);
      if (stable > 0.0 && at_step(stable)->moved >= 0.5 * damped->moved) {
        moving_winner.offer(name_of(method), stable_cost);
      }
      true_winner.offer(name_of(method), true_cost);
      if (method == ClothMethod::kVelocityVerlet) stable_verlet = stable;
      const auto ms = [](double h) { return h > 0.0 ? fmt::format("{:.3g}", 1e3 * h) : "none"; };
      const auto second = [](double c) {
        return c < HUGE_VAL ? fmt::format("{:.3g}", c) : std::string("");
      };
      table_.add({kind.name, motion_name, name_of(method), ms(stable), second(stable_cost),
                  stable > 0.0 ? fmt::format("{:.1f} %", 100.0 * at_step(stable)->lost) : "",
                  fmt::format("{:.1f} %", 100.0 * damped->lost),
                  stable > 0.0 ? fmt::format("{:.2f}", at_step(stable)->moved / damped->moved) : "",
                  ms(kept), second(true_cost)});
      if (method == ClothMethod::kImplicitEuler || method == ClothMethod::kBackwardDifference2) {
        experiment_.at_least(fmt::format("{}, {}: {} is stable at 1/30 s, largest step [s]",
                                         kind.name, motion_name, name_of(method)),
                             stable, kMaxLength);
      }
    }
    if (motion == Motion::kStretch) {
      // The bisection ends at 20 %; the limit is that of the start.
      experiment_.at_least(
          fmt::format("{}: velocity Verlet, stable step over the computed limit", kind.name),
          stable_verlet / verlet, 0.8);
      experiment_.at_most(
          fmt::format("{}: velocity Verlet, stable step over the computed limit", kind.name),
          stable_verlet / verlet, 1.2);
    }
    diagram_.add(
        {kind.name, motion_name, stable_winner.text(), moving_winner.text(), true_winner.text()});
  }

  void report() {
    experiment_.report(
        fmt::format("Largest steps [ms], up to 1/30 s, and cost of a simulated second [ms]; energy "
                    "lost in 1 s; moved: as far as the cloth does; kept: both within {:.0f} %",
                    100.0 * kKept),
        table_, "steps");
    experiment_.report("Cheapest simulated second", diagram_, "diagram");
  }

 private:
  Experiment& experiment_;
  ResultTable table_{{"cloth", "motion", "method", "stable ms", "cost ms/s", "lost", "dampers",
                      "moved", "kept ms", "cost ms/s"}};
  ResultTable diagram_{
      {"cloth", "motion", "stable", "and moves half as far or farther", "energy and way kept"}};
};

void cloth_choice(Experiment& experiment) {
  ChoiceTables tables(experiment);
  for (const Kind& kind : kKinds) {
    for (const Motion motion : {Motion::kStretch, Motion::kSwing}) {
      if (experiment.quick() && (motion == Motion::kSwing || kind.stiffness > 100.0)) continue;
      tables.measure(kind, motion);
    }
  }
  tables.report();
}

}  // namespace
}  // namespace haptic

int main(int argc, char** argv) {
  return haptic::run_experiment(argc, argv, "cloth_choice",
                                "Which integrator for which cloth: stable steps, cost of a "
                                "simulated second, and the energy that is lost",
                                haptic::cloth_choice);
}
