// Bowls that fall on top of each other: a stack that stands, 512 bowls, and the largest stable step
// of the implicit method, of the published one with its choices of gradients, of an explicit one
// and, where it is installed, of Bullet (Xu, Zhao & Barbic 2014, figures 4, 9 to 12 and 16;
// docs/methods/multibody.md, M16, M23, M24).
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>

#include "host/view/scene_renderer.h"
#include "lab/experiments/bowl_stack.h"
#include "lab/experiments/experiment.h"
#include "lab/experiments/figure.h"
#include "lab/experiments/stack_run.h"
#include "lab/multibody/linearized_stepper.h"
#ifdef HAPTIC_HAS_BULLET
#include "lab/multibody/bullet_stepper.h"
#endif

namespace haptic {
namespace {

constexpr double kMaxLength = 0.1;  // s, no longer step is tried
/// A tall stack has fallen in this part of its run; it may buckle later.
constexpr double kFallen = 0.5;
/// Of a point in the published step [N s/m]: a tenth and a hundredth of what damps a bowl
/// critically on one point.
constexpr double kDampings[] = {30.0, 3.0};

/// Draws the bowls at an instant.
void draw(const Experiment& experiment, const BowlStack& stack, std::span<const Pose> poses,
          const std::string& when) {
  SceneFrame frame;
  for (std::size_t i = BowlStack::kFirst; i < poses.size(); ++i) {
    frame.bodies.push_back({fmt::format("bowl {}", i), stack.model(), poses[i], {}});
  }
  SceneRenderer renderer({.width = 480, .height = 640, .azimuth = 0.6, .elevation = 0.3});
  write_png(renderer.draw(frame), experiment.path(when, ".png"));
}

/// A way to make the steps.
struct Method {
  const char* name;
  std::function<std::unique_ptr<BodyStepper>(const Scene&)> make;
  bool in_figure = true;
};

class Bowls {
 public:
  explicit Bowls(Experiment& experiment)
      : experiment_(experiment),
        falls_({"bowls", "offset mm", "rate Hz", "time s", "search ms", "solve ms", "step p99 ms",
                "contacts", "deepest / wall", "crossings", "nested", "speed m/s"}),
        steps_({"method", "step s", "search ms", "solve ms", "ms for 1 s", "deepest / wall",
                "nested", "fault of a longer step"}) {}

  void run();

 private:
  BowlStack make(const BowlStackSettings& settings) const {
    return BowlStack(experiment_.path("files", ""), settings);
  }
  void fall(const BowlStackSettings& settings, double rate_hz, double duration,
            const std::string& name, bool stands);
  StackRun run_with(const Method& method, const BowlStack& stack, double dt, double duration,
                    FigureCurve* curve) const;
  void add_run(const Method& method, const BowlStack& stack, double dt, double duration,
               const std::string& fault);
  double find_largest(const Method& method, const BowlStack& stack, double first, double duration);
  double compare(const BowlStackSettings& settings, double duration);
  void compare_gradients(const BowlStackSettings& settings, double duration);

