// Z-width of the sampled coupling: how stiff it may be before the handle buzzes, against the rate
// of the servo, with and without the energy controller, against the bound b > K T / 2 of a passive
// sampled spring (docs/methods/devices.md, "Renderable stiffness").
//
// The handle is a free mass with a little damping behind quantised encoders, pushed against a wall
// by a constant force; between two samples the wrench is constant and the motion is exact. The
// servo is the cycle of the daemon.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "lab/experiments/experiment.h"
#include "lab/experiments/figure.h"
#include "rt/coupling/hand_coupling.h"
#include "rt/coupling/virtual_coupling.h"
#include "rt/device/simulated_device.h"
#include "rt/servo/haptic_cycle.h"
#include "rt/worlds/world.h"

namespace haptic {
namespace {

constexpr double kWall = 1e6;         // N/m, of the wall itself: the coupling is the soft part
constexpr double kPush = 1.0;         // N, of the hand
constexpr double kSpeed = 0.05;       // m/s, towards the wall at the start
constexpr double kMaxDamping = 5.0;   // N s/m, of the controller
constexpr double kIdleEnergy = 2e-6;  // J
constexpr double kWindow = 0.5;       // s; the last two of a run are compared

/// The held body is a point, the wall fills z < 0; the coupling is the daemon's.
class WallWorld final : public World {
 public:
  WallWorld(double stiffness, double rate_hz) : coupling_(settings(stiffness, rate_hz)) {
    law_.stiffness = stiffness;
    law_.rotational_stiffness = coupling_.settings().torque.stiffness;
    bodies_.resize(1);
    bodies_[0].name = "point";
    bodies_[0].held = true;
  }

  [[nodiscard]] WorldStatus step(const DeviceState& hand,
                                 WorldOutput& output) HAPTIC_REALTIME override {
    output = WorldOutput{};
    const Pose target = law_.manipulandum(hand.pose);
    if (!placed_) held_ = target;
    placed_ = true;
    Wrench contact;
    Matrix6 gradient = Matrix6::Zero();
    if (held_.position.z() < 0.0) {
      contact.force.z() = -kWall * held_.position.z();
      gradient(2, 2) = -kWall;
    }
    if (coupling_.advance(target, coupling_.simulated(target, held_), contact, gradient, held_) !=
        CouplingStatus::kOk) {
      return WorldStatus::kNotFinite;
    }
    output.held_pose = held_;
    output.manipulandum_pose = target;
    output.contact_wrench = contact;
    output.device_wrench = law_.wrench(target, {}, held_, {});
    output.stored_energy_J = law_.stored(target, held_);
    return WorldStatus::kOk;
  }
  void reset() HAPTIC_REALTIME override { placed_ = false; }
  HandCoupling hand_coupling() const HAPTIC_REALTIME override { return law_; }
  const std::vector<BodyInfo>& bodies() const override { return bodies_; }
  const StateLayout& state_layout() const override { return layout_; }
  std::span<const double> state(std::size_t) const HAPTIC_REALTIME override { return {}; }
  std::span<const Parameter> parameters() const HAPTIC_REALTIME override { return {}; }
  double parameter(std::size_t) const HAPTIC_REALTIME override { return 0.0; }
  [[nodiscard]] bool set_parameter(std::size_t, double) HAPTIC_REALTIME override { return false; }

 private:
  static CouplingSettings settings(double stiffness, double rate_hz) {
    CouplingSettings settings;
    settings.force = {stiffness};
    settings.torque = {1.0};
    settings.max_step = 0.6 / rate_hz;
    settings.max_rotation = 6.28 / rate_hz;
    return settings;
  }

  VirtualCoupling coupling_;
  HandCoupling law_;
  std::vector<BodyInfo> bodies_;
  StateLayout layout_;
  Pose held_;
  bool placed_ = false;
};

class StandingClock final : public Clock {
 public:
  std::int64_t now_ns() const HAPTIC_REALTIME override { return now_; }
  void sleep_until(std::int64_t deadline) override { now_ = deadline; }

