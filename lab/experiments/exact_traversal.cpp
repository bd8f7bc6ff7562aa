// Compares the contacts of a traversal with those of all points: every shape of the catalogue
// against every shape, rigid and deformed, in 10^6 random states, with temporal coherence and
// without; then random walks of 10^5 cycles. Not one point may differ
// (docs/methods/contact-and-coupling.md, "Acceptance tests", A07, A09, A10).
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "host/field/contact_surface.h"
#include "host/field/distance_field_builder.h"
#include "host/mesh/catalogue.h"
#include "host/sampling/point_shell_builder.h"
#include "host/sampling/point_tree_builder.h"
#include "lab/experiments/experiment.h"
#include "lab/oracle/contact_scene.h"
#include "rt/contact/contact_traversal.h"

namespace haptic {
namespace {

using namespace oracle;

/// A shape of about unit size as a shell, stiff or with fifteen modes, and as a field.
struct Body {
  Body(std::string_view shape, std::uint32_t points, std::uint32_t resolution) : name(shape) {
    TriangleMesh mesh = make_shape(shape, {});
    const BoundingBox box = bounding_box(mesh);
    for (Vector3& v : mesh.vertices) v = (v - box.centre()) / box.longest_side();
    const ContactSurface surface = make_contact_surface(mesh, {.resolution = resolution});
    const SurfaceDistance distance(surface.mesh);
    DistanceGrid grid = build_distance_field(distance, {.resolution = resolution});
    const auto frame = grid.frame();
    field_data = {std::move(grid.values), {frame.begin(), frame.end()}};

    const SampledShell sample = build_point_shell(distance, {.points = points});
    for (std::size_t s = 0; s < sample.points.size(); ++s) {
      stiff.add(sample.points[s], sample.normals[s]);
    }
    soft = stiff;
    soft.set_modes(bending_modes());
    stiff_tree = tree_over(sample, stiff);
    soft_tree = tree_over(sample, soft);
  }

  static TreeData tree_over(const SampledShell& sample, const ShellData& shell) {
    BuiltTree tree = build_point_tree(sample.points, sample.level_end, shell.displacement, shell.r);
    return {shell.r,          shell.size(),     tree.level_begin, tree.point,
            tree.child_begin, tree.child_count, tree.radius,      tree.modal_radius};
  }

  std::string name;
  ShellData stiff, soft;
  TreeData stiff_tree, soft_tree;
  FieldData field_data;
};

struct Tally {
  std::uint64_t states = 0, contacts = 0, different = 0;
  std::uint64_t visits_plain = 0, visits_coherent = 0;
};

std::uint64_t differences(std::span<const TouchingPoint> a, std::span<const TouchingPoint> b) {
  if (std::equal(a.begin(), a.end(), b.begin(), b.end())) return 0;
  std::uint64_t count = 0;
  auto i = a.begin(), j = b.begin();
  while (i != a.end() || j != b.end()) {
    const bool left = j == b.end() || (i != a.end() && i->point < j->point);
    const bool right = !left && (i == a.end() || j->point < i->point);
    count += left || right || !(*i == *j);
    if (!right) ++i;
    if (!left) ++j;
  }
  return count;
}

/// A shell and a field in random states, one after the other.
class Meeting {
 public:
  Meeting(const Body& points, bool soft, const Body& field)
      : shell_(soft ? points.soft.view() : points.stiff.view()),
        tree_(soft ? points.soft_tree.view() : points.stiff_tree.view()),
        field_(field.field_data.view()),
        plain_(shell_, tree_, field_, {}),
        coherent_(shell_, tree_, field_, {.temporal_coherence = true}),
        q_(shell_.dimension()),
        values_(shell_.dimension(), 0.0) {}

