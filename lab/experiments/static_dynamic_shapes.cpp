// What the methods look like: full statics, modes alone and both coupled; a hand that is bent and
// poked; a dent by the condensed body beside one by a reduced body.
#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <limits>
#include <numeric>

#include "host/fem/static_solver.h"
#include "host/reduction/reduced_statics.h"
#include "host/view/scene_renderer.h"
#include "lab/experiments/figure.h"
#include "lab/experiments/static_dynamic.h"
#include "lab/experiments/subspace.h"
#include "lab/linear_reference/full_linear_statics.h"
#include "rt/worlds/condensed/condensed_surface.h"

namespace haptic {
namespace {

constexpr double kNear = 0.03;  // m: two edges of the cube's elements
constexpr RenderSettings kCubeView{.width = 460, .height = 420, .azimuth = 0.4, .elevation = 0.55};
constexpr RenderSettings kHandView{.width = 400, .height = 300, .azimuth = 0.35, .elevation = 0.4};

/// Pictures of a body side by side, each in a displacement of its condensed nodes, with marks at
/// the contacts.
class SideBySide {
 public:
  SideBySide(const CondensedCase& body, const RenderSettings& settings)
      : body_(&body), surface_(body.model(), body.path().string()), settings_(settings) {}

  /// @param u  s values [m] @param scale  of u in the picture
  void add(const std::string& name, const Eigen::VectorXd& u,
           const std::vector<std::uint32_t>& contacts, double scale = 1.0) {
    const Eigen::VectorXd scaled = scale * u;
    const std::span<const double> values(scaled.data(), static_cast<std::size_t>(scaled.size()));
    SceneFrame frame;
    FrameBody drawn{name, body_->path(), {}, {}};
    for (std::uint32_t v = 0; v < surface_.vertex_count(); ++v) {
      drawn.surface.push_back(surface_.position(v, values));
    }
    for (const std::uint32_t v : contacts) frame.points.push_back(drawn.surface[v]);
    frame.bodies.push_back(std::move(drawn));
    images_.push_back(SceneRenderer(settings_).draw(frame));
  }

  void write(const std::filesystem::path& picture) const {
    const int width = settings_.width, height = settings_.height;
    Image all{width * static_cast<int>(images_.size()), height, {}};
    for (int y = 0; y < height; ++y) {
      for (const Image& image : images_) {
        const auto row = image.rgb.begin() + std::ptrdiff_t{3} * width * y;
        all.rgb.insert(all.rgb.end(), row, row + std::ptrdiff_t{3} * width);
      }
    }
    write_png(all, picture);
  }

 private:
  const CondensedCase* body_;
  condensed::CondensedSurface surface_;
  RenderSettings settings_;
  std::vector<Image> images_;
};

/// Vertex of the surface nearest to a place at rest.
std::uint32_t vertex_near(const CondensedCase& body, const Vector3& place) {
  std::uint32_t nearest = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::uint32_t v = 0; v < body.model().vertex_count(); ++v) {
    const double distance = (body.vertex(v) - place).norm();
    if (distance < least) {
      least = distance;
      nearest = v;
    }
  }
  return nearest;
}

/// The modes alone at rest with H u = u*, of least energy.
Eigen::VectorXd modes_alone(const CondensedCase& body, std::size_t modes,
                            const std::vector<condensed::ContactRow>& rows,
                            const Eigen::VectorXd& target) {
  const auto m = static_cast<Eigen::Index>(modes);
  Eigen::MatrixXd U(body.dof(), m);
  Eigen::VectorXd softness(m);
  for (Eigen::Index i = 0; i < m; ++i) {
    U.col(i) = body.mode_rows(static_cast<std::size_t>(i));
    softness[i] = 1.0 / body.model().eigenvalues[static_cast<std::size_t>(i)];
  }
  Eigen::MatrixXd HU(target.size(), m);
  for (Eigen::Index i = 0; i < m; ++i) {
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const auto u = condensed::displacement_at(
          rows[k], {U.col(i).data(), static_cast<std::size_t>(U.rows())});
      for (std::size_t a = 0; a < 3; ++a) HU(static_cast<Eigen::Index>(3 * k + a), i) = u[a];
    }
  }
  const Eigen::MatrixXd S = HU * softness.asDiagonal() * HU.transpose();
  return U * softness.cwiseProduct(HU.transpose() * lab::solve_contacts(S, target));
}

/// Method 2 with a contact that is held until the body is at rest.
HeldContacts at_rest(const CondensedCase& body, std::size_t modes,
                     const std::vector<condensed::ContactRow>& rows,
                     const Eigen::VectorXd& target) {
  HeldContacts held(body.model(),
                    {.modes = modes,
                     .dt = 0.02,
                     .damping = body.model().damping,
                     .capacity = std::max<std::size_t>(rows.size(), 1)},
                    rows);
  for (int step = 0; step < 3000; ++step) held.step(target);
  return held;
}

