// Cost of a step: the two methods, the solvers that they are compared with, and the least time in
// which the machine can read the rows of C that a contact touches.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/bake/one_blas_thread.h"
#include "lab/experiments/static_dynamic.h"
#include "lab/linear_reference/full_linear_dynamics.h"
#include "lab/linear_reference/full_linear_statics.h"
#include "lab/timing/machine_floor.h"
#include "lab/timing/off_processor.h"
#include "lab/timing/timing.h"
#include "rt/dynamics/aligned_vector.h"
#include "rt/worlds/condensed/stability_limit.h"
#include "shared/assert.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr double kTextStep = 0.08;  // s, of table 6-3
constexpr double kPress = 5e-3;     // m

/// Table 6-3 [us] and table 6-2 [s] of the text.
struct TextCosts {
  double statics, full_dynamics, modes, method_1, method_2, precompute;
};
constexpr TextCosts kTextCube{1000.0, 147000.0, 700.0, 1100.0, 1200.0, 122.0};
constexpr TextCosts kTextHand{1200.0, 228000.0, 1100.0, 1400.0, 1900.0, 200.0};

/// A press that changes in every step.
class MovingTarget {
 public:
  const Eigen::VectorXd& next() {
    target_[1] = -kPress * (0.6 + 0.4 * std::sin(0.05 * ++step_));
    target_[0] = 0.2 * kPress * std::sin(0.03 * step_);
    return target_;
  }

 private:
  Eigen::VectorXd target_ = Eigen::VectorXd::Zero(3);
  int step_ = 0;
};

/// "Reduced dynamics" with the kernels of the loop: the modes alone, held at u* as well as they
/// can, and their displacement of all nodes.
class ModesAlone {
 public:
  ModesAlone(const CondensedModel& model, std::size_t modes, RayleighDamping damping, double h,
             const condensed::ContactRow& row)
      : contacts_(model, modes, 1),
        h_(h),
        stiffness_(model.eigenvalues.begin(), model.eigenvalues.begin() + long(modes)),
        inverse_(modes),
        q_(modes),
        v_(modes),
        free_(modes),
        force_(modes),
        rows_(modes),
        solver_(3),
        u_(model.dof()) {
    (void)contacts_.add(row);
    for (std::size_t i = 0; i < modes; ++i) {
      const double damp = damping.alpha + damping.beta * stiffness_[i];
      inverse_[i] = 1.0 / (1.0 + h * damp + h * h * stiffness_[i]);
      rows_[i] = contacts_.mode(i).data();
    }
  }

  void step(const Eigen::VectorXd& target) {
    for (std::size_t i = 0; i < q_.size(); ++i) {
      free_[i] = q_[i] + h_ * inverse_[i] * (v_[i] - h_ * stiffness_[i] * q_[i]);
    }
    std::array<double, 3> b{}, f{};
    std::array<double, 9> S{};
    contacts_.modal_displacement(free_, b);
    for (std::size_t i = 0; i < q_.size(); ++i) {
      const std::span<const double> g = contacts_.contact_mode(i);
      for (std::size_t a = 0; a < 3; ++a) {
        for (std::size_t c = 0; c < 3; ++c) S[3 * a + c] += h_ * h_ * inverse_[i] * g[a] * g[c];
      }
    }
    for (std::size_t a = 0; a < 3; ++a) b[a] = target[long(a)] - b[a];
    solver_.factorise({S.data(), 3, 3}, std::max({S[0], S[4], S[8]}));
    solver_.solve(b, f);
    contacts_.modal_force(f, force_);
    for (std::size_t i = 0; i < q_.size(); ++i) {
      v_[i] = inverse_[i] * (v_[i] + h_ * (force_[i] - stiffness_[i] * q_[i]));
      q_[i] += h_ * v_[i];
    }
  }
  /// Displacements of all condensed nodes.
  void pose() {
    std::fill(u_.begin(), u_.end(), 0.0);
    contacts_.kernels().add(rows_.data(), q_.data(), q_.size(), u_.size(), u_.data());
  }

 private:
  condensed::ContactCompliance contacts_;
  double h_;
  std::vector<double> stiffness_, inverse_, q_, v_, free_, force_;
  std::vector<const double*> rows_;
  condensed::ConstraintSolver solver_;
  AlignedVector<double> u_;
};