  /// Every state is independent of the one before.
  void jump(Random& random, std::uint64_t states, Tally& tally) {
    std::normal_distribution<double> normal(0.0, 0.1);
    for (std::uint64_t i = 0; i < states; ++i) {
      pose_ = random_pose(random, 0.6);
      for (double& value : values_) value = normal(random);
      compare(true, tally);
    }
  }
  /// Moves at most as far as a hand in a millisecond, biased towards contact.
  void walk(Random& random, std::uint64_t cycles, Tally& tally) {
    constexpr double kStep = 0.0006;
    std::normal_distribution<double> normal(0.0, 0.1 * kStep);
    pose_ = random_pose(random, 0.4);
    for (std::uint64_t i = 0; i < cycles; ++i) {
      pose_.position = 0.9995 * (pose_.position + random_vector(random, kStep));
      pose_.orientation =
          (rotation_exponential(random_vector(random, 2.0 * kStep)) * pose_.orientation)
              .normalized();
      for (double& value : values_) value = 0.999 * value + normal(random);
      compare(false, tally);
    }
  }

 private:
  void compare(bool every_point, Tally& tally) {
    q_.assign(values_);
    const auto plain = plain_.run(pose_, Pose(), q_);
    const auto coherent = coherent_.run(pose_, Pose(), q_);
    tally.different += differences(plain, coherent);
    tally.contacts += plain.size();
    tally.visits_plain += plain_.visited_nodes();
    tally.visits_coherent += coherent_.visited_nodes();
    ++tally.states;
    // run_all returns memory of plain_, so it is called last.
    if (every_point) {
      tally.different += differences(coherent, plain_.run_all(pose_, Pose(), q_));
    }
  }

  PointShell shell_;
  PointTree tree_;
  DistanceField field_;
  ContactTraversal plain_, coherent_;
  ModalCoordinates q_;
  std::vector<double> values_;
  Pose pose_;
};

void run(Experiment& experiment) {
  std::vector<std::unique_ptr<Body>> bodies;
  for (const ShapeInfo& shape : catalogue()) {
    if (experiment.quick() && bodies.size() == 3) break;
    bodies.push_back(std::make_unique<Body>(shape.name, 1200, experiment.quick() ? 32 : 64));
  }
  const std::uint64_t meetings = 2 * bodies.size() * bodies.size();
  const std::uint64_t states = (experiment.quick() ? 4000 : 1000000 + meetings - 1) / meetings;
  const std::uint64_t cycles = (experiment.quick() ? 4000 : 100000 + meetings - 1) / meetings;

  ResultTable table({"shell", "kind", "states", "contacts", "different", "walk cycles",
                     "walk contacts", "walk different", "visits saved [%]"});
  Tally jumps, walks;
  Random random(7);
  for (const auto& points : bodies) {
    for (const bool soft : {false, true}) {
      Tally jump, walk;
      for (const auto& field : bodies) {
        Meeting meeting(*points, soft, *field);
        meeting.jump(random, states, jump);
        meeting.walk(random, cycles, walk);
      }
      table.add({points->name, soft ? "r = 15" : "rigid", fmt::format("{}", jump.states),
                 fmt::format("{}", jump.contacts), fmt::format("{}", jump.different),
                 fmt::format("{}", walk.states), fmt::format("{}", walk.contacts),
                 fmt::format("{}", walk.different),
                 fmt::format("{:.0f}", 100.0 - 100.0 * double(walk.visits_coherent) /
                                                   double(walk.visits_plain))});
      jumps.states += jump.states, jumps.contacts += jump.contacts;
      jumps.different += jump.different;
      walks.states += walk.states, walks.contacts += walk.contacts;
      walks.different += walk.different;
    }
  }
  experiment.report(fmt::format("{} random states and {} cycles of random walks, {} shapes against "
                                "each other",
                                jumps.states, walks.states, bodies.size()),
                    table);
  experiment.at_most("points that differ from brute force", double(jumps.different), 0.0);
  experiment.at_most("points that differ along walks", double(walks.different), 0.0);
  experiment.at_least("contacts in random states", double(jumps.contacts), double(jumps.states));
  experiment.at_least("contacts along walks", double(walks.contacts), double(walks.states));
}

}  // namespace
}  // namespace haptic

int main(int argc, char** argv) {
  return haptic::run_experiment(argc, argv, "exact_traversal",
                                "Contacts of a traversal and of all points", haptic::run);
}
