#include "rt/worlds/solids/implicit_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rt/geometry/point_shell.h"
#include "rt/geometry/signed_field.h"
#include "rt/worlds/solids/solids_settings.h"
#include "shared/error.h"

namespace haptic {
namespace {

/// Largest number of contacts in a step. If there are more, those of the coarser levels are kept,
/// with a higher stiffness.
constexpr std::uint32_t kMostContacts = 1u << 14;
/// Margins [voxels]. Beyond the largest one, the list of near points costs more than it gives.
constexpr double kLeastMargin = 0.02, kMostMargin = 2.0;
/// Number of solutions with friction. The limits of each come from the normal forces of the one
/// before it.
constexpr int kFrictionPasses = 2;
/// A gain of energy below this is a rounding error [J].
constexpr double kRoundingWork = 1e-12;

std::uint32_t unknowns_of(std::span<const ImplicitStep::Member> members) {
  std::uint32_t count = 6;
  for (const auto& member : members) {
    count += static_cast<std::uint32_t>(member.dynamics->q().size());
  }
  return count;
}

std::uint32_t capacity_for(std::span<const ContactSet::Pair> pairs,
                           std::span<const std::unique_ptr<BodyModel>> models) {
  std::size_t points = 0;
  for (const ContactSet::Pair& pair : pairs) points += models[pair.points]->shell->size();
  return static_cast<std::uint32_t>(std::min<std::size_t>(points, kMostContacts));
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
  if (scene.coupling.mode == CouplingMode::kCoupled) {
    return {"coupling.mode = \"coupled\"", "\"static\" or \"dynamic\""};
  }
  if (scene.coupling.saturation_gradient != SaturationGradient::kSecant) {
    return {"coupling.saturation_gradient = \"tangent\"", "\"secant\""};
  }
  const auto chosen = [](const SceneContact& contact) { return contact.gradient.has_value(); };
  if (scene.coupling.contact_gradient != ContactGradient::kMirror ||
      std::ranges::any_of(settings.contacts, chosen)) {
    return {"a contact gradient", "none: this step has its own"};
  }
  return {};
}

}  // namespace

ImplicitStep::ImplicitStep(const Scene& scene, std::span<const std::unique_ptr<BodyModel>> models,
                           std::vector<Member> members, std::span<const ContactSet::Pair> pairs)
    : dt_(1.0 / scene.rate_hz),
      held_body_(scene.held_body()),
      first_unknown_(models.size(), -1),
      members_(std::move(members)),
      newton_iterations_(solids_settings(scene).dynamics.newton_iterations),
      friction_(has_friction(pairs)),
      solver_(unknowns_of(members_), capacity_for(pairs, models), friction_),
      approaching_(solver_.capacity()),
      tangents_(friction_ ? solver_.capacity() : 0),
      radius_(models[held_body_]->bounding_radius),
      weights_(members_.size(), NewmarkIntegrator::kImpulseFirst),
      change_(unknowns_of(members_) - 6) {
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
  std::ptrdiff_t next = 6;
  for (const Member& member : members_) {
    first_unknown_[member.body] = next;
    next += static_cast<std::ptrdiff_t>(member.dynamics->q().size());
  }
}

bool ImplicitStep::chosen_by(const Scene& scene,
                             std::span<const std::unique_ptr<BodyModel>> models) {
  const std::optional<bool> asked = solids_settings(scene).dynamics.implicit_contact;
  const Obstacle obstacle = obstacle_in(scene);
  if (asked == true && !obstacle.found.empty()) {
    throw InputError(scene.file.string(), "dynamics.contact",
                     fmt::format("found \"implicit\" with {}", obstacle.found), obstacle.expected);
  }
  const bool deforms =
      std::ranges::any_of(models, [](const auto& model) { return model->energy.has_value(); });
  // A step with friction costs several times as much: only if asked for.
  const bool friction =
      std::ranges::any_of(solids_settings(scene).contacts, [](const SceneContact& contact) {
        return contact.settings.friction.static_coefficient > 0.0;
      });
  return asked.value_or(deforms && !friction && obstacle.found.empty());
}

std::span<const double> ImplicitStep::change(std::size_t member) const HAPTIC_REALTIME {
  const auto first = static_cast<std::size_t>(first_unknown_[members_[member].body]) - 6;
  return std::span(change_).subspan(first, members_[member].dynamics->q().size());
}

void ImplicitStep::reset() HAPTIC_REALTIME {
  z_.setZero();
  solver_.clear();
}

/// Bound on the motion of a body's points over a step at its present velocity [m].
double ImplicitStep::deformation(std::size_t body) const HAPTIC_REALTIME {
  double sum = 0.0;
  for (const Member& member : members_) {
    if (member.body != body) continue;
    const std::span<const double> qdot = member.dynamics->qdot();
    for (std::size_t j = 0; j < qdot.size(); ++j) {
      sum += dt_ * std::abs(qdot[j]) * reaches_[body][j];
    }
  }
  return sum;
}

void ImplicitStep::set_margins(const HeldBody& held, const CouplingLoad& load,
                               ContactSet& contacts) HAPTIC_REALTIME {
  // The held body moves at most as far as without contact; while contact holds it, hardly more than
  // twice as far as in the last step.
  const HeldBody::StepSystem rows = held.prepare(load);
  Vector6 free = rows.load.cwiseQuotient(rows.matrix.diagonal());
  held.limit(free);
  const auto way = [&](const Vector6& z) HAPTIC_REALTIME {
    return z.head<3>().norm() + radius_ * z.tail<3>().norm();
  };
  const double moved = pressing() > 0 ? std::min(way(free), 2.0 * way(z_)) : way(free);
  for (std::size_t i = 0; i < contacts.pairs().size(); ++i) {
    ContactSet::Pair& pair = contacts.pairs()[i];
    if (!pair.contact.settings().traversal.near_points) continue;
    double motion = deformation(pair.points) + deformation(pair.field);
    if (pair.points == held_body_ || pair.field == held_body_) motion += moved;
    const double margin = std::clamp(motion, kLeastMargin * edges_[i], kMostMargin * edges_[i]);
    pair.contact.set_margin(std::max(margin, pair.contact.margin()));
  }
}

bool ImplicitStep::solve(const HeldBody& held, const CouplingLoad& load, const ContactSet& contacts,
                         std::span<const BodyMotion> bodies) HAPTIC_REALTIME {
  const HeldBody::StepSystem rows = held.prepare(load);
  held_origin_ = held.pose().position;
  std::ranges::fill(weights_, NewmarkIntegrator::kImpulseFirst);
  std::ranges::fill(change_, 0.0);
  contact_count_ = 0;
  for (const ContactSet::Pair& pair : contacts.pairs()) {
    contact_count_ += pair.contact.contacts().size();
  }
  for (std::uint32_t i = 0; i < newton_iterations_; ++i) {
    if (!solve_once(held, rows, contacts, bodies, i == 0)) return false;
  }
  bool gains = false;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (members_[i].dynamics->excess_work(change(i)) <= kRoundingWork) continue;
    weights_[i] = NewmarkIntegrator::kSpread;
    gains = true;
  }
  if (gains && !solve_once(held, rows, contacts, bodies, false)) return false;
  const Eigen::VectorXd& forces = solver_.contact_load();
  wrench_ = {carried_.force + forces.segment<3>(0), carried_.torque + forces.segment<3>(3)};
  return is_finite(wrench_);
}