/// Times single calls of `body` until `calls` of them ran without interruption (OffProcessor), at
/// most ten times as many; only those count. `before` runs untimed ahead of each.
template <class Body, class Before>
Timing time_steps(int calls, Body&& body, Before&& before) {
  std::vector<double> us;
  OffProcessor watch;
  for (int i = -calls / 10; i < 10 * calls && us.size() < static_cast<std::size_t>(calls); ++i) {
    before();
    watch.begin();
    body();
    watch.end();
    if (i >= 0 && !watch.interrupted()) us.push_back(watch.elapsed_us());
  }
  if (us.empty()) throw OperationError("every timed call was interrupted");
  std::ranges::sort(us);
  return {us.front(), us[us.size() / 2], us[us.size() * 99 / 100]};
}

struct Costs {
  Timing statics, sparse_statics, full_dynamics, modes, method_1, method_2;
};

/// Microseconds of a step and the pose of all nodes, with one contact on a node that stays.
Costs measure(const CondensedCase& body, std::uint32_t node, int calls) {
  const std::vector<condensed::ContactRow> rows{body.row(node)};
  const CondensedModel& model = body.model();
  const auto nothing = [] {};
  const auto by = [&](std::size_t modes, condensed::ModalCoupling coupling) {
    HeldContacts held(model,
                      {.coupling = coupling,
                       .modes = modes,
                       .dt = kTextStep,
                       .damping = model.damping,
                       .capacity = 1},
                      rows);
    MovingTarget target;
    return time_steps(
        calls,
        [&] {
          held.step(target.next());
          held.pose();
        },
        nothing);
  };
  Costs costs;
  MovingTarget target;
  const lab::ContactRows H = body.full_rows(rows);
  costs.statics = by(0, condensed::ModalCoupling::kMultipliers);
  costs.method_1 = by(model.mode_count, condensed::ModalCoupling::kStaticsDriveDynamics);
  costs.method_2 = by(model.mode_count, condensed::ModalCoupling::kMultipliers);
  ModesAlone alone(model, model.mode_count, model.damping, kTextStep, rows[0]);
  costs.modes = time_steps(
      calls,
      [&] {
        alone.step(target.next());
        alone.pose();
      },
      nothing);
  costs.sparse_statics = time_steps(
      calls, [&] { (void)lab::solve_full_statics(body.body(), H, target.next()); }, nothing);
  lab::FullLinearDynamics full(body.body(), kTextStep);
  costs.full_dynamics = time_steps(
      calls, [&] { (void)full.step_to(H, target.next()); }, nothing);
  return costs;
}

/// One contact that goes to another node in every step: three rows of C are read.
struct MovingContact {
  Timing step;     // of method 2, its contact moved, and the pose
  Timing replace;  // moving the contact alone
  Timing floor;    // reading as many bytes, from memory as large as C
  double bytes;
};

MovingContact measure_moving(const CondensedCase& body, int calls) {
  const CondensedModel& model = body.model();
  const std::size_t nodes = model.dof() / 3, row_bytes = model.dof() * sizeof(float);
  HeldContacts held(
      model, {.modes = model.mode_count, .dt = kTextStep, .damping = model.damping, .capacity = 1},
      std::vector{body.row(0)});
  // A stride without a common factor visits every node once.
  constexpr std::size_t kStride = 101;
  std::size_t at = 0;
  MovingTarget target;
  const auto move = [&] { at = (at + kStride) % nodes; };
  const auto replace = [&] {
    held.dynamics.replace_contact(0, body.row(static_cast<std::uint32_t>(at)));
  };
  MovingContact result{};
  result.bytes = 3.0 * double(row_bytes);
  result.step = time_steps(
      calls,
      [&] {
        replace();
        held.step(target.next());
        held.pose();
      },
      move);
  result.replace = time_steps(calls, replace, move);
  const AlignedVector<double> memory(model.dof() * model.dof() * sizeof(float) / sizeof(double),
                                     1.0);
  const std::size_t count = 3 * row_bytes / sizeof(double) / 8 * 8;
  double sum = 0.0;
  result.floor = time_steps(
      calls,
      [&] {
        const std::size_t from = 3 * at * row_bytes / sizeof(double) / 8 * 8;
        sum += stream({memory.data() + from, count});
      },
      move);
  HAPTIC_DEMAND(sum > 0.0);  // so that the reading stays
  return result;
}

