#include "rt/worlds/solids/contact_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string_view>
#include <utility>
#include <variant>

#include "rt/worlds/solids/contact_calibration.h"
#include "rt/worlds/solids/contact_normals.h"
#include "rt/worlds/solids/implicit_step.h"
#include "rt/worlds/solids/solids_settings.h"
#include "shared/error.h"

namespace haptic::solids {

namespace {

/// Throws an error that names the body, its model and what is missing.
[[noreturn]] void refuse_model(const Scene& scene, std::size_t body, std::string_view found,
                               std::string_view expected) {
  throw InputError(scene.file.string(), scene.bodies[body].name,
                   fmt::format("{} {}", text_of(scene.bodies[body].model), found), expected);
}

void check_points(const Scene& scene, const SceneContact& contact, const BodyModel& model) {
  if (!model.shell) {
    refuse_model(scene, contact.points, "has no contact points", "a model baked with [shell]");
  }
  if (contact.scaling == ContactScaling::kPerSite && model.tree->level_count() < 2) {
    refuse_model(scene, contact.points, "has a point tree of one level in /shell/tree/level_begin",
                 "two levels or more for scaling = \"per-site\"");
  }
  if (contact.area_weights && !model.file->has("/shell/weights")) {
    refuse_model(scene, contact.points, "has no /shell/weights",
                 "a model baked with [shell] area_weights = true");
  }
  if (contact.settings.foundation && !model.file->has("/shell/areas")) {
    refuse_model(scene, contact.points,
                 "has no /shell/areas: it is of an older version, and contact.foundation needs the "
                 "areas of its points",
                 "the model baked again, or contact.wall");
  }
}

/// @throws InputError if the contact has a wall, and forces of the start of a step
void check_wall(const Scene& scene, const SceneContact& contact, bool implicit) {
  if (contact.settings.wall == 0.0 || implicit) return;
  throw InputError(scene.file.string(), "contact.wall",
                   "found with contact forces of the start of a step",
                   "dynamics.contact = \"implicit\" and what it needs, or contact.foundation");
}

void check_field(const Scene& scene, const SceneContact& contact, const BodyModel& model) {
  if (!model.field) {
    refuse_model(scene, contact.field, "has no distance field", "a model baked with [field]");
  }
  if (model.field->dimension() != model.dimension()) {
    refuse_model(scene, contact.field,
                 fmt::format("deforms in {} coordinates, and its field would not follow: no "
                             "/field/proxies/points of so many",
                             model.dimension()),
                 "a model baked with [field] proxies, or the deformable body on the points' side");
  }
}

/// An impact changes the velocities of bodies with mass; the held body has none, and of a body that
/// deforms only a part takes part in it.
void check_restitution(const Scene& scene, const SceneContact& contact, const BodyModel& points,
                       const BodyModel& field) {
  if (!contact.restitution) return;
  const auto refuse = [&](std::size_t body, std::string_view what) {
    throw InputError(
        scene.file.string(), "contact.restitution",
        fmt::format("found for the body \"{}\", which {}", scene.bodies[body].name, what),
        "two rigid bodies that the hand does not hold, one of them of role \"free\"");
  };
  const std::size_t held = scene.held_body();
  if (contact.points == held || contact.field == held) refuse(held, "the hand holds");
  if (points.dimension() > 0) refuse(contact.points, "deforms");
  if (field.dimension() > 0) refuse(contact.field, "deforms");
}

/// The torques act on bodies as a whole.
void check_turning(const Scene& scene, const SceneContact& contact, const BodyModel& points,
                   const BodyModel& field) {
  const bool rolls = contact.rolling_friction > 0.0;
  if ((!rolls && !(contact.spinning_friction > 0.0)) ||
      (points.dimension() == 0 && field.dimension() == 0)) {
    return;
  }
  const std::size_t body = points.dimension() > 0 ? contact.points : contact.field;
  throw InputError(scene.file.string(),
                   rolls ? "contact.rolling_friction" : "contact.spinning_friction",
                   fmt::format("found for the body \"{}\", which deforms", scene.bodies[body].name),
                   "two rigid bodies");
}

void check_pair(const Scene& scene, const SceneContact& contact, const BodyModel& points,
                const BodyModel& field, bool implicit) {
  check_points(scene, contact, points);
  check_wall(scene, contact, implicit);
  check_field(scene, contact, field);
  check_restitution(scene, contact, points, field);
  check_turning(scene, contact, points, field);
  const std::size_t held = scene.held_body();
  const auto free = [&](std::size_t body) { return scene.bodies[body].role == BodyRole::kFree; };
  if (contact.continuous && (free(contact.points) || free(contact.field))) {
    throw InputError(
        scene.file.string(), "contact.continuous",
        fmt::format("found for the free body \"{}\"",
                    scene.bodies[free(contact.points) ? contact.points : contact.field].name),
        "a pair of anchored and held bodies");
  }
  if (contact.points == held || contact.field == held) return;
  if (free(contact.points) || free(contact.field)) return;
  if (points.dimension() == 0 && field.dimension() == 0) {
    throw InputError(
        scene.file.string(), "contact",
        fmt::format("found a pair of two rigid anchored bodies, \"{}\" and \"{}\"",
                    scene.bodies[contact.points].name, scene.bodies[contact.field].name),
        fmt::format("one that deforms or is free, or the held body \"{}\" on one side",
                    scene.bodies[held].name));
  }
}

/// Settings of the pair as the scene has them, with the choices that depend on other tables.
ContactSettings settings_of(const Scene& scene, const SceneContact& contact,
                            const BodyModel& points, const BodyModel& field, bool implicit) {
  ContactSettings settings = contact.settings;
  settings.scaling =
      contact.scaling.value_or(has_free(scene, contact) ? ContactScaling::kNone : settings.scaling);
  if (has_known_stiffness(settings)) settings.scaling = ContactScaling::kNone;
  settings.gradient = contact.gradient.value_or(scene.coupling.contact_gradient);
  settings.normals = normals_of(scene, contact, points, field, implicit);
  // The free radii of kPublished are no safe bounds for such a list; a motion then searches the
  // whole tree.
  settings.traversal.near_points =
      (contact.continuous || implicit) && settings.traversal.culling == Culling::kSafe;
  return settings;
}

HeldSide held_side(const Scene& scene, const SceneContact& contact) {
  const std::size_t held = scene.held_body();
  if (contact.field == held) return HeldSide::kField;
  return contact.points == held ? HeldSide::kShell : HeldSide::kNeither;
}

std::span<const float> weights_of(const SceneContact& contact, const BodyModel& points) {
  if (contact.settings.foundation) return points.file->floats("/shell/areas");
  if (!contact.area_weights) return {};
  return points.file->floats("/shell/weights");
}

/// The sphere of a body that deforms changes, continuous detection has margins of its own, and
/// limits of nodes are measured and reported in every touch.
bool always_close(const SceneContact& contact, const BodyModel& points, const BodyModel& field) {
  const bool limited = contact.budget_us || contact.settings.traversal.degradation.warm_nodes != 0;
  return points.dimension() > 0 || field.dimension() > 0 || contact.continuous || limited;
}

/// What ClosePairs needs to know of a pair. @param points_radius  of its points, if rigid [m]
ClosePairs::Reach reach_of(const SceneContact& contact, const BodyModel& points,
                           const BodyModel& field, double points_radius) {
  ClosePairs::Reach reach{static_cast<std::uint32_t>(contact.points),
                          static_cast<std::uint32_t>(contact.field), 0.0, 0.0,
                          ContactSet::kMaxMargin * field.field->edge()};
  if (always_close(contact, points, field)) {
    reach.points_radius = std::numeric_limits<double>::infinity();
    return reach;
  }
  reach.points_radius = points_radius;
  reach.field_radius = field.field->reach();
  return reach;
}

/// Pairs that can use one another's workspaces: of the same models with the same settings, searched
/// only while they are close.
struct PairKind {
  std::uint64_t points, field;  // BodyModel::content_hash
  bool area_weights;
  HeldSide held;
  ContactSettings settings;