bool ImplicitStep::solve_once(const HeldBody& held, const HeldBody::StepSystem& rows,
                              const ContactSet& contacts, std::span<const BodyMotion> bodies,
                              bool first) HAPTIC_REALTIME {
  solver_.clear();
  add_bodies(rows, first);
  add_carried(contacts);
  add_normals(contacts, bodies);
  if (!balance(ContactSolver::Start::kZero)) return false;
  if (friction_ && contact_count_ > 0) {
    add_friction(contacts, bodies);
    set_limits();
    for (int pass = 0; pass < kFrictionPasses; ++pass) {
      if (!balance(pass == 0 ? ContactSolver::Start::kZero : ContactSolver::Start::kLast)) {
        return false;
      }
      set_limits();
    }
  }
  if (held.limit(z_)) {
    solver_.fix(6, {z_.data(), 6});
    if (!balance(ContactSolver::Start::kZero)) return false;
  }
  return true;
}

bool ImplicitStep::balance(ContactSolver::Start start) HAPTIC_REALTIME {
  if (solver_.solve(start) == ContactSolver::Result::kNotFinite) return false;
  const Eigen::VectorXd& x = solver_.step();
  z_ = x.head<6>();
  std::copy(x.data() + 6, x.data() + x.size(), change_.begin());
  return x.allFinite();
}

