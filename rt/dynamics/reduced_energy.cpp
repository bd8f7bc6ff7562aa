#include "rt/dynamics/reduced_energy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>

#include "shared/assert.h"
#include "shared/error.h"

// Why it is laid out so.
//
// With q_0 = 1, W is one homogeneous quartic in r + 1 coordinates, sum of c_ijkl q_i q_j q_k q_l
// over i >= j >= k >= l. Its Hessian H holds K in the rows and columns 1..r, and Euler's theorem
// gives the force, 3 R = (H q)_1..r: K0, K1, K2 keep their weights 1, 1/2, 1/3 through column 0.
//
// Every monomial is linear in each of its four slots, so H_ab is the sum over ordered pairs of
// slots that hold a and b of c times the other two values, whatever indices coincide. The six
// unordered pairs of slots need only three running sums over the coefficients,
//   (i,j)                  dot of slab ij with the packed products q_k q_l
//   (k,l), (i,k), (i,l)    A_i[kl] = sum over j of q_j c_ijkl
//   (j,k), (j,l)           B_j[kl] = sum over i of q_i c_ijkl
// and the rest is of order r^3. With the largest index outermost, slab ij is the head of the packed
// triangle k >= l, and slab i the head of the array B: all streams are contiguous and aligned.
namespace haptic {
namespace {

constexpr std::size_t kLanes = 4;
using Lanes = double __attribute__((vector_size(kLanes * sizeof(double))));
using Mask = long long __attribute__((vector_size(kLanes * sizeof(long long))));

constexpr std::size_t padded(std::size_t count) {
  return (count + kLanes - 1) / kLanes * kLanes;
}
/// Entries k >= l of the packed triangle with k < rows.
constexpr std::size_t triangle(std::size_t rows) {
  return rows * (rows + 1) / 2;
}
/// Doubles of slab j: the triangle k <= j.
constexpr std::size_t slab(std::size_t j) {
  return padded(triangle(j + 1));
}
/// Doubles in the slabs j < rows.
constexpr std::size_t slabs(std::size_t rows) {
  std::size_t count = 0;
  for (std::size_t j = 0; j < rows; ++j) count += slab(j);
  return count;
}
constexpr std::size_t kMaxCoordinates = kMaxReducedDimension + 1;

Lanes load(const double* p) HAPTIC_REALTIME {
  Lanes v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
Lanes load(const float* p) HAPTIC_REALTIME {
  using Floats = float __attribute__((vector_size(kLanes * sizeof(float))));
  Floats v;
  std::memcpy(&v, p, sizeof v);
  return __builtin_convertvector(v, Lanes);
}
void store(double* p, Lanes v) HAPTIC_REALTIME {
  std::memcpy(p, &v, sizeof v);
}
void store(float* p, Lanes v) HAPTIC_REALTIME {
  using Floats = float __attribute__((vector_size(kLanes * sizeof(float))));
  const Floats narrow = __builtin_convertvector(v, Floats);
  std::memcpy(p, &narrow, sizeof narrow);
}
Lanes all(double x) HAPTIC_REALTIME {
  return Lanes{x, x, x, x};
}

/// (sum v0, sum v1, sum v2, sum v3).
Lanes sums(Lanes v0, Lanes v1, Lanes v2, Lanes v3) HAPTIC_REALTIME {
  const Lanes a =
      __builtin_shufflevector(v0, v1, 0, 4, 2, 6) + __builtin_shufflevector(v0, v1, 1, 5, 3, 7);
  const Lanes b =
      __builtin_shufflevector(v2, v3, 0, 4, 2, 6) + __builtin_shufflevector(v2, v3, 1, 5, 3, 7);
  return __builtin_shufflevector(a, b, 0, 1, 4, 5) + __builtin_shufflevector(a, b, 2, 3, 6, 7);
}

/// Slabs j..j+3 (or fewer) of one i, side by side: A and the products are read once for all.
template <class Coefficient>
struct SlabGroup {
  const Coefficient* c[4];
  double* b[4];
  Lanes q_j[4];
  Lanes dot[4];
};

/// The three running sums over entries [begin, end) of the slabs kFirst..kLast-1 of a group.
/// kAssign: B starts here.
template <int kFirst, int kLast, bool kAssign, class Coefficient>
inline void stream(SlabGroup<Coefficient>& g, std::size_t begin, std::size_t end, Lanes q_i,
                   const double* pairs, double* a) HAPTIC_REALTIME {
  Lanes dot[4];
  for (int w = kFirst; w < kLast; ++w) dot[w] = g.dot[w];
  for (std::size_t t = begin; t < end; t += kLanes) {
    const Lanes pair = load(pairs + t);
    Lanes a_t = load(a + t);
#pragma GCC unroll 4
    for (int w = kFirst; w < kLast; ++w) {
      const Lanes c = load(g.c[w] + t);
      a_t += g.q_j[w] * c;
      dot[w] += pair * c;
      store(g.b[w] + t, kAssign ? q_i * c : load(g.b[w] + t) + q_i * c);
    }
    store(a + t, a_t);
  }
  for (int w = kFirst; w < kLast; ++w) g.dot[w] = dot[w];
}

/// All entries of the kWidth slabs from j on; the later ones are longer. @returns their dots
template <int kWidth, bool kAssign, class Coefficient>
inline Lanes stream_group(const Coefficient* c, double* b, std::size_t j, double q_i,
                          const double* q, const double* pairs, double* a) HAPTIC_REALTIME {
  SlabGroup<Coefficient> g;
  std::size_t end[4];
  for (int w = 0; w < kWidth; ++w) {
    const std::size_t at = j + static_cast<std::size_t>(w);
    g.c[w] = c;
    g.b[w] = b;
    g.q_j[w] = all(q[at]);
    end[w] = slab(at);
    c += end[w];
    b += end[w];
  }
  for (Lanes& dot : g.dot) dot = Lanes{};
  const Lanes qi = all(q_i);
  stream<0, kWidth, kAssign>(g, 0, end[0], qi, pairs, a);
  if constexpr (kWidth > 1) stream<1, kWidth, kAssign>(g, end[0], end[1], qi, pairs, a);
  if constexpr (kWidth > 2) stream<2, kWidth, kAssign>(g, end[1], end[2], qi, pairs, a);
  if constexpr (kWidth > 3) stream<3, kWidth, kAssign>(g, end[2], end[3], qi, pairs, a);
  return sums(g.dot[0], g.dot[1], g.dot[2], g.dot[3]);
}

/// Slabs j = 0..i of one i; row[j] = dot of slab ij.
template <bool kAssign, class Coefficient>
void stream_slabs(const Coefficient* c, double* b, std::size_t i, const double* q,
                  const double* pairs, double* a, double* row) HAPTIC_REALTIME {
  std::size_t j = 0;
  for (; j + 4 <= i + 1; j += 4) {
    store(row + j, stream_group<4, kAssign>(c, b, j, q[i], q, pairs, a));
    const std::size_t group = slab(j) + slab(j + 1) + slab(j + 2) + slab(j + 3);
    c += group;
    b += group;
  }
  switch (i + 1 - j) {
    case 3:
      store(row + j, stream_group<3, kAssign>(c, b, j, q[i], q, pairs, a));
      break;
    case 2:
      store(row + j, stream_group<2, kAssign>(c, b, j, q[i], q, pairs, a));
      break;
    case 1:
      store(row + j, stream_group<1, kAssign>(c, b, j, q[i], q, pairs, a));
      break;
    default:
      break;
  }
}

/// total += scale a;  a += b  over `count` (padded) entries.
void fold(double* total, double scale, double* a, const double* b,
          std::size_t count) HAPTIC_REALTIME {
  const Lanes s = all(scale);
  for (std::size_t t = 0; t < count; t += kLanes) {
    const Lanes v = load(a + t);
    store(total + t, load(total + t) + s * v);
    store(a + t, v + load(b + t));
  }
}

/// z += (T + T^T) q for the packed triangle T with `rows` rows, the sum over both slots of a pair.
/// Four rows at a time: T must be zero (and readable) to the end of the last four, q and z padded.
void add_both_slots(const double* T, std::size_t rows, const double* q, double* z) HAPTIC_REALTIME {
  constexpr Mask kDiagonal[4] = {{-1, 0, 0, 0}, {-1, -1, 0, 0}, {-1, -1, -1, 0}, {-1, -1, -1, -1}};
  for (std::size_t k = 0; k < rows; k += 4) {
    const double* row[4];
    Lanes q_k[4], dot[4];
#pragma GCC unroll 4
    for (std::size_t w = 0; w < 4; ++w) {
      row[w] = T;
      T += k + w + 1;
      q_k[w] = all(q[k + w]);
      dot[w] = Lanes{};
    }
    for (std::size_t l = 0; l < k; l += kLanes) {
      const Lanes q_l = load(q + l);
      Lanes z_l = load(z + l);
#pragma GCC unroll 4
      for (std::size_t w = 0; w < 4; ++w) {
        const Lanes t = load(row[w] + l);
        dot[w] += t * q_l;
        z_l += q_k[w] * t;
      }
      store(z + l, z_l);
    }
    const Lanes q_l = load(q + k);
    Lanes z_k = load(z + k);
#pragma GCC unroll 4
    for (std::size_t w = 0; w < 4; ++w) {
      const Lanes t =
          reinterpret_cast<Lanes>(reinterpret_cast<Mask>(load(row[w] + k)) & kDiagonal[w]);
      dot[w] += t * q_l;
      z_k += q_k[w] * t;
    }
    store(z + k, z_k + sums(dot[0], dot[1], dot[2], dot[3]));
  }
}

/// to = (1, q), padded with zeros to `size`.
void homogenise(std::span<const double> q, double* to, std::size_t size) HAPTIC_REALTIME {
  to[0] = 1.0;
  std::copy(q.begin(), q.end(), to + 1);
  std::fill(to + 1 + q.size(), to + size, 0.0);
}

/// products[kl] = q_k q_l for l <= k < n. Whole lanes: a row's overhang is the next row's start.
void packed_products(const double* q, std::size_t n, double* products) HAPTIC_REALTIME {
  for (std::size_t k = 0; k < n; ++k) {
    const Lanes q_k = all(q[k]);
    for (std::size_t l = 0; l <= k; l += kLanes) store(products + l, q_k * load(q + l));
    products += k + 1;
  }
  store(products, Lanes{});
}

/// W(x): c with the packed products of x and x itself in the two outer slots.
template <class Coefficient>
double quartic_form(const Coefficient* c, const double* x, const double* pairs,
                    std::size_t n) HAPTIC_REALTIME {
  double total = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    Lanes even{}, odd{};
    for (std::size_t j = 0; j <= i; ++j) {
      Lanes dot0{}, dot1{};
      const std::size_t end = slab(j);
      std::size_t t = 0;
      for (; t + 2 * kLanes <= end; t += 2 * kLanes) {
        dot0 += load(c + t) * load(pairs + t);
        dot1 += load(c + t + kLanes) * load(pairs + t + kLanes);
      }
      if (t < end) dot0 += load(c + t) * load(pairs + t);
      even += x[j] * dot0;
      odd += x[j] * dot1;
      c += end;
    }
    const Lanes both = even + odd;
    total += x[i] * ((both[0] + both[2]) + (both[1] + both[3]));
  }
  return total;
}

/// Hessian of W at x, packed, diagonal halved.
template <class Coefficient>
void accumulate_hessian(const Coefficient* c, const double* x, const double* pairs, std::size_t n,
                        double* a, double* b, double* row, double* hessian) HAPTIC_REALTIME {
  std::size_t size = slabs(n);  // of the slabs j <= i
  for (std::size_t i = 0; i < n; ++i) c += slabs(i + 1);
  for (std::size_t i = n; i-- > 0;) {
    c -= size;
    size -= slab(i);
    std::fill_n(a, triangle(padded(i + 1)) + kLanes, 0.0);
    if (i + 1 == n) {
      stream_slabs<true>(c, b, i, x, pairs, a, row);
    } else {
      stream_slabs<false>(c, b, i, x, pairs, a, row);
    }
    fold(hessian, x[i], a, b + size, slab(i));
    add_both_slots(a, i + 1, x, row);
    double* hessian_row = hessian + triangle(i);
    // A row's overhang adds zeros to the next.
    for (std::size_t l = 0; l <= i; l += kLanes) {
      store(hessian_row + l, load(hessian_row + l) + load(row + l));
    }
  }
}

void require_fit(std::string_view name, std::span<const double> values, std::size_t count,
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

/// Distinct permutations of an ascending multi-index.
double permutations(std::span<const std::size_t> index) {
  double count = 1.0, run = 1.0;
  for (std::size_t m = 1; m < index.size(); ++m) {
    run = index[m] == index[m - 1] ? run + 1.0 : 1.0;
    count *= static_cast<double>(m + 1) / run;
  }
  return count;
}

}  // namespace

ReducedEnergy::ReducedEnergy(std::uint32_t r, std::span<const double> quadratic,
                             std::span<const double> cubic, std::span<const double> quartic,
                             CoefficientStorage storage)
    : r_(r), storage_(storage), coefficients_(layout(r, quadratic, cubic, quartic)) {
  if (storage == CoefficientStorage::kDouble) return;
  for (double c : coefficients_) {
    if (!(std::abs(c) <= std::numeric_limits<float>::max())) {
      throw InputError("reduced energy", "storage", fmt::format("found a coefficient of {}", c),
                       "coefficients within float's range, or storage in double");
    }
  }
  float_coefficients_.assign(coefficients_.begin(), coefficients_.end());
  coefficients_ = {};
}

std::size_t ReducedEnergy::layout_size(std::uint32_t r) {
  std::size_t count = 0;
  for (std::size_t i = 0; i <= r; ++i) count += slabs(i + 1);
  return count;
}

AlignedVector<double> ReducedEnergy::layout(std::uint32_t r, std::span<const double> quadratic,
                                            std::span<const double> cubic,
                                            std::span<const double> quartic) {
  if (r < 1 || r > kMaxReducedDimension) {
    throw InputError("reduced energy", "dimension", fmt::format("found r = {}", r),
                     fmt::format("1..{}", kMaxReducedDimension));
  }
  require_fit("quadratic", quadratic, distinct_count(r, 2), r);
  require_fit("cubic", cubic, distinct_count(r, 3), r);
  require_fit("quartic", quartic, distinct_count(r, 4), r);

  const std::size_t n = r + 1;
  std::vector<std::size_t> slab_begin(n + 1, 0), begin(n + 1, 0);
  for (std::size_t i = 0; i < n; ++i) slab_begin[i + 1] = slab_begin[i] + slab(i);
  for (std::size_t i = 0; i < n; ++i) begin[i + 1] = begin[i] + slab_begin[i + 1];
  AlignedVector<double> coefficients(begin[n], 0.0);
  // Of ascending homogenised indices l <= k <= j <= i.
  const auto coefficient = [&](std::size_t l, std::size_t k, std::size_t j,
                               std::size_t i) -> double& {
    return coefficients[begin[i] + slab_begin[j] + triangle(k) + l];
  };
  // A monomial's coefficient in W = tensor entry x distinct permutations / order (spec 2.7).
  std::size_t at2 = 0, at3 = 0, at4 = 0;
  for (std::size_t a = 1; a < n; ++a) {
    for (std::size_t b = a; b < n; ++b) {
      coefficient(0, 0, a, b) = permutations(std::array{a, b}) / 2.0 * quadratic[at2++];
      for (std::size_t c = b; c < n; ++c) {
        coefficient(0, a, b, c) = permutations(std::array{a, b, c}) / 3.0 * cubic[at3++];
        for (std::size_t d = c; d < n; ++d) {
          coefficient(a, b, c, d) = permutations(std::array{a, b, c, d}) / 4.0 * quartic[at4++];
        }
      }
    }
  }
  return coefficients;
}

void ReducedEnergy::blend(std::span<const double* const> rows,
                          std::span<const double> weights) HAPTIC_REALTIME {
  blend(rows, weights, 0, std::max(coefficients_.size(), float_coefficients_.size()));
}

void ReducedEnergy::blend(std::span<const double* const> rows, std::span<const double> weights,
                          std::size_t first, std::size_t count) HAPTIC_REALTIME {
  HAPTIC_ASSERT(rows.size() == weights.size());
  HAPTIC_ASSERT(first % kLanes == 0 && count % kLanes == 0);
  HAPTIC_ASSERT(first + count <= std::max(coefficients_.size(), float_coefficients_.size()));
  const auto sum_into = [&](auto* to) HAPTIC_REALTIME {
    for (std::size_t t = first; t < first + count; t += kLanes) {
      Lanes sum{};
      for (std::size_t g = 0; g < rows.size(); ++g) sum += weights[g] * load(rows[g] + t);
      store(to + t, sum);
    }
  };
  if (storage_ == CoefficientStorage::kDouble) {
    sum_into(coefficients_.data());
  } else {
    sum_into(float_coefficients_.data());
  }
}

ReducedEnergy::Workspace::Workspace(std::uint32_t r)
    : r_(r),
      q_(padded(r + 1) + kLanes),
      pairs_(triangle(r + 1) + 2 * kLanes),
      by_last_(triangle(padded(r + 1)) + kLanes),
      by_first_(slabs(r + 1)),
      row_(padded(r + 1)),
      hessian_(triangle(padded(r + 1)) + kLanes) {
  HAPTIC_DEMAND(r >= 1 && r <= kMaxReducedDimension);
}

double ReducedEnergy::energy(std::span<const double> q) const HAPTIC_REALTIME {
  HAPTIC_ASSERT(q.size() == r_);
  alignas(64) double x[padded(kMaxCoordinates) + kLanes];
  alignas(64) double pairs[triangle(kMaxCoordinates) + 2 * kLanes];
  homogenise(q, x, padded(r_ + 1) + kLanes);
  packed_products(x, r_ + 1, pairs);

  return storage_ == CoefficientStorage::kDouble
             ? quartic_form(coefficients_.data(), x, pairs, r_ + 1)
             : quartic_form(float_coefficients_.data(), x, pairs, r_ + 1);
}
void ReducedEnergy::force_and_stiffness(std::span<const double> q, std::span<double> force,
                                        std::span<double> stiffness,
                                        Workspace& workspace) const HAPTIC_REALTIME {
  HAPTIC_ASSERT(q.size() == r_ && force.size() == r_ && stiffness.size() == std::size_t{r_} * r_);
  HAPTIC_ASSERT(workspace.r_ == r_);
  const std::size_t n = r_ + 1;
  double* x = workspace.q_.data();
  double* pairs = workspace.pairs_.data();
  double* a = workspace.by_last_.data();
  double* b = workspace.by_first_.data();
  double* row = workspace.row_.data();
  double* hessian = workspace.hessian_.data();
  homogenise(q, x, workspace.q_.size());
  packed_products(x, n, pairs);
  std::fill(workspace.hessian_.begin(), workspace.hessian_.end(), 0.0);

  // Downwards, so that B_i is complete when the slabs of i have been added to it.
  if (storage_ == CoefficientStorage::kDouble) {
    accumulate_hessian(coefficients_.data(), x, pairs, n, a, b, row, hessian);
  } else {
    accumulate_hessian(float_coefficients_.data(), x, pairs, n, a, b, row, hessian);
  }

  std::fill(workspace.row_.begin(), workspace.row_.end(), 0.0);
  add_both_slots(hessian, n, x, row);
  for (std::size_t m = 0; m < r_; ++m) {
    const double* packed = hessian + triangle(m + 1) + 1;
    double* K_m = stiffness.data() + m * r_;
    force[m] = row[m + 1] / 3.0;
    for (std::size_t l = 0; l < m; ++l) K_m[l] = stiffness[l * r_ + m] = packed[l];
    K_m[m] = 2.0 * packed[m];
  }
}

}  // namespace haptic
