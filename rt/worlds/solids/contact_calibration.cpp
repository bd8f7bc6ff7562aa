#include "rt/worlds/solids/contact_calibration.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "rt/bodies/body_model.h"
#include "rt/contact/contact_pair.h"
#include "shared/clock.h"

namespace haptic::solids {

namespace {

constexpr int kPlaces = 200;
constexpr std::int64_t kMaxDuration_ns = 100'000'000;
/// A pose with fewer nodes is discarded: its time is mainly that of the clock and of the query's
/// start.
constexpr std::uint32_t kFewestNodes = 100;

/// A pose with random orientation and a random point of the shell at a random position within the
/// field's reach.
Pose random_place(const PointShell& shell, const SignedField& field, std::mt19937_64& random) {
  std::uniform_int_distribution<std::uint32_t> any(0, shell.size() - 1);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> part(0.0, 1.0);
  const auto vector = [&] {
    const double x = normal(random), y = normal(random), z = normal(random);
    return Vector3(x, y, z);
  };
  Pose pose;
  const Vector3 axis = vector();
  pose.orientation = Quaternion(normal(random), axis.x(), axis.y(), axis.z()).normalized();
  const Vector3 target = part(random) * field.reach() * vector().normalized();
  pose.position = target - pose.orientation * shell.rest_position(any(random));
  return pose;
}

}  // namespace

void calibrate(NodeBudget& budget, const BodyModel& points, const BodyModel& field,
               const ContactSettings& settings, const Clock& clock) {
  ContactSettings whole = settings;
  whole.traversal.temporal_coherence = false;
  // Large enough to separate the costs of nodes and contacts; bounded for bodies that overlap
  // deeply.
  whole.traversal.degradation.warm_nodes = std::max(1000u, 8 * budget.warm_nodes());
  whole.traversal.degradation.fade_cycles = 0;
  ContactPair pair(*points.shell, *points.tree, *field.field, whole, HeldSide::kField);
  const std::vector<double> q(points.dimension(), 0.0), field_q(field.dimension(), 0.0);
  if (field.dimension() > 0) field.field->deform(field_q);
  std::mt19937_64 random(41);
  TouchCostFit fit;
  const std::int64_t start = clock.now_ns();
  for (int i = 0; i < kPlaces && clock.now_ns() - start < kMaxDuration_ns; ++i) {
    const BodyMotion shell = {.pose = random_place(*points.shell, *field.field, random), .q = q};
    const BodyMotion other = {.q = field_q};
    pair.evaluate(shell, other);
    const std::int64_t begin = clock.now_ns();
    const ContactResult& result = pair.evaluate(shell, other);
    const std::int64_t end = clock.now_ns();
    if (result.visited_nodes < kFewestNodes) continue;
    fit.add({result.visited_nodes, result.contacts, 1e-3 * static_cast<double>(end - begin)});
  }
  budget.calibrate(fit.node_us(), fit.contact_nodes());
}

}  // namespace haptic::solids