void ImplicitStep::add_bodies(const HeldBody::StepSystem& rows, bool first) HAPTIC_REALTIME {
  solver_.matrix().topLeftCorner<6, 6>() = rows.matrix;
  solver_.load().head<6>() = rows.load;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const auto system = members_[i].dynamics->prepare(change(i), first);
    const auto r = static_cast<Eigen::Index>(system.load.size());
    const auto at = static_cast<Eigen::Index>(first_unknown_[members_[i].body]);
    const Eigen::Map<const Eigen::MatrixXd> matrix(system.matrix.data(), r, r);
    const Eigen::Map<const Eigen::VectorXd> load(system.load.data(), r);
    solver_.matrix().block(at, at, r, r) = matrix / weights_[i];
    solver_.load().segment(at, r) = load / weights_[i];
  }
}

/// The part of the forces that fades after a change of levels has no gradient: it is constant.
void ImplicitStep::add_carried(const ContactSet& contacts) HAPTIC_REALTIME {
  carried_ = {};
  Eigen::VectorXd& load = solver_.load();
  for (const ContactSet::Pair& pair : contacts.pairs()) {
    const Wrench& wrench = pair.contact.carried();
    carried_.force += wrench.force;
    carried_.torque += wrench.torque;
    const auto add = [&](std::size_t body, std::span<const double> all, std::span<const double> law)
                         HAPTIC_REALTIME {
                           if (first_unknown_[body] < 0) return;
                           double* const to = load.data() + first_unknown_[body];
                           for (std::size_t j = 0; j < all.size(); ++j) to[j] += all[j] - law[j];
                         };
    add(pair.points, pair.contact.reduced_force(), pair.contact.reduced_force_of_contacts());
    add(pair.field, pair.contact.reduced_force_of_field(),
        pair.contact.reduced_force_of_contacts_on_field());
  }
  load.segment<3>(0) += carried_.force;
  load.segment<3>(3) += carried_.torque;
}

ImplicitStep::Frame ImplicitStep::frame_of(
    const ContactSet::Pair& pair, std::span<const BodyMotion> bodies) const HAPTIC_REALTIME {
  Frame frame;
  frame.pair = &pair;
  frame.points = &bodies[pair.points];
  frame.field = &bodies[pair.field];
  frame.world_to_points = frame.points->pose.orientation.toRotationMatrix().transpose();
  frame.world_to_field = frame.field->pose.orientation.toRotationMatrix().transpose();
  frame.factor = 1.0;
  frame.kept = pair.contact.contacts().size();
  if (contact_count_ > solver_.capacity() && frame.kept > 0) {
    const std::size_t all = frame.kept;
    frame.kept = std::max<std::size_t>(1, all * solver_.capacity() / contact_count_);
    frame.factor = static_cast<double>(all) / static_cast<double>(frame.kept);
  }
  return frame;
}