std::string both(const Timing& timing) {
  return fmt::format("{:.2f} / {:.2f}", timing.median, timing.p99);
}

}  // namespace

void report_costs(Experiment& experiment, const StaticDynamicCases& cases) {
  const OneBlasThread one_thread;
  const int calls = experiment.quick() ? 50 : 1000;
  ResultTable table({"model", "m", "solver", "p50 us", "p99 us", "text us", "text / p50"});
  ResultTable moving(
      {"model", "bytes of C", "floor us", "contact moved us", "step and pose us", "moved / floor"});
  ResultTable precompute({"model", "condensed dof", "bake s", "text s", "limit of method 1 s"});
  const auto measure_case = [&](const CondensedCase& body, const Vector3& place,
                                const TextCosts& text) {
    const std::uint32_t node = body.node_near(place);
    const CondensedModel& model = body.model();
    condensed::CondensedDynamics contact(
        model, {.coupling = condensed::ModalCoupling::kStaticsDriveDynamics,
                .modes = model.mode_count,
                .dt = kTextStep,
                .damping = model.damping,
                .capacity = 1});
    (void)contact.add_contact(body.row(node));
    condensed::StabilityLimit limit(model.eigenvalues, model.damping,
                                    condensed::ModalIntegrator::kImplicit, 1);
    precompute.add(
        {body.name(), fmt::format("{}", model.dof()), fmt::format("{:.2f}", body.bake_seconds()),
         fmt::format("{}", text.precompute),
         fmt::format("{:.3g}", limit.largest_step(condensed::system_of(contact.contacts())))});
    const Costs costs = measure(body, node, calls);
    const auto add = [&](const std::string& solver, const Timing& timing, double published) {
      table.add({body.name(), fmt::format("{}", model.mode_count), solver,
                 fmt::format("{:.2f}", timing.median), fmt::format("{:.2f}", timing.p99),
                 published > 0.0 ? fmt::format("{:.0f}", published) : "",
                 published > 0.0 ? fmt::format("{:.0f}", published / timing.median) : ""});
    };
    add("full statics, condensed", costs.statics, text.statics);
    add("full statics, sparse solves", costs.sparse_statics, 0.0);
    add("full linearised dynamics", costs.full_dynamics, text.full_dynamics);
    add("reduced dynamics", costs.modes, text.modes);
    add("method 1", costs.method_1, text.method_1);
    add("method 2", costs.method_2, text.method_2);
    const MovingContact moves = measure_moving(body, calls);
    moving.add({body.name(), fmt::format("{:.0f}", moves.bytes), both(moves.floor),
                both(moves.replace), both(moves.step),
                fmt::format("{:.1f}", moves.replace.median / moves.floor.median)});
    // Ratios of timings mean nothing in a short run beside others.
    if (experiment.quick()) return;
    const double slower = std::max(costs.method_1.median, costs.method_2.median);
    experiment.at_most(body.name() + ": T29 step of the slower method [us]", slower, 1000.0);
    experiment.at_least(body.name() + ": T29 full dynamics over the slower method",
                        costs.full_dynamics.median / slower, 50.0);
    experiment.at_most(body.name() + ": T30 method 1 over reduced dynamics",
                       costs.method_1.median / costs.modes.median, 2.0);
    experiment.at_most(body.name() + ": T30 method 2 over method 1",
                       costs.method_2.median / costs.method_1.median, 2.0);
  };
  measure_case(cases.cube, kCubeTop, kTextCube);
  measure_case(cases.hand, kHandPalm, kTextHand);
  experiment.report("Precomputation (the whole bake) and the largest stable step of method 1",
                    precompute, "precompute");
  experiment.report(
      fmt::format("A step and the pose of all nodes, one contact on a node, h = {} s, {} steps",
                  kTextStep, calls),
      table, "cost");
  experiment.report("Method 2 with a contact that goes to another node in every step, p50 / p99",
                    moving, "moving");
}

}  // namespace haptic
