// What a step needs from its scene: sizes, capacity, and whether the scene can have it.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "rt/geometry/point_shell.h"
#include "rt/worlds/solids/implicit_step.h"
#include "rt/worlds/solids/solids_settings.h"
#include "shared/error.h"

namespace haptic {
namespace {

/// Largest number of contacts in a step. If there are more, those of the coarser levels are kept,
/// with a higher stiffness.
constexpr std::uint32_t kMostContacts = 1u << 14;

/// Sizes of the blocks of unknowns, in their order.
std::vector<std::uint32_t> blocks_of(const Scene& scene,
                                     std::span<const ImplicitStep::Member> members,
                                     std::size_t free) {
  std::vector<std::uint32_t> blocks(1 + free, 6);
  for (const auto& member : members) {
    blocks.push_back(static_cast<std::uint32_t>(member.dynamics->q().size()));
  }
  const std::uint32_t count = std::accumulate(blocks.begin(), blocks.end(), 0u);
  if (count > ImplicitStep::kMostUnknowns) {
    throw InputError(scene.file.string(), "body",
                     fmt::format("found {} unknowns of a step: 6 of the held body, 6 of each of {} "
                                 "free bodies, and all reduced coordinates",
                                 count, free),
                     fmt::format("at most {}", ImplicitStep::kMostUnknowns));
  }
  return blocks;
}

/// Width of the widest row of a contact or a joint.
std::uint32_t width_for(std::span<const ContactSet::Pair> pairs,
                        std::span<const std::unique_ptr<BodyModel>> models, bool jointed) {
  // Six unknowns of a body as a whole, and its reduced coordinates.
  const auto padded = [](std::uint32_t size) {
    return (size + RowSupport::kLane - 1) / RowSupport::kLane * RowSupport::kLane;
  };
  const auto width_of = [&](std::size_t body) {
    return padded(6) + padded(models[body]->dimension());
  };
  std::uint32_t width = (jointed ? 2 : 1) * padded(6);
  for (const ContactSet::Pair& pair : pairs) {
    width = std::max(width, width_of(pair.points) + width_of(pair.field));
  }
  return width;
}

std::uint32_t capacity_for(std::span<const ContactSet::Pair> pairs,
                           std::span<const std::unique_ptr<BodyModel>> models) {
  std::size_t points = 0;
  for (const ContactSet::Pair& pair : pairs) points += models[pair.points]->shell->size();
  return static_cast<std::uint32_t>(std::min<std::size_t>(points, kMostContacts));
}

std::size_t most_points(std::span<const std::unique_ptr<BodyModel>> models) {
  std::size_t most = 0;
  for (const auto& model : models) {
    if (model->shell) most = std::max<std::size_t>(most, model->shell->size());
  }
  return most;
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
      first_unknown_(models.size(), -1),
      block_(models.size(), 0),
      rigid_(models.size()),
      members_(std::move(members)),
      newton_iterations_(solids_settings(scene).dynamics.newton_iterations),
      friction_(has_friction(pairs)),
      joints_(scene, models, dt_),
      solver_({.blocks = blocks_of(scene, members_, free.size()),
               .width = width_for(pairs, models, !joints_.empty()),
               .supports = static_cast<std::uint32_t>(pairs.size()) + joints_.size(),
               .rows = capacity_for(pairs, models),
               .friction = friction_,
               .links = joints_.links()}),
      motion_width_(width_for(pairs, models, false)),
      supports_(pairs.size()),
      approaching_(solver_.capacity()),
      entering_(solver_.capacity()),
      motion_rows_(3 * motion_width_),
      candidates_(most_points(models)),
      marks_(candidates_.size()),
      tangents_(friction_ ? solver_.capacity() : 0),
      motion_bounds_(models.size(), 0.0),
      weights_(members_.size(), NewmarkIntegrator::kImpulseFirst),
      change_(solver_.unknowns() - 6 - 6 * free.size()),
      added_(change_.size()) {
  for (const auto& model : models) {
    shells_.push_back(model->shell ? &*model->shell : nullptr);
    fields_.push_back(model->field.get());
  }
  for (const ContactSet::Pair& pair : pairs) edges_.push_back(models[pair.field]->field->edge());
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
  rigid_[held_body_] = {0, 0, Vector3::Zero(), models[held_body_]->bounding_radius};
  std::ptrdiff_t next = 6;
  std::uint32_t block = 1;
  for (const FreeMember& member : free) {
    rigid_[member.body] = {
        next, block++, Vector3::Zero(),
        models[member.body]->bounding_radius + member.dynamics->mass().centre.norm()};
    free_.push_back({member, next, {}});
    next += 6;
  }
  for (const Member& member : members_) {
    first_unknown_[member.body] = next;
    block_[member.body] = block++;
    next += static_cast<std::ptrdiff_t>(member.dynamics->q().size());
  }
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
  return asked.value_or(obstacle.found.empty());
}

}  // namespace haptic
