// What a step needs from its scene: sizes, capacity, and whether the scene can have it.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "rt/geometry/point_shell.h"
#include "rt/worlds/solids/implicit_step.h"
#include "rt/worlds/solids/solids_settings.h"
#include "shared/error.h"

namespace haptic::solids {
namespace {

/// Least speed of an impact with restitution: of bodies that fall freely for so many steps; in any
/// case [m/s].
constexpr double kImpactSteps = 2.0;
constexpr double kMinImpact_mps = 1e-3;

bool is_free(std::span<const ImplicitStep::FreeMember> free, std::size_t body) {
  return std::ranges::find(free, body, &ImplicitStep::FreeMember::body) != free.end();
}

std::uint32_t dimension_of(const DeformableBody& body) {
  return static_cast<std::uint32_t>(body.q().size());
}

std::size_t count_walls(std::span<const ContactSet::Pair> pairs) {
  return static_cast<std::size_t>(std::ranges::count_if(
      pairs, [](const ContactSet::Pair& pair) { return pair.contact.settings().wall > 0.0; }));
}

/// Sizes of the blocks of unknowns, in their order.
std::vector<std::uint32_t> blocks_of(const Scene& scene,
                                     std::span<const ImplicitStep::Member> members,
                                     std::span<const ImplicitStep::FreeMember> free,
                                     std::span<const ContactSet::Pair> pairs) {
  std::vector<std::uint32_t> blocks = {6};
  for (const auto& member : free) {
    blocks.push_back(6 + (member.shape != nullptr ? dimension_of(*member.shape) : 0));
  }
  for (const auto& member : members) {
    if (!is_free(free, member.body)) blocks.push_back(dimension_of(*member.dynamics));
  }
  blocks.insert(blocks.end(), count_walls(pairs), 1u);
  const std::uint32_t count = std::accumulate(blocks.begin(), blocks.end(), 0u);
  if (count > ImplicitStep::kMaxUnknowns) {
    throw InputError(scene.file.string(), "body",
                     fmt::format("found {} unknowns of a step: 6 of the held body, 6 of each of {} "
                                 "free bodies, 1 of each of {} walls, and all reduced coordinates",
                                 count, free.size(), count_walls(pairs)),
                     fmt::format("at most {}", ImplicitStep::kMaxUnknowns));
  }
  return blocks;
}

/// Width of the widest row of a contact or a joint. @param joints  a body beyond `models` is the
/// world
std::uint32_t width_for(std::span<const ContactSet::Pair> pairs,
                        std::span<const std::unique_ptr<BodyModel>> models,
                        std::span<const SceneJoint> joints) {
  // Six unknowns of a body as a whole, and its reduced coordinates.
  const auto padded = [](std::uint32_t size) {
    return (size + RowSupport::kLane - 1) / RowSupport::kLane * RowSupport::kLane;
  };
  const auto width_of = [&](std::size_t body) {
    return body < models.size() ? padded(6) + padded(models[body]->dimension()) : 0;
  };
  // Of a pull.
  std::uint32_t width = padded(6);
  for (std::size_t i = 0; i < models.size(); ++i) width = std::max(width, width_of(i));
  for (const SceneJoint& joint : joints) {
    width = std::max(width, width_of(joint.first) + width_of(joint.second));
  }
  for (const ContactSet::Pair& pair : pairs) {
    const std::uint32_t of_wall = pair.contact.settings().wall > 0.0 ? padded(1) : 0;
    width = std::max(width, width_of(pair.points) + width_of(pair.field) + of_wall);
  }
  return width;
}

/// Points of all pairs.
std::size_t count_points(std::span<const ContactSet::Pair> pairs,
                         std::span<const std::unique_ptr<BodyModel>> models) {
  std::size_t points = 0;
  for (const ContactSet::Pair& pair : pairs) points += models[pair.points]->shell->size();
  return points;
}

std::uint32_t capacity_for(std::span<const ContactSet::Pair> pairs,
                           std::span<const std::unique_ptr<BodyModel>> models,
                           std::uint32_t largest) {
  return static_cast<std::uint32_t>(std::min<std::size_t>(count_points(pairs, models), largest));
}

/// How many of the rows are for points that touch at the start of a step. If there are fewer rows
/// than points, a quarter remains for points that come into contact during the step; without it,
/// bodies would pass through each other where many others rest.
std::size_t most_touching(std::span<const ContactSet::Pair> pairs,
                          std::span<const std::unique_ptr<BodyModel>> models,
                          std::uint32_t capacity) {
  return count_points(pairs, models) > capacity ? capacity - capacity / 4 : capacity;
}

std::size_t most_points(std::span<const std::unique_ptr<BodyModel>> models) {
  std::size_t most = 0;
  for (const auto& model : models) {
    if (model->shell) most = std::max<std::size_t>(most, model->shell->size());
  }
  return most;
}

/// Friction contacts against turning: of each pair one against rolling and one against spinning.
std::uint32_t turn_rows(std::span<const ContactSet::Pair> pairs) {
  std::uint32_t count = 0;
  for (const ContactSet::Pair& pair : pairs) {
    count += (pair.rolling_friction > 0.0 ? 1 : 0) + (pair.spinning_friction > 0.0 ? 1 : 0);
  }
  return count;
}

bool has_friction(std::span<const ContactSet::Pair> pairs) {
  return std::ranges::any_of(pairs, [](const ContactSet::Pair& pair) {
    return pair.contact.settings().friction.static_coefficient > 0.0;
  });
}

/// What excludes the step, and what to set instead; empty: nothing.
struct Obstacle {
  std::string found, expected;
};

Obstacle obstacle_in(const Scene& scene) {
  const SolidsSettings& settings = solids_settings(scene);
  if (settings.dynamics.integrator != DynamicsIntegrator::kNewmark) {
    return {"an explicit integrator", "dynamics.integrator = \"newmark\""};
  }
  if (scene.coupling.saturation_gradient != SaturationGradient::kSecant) {
    return {"coupling.saturation_gradient = \"tangent\"", "\"secant\""};
  }
  const auto chosen = [](const SceneContact& contact) { return contact.gradient.has_value(); };
  if (scene.coupling.contact_gradient != ContactGradient::kMirror ||
      std::ranges::any_of(settings.contacts, chosen)) {
    return {"a contact gradient", "none: the implicit step does not use this key"};
  }
  return {};
}

}  // namespace

ImplicitStep::ImplicitStep(const Scene& scene, std::span<const std::unique_ptr<BodyModel>> models,
                           std::vector<Member> members, std::vector<FreeMember> free,
                           std::span<const ContactSet::Pair> pairs)
    : dt_(1.0 / scene.rate_hz),
      held_body_(scene.held_body()),
      shapes_(models.size()),
      rigid_(models.size()),
      members_(std::move(members)),
      newton_iterations_(solids_settings(scene).dynamics.newton_iterations),
      friction_(has_friction(pairs)),
      joints_(scene, models, dt_),
      pull_(scene, models, dt_),
      solver_({.blocks = blocks_of(scene, members_, free, pairs),
               .width = width_for(pairs, models, solids_settings(scene).joints),
               .supports = static_cast<std::uint32_t>(pairs.size()) + joints_.size() + 1,
               .rows = capacity_for(pairs, models,
                                    solids_settings(scene).dynamics.contact_capacity.value_or(
                                        BodyDynamics::kContactCapacity)),
               .friction = friction_,
               .links = joints_.links() + PullSpring::kLinks + kMaxFoldLinks,
               .turns = turn_rows(pairs)}),
      most_touching_(most_touching(pairs, models, solver_.capacity())),
      marked_(blocks_of(scene, members_, free, pairs).size()),
      solved_(marked_.size()),
      closing_(marked_.size()),
      excess_(marked_.size()),
      friction_sum_(marked_.size()),
      joint_error_(marked_.size()),
      last_joint_error_(marked_.size()),
      motion_width_(width_for(pairs, models, {})),
      supports_(pairs.size()),
      approaching_(solver_.capacity()),
      entering_(solver_.capacity()),
      motion_rows_(3 * motion_width_),
      candidates_(most_points(models)),
      entries_(candidates_.size()),
      ranks_(candidates_.size()),
      pair_ranks_(pairs.size()),
      marks_(candidates_.size()),
      frictions_(pairs.size()),
      last_near_(models.size(), kNoPair),
      near_before_(pairs.size(), kNoPair),
      tangents_(friction_ ? solver_.capacity() : 0),
      last_motion_(Eigen::VectorXd::Zero(solver_.unknowns())),
      motion_bounds_(models.size(), 0.0),
      weights_(members_.size(), NewmarkIntegrator::kImpulseFirst),
      energy_(pairs, dt_),
      is_rigid_(pairs.size(), 1),
      is_unpaid_(pairs.size()),
      pushes_(pairs.size()),
      pair_of_(solver_.capacity()),
      may_turn_(pairs.size()),
      looks_up_(pairs.size()),
      linearised_(solver_.capacity()),
      ends_(solver_.capacity()),
      folds_(solver_.capacity()),
      end_depths_(solver_.capacity()),
      end_energy_(pairs.size()),
      turned_energy_(pairs.size()),
      wall_shares_(solver_.capacity()),
      change_(solver_.unknowns() - 6 - 6 * free.size() - count_walls(pairs)),
      added_(change_.size()),
      restitutes_(std::ranges::any_of(
          pairs, [](const ContactSet::Pair& pair) { return pair.restitution.has_value(); })),
      impact_speed_(std::max(kMinImpact_mps, kImpactSteps * scene.gravity.norm() * dt_)),
      impacts_(restitutes_ ? solver_.capacity() : 0),
      impact_times_(marked_.size()),
      approach_(last_motion_),
      inelastic_(last_motion_),
      rebound_(last_motion_),
      sleep_(
          static_cast<std::uint32_t>(marked_.size()),
          static_cast<std::uint32_t>(marked_.size() - count_walls(pairs)),
          solids_settings(scene).dynamics.sleep_speed,
          std::max<std::int64_t>(1, std::llround(solids_settings(scene).dynamics.sleep_s / dt_))),
      still_(models.size()),
      stay_awake_(marked_.size()),
      speeds_(marked_.size()),
      creeps_(marked_.size()),
      sleep_s_(solids_settings(scene).dynamics.sleep_s) {
  for (const auto& model : models) {
    shells_.push_back(model->shell ? &*model->shell : nullptr);
    fields_.push_back(model->field.get());
  }
  for (const ContactSet::Pair& pair : pairs) edges_.push_back(models[pair.field]->field->edge());
  is_fast_.resize(edges_.size(), 0);
  may_slip_.resize(edges_.size(), 0);
  searched_.resize(edges_.size(), 0.0);
  for (const auto& model : models) {
    reaches_.emplace_back(model->dimension(), 0.0);
    if (!model->shell) continue;
    for (std::uint32_t s = 0; s < model->shell->size(); ++s) {
      for (std::uint32_t j = 0; j < model->dimension(); ++j) {
        const float* U = model->shell->displacement(s) + j;
        const std::uint32_t r = model->dimension();
        reaches_.back()[j] =
            std::max(reaches_.back()[j], std::hypot(double{U[0]}, double{U[r]}, double{U[2 * r]}));
      }
    }
  }
  add_dampers(pairs);
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    const ContactSettings& settings = pairs[p].contact.settings();
    const bool along_field = settings.normals == ContactNormals::kField && settings.wall == 0.0;
    may_turn_[p] = fields_[pairs[p].field]->dimension() == 0 && along_field ? 1 : 0;
  }
  set_up_turning(pairs);
  rigid_[held_body_] = {0, 0, Vector3::Zero(),
                        models[held_body_]->bounding_radius_about(scene.coupling.grasp)};
  body_of_block_.push_back(static_cast<std::uint32_t>(held_body_));
  std::ptrdiff_t next = 6;
  std::size_t at = 0;
  const auto add_block = [&](std::size_t body) {
    body_of_block_.push_back(static_cast<std::uint32_t>(body));
    return static_cast<std::uint32_t>(body_of_block_.size() - 1);
  };
  for (const FreeMember& member : free) {
    const std::uint32_t block = add_block(member.body);
    rigid_[member.body] = {
        next, block, Vector3::Zero(),
        models[member.body]->bounding_radius + member.dynamics->mass().centre.norm()};
    rigid_[member.body].moment = member.dynamics->mass().inertia.trace();
    rigid_[member.body].mass = member.dynamics->mass().mass;
    free_.push_back({member, next, {}, Eigen::Matrix3Xd(3, 0), {}});
    next += 6;
    if (member.shape == nullptr) continue;
    const std::uint32_t r = dimension_of(*member.shape);
    shapes_[member.body] = {next, block, 6, at};
    free_.back().coupling.setZero(3, r);
    free_.back().turning.setZero(r, r);
    next += r;
    at += r;
  }
  for (const Member& member : members_) {
    if (is_free(free, member.body)) continue;
    shapes_[member.body] = {next, add_block(member.body), 0, at};
    next += static_cast<std::ptrdiff_t>(member.dynamics->q().size());
    at += member.dynamics->q().size();
  }
  for (const SceneJoint& joint : solids_settings(scene).joints) {
    for (const std::size_t body : {joint.first, joint.second}) {
      if (body != SceneJoint::kWorld) rigid_[body].jointed = true;
    }
  }
  set_up_walls(pairs, static_cast<std::size_t>(next));
  set_up_sleep();
}