void poke_cube(Experiment& experiment, const CondensedCase& cube) {
  constexpr std::size_t kModes = 30;  // figures 1-2 and 6-2
  const std::uint32_t node = cube.node_near(kCubeTop);
  const std::vector<condensed::ContactRow> rows{cube.row(node)};
  const Eigen::VectorXd target = Vector3(0.0, -0.02, 0.0);
  const Eigen::VectorXd full = cube.condensed(
      lab::solve_full_statics(cube.body(), cube.full_rows(rows), target).displacement);
  const Eigen::VectorXd alone = modes_alone(cube, kModes, rows, target);
  const Eigen::VectorXd coupled = at_rest(cube, kModes, rows, target).pose();

  const auto near = cube.nodes_near(node, kNear), far = cube.nodes_beyond(node, kNear);
  ResultTable table({"solver", "error near the contact", "elsewhere"});
  for (const auto& [name, u] : {std::pair{"30 modes alone", &alone}, {"coupled", &coupled}}) {
    table.add({name, fmt::format("{:.2e}", relative_difference(*u, full, near)),
               fmt::format("{:.2e}", relative_difference(*u, full, far))});
  }
  experiment.report("A node of the cube's upper face moved by 20 mm: difference from full statics",
                    table, "poke");
  experiment.at_least("T23 30 modes alone, error near the contact",
                      relative_difference(alone, full, near), 0.1);
  experiment.at_most("T23 coupled at rest, error near the contact",
                     relative_difference(coupled, full, near), 1e-6);

  Figure profile{"x [mm]", "height of the upper face [mm]", {}};
  const Vector3 middle = cube.place(node);
  for (const auto& [name, u] : {std::pair{"full statics", &full},
                                {"30 modes alone", &alone},
                                {"30 modes and statics", &coupled}}) {
    FigureCurve curve{name, {}, {}, false, true};
    curve.dashed = u == &coupled;
    std::vector<std::uint32_t> line;
    for (const std::uint32_t i : cube.nodes_near(node, 1.0)) {
      const Vector3 apart = cube.place(i) - middle;
      if (std::abs(apart.y()) < 1e-6 && std::abs(apart.z()) < 1e-6) line.push_back(i);
    }
    std::ranges::sort(line, {}, [&](std::uint32_t i) { return cube.place(i).x(); });
    for (const std::uint32_t i : line) {
      const Vector3 at = cube.place(i) + u->segment<3>(3 * static_cast<Eigen::Index>(i));
      curve.x.push_back(1e3 * at.x());
      curve.y.push_back(1e3 * at.y());
    }
    profile.curves.push_back(std::move(curve));
  }
  draw_figure(profile, experiment.path("profile", ".png"));
  SideBySide picture(cube, kCubeView);
  const std::uint32_t pressed = vertex_near(cube, cube.place(node));
  picture.add("full statics", full, {pressed});
  picture.add("30 modes alone", alone, {pressed});
  picture.add("30 modes and statics", coupled, {pressed});
  picture.write(experiment.path("cube", ".png"));
}

void bend_hand(Experiment& experiment, const CondensedCase& hand) {
  constexpr std::size_t kModes = 15;  // figure 6-3
  const std::uint32_t finger = vertex_near(hand, kHandFinger), palm = vertex_near(hand, kHandPalm);
  ResultTable table({"snapshot", "15 modes alone: error", "coupled: error"});
  SideBySide picture(hand, kHandView);
  picture.add("at rest", Eigen::VectorXd::Zero(hand.dof()), {});
  std::vector<std::uint32_t> all(static_cast<std::size_t>(hand.dof() / 3));
  std::iota(all.begin(), all.end(), 0U);
  const auto press = [&](const std::string& name, std::uint32_t vertex,
                         const Eigen::VectorXd& target) {
    const std::vector<condensed::ContactRow> rows{condensed::row_of_vertex(hand.model(), vertex)};
    const Eigen::VectorXd full = hand.condensed(
        lab::solve_full_statics(hand.body(), hand.full_rows(rows), target).displacement);
    HeldContacts held = at_rest(hand, kModes, rows, target);
    picture.add(name, held.pose(), {vertex});
    const double alone = relative_difference(modes_alone(hand, kModes, rows, target), full, all);
    const double coupled = relative_difference(held.pose(), full, all);
    table.add({name, fmt::format("{:.2e}", alone), fmt::format("{:.2e}", coupled)});
    experiment.at_most(name + ": coupled at rest, difference from full statics", coupled, 1e-6);
    return held;
  };
  HeldContacts bent = press("finger bent", finger, Vector3(-0.01, -0.035, 0.0));
  press("palm poked", palm, Vector3(0.0, -0.012, 0.0));
  // The stylus leaves: the statics vanish, the modes swing on.
  const condensed::ContactRow tip = condensed::row_of_vertex(hand.model(), finger);
  const auto height = [&] { return 1e3 * bent.dynamics.displacement_of_row(tip)[1]; };
  const double held_at = height();
  bent.dynamics.clear_contacts();
  bent.step(Eigen::VectorXd());
  const double freed = height();
  for (int step = 1; step < 5; ++step) bent.step(Eigen::VectorXd());
  picture.add("0.1 s after release", bent.pose(), {});
  table.add({fmt::format("finger held at {:.1f} mm, after a step of 20 ms {:.1f}, 0.1 s {:.1f}",
                         held_at, freed, height()),
             "", ""});
  experiment.report("The hand at rest under a stylus: difference from full statics", table, "hand");
  picture.write(experiment.path("hand", ".png"));
}

}  // namespace

