// Rigid bodies pressed on each other where chance puts them: places, directions, rates, stiffness
// and speed limits. Whether the force on a still hand is still, and whether contact creates energy.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "lab/experiments/drawn_press.h"
#include "lab/experiments/experiment.h"
#include "lab/samples/state_value.h"
#include "rt/worlds/scene.h"
#include "rt/worlds/solids/solids_world.h"

namespace haptic {
namespace {

constexpr double kPress_s = 0.6, kRest_s = 1.0, kStill_s = 0.5;
constexpr double kStill = 1e-3;    // change of the force on a still hand, relative to the force
constexpr double kCreated = 1e-6;  // created energy, relative to the work of the hand
constexpr double kMuch = 0.1;      // the same, reached where points penetrate before they are found

/// What came of it.
struct Result {
  double force = 0.0;        // on the still hand [N]
  double spread = 0.0;       // its largest change, relative to it
  double created = 0.0;      // energy created by contact, relative to the work of the hand
  bool along_field = false;  // whether the contact forces follow the gradient of the field
  bool fails = false;        // whether the world diverged
};

/// The hand goes on until it has pressed `depth` further than where contact begins, and stays; it
/// looks for contact over four gaps. The force is 0 if the tool starts in contact or finds none.
Result play(const Scene& scene, const DrawnPress& press) {
  solids::SolidsWorld world(scene, nullptr);
  Result result;
  result.along_field = world.pairs()[0].contact.settings().normals == ContactNormals::kField;
  WorldOutput output;
  double first = std::numeric_limits<double>::infinity();  // way of the hand at the first contact
  Vector3 still = Vector3::Zero();
  const double way = 4.0 * DrawnPresses::kGap + press.depth;
  double work = 0.0;  // J
  const auto end = static_cast<std::size_t>((kPress_s + kRest_s + kStill_s) * press.rate);
  double gone = 0.0;
  for (std::size_t i = 0; i < end; ++i) {
    const double t = static_cast<double>(i) / press.rate;
    const double before = gone;
    gone = std::min(way * std::min(1.0, t / kPress_s), first + press.depth);
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
    if (t < kPress_s + kRest_s) {
      still = force;
    } else {
      result.spread = std::max(result.spread, (force - still).norm());
    }
  }
  if (output.contact_wrench.force.isZero(0.0)) return {};
  result.force = still.norm();
  result.spread /= result.force;
  result.created /= work;
  return result;
}

void drawn_presses(Experiment& experiment) {
  DrawnPresses presses(experiment);
  ResultTable table({"seed", "tool", "body", "rate [Hz]", "stiffness [N/m]", "speed [m/s]",
                     "friction", "normals", "force [N]", "deviation", "created / work"});
  int pressed = 0, moves = 0, creates = 0, creates_much = 0, fails = 0, away = 0;
  double most = 0.0;
  for (const std::uint64_t seed : experiment.seeds(800, 60)) {
    const DrawnPress press = presses.draw(seed);
    const Result result = play(presses.scene(press), press);
    fails += result.fails;
    if (!result.fails && result.force == 0.0) {
      ++away;
      continue;
    }
    ++pressed;
    moves += !(result.spread <= kStill);
    creates += !(result.created <= kCreated);
    most = std::max(most, result.spread);
    creates_much += result.along_field && !(result.created <= kMuch);
    if (!result.fails && result.spread <= kStill && result.created <= kCreated) continue;
    std::vector<std::string> row = {std::to_string(seed)};
    for (std::string& cell : presses.cells(press)) row.push_back(std::move(cell));
    row.push_back(result.along_field ? "field" : "shell");
    row.push_back(fmt::format("{:.3g}", result.force));
    row.push_back(result.fails ? "fault" : fmt::format("{:.2g}", result.spread));
    row.push_back(fmt::format("{:.2g}", result.created));
    table.add(std::move(row));
  }
  experiment.report(
      "presses whose force moves by more than 0.1 % of it after a second, or that "
      "create more than a millionth of their work",
      table);
  fmt::print("{} presses in contact, {} beside the body\n", pressed, away);
  experiment.at_least("presses in contact", pressed, 1.0);
  experiment.at_most("faults", fails, 0.0);
  experiment.at_most("largest deviation of a still hand's force over it", most, 0.01);
  const auto part = [&](int count) { return 1.0 * count / std::max(1, pressed); };
  experiment.at_most("part of the presses whose force moves", part(moves), 0.005);
  // Along the normals of points, forces have no potential.
  experiment.at_most("part of the presses that create energy", part(creates), 0.2);
  experiment.at_most("part of those along the field that create a tenth of the work",
                     part(creates_much), 0.005);
}

}  // namespace
}  // namespace haptic

int main(int argc, char** argv) {
  return haptic::run_experiment(argc, argv, "drawn_presses",
                                "Rigid bodies pressed on each other at places drawn by seeds",
                                haptic::drawn_presses, haptic::Shape::kDrawn);
}
