// Chains of perforated plates on hinges that fall on each other and lie in layers: contact of many
// points at once (Xu, Zhao & Barbic 2014, figures 6 and 13: 160 boxes, 96 hinges, 70,000 contacts,
// 376 ms a step; docs/methods/multibody.md, M38).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "host/view/scene_renderer.h"
#include "lab/experiments/experiment.h"
#include "lab/experiments/figure.h"
#include "lab/experiments/plate_chains.h"
#include "lab/multibody/body_stepper.h"
#include "rt/worlds/solids/solids_settings.h"

namespace haptic {
namespace {

struct Sizes {
  int layers, rows, points;
  double duration;  // s
};

Sizes sizes_of(const Experiment& experiment) {
  if (experiment.quick()) return {2, 1, 400, 0.25};
  return {8, 4, 1800, 0.35};
}

double part(std::vector<double> values, double fraction) {
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(fraction * static_cast<double>(values.size() - 1))];
}

void draw(const Experiment& experiment, const PlateChains& chains, std::span<const Pose> poses,
          const std::string& when) {
  SceneFrame frame;
  for (std::size_t i = PlateChains::kFirst; i < poses.size(); ++i) {
    frame.bodies.push_back({fmt::format("p{}", i), chains.folder() / "plate.h5", poses[i], {}});
  }
  SceneRenderer renderer({.width = 640, .height = 480, .azimuth = 0.6, .elevation = 0.35});
  write_png(renderer.draw(frame), experiment.path(when, ".png"));
}

/// One fall with a number of rows in a step.
class Fall {
 public:
  Fall(const PlateChains& chains, std::uint32_t capacity) : chains_(chains), capacity_(capacity) {}

  /// @param experiment  draws two pictures; nullptr: none
  void run(double duration, const Experiment* experiment);
  void add_to(ResultTable& table) const;
  double gap() const { return gap_; }
  double deepest() const { return deepest_; }
  double drift() const { return drift_; }
  std::uint32_t contacts() const {
    return contacts_.empty() ? 0 : *std::ranges::max_element(contacts_);
  }
  bool went_on() const { return went_on_; }
  FigureCurve curve() const;

 private:
  const PlateChains& chains_;
  std::uint32_t capacity_;
  std::vector<double> search_, solve_, all_;  // ms, of the steps with contact
  std::vector<std::uint32_t> contacts_;       // of all steps
  double gap_ = 0.0, deepest_ = 0.0, drift_ = 0.0;
  bool went_on_ = true;
};

void Fall::run(double duration, const Experiment* experiment) {
  Scene scene = chains_.scene();
  solids::edit_solids(scene).dynamics.contact_capacity = capacity_;
  ImplicitStepper bodies(scene);
  const auto steps = std::lround(duration * scene.rate_hz);
  for (long i = 1; i <= steps && went_on_; ++i) {
    went_on_ = bodies.step();
    const BodyStepper::Report report = bodies.report();
    contacts_.push_back(report.contacts);
    if (report.contacts > 0) {
      search_.push_back(1e3 * report.search_seconds);
      solve_.push_back(1e3 * report.solve_seconds);
      all_.push_back(search_.back() + solve_.back());
    }
    gap_ = std::max(gap_, chains_.largest_gap(bodies.poses()));
    drift_ = std::max(drift_, chains_.largest_drift(bodies.poses()));
    for (const solids::ContactSet::Pair& pair : bodies.world().pairs()) {
      for (const Contact& contact : pair.contact.contacts()) {
        deepest_ = std::max(deepest_, contact.depth / PlateChains::thickness());
      }
    }
    if (experiment != nullptr && i == steps / 6)
      draw(*experiment, chains_, bodies.poses(), "falling");
  }
  if (experiment != nullptr) draw(*experiment, chains_, bodies.poses(), "lying");
}

void Fall::add_to(ResultTable& table) const {
  table.add({fmt::format("{}", capacity_), fmt::format("{}", contacts()),
             fmt::format("{:.1f}", part(search_, 0.5)), fmt::format("{:.1f}", part(solve_, 0.5)),
             fmt::format("{:.1f}", part(all_, 0.5)), fmt::format("{:.1f}", part(all_, 0.99)),
             fmt::format("{:.1e}", deepest_), fmt::format("{:.1e}", gap_)});
}

FigureCurve Fall::curve() const {
  FigureCurve curve{.title = fmt::format("{} rows", capacity_)};
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    curve.x.push_back(1e-3 * static_cast<double>(i));
    curve.y.push_back(contacts_[i]);
  }
  return curve;
}

void boxes(Experiment& experiment) {
  const Sizes sizes = sizes_of(experiment);
  const PlateChains chains(experiment.path("files", ""), sizes.layers, sizes.rows, sizes.points);
  // The default, or in the quick size as few for the contacts that it has; and enough for all.
  Fall few(chains, experiment.quick() ? 300 : BodyDynamics::kContactCapacity);
  Fall all(chains, experiment.quick() ? BodyDynamics::kContactCapacity : 1u << 17);
  few.run(sizes.duration, nullptr);
  all.run(sizes.duration, &experiment);
  ResultTable table({"rows", "contacts", "search ms", "solve ms", "step ms", "step p99 ms",
                     "deepest / thickness", "hinge / length"});
  Figure figure{"time [s]", "points in contact", {}};
  for (const Fall* const fall : {&few, &all}) {
    fall->add_to(table);
    figure.curves.push_back(fall->curve());
  }
  experiment.report(
      fmt::format("{} perforated plates, {} hinges, {} points each; medians of the steps with "
                  "contact (published: 160 boxes, 96 hinges, 70,000 contacts, 376 ms)",
                  chains.plates(), chains.hinges(), sizes.points),
      table);
  draw_figure(figure, experiment.path("contacts", ".png"));
  for (const Fall* const fall : {&few, &all}) {
    experiment.at_most("M38 steps that failed", fall->went_on() ? 0.0 : 1.0, 0.0);
    experiment.at_most("M38 largest hinge error over a plate's length", fall->gap(), 1e-7);
    // With a row for four to six points, those that have none sink in until others carry them.
    experiment.at_most("M38 deepest penetration over the thickness", fall->deepest(),
                       fall == &few ? 0.1 : 0.02);
    experiment.at_most("M38 largest horizontal motion [m]", fall->drift(),
                       PlateChains::allowed_drift());
  }
  experiment.at_least("M38 contacts", all.contacts(), experiment.quick() ? 1000.0 : 70'000.0);
}

}  // namespace
}  // namespace haptic

int main(int argc, char** argv) {
  return haptic::run_experiment(argc, argv, "boxes",
                                "160 perforated plates in chains that fall on each other (M38)",
                                haptic::boxes);
}