 private:
  std::int64_t now_ = 0;
};

class NoSink final : public CycleSink {
 public:
  void publish(const SampleRecord&, std::span<const double>) HAPTIC_REALTIME override {}
  void publish_display(std::uint64_t,
                       std::span<const std::span<const double>>) HAPTIC_REALTIME override {}
  void publish_parameter(std::size_t, double) HAPTIC_REALTIME override {}
  Statistics& statistics() HAPTIC_REALTIME override { return statistics_; }

 private:
  Statistics statistics_{};
};

struct Handle {
  double mass, damping, encoder;  // kg, N s/m, m
};

struct Run {
  double before = 0.0, last = 0.0;  // way of the handle in the last two windows [m]
  double largest_damping = 0.0;     // added by the controller [N s/m]
  bool fault = false;

  /// Steady or growing, by more than a step of the encoder to either side and more than 2 uJ of the
  /// spring: within these a quantised spring without friction always oscillates. Just below the
  /// limit an oscillation decays slowly, but it decays.
  bool buzzes(double encoder, double stiffness) const {
    const double idle = std::max(2.5 * encoder, 2.0 * std::sqrt(2.0 * kIdleEnergy / stiffness));
    return fault || (last > idle && last > 0.98 * before);
  }
};

Run play(const Handle& handle, double stiffness, double rate_hz, const PassivitySettings& passivity,
         double seconds) {
  HandSettings hand{HandKind::kFree, handle.mass, 0.0, handle.damping};
  hand.push.z() = -kPush;
  Pose above, moved;
  above.position.z() = 1e-3;
  moved.position.z() = above.position.z() - kSpeed;
  SimulatedDevice device(HandScript({{0.0, above}, {1.0, moved}}), rate_hz, hand,
                         {handle.encoder, 0.0});
  WallWorld world(stiffness, rate_hz);
  StandingClock clock;
  CommandChannel commands;
  NoSink sink;
  HapticCycle::Settings settings;
  settings.rate_hz = rate_hz;
  settings.limits.ramp_s = 0.0;
  settings.limits.force = 1e3;  // the limit of the spring is measured, not that of the motor
  settings.engage_at_start = true;
  settings.passivity = passivity;
  // The limit of the device, 8.5 N, remains: an oscillation beyond it is unstable as well.
  HapticCycle cycle(device, world, clock, commands, sink, settings);
  Schedule schedule(std::llround(1e9 / rate_hz), 0);
  Run run;
  const auto cycles = static_cast<int>(seconds * rate_hz),
             window = static_cast<int>(kWindow * rate_hz);
  double low[2] = {1e9, 1e9}, high[2] = {-1e9, -1e9};
  for (int i = 0; i < cycles; ++i) {
    clock.sleep_until(schedule.next_ns());
    cycle.run(schedule.take(clock.now_ns()), clock.now_ns());
    const SampleRecord& sample = cycle.sample();
    run.fault = run.fault || sample.state == ServoState::kFault;
    run.largest_damping = std::max(run.largest_damping, sample.port_damping_N_s_m);
    const int from_end = cycles - 1 - i;
    if (from_end >= 2 * window) continue;
    const std::size_t w = from_end < window ? 1 : 0;
    low[w] = std::min(low[w], sample.device_pose.position_m[2]);
    high[w] = std::max(high[w], sample.device_pose.position_m[2]);
  }
  run.before = high[0] - low[0];
  run.last = high[1] - low[1];
  return run;
}

/// Largest tried stiffness below which all are stable.
double largest_stable(const Handle& handle, double rate_hz, const PassivitySettings& passivity,
                      double seconds, double factor) {
  double stable = 0.0;
  for (double k = 100.0; k < 1e6; k *= factor) {
    if (play(handle, k, rate_hz, passivity, seconds).buzzes(handle.encoder, k)) break;
    stable = k;
  }
  return stable;
}

void sweep(Experiment& experiment) {
  const bool quick = experiment.quick();
  const Handle handle{0.1, 0.5, 20e-6};
  const double seconds = quick ? 2.0 : 4.0, factor = quick ? 1.25 : 1.05;
  const std::vector<double> rates = quick ? std::vector<double>{1000.0, 4000.0}
                                          : std::vector<double>{1000.0, 2000.0, 4000.0, 8000.0};

  struct Variant {
    const char* title;
    PassivitySettings settings;
  };
  std::vector<Variant> variants = {{"no controller", {}}};
  PassivitySettings on;
  on.enabled = true;
  on.max_damping = kMaxDamping;
  on.device_damping =
      0.5 * handle.damping;  // well below the actual damping, so that an oscillation decays soon
  on.reference = PassivityReference::kZero;
  variants.push_back({"controller, reference zero", on});
  on.reference = PassivityReference::kStored;
  variants.push_back({"controller, reference stored", on});

  std::vector<std::string> columns = {"rate [Hz]", "2b/T [N/m]"};
  for (const Variant& variant : variants) columns.emplace_back(variant.title);
  columns.push_back(fmt::format("2(b + {:g})/T", kMaxDamping));
  ResultTable table(columns);
  Figure figure;
  figure.x_label = "rate of the servo [Hz]";
  figure.y_label = "largest stable coupling stiffness [N/m]";
  figure.logarithmic_x = figure.logarithmic_y = true;
  for (const Variant& variant : variants) {
    figure.curves.push_back({.title = variant.title, .points = true});
  }
  figure.curves.push_back({.title = "b = K T / 2", .dashed = true});
  figure.curves.push_back(
      {.title = fmt::format("b + {:g} N s/m = K T / 2", kMaxDamping), .dashed = true});
  double least_gain = 1e9, worst_share = 1e9;
  for (const double rate : rates) {
    const double bound = 2.0 * handle.damping * rate;
    std::vector<std::string> row = {fmt::format("{:.0f}", rate), fmt::format("{:.0f}", bound)};
    std::vector<double> found;
    for (std::size_t v = 0; v < variants.size(); ++v) {
      found.push_back(largest_stable(handle, rate, variants[v].settings, seconds, factor));
      row.push_back(fmt::format("{:.0f}", found.back()));
      figure.curves[v].x.push_back(rate);
      figure.curves[v].y.push_back(found.back());
    }
    FigureCurve& own = figure.curves[variants.size()];
    own.x.push_back(rate);
    own.y.push_back(bound);
    FigureCurve& with = figure.curves.back();
    with.x.push_back(rate);
    with.y.push_back(2.0 * (handle.damping + kMaxDamping) * rate);
    row.push_back(fmt::format("{:.0f}", with.y.back()));
    table.add(row);
    least_gain = std::min(least_gain, found[2] / found[0]);
    worst_share = std::min(worst_share, found[0] / bound);
  }
  experiment.report(
      fmt::format(
          "Largest stable coupling stiffness [N/m]: handle {:g} kg, b = {:g} N s/m, encoder "
          "{:g} um, pushed by {:g} N",
          handle.mass, handle.damping, 1e6 * handle.encoder, kPush),
      table);
  draw_figure(figure, experiment.path("", ".png"));
  // Passive implies stable: about the bound or not far below it, apart from the encoder steps.
  experiment.at_least("without a controller, over the bound 2b/T", worst_share, 0.8);
  experiment.at_least("gain of the controller, reference stored", least_gain, 4.0);
}

}  // namespace
}  // namespace haptic

int main(int argc, char** argv) {
  return haptic::run_experiment(argc, argv, "z_width",
                                "Largest stable coupling stiffness against the servo's rate",
                                haptic::sweep);
}