void draw_deformations(Experiment& experiment, const StaticDynamicCases& cases) {
  poke_cube(experiment, cases.exact_cube);
  bend_hand(experiment, cases.exact_hand);
}

void compare_dents(Experiment& experiment, const CondensedCase& cube) {
  constexpr int kLinearModes = 10, kDimension = 20;
  constexpr std::size_t kModes = 10;  // of the condensed body
  const std::uint32_t node = cube.node_near(kCubeTop);
  const StvkModel& stvk = cube.body().model;
  const Eigen::MatrixXd U =
      derivative_basis(stvk, ModalData(stvk, kLinearModes), kLinearModes, kDimension);
  const ReducedEnergy energy = reduced_energy(stvk, U);

  const auto near = cube.nodes_near(node, kNear), far = cube.nodes_beyond(node, kNear);
  const std::vector<condensed::ContactRow> rows{cube.row(node)};
  const lab::ContactRows H = cube.full_rows(rows);
  const double softness =
      (H * cube.body().factor.solve(Eigen::MatrixXd(H.transpose())))(1, 1);  // m/N
  ResultTable table({"force N", "dent mm: StVK", "condensed", "reduced", "near: condensed",
                     "reduced", "elsewhere: condensed", "reduced"});
  // The dent of the linear body, of an edge of 100 mm.
  for (const double dent : {1e-4, 1e-3, 5e-3}) {
    const Vector3 force(0.0, -dent / softness, 0.0);
    const Eigen::VectorXd f = stvk.expand(H.transpose() * Eigen::VectorXd(force));
    const Eigen::VectorXd full = cube.condensed_of_all(solve_static(stvk, f).u);
    const Eigen::VectorXd linear = cube.condensed(
        cube.body().factor.solve(Eigen::MatrixXd(H.transpose() * Eigen::VectorXd(force))));
    const Eigen::VectorXd reduced_force = U.transpose() * f;
    const Eigen::VectorXd reduced =
        cube.condensed_of_all(U * vector_of(solve_reduced_statics(energy, view(reduced_force)).q));
    // The condensed body under the same force, until it rests.
    HeldContacts held(cube.model(),
                      {.modes = kModes, .dt = 0.02, .damping = cube.model().damping, .capacity = 1},
                      rows);
    for (int step = 0; step < 3000; ++step) {
      held.dynamics.prepare();
      if (!held.dynamics.advance({force.data(), 3})) break;
    }
    const Eigen::VectorXd condensed = held.pose();
    const auto depth = [&](const Eigen::VectorXd& u) {
      return fmt::format("{:.4f}", -1e3 * u[3 * static_cast<Eigen::Index>(node) + 1]);
    };
    const auto error = [&](const Eigen::VectorXd& u, const std::vector<std::uint32_t>& nodes) {
      return fmt::format("{:.1e}", relative_difference(u, full, nodes));
    };
    table.add({fmt::format("{:.4f}", -force.y()), depth(full), depth(condensed), depth(reduced),
               error(condensed, near), error(reduced, near), error(condensed, far),
               error(reduced, far)});
    const std::string at = fmt::format(" at a dent of {} mm", 1e3 * dent);
    experiment.at_most("condensed, error against linear full statics" + at,
                       relative_difference(condensed, linear, near), 1e-6);
    experiment.at_least(
        "T23 reduced over condensed, error against StVK near the contact" + at,
        relative_difference(reduced, full, near) / relative_difference(condensed, full, near),
        dent < 5e-4   ? 100.0
        : dent < 2e-3 ? 10.0
                      : 1.5);
    if (dent == 1e-3) {
      constexpr double kShown = 20.0;  // times the displacement
      SideBySide picture(cube, kCubeView);
      const std::uint32_t pressed = vertex_near(cube, cube.place(node));
      picture.add("StVK", full, {pressed}, kShown);
      picture.add("condensed", condensed, {pressed}, kShown);
      picture.add("reduced", reduced, {pressed}, kShown);
      picture.write(experiment.path("dent", ".png"));
    }
  }
  experiment.report(
      fmt::format("The same force on a node by the condensed body (m = {}) and a reduced StVK body "
                  "(r = {}): difference from full StVK statics",
                  kModes, kDimension),
      table, "dent");
}

}  // namespace haptic