  bool operator==(const PairKind&) const = default;
};

/// The kinds of the pairs of a scene.
class PairKinds {
 public:
  /// @returns kNoPool for a pair that is always close
  std::uint32_t add(const PairKind& kind) {
    const auto found = std::ranges::find(kinds_, kind);
    const auto at = static_cast<std::size_t>(found - kinds_.begin());
    if (found == kinds_.end()) {
      kinds_.push_back(kind);
      sizes_.push_back(0);
    }
    ++sizes_[at];
    return static_cast<std::uint32_t>(at);
  }
  std::size_t size(std::uint32_t kind) const { return sizes_[kind]; }
  std::size_t count() const { return kinds_.size(); }

 private:
  std::vector<PairKind> kinds_;
  std::vector<std::size_t> sizes_;  // pairs of each
};

ClosePairs close_pairs_of(const Scene& scene, std::span<const std::unique_ptr<BodyModel>> models) {
  std::vector<double> radii(models.size(), 0.0);
  for (std::size_t body = 0; body < models.size(); ++body) {
    const BodyModel& model = *models[body];
    for (std::uint32_t s = 0; model.shell && s < model.shell->size(); ++s) {
      radii[body] = std::max(radii[body], double{model.shell->rest_position(s).norm()});
    }
  }
  std::vector<ClosePairs::Reach> reaches;
  const bool implicit = ImplicitStep::chosen_by(scene);
  for (const SceneContact& contact : solids_settings(scene).contacts) {
    const BodyModel &points = *models[contact.points], &field = *models[contact.field];
    check_pair(scene, contact, points, field, implicit);
    reaches.push_back(reach_of(contact, points, field, radii[contact.points]));
  }
  return {std::move(reaches), models.size()};
}

/// The smaller of two limits, where 0 means no limit.
std::uint32_t tighter(std::uint32_t a, std::uint32_t b) HAPTIC_REALTIME {
  if (a == 0 || b == 0) return std::max(a, b);
  return std::min(a, b);
}

}  // namespace

ContactSet::ContactSet(const Scene& scene, std::span<const std::unique_ptr<BodyModel>> models,
                       const Clock* clock)
    : clock_(clock), close_(close_pairs_of(scene, models)) {
  first_coordinate_.push_back(0);
  for (const auto& model : models) {
    first_coordinate_.push_back(first_coordinate_.back() + model->dimension());
  }
  reduced_forces_.assign(first_coordinate_.back(), 0.0);
  const bool implicit = ImplicitStep::chosen_by(scene);
  const std::vector<SceneContact>& contacts = solids_settings(scene).contacts;
  const std::optional<std::uint32_t> capacity = solids_settings(scene).dynamics.pair_capacity;
  PairKinds kinds;
  std::vector<std::uint32_t> kind_of(contacts.size(), kNoPool);
  for (std::size_t i = 0; capacity && i < contacts.size(); ++i) {
    const SceneContact& contact = contacts[i];
    const BodyModel &points = *models[contact.points], &field = *models[contact.field];
    if (always_close(contact, points, field)) continue;
    kind_of[i] = kinds.add({points.content_hash, field.content_hash, contact.area_weights,
                            held_side(scene, contact),
                            settings_of(scene, contact, points, field, implicit)});
  }
  // A kind of few pairs needs no pool.
  std::vector<std::uint32_t> pool_of(kinds.count(), kNoPool);
  pairs_.reserve(contacts.size());
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const std::uint32_t kind = kind_of[i];
    std::uint32_t pool = kNoPool;
    if (kind != kNoPool && kinds.size(kind) > *capacity) {
      if (pool_of[kind] == kNoPool) {
        const SceneContact& first = contacts[i];
        const BodyModel &points = *models[first.points], &field = *models[first.field];
        pool_of[kind] = static_cast<std::uint32_t>(pools_.size());
        pools_.push_back(std::make_unique<WorkspacePool>(*capacity, [&] {
          return std::make_unique<ContactWorkspace>(
              *points.shell, *points.tree, *field.field,
              settings_of(scene, first, points, field, implicit), held_side(scene, first),
              weights_of(first, points));
        }));
      }
      pool = pool_of[kind];
    }
    add_pair(scene, contacts[i], models, implicit, pool);
    if (held_side(scene, contacts[i]) != HeldSide::kNeither)
      held_pairs_.push_back(static_cast<std::uint32_t>(i));
  }
  if (!pools_.empty()) check_start(scene, *capacity);
  for (auto* list : {&active_, &fresh_, &merged_}) list->reserve(pairs_.size());
  take_close();
}

