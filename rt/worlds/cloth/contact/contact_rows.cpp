#include "rt/worlds/cloth/contact/contact_rows.h"

#include <algorithm>
#include <cmath>

#include "shared/assert.h"

namespace haptic::cloth {
namespace {

Vector3 tangential_part(const Vector3& n, const Vector3& vector) HAPTIC_REALTIME {
  return vector - n.dot(vector) * n;
}

}  // namespace

ContactRows::ContactRows(std::size_t capacity, std::size_t most_unknowns)
    : rows_(capacity),
      pressing_(capacity),
      jacobians_(3 * most_unknowns * capacity),
      most_(most_unknowns) {}

bool ContactRows::add(const ClothContact& contact,
                      std::span<const double> jacobian) HAPTIC_REALTIME {
  HAPTIC_ASSERT(contact.count >= 1 && contact.count <= 3 && jacobian.size() <= 3 * most_);
  if (count_ == rows_.size()) return false;
  rows_[count_].contact = contact;
  std::copy(jacobian.begin(), jacobian.end(),
            jacobians_.begin() + static_cast<std::ptrdiff_t>(3 * most_ * count_));
  ++count_;
  return true;
}

bool ContactRows::finite() const HAPTIC_REALTIME {
  double sum = 0.0;  // of zeros, or NaN
  for (std::size_t k = 0; k < count_; ++k) {
    const ClothContact& c = rows_[k].contact;
    sum += 0.0 * (c.gap + c.stiffness + c.friction + c.last_normal_force) +
           0.0 * (c.normal + c.stretch + c.surface_velocity).sum() +
           0.0 * (c.weights[0] + c.weights[1] + c.weights[2]);
  }
  return sum == 0.0 && point_.finite();
}

Vector3 ContactRows::site(const ClothContact& contact, std::span<const double> z) HAPTIC_REALTIME {
  Vector3 sum = contact.weights[0] * at(z, contact.particles[0]);
  for (std::uint32_t k = 1; k < contact.count; ++k) {
    sum += contact.weights[k] * at(z, contact.particles[k]);
  }
  return sum;
}

void ContactRows::spread(const ClothContact& contact, const Vector3& force,
                         std::span<double> to) HAPTIC_REALTIME {
  for (std::uint32_t k = 0; k < contact.count; ++k) {
    at(to, contact.particles[k]) += contact.weights[k] * force;
  }
}

double ContactRows::normal_force(const Row& row) HAPTIC_REALTIME {
  return row.contact.stiffness * std::max(0.0, -(row.contact.gap + row.contact.normal.dot(row.d)));
}

Vector3 ContactRows::stretch(const Row& row) HAPTIC_REALTIME {
  return tangential_part(row.contact.normal, row.contact.stretch + row.d);
}

void ContactRows::set_spring(Row& row, bool presses, double tangential) HAPTIC_REALTIME {
  const ClothContact& contact = row.contact;
  const Vector3& n = contact.normal;
  row.presses = presses;
  row.tangential = presses ? tangential : 0.0;
  if (!presses) {
    row.K.setZero();
    row.c.setZero();
    return;
  }
  row.K = (contact.stiffness - tangential) * n * n.transpose();
  row.K.diagonal().array() += tangential;
  row.c = -contact.stiffness * contact.gap * n - tangential * tangential_part(n, contact.stretch);
}

namespace {

/// Stiffness of a friction spring of length `stretch` that ends at its limit.
double friction_stiffness(const ClothContact& contact, double normal_force,
                          double stretch) HAPTIC_REALTIME {
  const double limit = contact.friction * normal_force;
  return limit < contact.stiffness * stretch ? limit / stretch
         : limit > 0.0                       ? contact.stiffness
                                             : 0.0;
}

}  // namespace

void ContactRows::predict(std::span<const double> v, double h) HAPTIC_REALTIME {
  h_ = h;
  point_.predict(v, h);
  for (std::size_t k = 0; k < count_; ++k) {
    Row& row = rows_[k];
    const ClothContact& contact = row.contact;
    row.d = h * (site(contact, v) - contact.surface_velocity);
    const bool pressed = contact.last_normal_force > 0.0;
    set_spring(row, pressed || normal_force(row) > 0.0,
               friction_stiffness(contact, contact.last_normal_force, stretch(row).norm()));
  }
}

std::size_t ContactRows::decide() HAPTIC_REALTIME {
  std::size_t changed = 0;
  for (std::size_t k = 0; k < count_; ++k) {
    Row& row = rows_[k];
    const double force = normal_force(row);
    const double tangential = friction_stiffness(row.contact, force, stretch(row).norm());
    const bool presses = force > 0.0;
    const double difference = std::abs(tangential - row.tangential);
    if (presses == row.presses && difference <= 0.01 * std::max(tangential, row.tangential)) {
      continue;
    }
    ++changed;
    set_spring(row, presses, tangential);
  }
  return changed;
}

void ContactRows::prepare(ContactPartners& partners) HAPTIC_REALTIME {
  pressing_count_ = 0;
  for (std::size_t k = 0; k < count_; ++k) {
    const Row& row = rows_[k];
    if (!row.presses) continue;
    const ClothContact& of = row.contact;
    Pressing& to = pressing_[pressing_count_++];
    to = {of.particles,
          of.count,
          of.weights,
          row.K,
          Vector3::Zero(),
          of.partner,
          static_cast<std::uint32_t>(k)};
    for (double& weight : to.weights) weight *= h_;
    if (of.partner != ClothContact::kNoPartner) {
      partners.add_stiffness(of.partner, jacobian(k), row.K);
    }
  }
}

void ContactRows::add_to(ClothPreconditioner& preconditioner) const HAPTIC_REALTIME {
  for (const Pressing& of : std::span(pressing_).first(pressing_count_)) {
    preconditioner.add(std::span(of.particles).first(of.count), of.weights, of.K);
  }
  point_.add_to(preconditioner);
}

void ContactRows::evaluate(std::span<const double> z, ContactPartners& partners) HAPTIC_REALTIME {
  point_.evaluate(z);
  partners.clear_load(true);
  for (std::size_t k = 0; k < count_; ++k) {
    Row& row = rows_[k];
    row.moved = h_ * site(row.contact, z);
    row.d = row.moved - h_ * row.contact.surface_velocity;
    if (row.contact.partner == ClothContact::kNoPartner || !row.presses) continue;
    partners.add_load(row.contact.partner, jacobian(k), row.K * row.d - row.c);
  }
  partners.solve();
  for (std::size_t k = 0; k < count_; ++k) {
    Row& row = rows_[k];
    if (row.contact.partner != ClothContact::kNoPartner) {
      const Vector3 answer = partners.surface_motion(row.contact.partner, jacobian(k));
      row.moved -= answer;
      row.d -= answer;
    }
    row.force = row.c - row.K * row.d;
  }
}

void ContactRows::add_impulses(double scale, std::span<double> to) const HAPTIC_REALTIME {
  for (const Row& row : std::span(rows_).first(count_)) {
    spread(row.contact, scale * h_ * row.force, to);
  }
  point_.add_impulses(scale, to);
}

void ContactRows::add_product(std::span<const double> p, std::span<double> q,
                              ContactPartners& partners) HAPTIC_REALTIME {
  point_.add_product(p, q);
  const std::span<Pressing> pressing(pressing_.data(), pressing_count_);
  if (pressing.empty()) return;
  partners.clear_load(false);
  for (Pressing& of : pressing) {
    of.force = of.K * of.motion(p);
    if (of.partner == ClothContact::kNoPartner) continue;
    partners.add_load(of.partner, jacobian(of.row), of.force);
  }
  partners.solve();
  for (Pressing& of : pressing) {
    if (of.partner != ClothContact::kNoPartner) {
      of.force -= of.K * partners.surface_motion(of.partner, jacobian(of.row));
    }
    of.spread(of.force, q);
  }
}

Vector3 ContactRows::Pressing::motion(std::span<const double> z) const HAPTIC_REALTIME {
  Vector3 moved = weights[0] * at(z, particles[0]);
  for (std::uint32_t k = 1; k < count; ++k) moved += weights[k] * at(z, particles[k]);
  return moved;
}

void ContactRows::Pressing::spread(const Vector3& impulse,
                                   std::span<double> to) const HAPTIC_REALTIME {
  for (std::uint32_t k = 0; k < count; ++k) at(to, particles[k]) += weights[k] * impulse;
}

void ContactRows::add_partner_motion(std::uint32_t partner, const ContactPartners& partners,
                                     std::span<double> to) const HAPTIC_REALTIME {
  for (const Pressing& of : std::span(pressing_).first(pressing_count_)) {
    if (of.partner != partner) continue;
    of.spread(of.K * partners.surface_motion(partner, jacobian(of.row)), to);
  }
}

void ContactRows::add_load_of(std::span<const double> z, std::uint32_t partner,
                              ContactPartners& partners) const HAPTIC_REALTIME {
  for (const Pressing& of : std::span(pressing_).first(pressing_count_)) {
    if (of.partner == partner) partners.add_load(partner, jacobian(of.row), of.K * of.motion(z));
  }
}

void ContactRows::set_base(std::span<const double> z) HAPTIC_REALTIME {
  for (std::size_t k = 0; k < count_; ++k) rows_[k].base = h_ * site(rows_[k].contact, z);
  point_.set_base(z);
}

double ContactRows::push_only(double scale) HAPTIC_REALTIME {
  double work = point_.push_only(scale);
  for (std::size_t k = 0; k < count_; ++k) {
    Row& row = rows_[k];
    const ClothContact& contact = row.contact;
    const Vector3 moved = row.base + scale * (row.moved - row.base);
    row.d = moved - h_ * contact.surface_velocity;
    if (normal_force(row) > 0.0) {
      row.force = row.presses ? Vector3(row.c - row.K * row.d)
                              : Vector3(normal_force(row) * contact.normal);
    } else {
      row.force.setZero();
    }
    work += row.force.dot(moved);
  }
  return work;
}

ContactForce ContactRows::force(std::size_t k) const HAPTIC_REALTIME {
  const Row& row = rows_[k];
  ContactForce result;
  result.force = row.force;
  result.normal = std::max(0.0, row.contact.normal.dot(row.force));
  result.gap = row.contact.gap + row.contact.normal.dot(row.d);
  const Vector3 reached = stretch(row);
  const double limit = row.contact.friction * normal_force(row);
  const double pull = row.contact.stiffness * reached.norm();
  result.slides = pull > limit;
  result.stretch = result.slides ? Vector3(limit / pull * reached) : reached;
  result.slip = reached - result.stretch;
  return result;
}

}  // namespace haptic::cloth