bool ImplicitStep::chosen_by(const Scene& scene) {
  const std::optional<bool> asked = solids_settings(scene).dynamics.implicit_contact;
  const Obstacle obstacle = obstacle_in(scene);
  if (asked == true && !obstacle.found.empty()) {
    throw InputError(scene.file.string(), "dynamics.contact",
                     fmt::format("found \"implicit\" with {}", obstacle.found), obstacle.expected);
  }
  const auto demand = [&](const std::string& name, const char* what) {
    if (asked == false || !obstacle.found.empty()) {
      throw InputError(
          scene.file.string(), name,
          fmt::format("found {} with {}", what,
                      asked == false ? "dynamics.contact = \"explicit\"" : obstacle.found),
          asked == false ? "dynamics.contact = \"implicit\"" : obstacle.expected);
    }
    return true;
  };
  const auto free = std::ranges::find(scene.bodies, BodyRole::kFree, &SceneBody::role);
  if (free != scene.bodies.end()) return demand(free->name, "the role \"free\"");
  const auto& joints = solids_settings(scene).joints;
  if (!joints.empty()) return demand(joints.front().name, "a joint");
  if (solids_settings(scene).dynamics.sleep_speed > 0.0) {
    return demand("dynamics.sleep_speed", "bodies that sleep");
  }
  if (solids_settings(scene).dynamics.contact_capacity) {
    return demand("dynamics.contact_capacity", "a capacity for contacts");
  }
  return asked.value_or(obstacle.found.empty());
}

}  // namespace haptic::solids
