// Tools pressed on soft bodies where chance puts them: places, directions, rates, stiffness and
// speed limits. What the force on a still hand does after the modes of the body have decayed, how
// they decay, and whether contact creates energy.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "lab/experiments/drawn_press.h"
#include "lab/experiments/experiment.h"
#include "lab/samples/state_value.h"
#include "rt/worlds/solids/solids_settings.h"
#include "rt/worlds/solids/solids_world.h"
#include "shared/artifact/model_file.h"

namespace haptic {
namespace {

constexpr double kModuli[] = {1e4, 1e5, 1e6};  // Pa
constexpr double kPress_s = 0.6;
constexpr double kDecay =
    10.0;  // time constants of the first mode's decay before the force must be still
constexpr double kRatio = 0.03;  // damping ratio of the first mode
constexpr double kStill_s = 1.0;
constexpr double kStill = 1e-3;    // change of the force on a still hand, relative to the force
constexpr double kCreated = 1e-6;  // created energy, relative to the work of the hand
constexpr double kHigh = 5.0;      // lines from here on, over the first frequency
/// Deviation of the energy that a ring loses from what the damping takes, relative to it.
constexpr double kBalance = 0.1;
/// Periods of the first mode between the end of the press and the ring that is measured, and in
/// each of its two means.
constexpr double kSettles = 1.0, kMean = 4.0;
constexpr double kMinRing = 1e-6;  // its energy, relative to the work of the hand

/// What came of a press.
struct Result {
  double force = 0.0;    // on the still hand [N]
  double spread = 0.0;   // its largest change, relative to it
  double high = 0.0;     // largest line above five times the first frequency, relative to it
  double line = 0.0;     // frequency of the largest line [Hz]
  double created = 0.0;  // most energy created by contact, relative to the work of the hand
  double lost = 0.0;   // energy lost by the free vibration, over what the typed damping dissipates
  bool rings = false;  // whether there is such a ring
  bool fails = false;  // whether the world diverged
};

/// Kinetic energy of a body, and the power that its typed damping takes [W].
class Ring {
 public:
  explicit Ring(const DeformableBody& body)
      : body_(body),
        workspace_(body.material().system().energy->dimension()),
        force_(body.q().size()),
        stiffness_(body.q().size() * body.q().size()) {}

  double kinetic() const {
    double sum = 0.0;
    for (const double v : body_.qdot()) sum += v * v;
    return 0.5 * sum;
  }
  double damped() {
    const ReducedSystem& system = body_.material().system();
    system.energy->force_and_stiffness(body_.q(), force_, stiffness_, workspace_);
    const std::span<const double> v = body_.qdot();
    double sum = 0.0;
    for (std::size_t i = 0; i < v.size(); ++i) {
      for (std::size_t j = 0; j < v.size(); ++j) sum += v[i] * stiffness_[i * v.size() + j] * v[j];
    }
    return 2.0 * system.damping.alpha * kinetic() + system.damping.beta * sum;
  }

