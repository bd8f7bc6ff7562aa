// The step of one free body in contact as a system of 13 equations and, with position and
// orientation eliminated by hand, of 6 (Xu, Zhao & Barbic 2014, section 3: 2.6 times faster),
// beside the system that FreeBody prepares for the implicit step.
#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <random>

#include "lab/experiments/experiment.h"
#include "lab/multibody/momentum_step.h"
#include "lab/timing/timing.h"
#include "rt/bodies/free_body.h"

namespace haptic {
namespace {

constexpr double kStep = 1e-3;  // s

/// A box of 0.1 m that stands 0.1 mm deep in a plane on the points of one face, and turns.
struct Case {
  RigidProperties body{1.0, Vector3::Zero(), Vector3(2e-3, 1.7e-3, 1.5e-3).asDiagonal()};
  Eigen::Matrix3Xd points;
  RigidState state;
  PlaneContact plane{Vector3::UnitY(), 0.0, 1e4, 1.0};

  explicit Case(int contacts) : points(3, contacts) {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> uniform(-0.05, 0.05);
    for (int i = 0; i < contacts; ++i)
      points.col(i) = Vector3(uniform(random), -0.05, uniform(random));
    state.centre = {0.0, 0.0499, 0.0};
    state.momentum = {0.1, -0.2, 0.05};
    state.angular_momentum = {0.0, 1e-3, 0.0};
  }
};

/// FreeBody's part of the implicit step, with the plane's springs of the step's end.
Vector6 symmetric_step(FreeBody& body, const LinearWrench& wrench) {
  FreeBody::StepSystem system = body.prepare();
  system.matrix -= wrench.by_pose;
  system.load += wrench.value;
  return system.matrix.llt().solve(system.load);
}

void body_equations(Experiment& experiment) {
  const int calls = experiment.quick() ? 5000 : 200'000;
  ResultTable table({"points in contact", "contact sums us", "13 equations us", "6 equations us",
                     "ratio", "ratio with the sums", "FreeBody us"});
  double least = 1e9, difference = 0.0;
  for (const int contacts : {4, 32, 256}) {
    const Case now(contacts);
    const LinearWrench wrench = now.plane.at(now.body, now.points, now.state);
    FreeBody body({now.body.mass, now.body.centre, now.body.inertia}, {now.state.centre, {}}, {},
                  Vector3::Zero(), kStep);
    RigidState end;
    LinearWrench sums;
    Vector6 z;
    const auto keep = [](const auto& value) { asm volatile("" : : "g"(&value) : "memory"); };
    // Alternately, so that other work on the machine slows all of them.
    std::vector<double> of_sums, of_full, of_reduced, of_ours;
    for (int round = 0; round < 5; ++round) {
      const auto time = [&](auto&& call, std::vector<double>& medians) {
        medians.push_back(time_calls(calls / 5, call, [] {}).median);
      };
      time([&] { keep(sums = now.plane.at(now.body, now.points, now.state)); }, of_sums);
      time([&] { keep(end = full_momentum_step(now.body, wrench, kStep, now.state)); }, of_full);
      time([&] { keep(end = reduced_momentum_step(now.body, wrench, kStep, now.state)); },
           of_reduced);
      time([&] { keep(z = symmetric_step(body, wrench)); }, of_ours);
    }
    const auto median = [](std::vector<double>& values) {
      std::ranges::sort(values);
      return values[values.size() / 2];
    };
    const double sum = median(of_sums), full = median(of_full), reduced = median(of_reduced);
    table.add({fmt::format("{}", contacts), fmt::format("{:.2f}", sum), fmt::format("{:.2f}", full),
               fmt::format("{:.2f}", reduced), fmt::format("{:.2f}", full / reduced),
               fmt::format("{:.2f}", (sum + full) / (sum + reduced)),
               fmt::format("{:.2f}", median(of_ours))});
    least = std::min(least, full / reduced);
    const RigidState a = full_momentum_step(now.body, wrench, kStep, now.state),
                     b = reduced_momentum_step(now.body, wrench, kStep, now.state);
    difference = std::max(difference, (a.momentum - b.momentum).norm() / a.momentum.norm());
  }
  experiment.report(
      "one step of one body in contact, medians (published: 13 equations take 2.6 times as long)",
      table);
  experiment.at_most("M38 both systems give the same momentum, relative", difference, 1e-11);
  // A ratio of times is no property that a test may depend on.
  if (!experiment.quick()) {
    experiment.at_least("M38 time of 13 equations over that of 6", least, 2.0);
  }
}

}  // namespace
}  // namespace haptic

int main(int argc, char** argv) {
  return haptic::run_experiment(argc, argv, "body_equations",
                                "The step of one body: 6 equations against 13 (M38)",
                                haptic::body_equations);
}
