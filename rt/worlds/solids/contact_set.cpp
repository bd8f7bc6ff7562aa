#include "rt/worlds/solids/contact_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "rt/worlds/solids/contact_calibration.h"
#include "rt/worlds/solids/implicit_step.h"
#include "rt/worlds/solids/solids_settings.h"
#include "shared/error.h"

namespace haptic {

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
  if (contact.settings.scaling == ContactScaling::kPerSite && model.tree->level_count() < 2) {
    refuse_model(scene, contact.points, "has a point tree of one level in /shell/tree/level_begin",
                 "two levels or more for scaling = \"per-site\"");
  }
  if (contact.area_weights && !model.file->has("/shell/weights")) {
    refuse_model(scene, contact.points, "has no /shell/weights",
                 "a model baked with [shell] area_weights = true");
  }
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

void check_pair(const Scene& scene, const SceneContact& contact, const BodyModel& points,
                const BodyModel& field) {
  check_points(scene, contact, points);
  check_field(scene, contact, field);
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

/// Normals of a pair. @throws InputError if those of the field are chosen and would not be exact
ContactNormals normals_of(const Scene& scene, const SceneContact& contact, const BodyModel& field,
                          bool implicit) {
  const auto free = [&](std::size_t body) { return scene.bodies[body].role == BodyRole::kFree; };
  const bool rigid = field.dimension() == 0;
  if (contact.normals != ContactNormals::kField) {
    const bool exact = rigid && (free(contact.points) || free(contact.field));
    return contact.normals.value_or(exact ? ContactNormals::kField : ContactNormals::kShell);
  }
  const auto refuse = [&](const std::string& found, const char* expected) {
    throw InputError(scene.file.string(), "contact.normals",
                     fmt::format("found \"field\" {}", found), expected);
  };
  if (!rigid) {
    refuse(fmt::format("for the field of \"{}\", which deforms", scene.bodies[contact.field].name),
           "\"shell\", or a rigid body on the field's side");
  }
  if (!implicit) {
    refuse("with contact forces of the start of a step",
           "\"shell\", or dynamics.contact = \"implicit\"");
  }
  return ContactNormals::kField;
}

ContactSet::Pair make_pair(const Scene& scene, const SceneContact& contact, const BodyModel& points,
                           const BodyModel& field, bool implicit, const Clock* clock) {
  ContactSettings settings = contact.settings;
  settings.gradient = contact.gradient.value_or(scene.coupling.contact_gradient);
  settings.normals = normals_of(scene, contact, field, implicit);
  // The free radii of kPublished are no safe bounds for such a list; a motion then searches the
  // whole tree.
  settings.traversal.near_points =
      (contact.continuous || implicit) && settings.traversal.culling == Culling::kSafe;
  std::optional<NodeBudget> budget;
  if (contact.budget_us) {
    budget.emplace(*contact.budget_us);
    if (clock) calibrate(*budget, points, field, settings, *clock);
    settings.traversal.degradation.warm_nodes = budget->warm_nodes();
    settings.traversal.degradation.contact_nodes = budget->contact_nodes();
  }
  const std::size_t held = scene.held_body();
  const HeldSide side = contact.field == held    ? HeldSide::kField
                        : contact.points == held ? HeldSide::kShell
                                                 : HeldSide::kNeither;
  std::span<const float> weights;
  if (contact.area_weights) weights = points.file->floats("/shell/weights");
  return {{*points.shell, *points.tree, *field.field, settings, side, weights},
          contact.points,
          contact.field,
          budget};
}

/// What ClosePairs needs to know of a pair.
ClosePairs::Reach reach_of(const SceneContact& contact, const BodyModel& points,
                           const BodyModel& field) {
  ClosePairs::Reach reach{static_cast<std::uint32_t>(contact.points),
                          static_cast<std::uint32_t>(contact.field), 0.0, 0.0,
                          ContactSet::kLargestMargin * field.field->edge()};
  // The sphere of a body that deforms changes, continuous detection has margins of its own, and
  // limits of nodes are measured and reported in every touch.
  const bool limited = contact.budget_us || contact.settings.traversal.degradation.warm_nodes != 0;
  if (points.dimension() > 0 || field.dimension() > 0 || contact.continuous || limited) {
    reach.points_radius = std::numeric_limits<double>::infinity();
    return reach;
  }
  for (std::uint32_t s = 0; s < points.shell->size(); ++s) {
    reach.points_radius = std::max(reach.points_radius, points.shell->rest_position(s).norm());
  }
  reach.field_radius = field.field->reach();
  return reach;
}

ClosePairs close_pairs_of(const Scene& scene, std::span<const std::unique_ptr<BodyModel>> models) {
  std::vector<ClosePairs::Reach> reaches;
  for (const SceneContact& contact : solids_settings(scene).contacts) {
    check_pair(scene, contact, *models[contact.points], *models[contact.field]);
    reaches.push_back(reach_of(contact, *models[contact.points], *models[contact.field]));
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
  for (const SceneContact& contact : solids_settings(scene).contacts) {
    const BodyModel& points = *models[contact.points];
    const BodyModel& field = *models[contact.field];
    pairs_.push_back(make_pair(scene, contact, points, field, implicit, clock));
    const auto known = [&](const Field& f) { return f.body == contact.field; };
    if (field.dimension() > 0 && std::none_of(deforming_.begin(), deforming_.end(), known)) {
      deforming_.push_back({field.field.get(), contact.field});
    }
  }
  for (auto* list : {&active_, &fresh_, &merged_}) list->reserve(pairs_.size());
  take_close();
}

void ContactSet::find_close(std::span<const BodyMotion> bodies,
                            std::span<const double> motion_bounds) HAPTIC_REALTIME {
  // A pose that is not finite is close: the evaluation deals with it.
  close_.find(bodies, motion_bounds);
  for (const std::uint32_t i : close_.left()) pairs_[i].contact.leave();
  take_close();
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
  if (search == Search::kTree) {
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
  for (Pair& pair : pairs_) pair.stiffness.set(stiffness, over_s);
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

}  // namespace haptic