void ContactSet::add_pair(const Scene& scene, const SceneContact& contact,
                          std::span<const std::unique_ptr<BodyModel>> models, bool implicit,
                          std::uint32_t pool) {
  const BodyModel &points = *models[contact.points], &field = *models[contact.field];
  if (pool != kNoPool) {
    pairs_.push_back({.contact = {*points.shell, *field.field, pools_[pool]->idle()},
                      .points = contact.points,
                      .field = contact.field,
                      .pool = pool,
                      .restitution = contact.restitution,
                      .rolling_friction = contact.rolling_friction,
                      .spinning_friction = contact.spinning_friction,
                      .whole = whole_stiffness(contact.settings, points),
                      .thick_wall = thick_wall(scene, contact, points, field)});
    return;
  }
  ContactSettings settings = settings_of(scene, contact, points, field, implicit);
  std::optional<NodeBudget> budget;
  if (contact.budget_us) {
    budget.emplace(*contact.budget_us);
    if (clock_ != nullptr) calibrate(*budget, points, field, settings, *clock_);
    settings.traversal.degradation.warm_nodes = budget->warm_nodes();
    settings.traversal.degradation.contact_nodes = budget->contact_nodes();
  }
  pairs_.push_back({.contact = {*points.shell, *points.tree, *field.field, settings,
                                held_side(scene, contact), weights_of(contact, points)},
                    .points = contact.points,
                    .field = contact.field,
                    .budget = budget,
                    .restitution = contact.restitution,
                    .rolling_friction = contact.rolling_friction,
                    .spinning_friction = contact.spinning_friction,
                    .whole = whole_stiffness(settings, points),
                    .thick_wall = thick_wall(scene, contact, points, field)});
  const auto known = [&](const Field& f) { return f.body == contact.field; };
  if (field.dimension() > 0 && std::none_of(deforming_.begin(), deforming_.end(), known)) {
    deforming_.push_back({field.field.get(), contact.field});
  }
}

