#include "rt/dynamics/reduced_energy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string_view>

#include "shared/assert.h"
#include "shared/error.h"

// Why it is laid out so. Write W = sum of c_ijkl q_i q_j q_k q_l over i >= j >= k >= l. As a
// function of four separate slots each monomial is linear in every slot, so dW2/dq_a dq_b is the
// sum over ordered pairs of slots that hold a and b of c times the other two values, whatever
// indices coincide. The six unordered pairs of slots need only three running sums over the
// coefficients:
//   (i,j)                  dot of slab ij with the packed products q_k q_l
//   (k,l), (i,k), (i,l)    A_i[kl] = sum over j of q_j c_ijkl
//   (j,k), (j,l)           B_j[kl] = sum over i of q_i c_ijkl
// and the rest is of order r^3. With the largest index outermost, slab ij is the head of the packed
// triangle k >= l, and slab i the head of the array B: every stream is contiguous and aligned.
namespace haptic {
namespace {

constexpr std::size_t kLanes = 4;
using Lanes = double __attribute__((vector_size(kLanes * sizeof(double))));

constexpr std::size_t padded(std::size_t count) {
  return (count + kLanes - 1) / kLanes * kLanes;
}
/// Entries k >= l of the packed triangle with k < rows.
constexpr std::size_t triangle(std::size_t rows) {
  return rows * (rows + 1) / 2;
}

/// Doubles in the slabs j = 0..rows-1, each a padded triangle.
constexpr std::size_t slabs(std::size_t rows) {
  std::size_t count = 0;
  for (std::size_t j = 0; j < rows; ++j) count += padded(triangle(j + 1));
  return count;
}

Lanes load(const double* p) HAPTIC_REALTIME {
  Lanes v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
void store(double* p, Lanes v) HAPTIC_REALTIME {
  std::memcpy(p, &v, sizeof v);
}
double sum(Lanes v) HAPTIC_REALTIME {
  return (v[0] + v[2]) + (v[1] + v[3]);
}
Lanes all(double x) HAPTIC_REALTIME {
  return Lanes{x, x, x, x};
}

/// The three running sums over one slab ij of `count` (padded) coefficients; @returns the dot.
template <bool kFirst>
double accumulate_slab(const double* c, std::size_t count, double q_i, double q_j,
                       const double* pairs, double* a, double* b) HAPTIC_REALTIME {
  const Lanes qi = all(q_i), qj = all(q_j);
  Lanes dot{};
  for (std::size_t t = 0; t < count; t += kLanes) {
    const Lanes ct = load(c + t);
    store(a + t, load(a + t) + qj * ct);
    store(b + t, kFirst ? qi * ct : load(b + t) + qi * ct);
    dot += load(pairs + t) * ct;
  }
  return sum(dot);
}

double dot(const double* x, const double* y, std::size_t count) HAPTIC_REALTIME {
  Lanes s{};
  for (std::size_t t = 0; t < count; t += kLanes) s += load(x + t) * load(y + t);
  return sum(s);
}

/// y += scale x over `count` (padded) entries.
void add_scaled(double* y, double scale, const double* x, std::size_t count) HAPTIC_REALTIME {
  const Lanes s = all(scale);
  for (std::size_t t = 0; t < count; t += kLanes) store(y + t, load(y + t) + s * load(x + t));
}

/// z += (T + T^T) q for the packed triangle T of `rows` rows: the sum over both slots of each pair.
void add_both_slots(const double* t, std::size_t rows, const double* q, double* z) HAPTIC_REALTIME {
  for (std::size_t k = 0; k < rows; ++k) {
    const Lanes q_k = all(q[k]);
    Lanes row_sum{};
    std::size_t l = 0;
    for (; l + kLanes <= k + 1; l += kLanes) {
      const Lanes row = load(t + l);
      row_sum += row * load(q + l);
      store(z + l, load(z + l) + q_k * row);
    }
    double tail = 0.0;
    for (; l <= k; ++l) {
      tail += t[l] * q[l];
      z[l] += q[k] * t[l];
    }
    z[k] += sum(row_sum) + tail;
    t += k + 1;
  }
}

/// products[kl] = q_k q_l for k >= l, padded with zeros.
void packed_products(const double* q, std::size_t r, double* products) HAPTIC_REALTIME {
  double* p = products;
  for (std::size_t k = 0; k < r; ++k) {
    for (std::size_t l = 0; l <= k; ++l) *p++ = q[k] * q[l];
  }
  for (std::size_t t = triangle(r); t < padded(triangle(r)); ++t) *p++ = 0.0;
}

void require_finite(std::string_view name, std::span<const double> values, std::size_t count,
                    std::uint32_t r) {
  if (values.size() != count) {
    throw InputError("reduced energy", name, fmt::format("found {} coefficients", values.size()),
                     fmt::format("{} for r = {}", count, r));
  }
  for (std::size_t t = 0; t < count; ++t) {
    if (!std::isfinite(values[t])) {
      throw InputError("reduced energy", name, fmt::format("coefficient {} is {}", t, values[t]),
                       "a finite number");
    }
  }
}

}  // namespace

ReducedEnergy::ReducedEnergy(std::uint32_t r, std::span<const double> quadratic,
                             std::span<const double> cubic, std::span<const double> quartic)
    : r_(r) {
  if (r < 1 || r > kMaxReducedDimension) {
    throw InputError("reduced energy", "dimension", fmt::format("found r = {}", r),
                     fmt::format("1..{}", kMaxReducedDimension));
  }
  require_finite("quadratic", quadratic, distinct_count(r, 2), r);
  require_finite("cubic", cubic, distinct_count(r, 3), r);
  require_finite("quartic", quartic, distinct_count(r, 4), r);

  std::vector<std::size_t> slab(r + 1), quartic_slab(r + 1);
  for (std::size_t i = 0; i <= r; ++i) slab[i] = slabs(i);
  for (std::size_t i = 0; i < r; ++i) quartic_slab[i + 1] = quartic_slab[i] + slab[i + 1];
  quadratic_.assign(std::size_t{r} * r, 0.0);
  cubic_.assign(slab[r], 0.0);
  quartic_.assign(quartic_slab[r], 0.0);

  // Coefficient of a monomial in W = tensor entry x number of distinct permutations / order.
  std::size_t at2 = 0, at3 = 0, at4 = 0;
  for (std::size_t i = 0; i < r; ++i) {
    for (std::size_t j = i; j < r; ++j) {
      quadratic_[i * r + j] = quadratic_[j * r + i] = quadratic[at2++];
      for (std::size_t k = j; k < r; ++k) {
        const double permutations3 = i == k ? 1.0 : (i == j || j == k) ? 3.0 : 6.0;
        cubic_[slab[k] + triangle(j) + i] = permutations3 / 3.0 * cubic[at3++];
        for (std::size_t l = k; l < r; ++l) {
          double permutations4 = 24.0;
          if (i == l)
            permutations4 = 1.0;
          else if (i == k || j == l)
            permutations4 = 4.0;
          else if (i == j && k == l)
            permutations4 = 6.0;
          else if (i == j || j == k || k == l)
            permutations4 = 12.0;
          quartic_[quartic_slab[l] + slab[k] + triangle(j) + i] =
              permutations4 / 4.0 * quartic[at4++];
        }
      }
    }
  }
}

ReducedEnergy::Workspace::Workspace(std::uint32_t r)
    : pairs_(padded(triangle(r))),
      by_last_(padded(triangle(r))),
      by_first_(slabs(r)),
      linear_(padded(triangle(r))),
      square_(padded(triangle(r))) {
  HAPTIC_DEMAND(r >= 1 && r <= kMaxReducedDimension);
}

double ReducedEnergy::energy(std::span<const double> q) const HAPTIC_REALTIME {
  HAPTIC_ASSERT(q.size() == r_);
  alignas(64) double pairs[padded(triangle(kMaxReducedDimension))];
  packed_products(q.data(), r_, pairs);

  double quadratic = 0.0, cubic = 0.0, quartic = 0.0;
  const double *c3 = cubic_.data(), *c4 = quartic_.data();
  for (std::size_t i = 0; i < r_; ++i) {
    double row = 0.0, slab = 0.0;
    for (std::size_t j = 0; j < r_; ++j) row += quadratic_[i * r_ + j] * q[j];
    for (std::size_t j = 0; j <= i; ++j) {
      const std::size_t count = padded(triangle(j + 1));
      slab += q[j] * dot(c4, pairs, count);
      c4 += count;
    }
    const std::size_t count = padded(triangle(i + 1));
    quadratic += q[i] * row;
    cubic += q[i] * dot(c3, pairs, count);
    quartic += q[i] * slab;
    c3 += count;
  }
  return 0.5 * quadratic + cubic + quartic;
}

void ReducedEnergy::force_and_stiffness(std::span<const double> q, std::span<double> force,
                                        std::span<double> stiffness,
                                        Workspace& workspace) const HAPTIC_REALTIME {
  HAPTIC_ASSERT(q.size() == r_ && force.size() == r_ && stiffness.size() == std::size_t{r_} * r_);
  HAPTIC_ASSERT(workspace.pairs_.size() == padded(triangle(r_)));
  double* pairs = workspace.pairs_.data();
  double* a = workspace.by_last_.data();
  double* linear = workspace.linear_.data();
  double* square = workspace.square_.data();
  packed_products(q.data(), r_, pairs);
  std::fill(workspace.linear_.begin(), workspace.linear_.end(), 0.0);
  std::fill(workspace.square_.begin(), workspace.square_.end(), 0.0);

  // Downwards, so that B_i is complete when slab i has been added to it.
  const double* c3 = cubic_.data() + cubic_.size();
  const double* c4 = quartic_.data() + quartic_.size();
  std::size_t slab_size = cubic_.size();
  for (std::size_t i = r_; i-- > 0;) {
    const std::size_t count = padded(triangle(i + 1));
    c4 -= slab_size;
    c3 -= count;
    slab_size -= count;
    double* square_row = square + triangle(i);
    double* linear_row = linear + triangle(i);
    std::fill_n(a, count, 0.0);
    double* b = workspace.by_first_.data();
    const double* c = c4;
    for (std::size_t j = 0; j <= i; ++j) {
      const std::size_t n = padded(triangle(j + 1));
      square_row[j] += i + 1 == r_ ? accumulate_slab<true>(c, n, q[i], q[j], pairs, a, b)
                                   : accumulate_slab<false>(c, n, q[i], q[j], pairs, a, b);
      c += n;
      b += n;
    }
    add_scaled(square, q[i], a, count);                                 // slots (k,l)
    add_scaled(a, 1.0, workspace.by_first_.data() + slab_size, count);  // A_i + B_i
    add_both_slots(a, i + 1, q.data(), square_row);
    add_scaled(linear, q[i], c3, count);
    add_both_slots(c3, i + 1, q.data(), linear_row);
  }

  // The packed triangles hold each pair of slots once: K = L + L^T.
  std::fill(force.begin(), force.end(), 0.0);
  for (std::size_t m = 0; m < r_; ++m) {
    linear[triangle(m) + m] *= 2.0;
    square[triangle(m) + m] *= 2.0;
    for (std::size_t n = 0; n <= m; ++n) {
      const double k0 = quadratic_[m * r_ + n];
      const double k1 = linear[triangle(m) + n], k2 = square[triangle(m) + n];
      stiffness[m * r_ + n] = stiffness[n * r_ + m] = k0 + k1 + k2;
      const double secant = k0 + k1 / 2.0 + k2 / 3.0;
      force[m] += secant * q[n];
      if (n != m) force[n] += secant * q[m];
    }
  }
}

}  // namespace haptic