 private:
  const DeformableBody& body_;
  ReducedEnergy::Workspace workspace_;
  std::vector<double> force_, stiffness_;
};

/// A frequency and the amplitude of its line.
struct Line {
  double frequency = 0.0, amplitude = 0.0;
};

/// The largest line of a force from a frequency on, with Hann's window.
Line largest_line(const std::vector<Vector3>& force, double rate, double from) {
  Vector3 mean = Vector3::Zero();
  for (const Vector3& f : force) mean += f / static_cast<double>(force.size());
  const auto n = static_cast<double>(force.size());
  Line largest;
  for (double bin = std::max(1.0, std::ceil(from * n / rate)); bin < 0.5 * n; bin += 1.0) {
    const std::complex<double> turn = std::polar(1.0, -2.0 * std::numbers::pi * bin / n),
                               swell = std::polar(1.0, 2.0 * std::numbers::pi / n);
    std::complex<double> phase = 1.0, window = 1.0;
    Eigen::Vector3cd sum = Eigen::Vector3cd::Zero();
    for (const Vector3& f : force) {
      sum += ((1.0 - window.real()) * phase) * (f - mean);
      phase *= turn;
      window *= swell;
    }
    const double amplitude = 2.0 / n * sum.norm();
    if (amplitude > largest.amplitude) largest = {bin * rate / n, amplitude};
  }
  return largest;
}

/// The hand goes on until it has pressed `depth` further than where contact begins, and stays; it
/// looks for contact over four gaps. The force is 0 if the tool starts in contact or finds none.
Result play(const Scene& scene, const DrawnPress& press, double first_Hz) {
  solids::SolidsWorld world(scene, nullptr);
  Ring ring(*world.deformable(0));
  Result result;
  WorldOutput output;
  double first =
      std::numeric_limits<double>::infinity();  // how far the hand had moved at first contact [m]
  const double way = 4.0 * DrawnPresses::kGap + press.depth, period = 1.0 / first_Hz;
  const double decay = std::max(1.0, kDecay / (2.0 * std::numbers::pi * first_Hz * kRatio));
  double work = 0.0;  // J
  const double rest = kPress_s + decay, still_s = std::max(kStill_s, 2.0 * period);
  const auto end = static_cast<std::size_t>((rest + still_s) * press.rate);
  double gone = 0.0, stopped = kPress_s, before_J = 0.0, after_J = 0.0, taken_J = 0.0;
  std::vector<Vector3> forces;
  for (std::size_t i = 0; i < end; ++i) {
    const double t = static_cast<double>(i) / press.rate, dt = 1.0 / press.rate;
    const double before = gone;
    gone = std::min(way * std::min(1.0, t / kPress_s), first + press.depth);
    if (gone != before) stopped = t;
    DeviceState hand;
    hand.pose.position = gone * press.along;
    if (world.step(hand, output) != WorldStatus::kOk) {
      result.fails = true;
      return result;
    }
    const bool touches = !output.contact_wrench.force.isZero(0.0);
    // It has to start free.
    if (touches && i == 0) return {};
    if (touches) first = std::min(first, gone);
    const Vector3& force = output.device_wrench.force;
    work -= force.dot(press.along) * (gone - before);
    result.created = std::max(result.created, state_value(world, "contact/created_energy"));
    // The ring: the mean energies of two stretches of time, twice the kinetic energies, and what
    // the damping takes from the middle of one to that of the other.
    const double into = (t - stopped) / period - kSettles;
    if (into > 0.0 && into < 2.0 * kMean) {
      const double twice = 2.0 * ring.kinetic() * dt / (kMean * period);
      (into < kMean ? before_J : after_J) += twice;
      taken_J += ring.damped() * dt * (into < kMean ? into / kMean : 2.0 - into / kMean);
    }
    if (t >= rest) forces.push_back(force);
  }
  if (output.contact_wrench.force.isZero(0.0)) return {};
  Vector3 low = forces[0], up = forces[0];
  for (const Vector3& f : forces) {
    low = low.cwiseMin(f);
    up = up.cwiseMax(f);
  }
  result.force = forces.back().norm();
  result.spread = (up - low).norm() / result.force;
  if (result.spread > kStill) {
    result.line = largest_line(forces, press.rate, 0.0).frequency;
    result.high = largest_line(forces, press.rate, kHigh * first_Hz).amplitude / result.force;
  }
  result.rings = before_J > kMinRing * work;
  result.lost = (before_J - after_J) / taken_J;
  result.created /= work;
  return result;
}

/// All presses with one kind of normals.
struct Tally {
  int pressed = 0, moves = 0, high = 0, creates = 0, rings = 0, balanced = 0, fails = 0;
  double most = 0.0;