/// @throws InputError if a pool is too small for the pairs that are close at the start
void ContactSet::check_start(const Scene& scene, std::uint32_t capacity) {
  std::vector<BodyMotion> bodies;
  for (const SceneBody& body : scene.bodies) bodies.push_back({.pose = body.pose});
  close_.find(bodies, {});
  std::vector<std::size_t> counts(pools_.size());
  for (const std::uint32_t i : close_.close()) {
    if (pairs_[i].pool != kNoPool) ++counts[pairs_[i].pool];
  }
  close_.take_all();
  const std::size_t most = *std::ranges::max_element(counts);
  if (most > capacity) {
    throw InputError(
        scene.file.string(), "dynamics.pair_capacity",
        fmt::format("found {}, and {} pairs of one kind are close at the start", capacity, most),
        fmt::format("at least {}", most));
  }
}

void ContactSet::find_close(std::span<const BodyMotion> bodies,
                            std::span<const double> motion_bounds) HAPTIC_REALTIME {
  // A pose that is not finite is close: the evaluation deals with it.
  close_.find(bodies, motion_bounds);
  for (const std::uint32_t i : close_.left()) {
    if (pairs_[i].pool == kNoPool) {
      pairs_[i].contact.leave();
    } else if (ContactWorkspace* const space = pairs_[i].contact.give_back()) {
      pools_[pairs_[i].pool]->put(*space);
    }
  }
  take_close();
  if (!pools_.empty()) lend_workspaces();
}

void ContactSet::lend_workspaces() HAPTIC_REALTIME {
  without_workspace_ = kNone;
  for (const std::uint32_t i : close()) {
    Pair& pair = pairs_[i];
    if (pair.contact.has_workspace()) continue;
    if (ContactWorkspace* const space = pools_[pair.pool]->take()) {
      pair.contact.borrow(*space);
    } else {
      without_workspace_ = i;
    }
  }
}

double ContactSet::clearance(std::span<const BodyMotion> bodies, double most) HAPTIC_REALTIME {
  double nearest = most;
  for (const std::uint32_t i : held_pairs_) {
    Pair& pair = pairs_[i];
    const double gap = close_.gap(i, bodies);
    if (gap >= nearest) continue;
    nearest = pair.contact.has_workspace()
                  ? pair.contact.clearance(bodies[pair.points], bodies[pair.field], nearest)
                  : std::max(0.0, gap);
  }
  return nearest;
}

/// All close pairs are active, and have not been evaluated.
void ContactSet::take_close() HAPTIC_REALTIME {
  begun_ = false;
  active_.assign(close_.close().begin(), close_.close().end());
  fresh_.assign(active_.begin(), active_.end());
}

void ContactSet::leave_out(std::span<const char> still) HAPTIC_REALTIME {
  std::erase_if(active_, [&](std::uint32_t i) HAPTIC_REALTIME {
    return still[pairs_[i].points] != 0 && still[pairs_[i].field] != 0;
  });
  fresh_.assign(active_.begin(), active_.end());
}

