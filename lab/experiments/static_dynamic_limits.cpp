// Where both methods agree with full statics and with each other.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "lab/experiments/figure.h"
#include "lab/experiments/static_dynamic.h"
#include "lab/linear_reference/full_linear_dynamics.h"
#include "lab/linear_reference/full_linear_statics.h"

namespace haptic {

void report_static_limit(Experiment& experiment, const StaticDynamicCases& cases) {
  ResultTable table({"model", "contacts", "m", "method", "shape |u-C..u*|/|u|", "force"});
  const auto compare = [&](const CondensedCase& body, const std::vector<Vector3>& places) {
    std::vector<condensed::ContactRow> rows;
    Eigen::VectorXd target(3 * static_cast<Eigen::Index>(places.size()));
    for (std::size_t i = 0; i < places.size(); ++i) {
      rows.push_back(body.row(body.node_near(places[i])));
      target.segment<3>(3 * static_cast<Eigen::Index>(i)) = Vector3(1e-3, -5e-3, 0.5e-3);
    }
    const lab::ContactSolution full =
        lab::solve_full_statics(body.body(), body.full_rows(rows), target);
    const Eigen::VectorXd u = body.condensed(full.displacement);
    for (const std::size_t modes : {std::size_t{10}, body.model().mode_count}) {
      for (const condensed::ModalCoupling coupling : kBothMethods) {
        const double limit = computed_limit(body.model(), modes, body.model().damping, rows);
        HeldContacts held(body.model(),
                          {.coupling = coupling,
                           .modes = modes,
                           .dt = std::min(0.02, 0.5 * limit),
                           .damping = body.model().damping,
                           .capacity = rows.size()},
                          rows);
        for (int step = 0; step < 3000; ++step) held.step(target);
        const double shape = (held.pose() - u).norm() / u.norm();
        const double force = (held.force() - full.contact_force).norm() / full.contact_force.norm();
        table.add({body.name(), fmt::format("{}", places.size()), fmt::format("{}", modes),
                   name_of_method(coupling), fmt::format("{:.1e}", shape),
                   fmt::format("{:.1e}", force)});
        const std::string what = fmt::format("{}, m = {}, {}: T17 static limit", body.name(), modes,
                                             name_of_method(coupling));
        experiment.at_most(what + ", shape", shape, 1e-10);
        experiment.at_most(what + ", force", force, 1e-10);
      }
    }
  };
  compare(cases.exact_cube, {kCubeTop});
  compare(cases.exact_hand, {kHandPalm, kHandFinger});
  experiment.report("Static limit of both methods against full statics by sparse solves", table,
                    "static_limit");
}

void report_agreement(Experiment& experiment, const CondensedCase& cube) {
  constexpr double kEnd = 1.6, kMax = 0.08;  // s
  const std::vector<condensed::ContactRow> rows{cube.row(cube.node_near(kCubeTop))};
  const lab::ContactRows H = cube.full_rows(rows);
  const auto target = [](double t) {
    const double w = std::pow(std::sin(std::numbers::pi * t / kEnd), 2);
    return Eigen::VectorXd(Vector3(2e-3, -5e-3, 0.0) * w);
  };
  const CondensedModel& model = cube.model();
  ResultTable table({"h s", "m", "method 1 to 2", "ratio", "method 2 to full dynamics"});
  Figure figure{"step [s]", "difference, relative", {}};
  figure.logarithmic_x = figure.logarithmic_y = true;
  for (const std::size_t modes : {std::size_t{10}, std::size_t{29}}) {
    FigureCurve curve{fmt::format("methods 1 and 2, m = {}", modes), {}, {}, false, true};
    FigureCurve to_full{
        fmt::format("method 2 and full dynamics, m = {}", modes), {}, {}, true, true};
    double before = 0.0;
    for (int split = 1; split <= (experiment.quick() ? 32 : 128); split *= 2) {
      const double h = kMax / split;
      const auto make = [&](condensed::ModalCoupling coupling) {
        return HeldContacts(model,
                            {.coupling = coupling,
                             .modes = modes,
                             .dt = h,
                             .damping = model.damping,
                             .capacity = 1},
                            rows);
      };
      HeldContacts first = make(kBothMethods[0]), second = make(kBothMethods[1]);
      lab::FullLinearDynamics full(cube.body(), h);
      double apart = 0.0, from_full = 0.0, size = 0.0;
      for (int step = 1; step * h <= kEnd + 0.5 * h; ++step) {
        const Eigen::VectorXd held_at = target(step * h);
        first.step(held_at);
        second.step(held_at);
        full.step_to(H, held_at);
        apart = std::max(apart, (first.pose() - second.pose()).norm());
        from_full =
            std::max(from_full, (second.pose() - cube.condensed(full.displacement())).norm());
        size = std::max(size, second.pose().norm());
      }
      apart /= size;
      from_full /= size;
      table.add({fmt::format("{:.5f}", h), fmt::format("{}", modes), fmt::format("{:.2e}", apart),
                 before > 0.0 ? fmt::format("{:.2f}", before / apart) : "",
                 fmt::format("{:.2e}", from_full)});
      curve.x.push_back(h);
      curve.y.push_back(apart);
      to_full.x.push_back(h);
      to_full.y.push_back(from_full);
      if (split == (experiment.quick() ? 32 : 128)) {
        const std::string what = fmt::format("m = {}: T22 difference at h over that at h/2", modes);
        experiment.at_least(what, before / apart, 1.8);
        experiment.at_most(what, before / apart, 2.2);
      }
      before = apart;
    }
    figure.curves.push_back(std::move(curve));
    figure.curves.push_back(std::move(to_full));
  }
  experiment.report(fmt::format("Trajectories of all nodes under a press of {} s", kEnd), table,
                    "agreement");
  draw_figure(figure, experiment.path("agreement", ".png"));
}

}  // namespace haptic