  /// @param rings  whether nothing but the damping of the body is to take energy from its ring
  void add(const Result& result, bool counts_ring) {
    fails += result.fails;
    if (!result.fails && result.force == 0.0) return;
    ++pressed;
    moves += !(result.spread <= kStill);
    high += !(result.high <= kStill);
    creates += !(result.created <= kCreated);
    most = std::max(most, result.spread);
    if (!counts_ring || !result.rings) return;
    ++rings;
    balanced += std::abs(result.lost - 1.0) <= kBalance;
  }
  static double part(int count, int of) { return 1.0 * count / std::max(1, of); }
};

void add_row(ResultTable& table, std::vector<std::string> row, const Result& result) {
  row.push_back(fmt::format("{:.3g}", result.force));
  row.push_back(result.fails ? "fault" : fmt::format("{:.2g}", result.spread));
  row.push_back(fmt::format("{:.3g}", result.line));
  row.push_back(fmt::format("{:.2g}", result.high));
  row.push_back(fmt::format("{:.2g}", result.created));
  table.add(std::move(row));
}

void drawn_soft_presses(Experiment& experiment) {
  DrawnPresses presses(experiment, kModuli);
  std::vector<std::string> columns = {"seed"};
  for (std::string& column : DrawnPresses::columns()) columns.push_back(std::move(column));
  for (const char* column : {"mass in the hand", "normals", "force [N]", "deviation", "line [Hz]",
                             "lines above 5 f1", "created / work"}) {
    columns.emplace_back(column);
  }
  ResultTable table(std::move(columns));
  constexpr const char* kNames[] = {"default", "field"};
  Tally tallies[2];
  for (const std::uint64_t seed : experiment.seeds(400, 30)) {
    const DrawnPress press = presses.draw(seed);
    const ModelFile file(presses.model(press));
    const double first_Hz =
        std::sqrt(file.doubles("/reduced/eigenvalues")[0]) / (2.0 * std::numbers::pi);
    Scene scene = presses.scene(press);
    for (std::size_t n = 0; n < std::size(kNames); ++n) {
      if (n > 0) solids::edit_solids(scene).contacts[0].normals = ContactNormals::kField;
      const Result result = play(scene, press, first_Hz);
      tallies[n].add(result, !press.rubs && !press.tool_has_mass);
      if (!result.fails && result.spread <= kStill && result.created <= kCreated) continue;
      std::vector<std::string> row = {std::to_string(seed)};
      for (std::string& cell : presses.cells(press)) row.push_back(std::move(cell));
      row.emplace_back(press.tool_has_mass ? "yes" : "no");
      row.emplace_back(kNames[n]);
      add_row(table, std::move(row), result);
    }
  }
  experiment.report(
      "presses whose force moves by more than 0.1 % of it after the body's modes have decayed, or "
      "that create more than a millionth of their work",
      table);
  for (std::size_t n = 0; n < std::size(kNames); ++n) {
    const Tally& tally = tallies[n];
    const auto named = [&](const char* what) {
      return fmt::format("normals, {}: {}", kNames[n], what);
    };
    fmt::print(
        "{} of {} move, {} above five times the first frequency; {} create energy; {} of {} "
        "rings lose what their damping takes\n",
        tally.moves, tally.pressed, tally.high, tally.creates, tally.balanced, tally.rings);
    experiment.at_least(named("presses in contact"), tally.pressed, 1.0);
    experiment.at_most(named("faults"), tally.fails, 0.0);
    experiment.at_most(named("largest deviation of a still hand's force over it"), tally.most,
                       0.01);
    experiment.at_most(named("part of the presses whose force moves"),
                       Tally::part(tally.moves, tally.pressed), 0.005);
    // Along the normals of points, forces have no potential.
    experiment.at_most(named("part of the presses that create energy"),
                       Tally::part(tally.creates, tally.pressed), n == 0 ? 0.25 : 0.06);
  }
  // The quick size has three rings.
  if (experiment.quick()) return;
  experiment.at_least("normals, field: part of the rings that lose what their damping takes",
                      Tally::part(tallies[1].balanced, tallies[1].rings), 0.5);
}

}  // namespace
}  // namespace haptic

int main(int argc, char** argv) {
  return haptic::run_experiment(argc, argv, "drawn_soft_presses",
                                "Tools pressed on soft bodies at places drawn by seeds",
                                haptic::drawn_soft_presses, haptic::Shape::kDrawn);
}
