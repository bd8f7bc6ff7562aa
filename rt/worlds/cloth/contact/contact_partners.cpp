#include "rt/worlds/cloth/contact/contact_partners.h"

#include <algorithm>

#include "rt/contact/small_cholesky.h"
#include "rt/worlds/cloth/product_sum.h"
#include "shared/assert.h"

namespace haptic::cloth {

ContactPartners::ContactPartners(std::span<const std::uint32_t> dimensions) {
  for (const std::uint32_t d : dimensions) {
    HAPTIC_DEMAND(d > 0);
    Body body;
    body.d = d;
    body.matrix.resize(std::size_t{d} * d);
    body.stiffened.resize(body.matrix.size());
    body.load.resize(d);
    body.right.resize(d);
    body.cholesky = std::make_unique<SmallCholesky>(d);
    for (std::size_t i = 0; i < d; ++i) body.matrix[i * d + i] = 1.0;
    bodies_.push_back(std::move(body));
  }
}

ContactPartners::~ContactPartners() = default;
ContactPartners::ContactPartners(ContactPartners&&) noexcept = default;

void ContactPartners::set(std::size_t body, std::span<const double> matrix,
                          std::span<const double> load) HAPTIC_REALTIME {
  Body& of = bodies_[body];
  HAPTIC_ASSERT(load.size() <= of.load.size() && matrix.size() == load.size() * load.size());
  if (load.size() != of.d) {
    of.d = load.size();
    of.cholesky->set_unknowns(static_cast<std::uint32_t>(of.d));
  }
  std::copy(matrix.begin(), matrix.end(), of.matrix.begin());
  std::copy(load.begin(), load.end(), of.load.begin());
}

void ContactPartners::clear_stiffness() HAPTIC_REALTIME {
  for (Body& body : bodies_) {
    std::copy(body.matrix.begin(), body.matrix.end(), body.stiffened.begin());
  }
}

void ContactPartners::add_stiffness(std::size_t body, std::span<const double> jacobian,
                                    const Matrix3& K) HAPTIC_REALTIME {
  Body& of = bodies_[body];
  for (std::size_t i = 0; i < of.d; ++i) {
    const Vector3 row = K * at(jacobian, i);
    double* values = of.stiffened.data() + i * of.d;
    for (std::size_t j = 0; j <= i; ++j) values[j] += row.dot(at(jacobian, j));
  }
}

bool ContactPartners::factor() HAPTIC_REALTIME {
  bool good = true;
  for (Body& body : bodies_) {
    body.cholesky->clear();
    for (std::size_t i = 0; i < body.d; ++i) {
      body.cholesky->set_row(static_cast<std::uint32_t>(i), 0,
                             {body.stiffened.data() + i * body.d, i + 1});
    }
    good = body.cholesky->factor() && good;
  }
  return good;
}

void ContactPartners::clear_load(bool with_load) HAPTIC_REALTIME {
  for (Body& body : bodies_) {
    for (std::size_t i = 0; i < body.d; ++i) body.right[i] = with_load ? body.load[i] : 0.0;
  }
}

void ContactPartners::add_load(std::size_t body, std::span<const double> jacobian,
                               const Vector3& f) HAPTIC_REALTIME {
  Body& of = bodies_[body];
  for (std::size_t i = 0; i < of.d; ++i) of.right[i] += at(jacobian, i).dot(f);
}

void ContactPartners::solve() HAPTIC_REALTIME {
  for (Body& body : bodies_) body.cholesky->solve(body.right.data());
}

Vector3 ContactPartners::surface_motion(std::size_t body,
                                        std::span<const double> jacobian) const HAPTIC_REALTIME {
  const Body& of = bodies_[body];
  Vector3 sum = Vector3::Zero();
  for (std::size_t i = 0; i < of.d; ++i) sum += of.right[i] * at(jacobian, i);
  return sum;
}

void ContactPartners::add_load(std::size_t body, std::span<const double> load) HAPTIC_REALTIME {
  for (std::size_t i = 0; i < load.size(); ++i) bodies_[body].right[i] += load[i];
}

double ContactPartners::work_of_loads() const HAPTIC_REALTIME {
  double sum = 0.0;
  for (const Body& body : bodies_) {
    sum += product_sum({body.load.data(), body.d}, {body.right.data(), body.d});
  }
  return sum;
}

double ContactPartners::own_product() const HAPTIC_REALTIME {
  double sum = 0.0;
  for (const Body& body : bodies_) {
    for (std::size_t i = 0; i < body.d; ++i) {
      sum += body.right[i] *
             product_sum({body.matrix.data() + i * body.d, body.d}, {body.right.data(), body.d});
    }
  }
  return sum;
}

void ContactPartners::scale_motions(double factor) HAPTIC_REALTIME {
  for (Body& body : bodies_) {
    for (std::size_t i = 0; i < body.d; ++i) body.right[i] *= factor;
  }
}

}  // namespace haptic::cloth
