// Where method 1 is stable, and the energy of both methods over many steps.
#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "lab/experiments/figure.h"
#include "lab/experiments/static_dynamic.h"
#include "rt/worlds/condensed/stability_limit.h"

namespace haptic {
namespace {

std::span<const double> values_of(const Eigen::VectorXd& v) {
  return {v.data(), static_cast<std::size_t>(v.size())};
}

/// Whether the modes of a body that is held at rest grow a thousandfold from random velocities.
bool grows(const CondensedModel& model, std::size_t modes, RayleighDamping damping,
           std::span<const condensed::ContactRow> rows, double h) {
  HeldContacts held(model,
                    {.coupling = condensed::ModalCoupling::kStaticsDriveDynamics,
                     .modes = modes,
                     .dt = h,
                     .damping = damping,
                     .capacity = rows.size()},
                    rows);
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  const Eigen::VectorXd still = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(modes));
  const Eigen::VectorXd kick = still.unaryExpr([&](double) { return normal(random); });
  if (!held.dynamics.set_state(values_of(still), values_of(kick))) return true;
  const Eigen::VectorXd target = Eigen::VectorXd::Zero(3 * static_cast<Eigen::Index>(rows.size()));
  // One percent above the limit, amplitudes grow by about one percent a step.
  for (int step = 0; step < 2000; ++step) {
    if (!held.try_step(target) || held.velocity().norm() > 1e3 * kick.norm()) return true;
  }
  return false;
}

/// The step from which grows(), to 0.2 %; infinite beyond 20 s.
double measured_limit(const CondensedModel& model, std::size_t modes, RayleighDamping damping,
                      std::span<const condensed::ContactRow> rows) {
  double stable = 1e-3, unstable = 2e-3;
  while (!grows(model, modes, damping, rows, unstable)) {
    stable = unstable;
    unstable *= 2.0;
    if (unstable > 20.0) return std::numeric_limits<double>::infinity();
  }
  while (unstable > 1.002 * stable) {
    const double middle = std::sqrt(stable * unstable);
    (grows(model, modes, damping, rows, middle) ? unstable : stable) = middle;
  }
  return std::sqrt(stable * unstable);
}

/// The modes of a body whose one contact is held at u*, by dense matrices: the energy of motion,
/// and what method 1 without damping never lets grow.
class HeldEnergy {
 public:
  /// @param contacts  with S = H C2 H^T; none: free motion
  HeldEnergy(const condensed::ContactCompliance& contacts, const Eigen::VectorXd& target, double h)
      : h_(h), target_(target) {
    const auto m = static_cast<Eigen::Index>(contacts.modes());
    stiffness_ = Eigen::VectorXd(m);
    for (Eigen::Index i = 0; i < m; ++i) {
      stiffness_[i] = contacts.model().eigenvalues[static_cast<std::size_t>(i)];
    }
    K_ = stiffness_.asDiagonal();
    const auto c = static_cast<Eigen::Index>(3 * contacts.size());
    HU_ = Eigen::MatrixXd::Zero(c, m);
    S_inverse_ = Eigen::MatrixXd::Zero(c, c);
    rest_ = Eigen::VectorXd::Zero(m);
    if (c == 0) return;
    const condensed::SymmetricView S = contacts.matrix();
    for (Eigen::Index i = 0; i < c; ++i) {
      for (Eigen::Index j = 0; j < c; ++j) {
        S_inverse_(i, j) = S(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
      }
      for (Eigen::Index k = 0; k < m; ++k) {
        HU_(i, k) = contacts.contact_mode(static_cast<std::size_t>(k))[static_cast<std::size_t>(i)];
      }
    }
    S_inverse_ = S_inverse_.llt().solve(Eigen::MatrixXd::Identity(c, c)).eval();
    K_ += HU_.transpose() * S_inverse_ * HU_;
    rest_ = K_.llt().solve(HU_.transpose() * (S_inverse_ * target_));
  }

  /// Kinetic and elastic energy, the statics' included [J].
  double physical(const Eigen::VectorXd& q, const Eigen::VectorXd& v) const {
    const Eigen::VectorXd left = target_ - HU_ * q;
    return 0.5 *
           (v.squaredNorm() + q.dot(stiffness_.cwiseProduct(q)) + left.dot(S_inverse_ * left));
  }
  /// 1/2 v (I + h^2/2 L1) v + 1/2 (q - q_rest) (L1 + K_e) (q - h v - q_rest): positive below the
  /// limit, and a step changes it by - (v+ + v) h^2 L1 (v+ + v) / 4.
  double discrete(const Eigen::VectorXd& q, const Eigen::VectorXd& v) const {
    const Eigen::VectorXd x = q - rest_;
    return 0.5 * (v.squaredNorm() + 0.5 * h_ * h_ * v.dot(stiffness_.cwiseProduct(v)) +
                  x.dot(K_ * (x - h_ * v)));
  }

 private:
  double h_;
  Eigen::VectorXd target_, stiffness_, rest_;
  Eigen::MatrixXd K_, HU_, S_inverse_;
};

}  // namespace

/// Largest stable step of method 1 with these contacts, as StabilityLimit computes it [s].
double computed_limit(const CondensedModel& model, std::size_t modes, RayleighDamping damping,
                      std::span<const condensed::ContactRow> rows) {
  condensed::ContactCompliance contacts(model, modes, rows.size());
  for (const condensed::ContactRow& row : rows) (void)contacts.add(row);
  condensed::StabilityLimit limit(model.eigenvalues.first(modes), damping,
                                  condensed::ModalIntegrator::kImplicit, rows.size());
  return limit.largest_step(condensed::system_of(contacts));
}

void report_stability(Experiment& experiment, const CondensedCase& cube) {
  const CondensedModel& model = cube.model();
  const std::uint32_t middle = cube.node_near(kCubeTop);
  std::vector<condensed::ContactRow> patch;  // 3 x 3 nodes of the upper face
  for (const std::uint32_t node : cube.nodes_near(middle, 0.021)) {
    if (std::abs(cube.place(node).y() - cube.place(middle).y()) < 1e-6)
      patch.push_back(cube.row(node));
  }
  const std::vector<condensed::ContactRow> single{cube.row(middle)};
  ResultTable table({"m", "one contact: computed s", "measured s", "worst one: computed s",
                     "measured s", "9 contacts: computed s", "measured s", "9, damped: computed s",
                     "measured s"});
  Figure figure{"modes", "largest stable step [s]", {}};
  figure.logarithmic_y = true;
  figure.curves = {{.title = "worst single contact, computed"},
                   {.title = "worst single contact, measured", .points = true},
                   {.title = "9 contacts, computed"},
                   {.title = "9 contacts, measured", .points = true},
                   {.title = "9 contacts, damped, computed", .dashed = true},
                   {.title = "9 contacts, damped, measured", .points = true}};
  double worst = 0.0;
  int finite = 0, contradictions = 0;
  for (std::size_t modes = 1; modes <= 30; modes += experiment.quick() ? 29 : 1) {
    std::vector<std::string> cells{fmt::format("{}", modes)};
    const auto compare = [&](const std::vector<condensed::ContactRow>& rows,
                             RayleighDamping damping, std::size_t curve) {
      const double computed = computed_limit(model, modes, damping, rows);
      const double measured = measured_limit(model, modes, damping, rows);
      if (std::isinf(computed) != std::isinf(measured)) ++contradictions;
      const double values[] = {computed, measured};
      for (const std::size_t k : {0, 1}) {
        cells.push_back(std::isinf(values[k]) ? "any" : fmt::format("{:.5f}", values[k]));
        if (std::isinf(values[k]) || curve == 0) continue;
        figure.curves[curve - 1 + k].x.push_back(static_cast<double>(modes));
        figure.curves[curve - 1 + k].y.push_back(values[k]);
      }
      if (std::isinf(computed) || std::isinf(measured)) return;
      worst = std::max(worst, std::abs(measured / computed - 1.0));
      ++finite;
    };
    compare(single, {}, 0);
    // The limit of a scene at load.
    const condensed::WorstContact at =
        condensed::worst_single_contact(model, modes, {}, condensed::ModalIntegrator::kImplicit);
    compare({condensed::row_in_triangle(model, at.triangle, at.barycentric)}, {}, 1);
    compare(patch, {}, 3);
    compare(patch, model.damping, 5);
    table.add(std::move(cells));
  }
  experiment.report("Largest stable step of method 1 on the cube, undamped unless said", table,
                    "stability");
  std::erase_if(figure.curves, [](const FigureCurve& curve) { return curve.x.empty(); });
  if (!figure.curves.empty()) draw_figure(figure, experiment.path("stability", ".png"));
  experiment.at_most("T19 limits of which only one is finite", contradictions, 0.0);
  experiment.at_least("T19 finite limits compared", finite, experiment.quick() ? 6 : 90);
  experiment.at_most("T19 measured limit over computed, largest difference from 1", worst, 0.02);
}

void report_energy(Experiment& experiment, const CondensedCase& cube) {
  constexpr double kStep = 1e-3;       // s
  constexpr double kRounding = 1e-12;  // of the first energy: some hundred additions a step
  const int steps = experiment.quick() ? 2000 : 100000;
  const CondensedModel& model = cube.model();
  const std::size_t modes = model.mode_count;
  ResultTable table({"method", "contact", "energy mJ: first", "last", "largest rise in a step",
                     "discrete energy, the same"});
  for (const condensed::ModalCoupling coupling : kBothMethods) {
    for (const bool contact : {false, true}) {
      std::vector<condensed::ContactRow> rows;
      if (contact) rows.push_back(cube.row(cube.node_near(kCubeTop)));
      const Eigen::VectorXd target =
          contact ? Eigen::VectorXd(Vector3(1e-3, -5e-3, 0.0)) : Eigen::VectorXd();
      HeldContacts held(model, {.coupling = coupling, .modes = modes, .dt = kStep, .capacity = 1},
                        rows);
      condensed::ContactCompliance statics(model, modes, 1);
      for (const condensed::ContactRow& row : rows) (void)statics.add(row);
      const HeldEnergy energy(statics, target, kStep);
      // Velocities of equal energy in all modes, 0.5 mJ in all.
      Eigen::VectorXd q = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(modes));
      Eigen::VectorXd v = Eigen::VectorXd::Constant(q.size(), std::sqrt(1e-3 / double(modes)));
      if (!held.dynamics.set_state(values_of(q), values_of(v))) continue;
      const double first = energy.physical(q, v), first_discrete = energy.discrete(q, v);
      double physical = first, discrete = first_discrete;
      double rise = -first, discrete_rise = -first_discrete, mismatch = 0.0;
      for (int step = 0; step < steps; ++step) {
        held.step(target);
        q = held.q();
        v = held.velocity();
        const double now = energy.physical(q, v), now_discrete = energy.discrete(q, v);
        rise = std::max(rise, now - physical);
        discrete_rise = std::max(discrete_rise, now_discrete - discrete);
        physical = now;
        discrete = now_discrete;
        const condensed::CondensedEnergy reported = held.dynamics.energy();
        if (coupling == condensed::ModalCoupling::kMultipliers) {
          mismatch = std::max(mismatch,
                              std::abs(reported.kinetic + reported.modal + reported.statics - now));
        }
      }
      const std::string what =
          fmt::format("{}, {}", name_of_method(coupling), contact ? "held contact" : "free");
      table.add({name_of_method(coupling), contact ? "held" : "none",
                 fmt::format("{:.4f}", 1e3 * first), fmt::format("{:.4f}", 1e3 * physical),
                 fmt::format("{:.1e}", rise / first),
                 fmt::format("{:.1e}", discrete_rise / first_discrete)});
      if (coupling == condensed::ModalCoupling::kMultipliers || !contact) {
        experiment.at_most(what + ": largest rise of the energy in a step, of the first",
                           rise / first, kRounding);
      }
      if (coupling == condensed::ModalCoupling::kStaticsDriveDynamics) {
        experiment.at_most(what + ": largest rise of the discrete energy, of the first",
                           discrete_rise / first_discrete, kRounding);
      } else {
        experiment.at_most(what + ": energy that the body reports, difference from dense matrices",
                           mismatch / first, 1e-10);
      }
    }
  }
  experiment.report(
      fmt::format("Energy without damping, m = {}, h = {} s, {} steps", modes, kStep, steps), table,
      "energy");
}

}  // namespace haptic
