#include "rt/worlds/solids/pull_spring.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "rt/bodies/surface_point.h"
#include "shared/error.h"

namespace haptic::solids {
namespace {

/// Largest distance of a point from the body, over its radius.
constexpr double kMaxRelativeDistance = 0.02;

}  // namespace

PullSpring::PullSpring(const Scene& scene, std::span<const std::unique_ptr<BodyModel>> models,
                       double dt)
    : dt_(dt) {
  std::uint32_t widest = 0;
  for (std::size_t i = 0; i < models.size(); ++i) {
    const BodyModel& model = *models[i];
    Body body{scene.bodies[i].name, &model, scene.bodies[i].role != BodyRole::kAnchored, {}, 0,
              model.bounding_radius};
    // A shape has no file.
    if (model.dimension() > 0 && model.file->has("/surface/basis")) {
      body.basis = model.file->floats("/surface/basis");
      body.width = model.file->reduced_dimension();
    }
    widest = std::max(widest, model.dimension());
    bodies_.push_back(body);
  }
  displacement_.setZero(3, widest);
}

std::string PullSpring::prepare(const std::string& name, Pull& pull) const {
  const auto found = std::ranges::find(bodies_, name, &Body::name);
  if (found == bodies_.end()) {
    std::vector<std::string> names;
    for (const Body& body : bodies_) names.push_back(body.name);
    return fmt::format("no body \"{}\"; there are {}", name, fmt::join(names, ", "));
  }
  if (!(pull.stiffness > 0.0 && pull.stiffness <= kMaxStiffness)) {
    return fmt::format("a stiffness of {:g} N/m, not up to {:g}", pull.stiffness, kMaxStiffness);
  }
  if (!(pull.limit > 0.0 && pull.limit <= kMaxForce)) {
    return fmt::format("a force of {:g} N, not up to {:g}", pull.limit, kMaxForce);
  }
  if (!(pull.target.norm() <= kMaxDistance)) {
    return fmt::format("a place {:g} m away, not up to {:g}", pull.target.norm(), kMaxDistance);
  }
  pull.body = static_cast<std::uint32_t>(found - bodies_.begin());
  if (found->model->dimension() == 0) {
    if (!found->moves) return fmt::format("\"{}\" does not move", name);
    const double radius = found->radius;
    if (pull.at_rest.norm() <= (1.0 + kMaxRelativeDistance) * radius) return {};
    return fmt::format(
        "the point is {:.3g} m from the origin of \"{}\", whose points are within {:.3g} m",
        pull.at_rest.norm(), name, radius);
  }
  try {
    const SurfacePoint point =
        nearest_surface_point(*found->model->file, found->model->dimension(), pull.at_rest);
    if (!(point.distance <= kMaxRelativeDistance * point.radius)) {
      return fmt::format(
          "the point is {:.3g} m from the surface of \"{}\"; on it is {:.6g} {:.6g} {:.6g}",
          point.distance, name, point.nearest.x(), point.nearest.y(), point.nearest.z());
    }
    if (!found->moves && !point.moves()) return fmt::format("\"{}\" is fixed there", name);
    pull.at_rest = point.nearest;
    std::ranges::copy(point.corners, pull.corners);
    pull.weights = point.weights;
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

void PullSpring::set(const Pull& pull) HAPTIC_REALTIME {
  const bool same = pull.body == pull_.body && pull.at_rest == pull_.at_rest;
  is_new_ = is_new_ || !same;
  pull_ = pull;
  // Where the point will be is not known before the next step.
  if (pull.is_relative) is_new_ = true;
  left_s_ = kMove_s;
}

/// U of the point for the body's reduced coordinates.
void PullSpring::load_displacement(const Body& body) HAPTIC_REALTIME {
  const Matrix3 R = placement_.pose.orientation.toRotationMatrix();
  for (std::size_t j = 0; j < placement_.q.size(); ++j) {
    Vector3 column = Vector3::Zero();
    for (int c = 0; c < 3; ++c) {
      for (int k = 0; k < 3; ++k) {
        const std::size_t row = 3 * std::size_t{pull_.corners[c]} + static_cast<std::size_t>(k);
        column[k] += pull_.weights[c] * double{body.basis[row * body.width + j]};
      }
    }
    displacement_.col(static_cast<Eigen::Index>(j)) = R * column;
  }
}

void PullSpring::begin(const JointedBody::Placement& placement) HAPTIC_REALTIME {
  placement_ = placement;
  const Body& body = bodies_[pull_.body];
  point_ = placement.pose.to_world(pull_.at_rest);
  if (placement.first_change >= 0) {
    load_displacement(body);
    for (std::size_t j = 0; j < placement.q.size(); ++j) {
      point_ += placement.q[j] * displacement_.col(static_cast<Eigen::Index>(j));
      if (j >= placement.used) displacement_.col(static_cast<Eigen::Index>(j)).setZero();
    }
  }
  if (is_new_) {
    is_new_ = false;
    anchor_ = point_;
    if (pull_.is_relative) pull_.target += point_;
    pull_.is_relative = false;
  }
  if (left_s_ > dt_) {
    anchor_ += (pull_.target - anchor_) * (dt_ / left_s_);
    left_s_ -= dt_;
  } else {
    anchor_ = pull_.target;
    left_s_ = 0.0;
  }
}

void PullSpring::add_to(ContactSolver& solver) HAPTIC_REALTIME {
  std::array<std::uint32_t, 2> blocks{};
  std::size_t count = 0;
  if (placement_.first_unknown >= 0) blocks[count++] = placement_.block;
  if (placement_.first_change >= 0 && placement_.change_before == 0) {
    blocks[count++] = placement_.change_block;
  }
  if (count == 0) return;
  std::ranges::sort(std::span(blocks).first(count));
  const RowSupport& rows = solver.use_blocks(std::span(blocks).first(count));
  // The damper is a spring to where the point is: k s + k tau J x / dt.
  const double k = pull_.stiffness, whole = k * (1.0 + kRelaxation_s / dt_);
  Vector3 stretch = point_ - anchor_;
  const double reach = pull_.limit / k, length = stretch.norm();
  if (length > reach) stretch *= reach / length;
  const Vector3 arm = point_ - placement_.origin;
  for (int i = 0; i < 3; ++i) {
    const std::span<double> row = solver.add_link({k / whole * stretch[i], whole, pull_.limit});
    if (row.empty()) return;
    const Vector3 along = Vector3::Unit(i);
    if (placement_.first_unknown >= 0) {
      const Vector3 turn = arm.cross(along);
      double* const to = row.data() + rows.offset(placement_.block);
      for (int c = 0; c < 3; ++c) {
        to[c] = along[c];
        to[c + 3] = turn[c];
      }
    }
    if (placement_.first_change >= 0) {
      double* const to =
          row.data() + rows.offset(placement_.change_block) + placement_.change_before;
      for (std::size_t j = 0; j < placement_.q.size(); ++j) {
        to[j] = displacement_(i, static_cast<Eigen::Index>(j));
      }
    }
  }
}

}  // namespace haptic::solids
