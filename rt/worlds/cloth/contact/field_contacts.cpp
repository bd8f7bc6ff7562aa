#include "rt/worlds/cloth/contact/field_contacts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "shared/error.h"

namespace haptic::cloth {
namespace {

/// The gradient turned by more than this from that of the side: the middle of the body is passed.
constexpr double kOtherSide = -0.3;

FieldContacts::Settings checked(const FieldContacts::Settings& settings) {
  const auto require = [](const char* what, double value) {
    if (std::isfinite(value) && value >= 0.0) return;
    throw InputError("", what, fmt::format("{}", value), "a number >= 0");
  };
  require("contact stiffness", settings.stiffness);
  require("friction", settings.friction);
  require("thickness", settings.thickness);
  return settings;
}

/// The part of space within `margin` of a field's body; what overlaps a box may be in contact.
struct FieldReach {
  const SignedField& field;
  const Pose& pose;
  double margin;
};

bool overlap(const BoxVolume& box, const FieldReach& reach) HAPTIC_REALTIME {
  const Vector3 centre = 0.5 * (box.lower + box.upper);
  const double radius = 0.5 * (box.upper - box.lower).norm() + reach.margin;
  const Vector3 p = reach.pose.to_material(centre);
  if (p.norm() > reach.field.reach() + radius) return false;
  FieldPoints points;
  points.x[0] = p.x(), points.y[0] = p.y(), points.z[0] = p.z();
  FieldSamples samples;
  reach.field.evaluate(points, 1, Culling::kSafe, samples);
  return samples.distance[0] < 0.0 || samples.free_radius[0] <= radius;
}

double largest_speed(std::span<const double> v) HAPTIC_REALTIME {
  double square = 0.0;
  for (std::size_t i = 0; i < v.size() / 3; ++i) square = std::max(square, at(v, i).squaredNorm());
  return std::sqrt(square);
}

}  // namespace

/// Of one call of find().
struct FieldContacts::Way {
  double h, offset, floor;
};

FieldContacts::FieldContacts(const ClothSites& sites, const SignedField& field,
                             const Settings& settings)
    : sites_(sites),
      field_(field),
      settings_(checked(settings)),
      anchors_(static_cast<std::uint32_t>(sites.size())),
      sides_(sites.size()),
      touches_(sites.size()),
      forces_(std::min(settings.capacity, sites.size())),
      near_(sites.triangles()),
      jacobian_(3 * std::max<std::size_t>(6, field.dimension())),
      row_(field.dimension()) {}

/// Calls visit(site, distance [m], place in the body's frame) for all sites of triangles within
/// `margin` of the field's body, and for some of others.
template <class Visit>
void FieldContacts::for_near_sites(const BoxHierarchy& hierarchy, const ClothState& state,
                                   const Pose& pose, double margin, Visit visit) HAPTIC_REALTIME {
  const Matrix3 to_body = pose.orientation.toRotationMatrix().transpose();
  near_.clear();
  // To evaluate the field for a leaf's box costs as much as for a site.
  const bool tests_leaves = sites_.size() > sites_.triangles();
  hierarchy.find(FieldReach{field_, pose, margin}, near_, tests_leaves);
  FieldPoints points;
  FieldSamples samples;
  std::uint32_t waiting[kFieldBatch], count = 0;
  const auto flush = [&]() HAPTIC_REALTIME {
    if (count == 0) return;
    field_.evaluate(points, count, Culling::kPublished, samples);
    for (std::uint32_t k = 0; k < count; ++k) {
      visit(waiting[k], samples.distance[k], Vector3(points.x[k], points.y[k], points.z[k]));
    }
    count = 0;
  };
  for (const std::uint32_t triangle : near_.items()) {
    for (std::uint32_t s = sites_.first_site(triangle); s < sites_.first_site(triangle + 1); ++s) {
      const Vector3 p = to_body * (sites_.at_site(s, state.x) - pose.position);
      points.x[count] = p.x(), points.y[count] = p.y(), points.z[count] = p.z();
      waiting[count++] = s;
      if (count == kFieldBatch) flush();
    }
  }
  flush();
}

double FieldContacts::clearance(const BoxHierarchy& hierarchy, const ClothState& state,
                                const Pose& pose, double most) HAPTIC_REALTIME {
  const double offset = 0.5 * settings_.thickness;
  double nearest = most + offset;
  for_near_sites(hierarchy, state, pose, nearest,
                 [&](std::uint32_t, double distance, const Vector3&)
                     HAPTIC_REALTIME { nearest = std::min(nearest, distance); });
  return std::max(0.0, nearest - offset);
}

std::size_t FieldContacts::find(const BoxHierarchy& hierarchy, const ClothState& state,
                                const Body& body, double h) HAPTIC_REALTIME {
  ++cycle_;
  anchors_.begin();
  found_ = kept_ = 0;
  body_ = body;
  to_world_ = body.pose.orientation.toRotationMatrix();
  // Within a step, forces may change a velocity by so much without a contact's notice.
  constexpr double kAcceleration = 20.0;  // m/s^2
  // Springs may make a site as fast as the fastest one is.
  const double fastest = h * largest_speed(state.v);
  const Way way{h, 0.5 * settings_.thickness,
                std::max(0.02 * field_.edge(), kAcceleration * h * h) + fastest};
  const double turning = body.twist.angular.norm() * field_.reach();
  // A half-space reaches too far for its ball; what turns it moves the sites by their own arms.
  const double bounded = field_.reach() < 1e5 ? turning : 0.0;
  const double margin = way.offset + way.floor + 2.0 * fastest +
                        2.0 * h * (body.twist.linear.norm() + bounded) +
                        2.0 * h * field_.deformation_bound(body.qdot);
  for_near_sites(hierarchy, state, body.pose, margin,
                 [&](std::uint32_t site, double distance, const Vector3& p) HAPTIC_REALTIME {
                   const Vector3 arm = to_world_ * p;
                   const Vector3 surface = body.twist.linear + body.twist.angular.cross(arm);
                   const Vector3 change =
                       to_world_.transpose() * (h * (sites_.at_site(site, state.v) - surface));
                   visit(site, way, distance, p, change);
                 });
  choose();
  return kept_;
}

void FieldContacts::visit(std::uint32_t site, const Way& way, double distance, const Vector3& p,
                          const Vector3& change) HAPTIC_REALTIME {
  const double gap = distance - way.offset;
  const Side& side = sides_[site];
  const bool was_inside = side.cycle + 1 == cycle_;
  if (!(gap <= 0.0)) {  // also of NaN, which the step then refuses
    if (was_inside && came_through(side, p, way.offset)) {
      keep(site, p, side.plane);
    } else {
      visit_outside(site, way, gap, p, change);
    }
    return;
  }
  const SurfacePlane plane = plane_at(field_, p, way.offset);
  const bool turned = was_inside && side.plane.normal.dot(plane.normal) < kOtherSide &&
                      side.plane.normal.dot(p - side.plane.point) < 0.0;
  keep(site, p, turned ? side.plane : plane);
}

void FieldContacts::visit_outside(std::uint32_t site, const Way& way, double gap, const Vector3& p,
                                  const Vector3& change) HAPTIC_REALTIME {
  const double length = change.norm();
  if (gap > way.floor + 2.0 * length) return;
  if (gap <= length) {
    if (const auto entry = first_entry(field_, p, change, way.offset)) {
      keep(site, p, *entry);
      return;
    }
  }
  keep(site, p, plane_at(field_, p, way.offset));
}

/// Whether the straight way back to the plane of its side leads through the body.
bool FieldContacts::came_through(const Side& side, const Vector3& p,
                                 double offset) const HAPTIC_REALTIME {
  const double height = side.plane.normal.dot(p - side.plane.point);
  if (height >= 0.0) return false;
  return first_entry(field_, p, -height * side.plane.normal, offset).has_value();
}

void FieldContacts::keep(std::uint32_t site, const Vector3& p,
                         const SurfacePlane& plane) HAPTIC_REALTIME {
  const double gap = plane.normal.dot(p - plane.point);
  const double stored = 0.5 * stiffness(site) * plane.slope_squared * gap * gap;
  touches_[found_++] = {site, gap, gap < 0.0 ? stored : -gap, p, plane};
  sides_[site] = {plane, cycle_};
}

/// If the touches are more than the places, those that store most come first.
void FieldContacts::choose() HAPTIC_REALTIME {
  kept_ = std::min(found_, forces_.size());
  factor_ = 1.0;
  if (kept_ == found_) return;
  const auto begin = touches_.begin();
  std::nth_element(begin, begin + static_cast<std::ptrdiff_t>(kept_),
                   begin + static_cast<std::ptrdiff_t>(found_),
                   [](const Touch& a, const Touch& b) HAPTIC_REALTIME {
                     return a.rank != b.rank ? a.rank > b.rank : a.site < b.site;
                   });
  double all = 0.0, kept = 0.0;
  for (std::size_t k = 0; k < found_; ++k) {
    const double energy = std::max(0.0, touches_[k].rank);
    all += energy;
    if (k < kept_) kept += energy;
  }
  if (kept > 0.0) factor_ = all / kept;
}

std::span<const double> FieldContacts::jacobian(const Touch& touch,
                                                const Partner& partner) HAPTIC_REALTIME {
  const Vector3 on_surface = touch.p - touch.gap * touch.plane.normal;
  if (partner.kind == Partner::Kind::kNone) return {};
  if (partner.kind == Partner::Kind::kRigid) {
    const Vector3 arm = to_world_ * on_surface + body_.pose.position - partner.centre;
    Eigen::Map<Eigen::Matrix<double, 3, 6>> J(jacobian_.data());
    J.leftCols<3>().setIdentity();
    J.rightCols<3>() = -skew(arm);
    return {jacobian_.data(), 18};
  }
  const std::size_t r = field_.dimension();
  std::span<double> J(jacobian_.data(), 3 * r);
  std::fill(J.begin(), J.end(), 0.0);
  // Row k of R U is U^T (R^T e_k). The field sums over spans of r values.
  for (Eigen::Index k = 0; k < 3; ++k) {
    std::fill(row_.begin(), row_.end(), 0.0);
    field_.add_reduced_force(on_surface, to_world_.row(k).transpose(), row_);
    for (std::size_t j = 0; j < r; ++j) J[3 * j + static_cast<std::size_t>(k)] = row_[j];
  }
  return J;
}

bool FieldContacts::add_to(ContactStep& step, const Partner& partner) HAPTIC_REALTIME {
  first_ = step.contacts();
  for (std::size_t k = 0; k < kept_; ++k) {
    const Touch& touch = touches_[k];
    const ClothSite& site = sites_.site(touch.site);
    ClothContact contact;
    contact.particles = site.particles;
    contact.weights = site.weights;
    contact.count = site.count;
    contact.normal = to_world_ * touch.plane.normal;
    contact.gap = touch.gap;
    contact.stiffness = factor_ * touch.plane.slope_squared * stiffness(touch.site);
    contact.friction = settings_.friction;
    if (settings_.friction > 0.0 && contact.stiffness > 0.0) {
      if (touch.gap < 0.0) {
        const FrictionAnchors::Spring spring =
            anchors_.measure(touch.site, field_, touch.p, touch.plane.normal, contact.stiffness);
        contact.stretch = to_world_ * spring.stretch;
        contact.last_normal_force = std::max(0.0, spring.normal_force);
      } else {
        anchors_.place(touch.site, field_, touch.p);
      }
    }
    if (partner.kind == Partner::Kind::kNone) {
      const Vector3 arm = to_world_ * (touch.p - touch.gap * touch.plane.normal);
      contact.surface_velocity = body_.twist.linear + body_.twist.angular.cross(arm);
    } else {
      contact.partner = partner.index;
    }
    if (!step.add(contact, jacobian(touch, partner))) {
      kept_ = k;
      return false;
    }
  }
  return true;
}

void FieldContacts::settle(const ContactStep& step) HAPTIC_REALTIME {
  for (std::size_t k = 0; k < kept_; ++k) {
    const Touch& touch = touches_[k];
    const ContactForce on_cloth = step.force(first_ + k);
    const Vector3 on_surface = touch.p - touch.gap * touch.plane.normal;
    forces_[k] = {-on_cloth.force, to_world_ * on_surface + body_.pose.position};
    if (settings_.friction == 0.0 || on_cloth.normal == 0.0) continue;
    const Vector3 normal = step.contact(first_ + k).normal;
    anchors_.settle(touch.site, field_,
                    {.drag = to_world_.transpose() * on_cloth.slip,
                     .slides = on_cloth.slides,
                     .normal_force = on_cloth.normal,
                     .force = (on_cloth.force - on_cloth.normal * normal).norm()});
  }
}

Wrench FieldContacts::wrench_about(const Vector3& centre) const HAPTIC_REALTIME {
  Wrench sum;
  sum.force.setZero();
  sum.torque.setZero();
  for (std::size_t k = 0; k < kept_; ++k) {
    sum.force += forces_[k].force;
    sum.torque += (forces_[k].place - centre).cross(forces_[k].force);
  }
  return sum;
}

FieldContacts::Pressure FieldContacts::pressure(const ContactStep& step) const HAPTIC_REALTIME {
  Pressure sum;
  for (std::size_t k = 0; k < kept_; ++k) {
    const double normal = step.force(first_ + k).normal;
    sum.sum += normal;
    sum.force -= normal * step.contact(first_ + k).normal;
  }
  sum.friction_limit = sum.sum * std::hypot(1.0, settings_.friction);
  return sum;
}

void FieldContacts::clear_history() HAPTIC_REALTIME {
  cycle_ += 2;
  anchors_.clear_history();
  found_ = kept_ = 0;
}

}  // namespace haptic::cloth
