// Does a cloth that falls on a floor and folds ever pass through itself, and what does it cost to
// keep it from that? 40 x 40 particles, 10,000 steps of 2 ms; every step is checked.
#include "lab/samples/folding_cloth.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "lab/experiments/experiment.h"

namespace haptic {
namespace {

/// Times [us] and work of the steps of one phase of the fall.
class Phase {
 public:
  explicit Phase(std::string name) : name_(std::move(name)) {}

  void add(double implicit_us, double response_us, const cloth::SelfContact::Figures& figures) {
    implicit_us_.push_back(implicit_us);
    response_us_.push_back(response_us);
    if (figures.searches > 0) searching_us_.push_back(response_us);
    near_ += static_cast<double>(figures.near);
    most_distances_ = std::max(most_distances_, figures.distances);
    candidates_ += static_cast<double>(figures.candidates);
  }
  void add_to(ResultTable& table) const {
    const double steps = static_cast<double>(response_us_.size());
    const double searches = static_cast<double>(searching_us_.size());
    table.add({name_, fmt::format("{:.0f}", quantile(implicit_us_, 0.5)),
               fmt::format("{:.0f}", quantile(response_us_, 0.5)),
               fmt::format("{:.0f}", quantile(response_us_, 0.99)),
               fmt::format("{:.0f}", quantile(response_us_, 1.0)),
               fmt::format("{:.2f}", searches / steps),
               fmt::format("{:.0f}", quantile(searching_us_, 0.5)),
               fmt::format("{:.0f}", candidates_ / steps), fmt::format("{:.0f}", near_ / steps),
               fmt::format("{}", most_distances_)});
  }
  static ResultTable table() {
    return ResultTable({"phase", "implicit step, us", "response, us", "p99", "most", "searches",
                        "with a search, us", "candidates", "near", "most distances"});
  }

 private:
  static double quantile(std::vector<double> values, double q) {
    if (values.empty()) return 0.0;
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
  }

  std::string name_;
  std::vector<double> implicit_us_, response_us_, searching_us_;
  double near_ = 0.0, candidates_ = 0.0;
  std::size_t most_distances_ = 0;
};

/// Processor time of this thread [us]: others that run beside it do not count.
double processor_us() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e6 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_nsec);
}

void folding_cloth(Experiment& experiment) {
  const std::uint32_t side = experiment.quick() ? 20 : 40;
  const int steps = experiment.quick() ? 1000 : 10000;
  cloth::FoldingCloth folding(side, 2e-3, true);
  const cloth::CrossingCount crossings(folding.cloth().mesh.triangles);
  const cloth::SelfContact::Figures& figures = folding.contact().figures();

  // It touches the floor after 0.14 s and lies on it after 1 s.
  Phase flat("falls, flat"), folds("folds"), rests("lies, folded");
  std::size_t crossing = 0, touching = 0, zones = 0, held = 0, most_joined = 0, most_near = 0;
  double penetration = 0.0, gained = 0.0;
  bool solved = true;
  for (int step = 0; step < steps; ++step) {
    double start = processor_us();
    folding.advance();
    const double implicit_us = processor_us() - start;
    solved = solved && folding.solved();
    const cloth::ClothState& state = folding.cloth().state;
    const double energy = cloth::kinetic_energy(folding.cloth().system, state.v);
    start = processor_us();
    const cloth::SelfContact::Result result = folding.respond();
    const double response_us = processor_us() - start;
    gained =
        std::max(gained, cloth::kinetic_energy(folding.cloth().system, state.v) / energy - 1.0);
    crossing += crossings(state.x);
    touching += figures.touching;
    zones += result == cloth::SelfContact::Result::kZones ? 1 : 0;
    held += result == cloth::SelfContact::Result::kHeld ? 1 : 0;
    most_joined = std::max(most_joined, figures.joined);
    most_near = std::max(most_near, figures.near);
    penetration = std::max(penetration, figures.penetration);
    (step < 70 ? flat : step < 500 ? folds : rests).add(implicit_us, response_us, figures);
  }

  ResultTable costs = Phase::table();
  for (const Phase* phase : {&flat, &folds, &rests}) phase->add_to(costs);
  experiment.report(fmt::format("{0} x {0} particles, {1} steps of 2 ms", side, steps), costs);
  ResultTable events({"steps with zones", "held", "most particles in zones", "most near pairs",
                      "deepest in the thickness"});
  events.add({fmt::format("{}", zones), fmt::format("{}", held), fmt::format("{}", most_joined),
              fmt::format("{}", most_near),
              fmt::format("{:.2f}", penetration / folding.contact().settings().thickness)});
  experiment.report("Response", events, "response");

  experiment.at_least("every implicit step was solved", solved ? 1.0 : 0.0, 1.0);
  experiment.at_most("T71 edges in triangles, over all steps", static_cast<double>(crossing), 0.0);
  experiment.at_most("pairs that touch, over all steps", static_cast<double>(touching), 0.0);
  // Rounding of the sums over the particles.
  experiment.at_most("largest gain of kinetic energy by the response", gained, 1e-13);
  experiment.at_least("T71 most pairs nearer than the thickness: it does fold",
                      static_cast<double>(most_near), 50.0);
}

}  // namespace
}  // namespace haptic

int main(int argc, char** argv) {
  return haptic::run_experiment(argc, argv, "folding_cloth",
                                "A cloth that falls and folds never passes through itself",
                                haptic::folding_cloth);
}