void ImplicitStep::add_motion(const Frame& frame, std::uint32_t point, const Vector3& position,
                              const Vector3& direction, std::span<double> row) HAPTIC_REALTIME {
  const std::size_t points = frame.pair->points, field = frame.pair->field;
  if (points == held_body_ || field == held_body_) {
    const double sign = points == held_body_ ? 1.0 : -1.0;
    const Vector3 turn = (position - held_origin_).cross(direction);
    for (int k = 0; k < 3; ++k) {
      row[static_cast<std::size_t>(k)] += sign * direction[k];
      row[static_cast<std::size_t>(k) + 3] += sign * turn[k];
    }
  }
  if (first_unknown_[points] >= 0) {
    const PointShell& shell = *shells_[points];
    add_transpose_product(
        shell.displacement(point), frame.world_to_points * direction,
        row.subspan(static_cast<std::size_t>(first_unknown_[points]), shell.dimension()));
  }
  if (first_unknown_[field] >= 0) {
    const Vector3 p = frame.world_to_field * (position - frame.field->pose.position);
    fields_[field]->add_reduced_force(
        p, -(frame.world_to_field * direction),
        row.subspan(static_cast<std::size_t>(first_unknown_[field]), fields_[field]->dimension()));
  }
}

void ImplicitStep::add_normals(const ContactSet& contacts,
                               std::span<const BodyMotion> bodies) HAPTIC_REALTIME {
  for (const ContactSet::Pair& pair : contacts.pairs()) {
    const Frame frame = frame_of(pair, bodies);
    const double damping = pair.contact.settings().damping / dt_;
    for (const Contact& contact : pair.contact.contacts().first(frame.kept)) {
      const std::span<double> row =
          solver_.add_normal({-contact.depth, frame.factor * contact.stiffness, damping});
      if (row.empty()) return;
      add_motion(frame, contact.point, contact.position, contact.normal, row);
    }
  }
  // These come after all points in contact, since add_friction counts on that order.
  for (const ContactSet::Pair& pair : contacts.pairs()) {
    const Frame frame = frame_of(pair, bodies);
    const double damping = pair.contact.settings().damping / dt_;
    const std::size_t count = pair.contact.approaching(*frame.points, *frame.field, approaching_);
    for (const ApproachingPoint& near : std::span(approaching_).first(count)) {
      const std::span<double> row = solver_.add_normal({near.distance, near.stiffness, damping});
      if (row.empty()) return;
      add_motion(frame, near.point, near.position, near.normal, row);
    }
  }
}

/// The limits of friction from the normal forces of the last solution.
void ImplicitStep::set_limits() HAPTIC_REALTIME {
  for (std::uint32_t i = 0; i < tangent_count_; ++i) {
    const Tangent& tangent = tangents_[i];
    solver_.set_limit(i, tangent.coefficient * solver_.normal_force(tangent.normal));
  }
}

void ImplicitStep::add_friction(const ContactSet& contacts,
                                std::span<const BodyMotion> bodies) HAPTIC_REALTIME {
  std::uint32_t normal = 0;
  tangent_count_ = 0;
  for (const ContactSet::Pair& pair : contacts.pairs()) {
    const Frame frame = frame_of(pair, bodies);
    const ContactSettings& settings = pair.contact.settings();
    const FrictionSettings& friction = settings.friction;
    for (const Contact& contact : pair.contact.contacts().first(frame.kept)) {
      if (normal == solver_.contacts()) return;
      const std::uint32_t index = normal++;
      if (contact.grip == ContactGrip::kNone || contact.stiffness == 0.0) continue;
      const double stiffness =
          contact.stiffness * friction.stiffness.value_or(settings.stiffness) / settings.stiffness;
      const double coefficient = contact.grip == ContactGrip::kSlides ? friction.dynamic_coefficient
                                                                      : friction.static_coefficient;
      const Vector3& n = contact.normal;
      const Vector3 on_shell = pair.points == held_body_ ? contact.force : Vector3(-contact.force);
      const Vector3 stretch = (n * n.dot(on_shell) - on_shell) / stiffness;
      const Vector3 u = n.unitOrthogonal(), v = n.cross(u);
      const std::span<double> rows =
          solver_.add_tangent({{stretch.dot(u), stretch.dot(v)}, frame.factor * stiffness, 0.0});
      if (rows.empty()) return;
      tangents_[tangent_count_++] = {index, coefficient};
      add_motion(frame, contact.point, contact.position, u, rows.first(rows.size() / 2));
      add_motion(frame, contact.point, contact.position, v, rows.last(rows.size() / 2));
    }
  }
}

}  // namespace haptic