  Experiment& experiment_;
  ResultTable falls_, steps_;
  Figure depths_{"time [s]", "deepest penetration / wall", {}};
};

/// One fall with the implicit step; pictures of its start and end.
void Bowls::fall(const BowlStackSettings& settings, double rate_hz, double duration,
                 const std::string& name, bool stands) {
  const BowlStack stack = make(settings);
  const Scene scene = stack.scene(rate_hz);
  ImplicitStepper bodies(scene);
  PenetrationProbe probe(scene);
  const StackRun run = run_stack(bodies, stack, probe, 1.0 / rate_hz, duration);
  draw(experiment_, stack, bodies.poses(), name);
  falls_.add({fmt::format("{}", settings.bowls), fmt::format("{:.1f}", 1e3 * settings.offset),
              fmt::format("{:g}", rate_hz), fmt::format("{:.2f}", run.end_s),
              fmt::format("{:.2f}", run.search_ms), fmt::format("{:.2f}", run.solve_ms),
              fmt::format("{:.2f}", run.step_p99_ms), fmt::format("{}", run.contacts),
              fmt::format("{:.3f}", run.deepest), fmt::format("{}", run.crossings),
              fmt::format("{}", run.nested), fmt::format("{:.3f}", run.speed)});
  const auto named = [&](const char* what) {
    return fmt::format("M23 {} bowls, offset {:g} mm: {}", settings.bowls, 1e3 * settings.offset,
                       what);
  };
  experiment_.at_most(named("points that pass through a wall"), static_cast<double>(run.crossings),
                      0.0);
  experiment_.at_least(named("time simulated [s]"), run.end_s,
                       run.misses_pairs ? kFallen * duration : (1.0 - 1e-9) * duration);
  experiment_.at_most(named("deepest penetration over the wall"), run.deepest, 0.5);
  experiment_.at_most(named("largest gain of energy, relative"), run.gain, 1e-6);
  if (stands) experiment_.at_least(named("bowls that stand"), run.nested, settings.bowls);
}

StackRun Bowls::run_with(const Method& method, const BowlStack& stack, double dt, double duration,
                         FigureCurve* curve) const {
  const Scene scene = stack.scene(1.0 / dt);
  PenetrationProbe probe(scene);
  const std::unique_ptr<BodyStepper> bodies = method.make(scene);
  return run_stack(*bodies, stack, probe, dt, duration,
                   [&](double time, std::span<const Pose> poses) {
                     if (curve == nullptr) return;
                     curve->x.push_back(time);
                     curve->y.push_back(probe.at(poses).deepest / stack.shape().wall);
                   });
}

/// Runs a method with the step dt: adds a row to the table and a curve to the figure.
void Bowls::add_run(const Method& method, const BowlStack& stack, double dt, double duration,
                    const std::string& fault) {
  FigureCurve curve{.title = fmt::format("{}, {:.2g} s", method.name, dt)};
  const StackRun run = run_with(method, stack, dt, duration, &curve);
  if (method.in_figure) depths_.curves.push_back(std::move(curve));
  steps_.add({method.name, fmt::format("{:.2e}", dt), fmt::format("{:.3f}", run.search_ms),
              fmt::format("{:.3f}", run.solve_ms), fmt::format("{:.0f}", run.step_ms / dt),
              fmt::format("{:.3f}", run.deepest), fmt::format("{}", run.nested), fault});
}

/// The largest stable step of a method, and a run with it. @returns this step [s]
double Bowls::find_largest(const Method& method, const BowlStack& stack, double first,
                           double duration) {
  std::string fault = "none";
  const double dt = largest_stable_step(first, kMaxLength, [&](double step) {
    const StackRun run = run_with(method, stack, step, duration, nullptr);
    if (!run.is_stable()) fault = fmt::format("{} at {:.2f} s", run.fault(), run.end_s);
    return run.is_stable();
  });
  add_run(method, stack, dt, duration, fault);
  return dt;
}

/// @returns the largest stable step of the implicit method over that of the explicit one
double Bowls::compare(const BowlStackSettings& settings, double duration) {
  const BowlStack stack = make(settings);
  const Method implicit{
      "implicit", [](const Scene& scene) { return std::make_unique<ImplicitStepper>(scene); }};
  const Method symplectic{
      "explicit", [](const Scene& scene) { return std::make_unique<ExplicitStepper>(scene); }};
  const double of_implicit = find_largest(implicit, stack, 1e-3, duration);
  add_run(implicit, stack, 1e-3, duration, "");
  const double of_explicit = find_largest(symplectic, stack, 1e-4, duration);
#ifdef HAPTIC_HAS_BULLET
  const std::vector<ConvexPart> parts = convex_parts(stack.shape());
  const Method bullet{"Bullet", [&](const Scene& scene) {
                        return std::make_unique<BulletStepper>(scene, parts, settings.friction);
                      }};
  find_largest(bullet, stack, 1e-3, duration);
  add_run(bullet, stack, 1e-3, duration, "");
#endif
  return of_implicit / of_explicit;
}

/// The published step with each choice of gradients (figure 12).
void Bowls::compare_gradients(const BowlStackSettings& settings, double duration) {
  const BowlStack stack = make(settings);
  struct Choice {
    const char* name;
    PairGradient gradient;
  };
  const Choice choices[] = {{"exact", PairGradient::kExact},
                            {"fixed normals", PairGradient::kFixedNormal},
                            {"normal approximation", PairGradient::kNormal},
                            {"symmetric", PairGradient::kNormalNoTurns},
                            {"none", PairGradient::kNone}};
  for (const double damping : kDampings) {
    double exact = 0.0, none = 0.0;
    for (const Choice& choice : choices) {
      const std::string name = fmt::format("published, {}, {:g} N s/m", choice.name, damping);
      const Method method{name.c_str(),
                          [&](const Scene& scene) {
                            return std::make_unique<LinearizedStepper>(scene, choice.gradient,
                                                                       damping);
                          },
                          false};
      const double dt = find_largest(method, stack, 1e-4, duration);
      if (choice.gradient == PairGradient::kExact) exact = dt;
      if (choice.gradient == PairGradient::kNone) none = dt;
    }
    if (damping == kDampings[0] && !experiment_.quick()) {
      experiment_.at_least("M24 largest stable step, exact gradients over none", exact / none, 5.0);
    }
  }
}

void Bowls::run() {
  const bool quick = experiment_.quick();
  BowlStackSettings few;
  if (quick) few.bowls = 5;
  fall(few, 1000.0, quick ? 0.5 : 3.0, "centred", true);
  BowlStackSettings off = few;
  off.offset = 0.005;
  fall(off, 1000.0, quick ? 0.5 : 3.0, "off-centre", false);

  if (!quick) {
    // Each bowl can touch the six above and below. The others come close where the stack buckles,
    // and the run ends there.
    BowlStackSettings many;
    many.bowls = 512;
    many.gap = 0.001;
    many.stiffness = 1e6;
    many.reach = 6;
    fall(many, 1000.0, 0.8, "512-centred", false);
    // With offsets of up to a quarter of the gap, the rims do not touch at the start.
    many.gap = 0.002;
    many.offset = 0.0004;
    fall(many, 1000.0, 0.8, "512-off-centre", false);
  }

  BowlStackSettings compared = few;
  compared.offset = 0.001;
  const double ratio = compare(compared, quick ? 0.2 : 0.6);
  compare_gradients(compared, quick ? 0.2 : 0.6);
  experiment_.report("bowls that fall with the implicit step; times are medians", falls_, "falls");
  experiment_.report(
      "one fall with several methods, the first row of each with its largest stable "
      "step",
      steps_, "steps");
  draw_figure(depths_, experiment_.path("penetration", ".png"));
  experiment_.at_least("M16 largest stable step, implicit over explicit", ratio, 5.0);
}

void bowls(Experiment& experiment) {
  Bowls(experiment).run();
}

}  // namespace
}  // namespace haptic

int main(int argc, char** argv) {
  return haptic::run_experiment(argc, argv, "bowls",
                                "Bowls that fall on top of each other (M16, M23)", haptic::bowls);
}