bool ContactSet::take_back(std::span<const char> still) HAPTIC_REALTIME {
  fresh_.clear();
  merged_.clear();
  std::size_t next = 0;  // both lists are ascending
  for (const std::uint32_t i : close_.close()) {
    const bool known = next < active_.size() && active_[next] == i;
    if (known) ++next;
    const bool moves = still[pairs_[i].points] == 0 || still[pairs_[i].field] == 0;
    if (moves && !known) fresh_.push_back(i);
    if (moves || known) merged_.push_back(i);
  }
  active_.swap(merged_);
  return !fresh_.empty();
}

ContactSet::Sum ContactSet::touch(std::span<const BodyMotion> bodies,
                                  Search search) HAPTIC_REALTIME {
  if (search == Search::kTree || !pools_.empty()) {
    find_close(bodies);
  } else {
    close_.take_all();
    take_close();
  }
  return touch_fresh(bodies, search, {});
}

ContactSet::Sum ContactSet::touch_fresh(std::span<const BodyMotion> bodies, Search search,
                                        Sum sum) HAPTIC_REALTIME {
  if (!begun_) {
    std::fill(reduced_forces_.begin(), reduced_forces_.end(), 0.0);
    for (const Field& deforming : deforming_) deforming.field->deform(bodies[deforming.body].q);
  }
  begun_ = true;
  for (const std::uint32_t i : fresh_) {
    Pair& pair = pairs_[i];
    if (!pair.contact.has_workspace()) continue;
    const BodyMotion& points = bodies[pair.points];
    const BodyMotion& field = bodies[pair.field];
    // Limit of this touch; its measured time may change that of the next one.
    const std::uint32_t node_budget = pair.contact.node_budget();
    const ContactResult& result = search == Search::kTree
                                      ? touch(pair, points, field)
                                      : pair.contact.evaluate_brute_force(points, field);
    sum.wrench.force += result.on_held.force;
    sum.wrench.torque += result.on_held.torque;
    sum.gradient += result.gradient;
    sum.damping += result.damping;
    sum.contacts += result.contacts;
    sum.visited_nodes += result.visited_nodes;
    sum.level = tighter(sum.level, result.level);
    sum.node_budget = tighter(sum.node_budget, node_budget);
    add(pair.contact.reduced_force(), pair.points);
    add(pair.contact.reduced_force_of_field(), pair.field);
  }
  fresh_.clear();
  return sum;
}

/// Touches one pair; measures the time if the pair has a time budget.
const ContactResult& ContactSet::touch(Pair& pair, const BodyMotion& points,
                                       const BodyMotion& field) HAPTIC_REALTIME {
  if (!pair.budget || clock_ == nullptr) return pair.contact.evaluate(points, field);
  const std::int64_t begin = clock_->now_ns();
  const ContactResult& result = pair.contact.evaluate(points, field);
  const double us = 1e-3 * static_cast<double>(clock_->now_ns() - begin);
  pair.budget->observe({result.visited_nodes, result.contacts, us});
  pair.contact.set_node_budget(pair.budget->warm_nodes());
  return result;
}

std::span<const double> ContactSet::reduced_force(std::size_t body) const HAPTIC_REALTIME {
  return std::span(reduced_forces_)
      .subspan(first_coordinate_[body], first_coordinate_[body + 1] - first_coordinate_[body]);
}

void ContactSet::add(std::span<const double> force, std::size_t body) HAPTIC_REALTIME {
  const std::span<double> total = std::span(reduced_forces_).subspan(first_coordinate_[body]);
  for (std::size_t j = 0; j < force.size(); ++j) total[j] += force[j];
}

void ContactSet::set_stiffness(double stiffness, double over_s) HAPTIC_REALTIME {
  for (Pair& pair : pairs_) {
    if (!has_known_stiffness(pair.contact.settings())) pair.stiffness.set(stiffness, over_s);
  }
  ramps_ = true;
}

bool ContactSet::advance_stiffness(double dt) HAPTIC_REALTIME {
  if (!ramps_) return false;
  bool changed = false;
  for (Pair& pair : pairs_) {
    if (!pair.stiffness.advance(dt)) continue;
    pair.contact.set_stiffness(pair.stiffness.value());
    changed = true;
  }
  return ramps_ = changed;
}

void ContactSet::clear_history() HAPTIC_REALTIME {
  for (Pair& pair : pairs_) pair.contact.clear_history();
}

void ContactSet::reset() HAPTIC_REALTIME {
  clear_history();
  for (Pair& pair : pairs_) {
    pair.stiffness.finish();
    pair.contact.set_stiffness(pair.stiffness.value());
  }
  std::fill(reduced_forces_.begin(), reduced_forces_.end(), 0.0);
}

}  // namespace haptic::solids
