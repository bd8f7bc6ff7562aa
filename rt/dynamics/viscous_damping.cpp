#include "rt/dynamics/viscous_damping.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "rt/dynamics/checked_coefficients.h"
#include "rt/dynamics/reduced_energy.h"
#include "shared/assert.h"

// Reasons for the layout of the values.
//
// Let C be the P x r matrix whose row for the pair ab has q_b in column a and q_a in column b (one
// entry if a = b), so that dE/dq = L + 2 N C. Then G = G1 + Y + Y^T with
//   Y = 2 G2 C + 4 C^T (upper triangle of G3, diagonal halved) C.
// A row of G2 or G3 times C is a packed symmetric matrix times q: its pairs c, d = c..r-1 are a run
// of consecutive values, each of which is multiplied by q_d (for c) and q_c (for d). A run starts
// at a multiple of kLanes and is padded with zeros, so that no remainder loop is needed. Its first
// value (d = c) is used twice and therefore halved.
namespace haptic {
namespace {

constexpr std::string_view kDampingName = "viscous damping";
constexpr std::size_t kLanes = 4;
using Lanes = double __attribute__((vector_size(kLanes * sizeof(double))));

constexpr std::size_t padded(std::size_t count) {
  return (count + kLanes - 1) / kLanes * kLanes;
}
/// First d of the run of c: c rounded down to a multiple of kLanes.
constexpr std::size_t run_begin(std::size_t c) {
  return c / kLanes * kLanes;
}

/// Values in the runs of c = first_c..r-1.
std::size_t runs_length(std::size_t first_c, std::size_t r) HAPTIC_REALTIME {
  std::size_t length = 0;
  for (std::size_t c = first_c; c < r; ++c) length += padded(r) - run_begin(c);
  return length;
}

Lanes load(const double* p) HAPTIC_REALTIME {
  Lanes v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
void store(double* p, Lanes v) HAPTIC_REALTIME {
  std::memcpy(p, &v, sizeof v);
}

/// w += `values` C over the pairs with c >= first_c, of which those of the first `used` indices are
/// added. @returns the end of the runs
const double* add_product(const double* values, std::size_t first_c, std::size_t r,
                          std::size_t used, const double* q, double* w) HAPTIC_REALTIME {
  const std::size_t whole = padded(r), end = padded(used);
  for (std::size_t c = first_c; c < used; ++c) {
    const Lanes q_c = Lanes{} + q[c];
    Lanes dot{};
    for (std::size_t d = run_begin(c); d < end; d += kLanes) {
      const Lanes v = load(values);
      values += kLanes;
      dot += v * load(q + d);
      store(w + d, load(w + d) + q_c * v);
    }
    values += whole - end;
    w[c] += (dot[0] + dot[2]) + (dot[1] + dot[3]);
  }
  return values + runs_length(std::max(first_c, used), r);
}

/// Appends the runs of the pairs from (a, b) on; @returns the position of `from` after them.
const double* append_runs(AlignedVector<double>& runs, const double* from, std::size_t a,
                          std::size_t b, std::size_t r, double factor) {
  for (std::size_t c = a; c < r; ++c) {
    const std::size_t first = c == a ? b : c;
    const std::size_t at = runs.size();
    runs.resize(at + padded(r) - run_begin(c), 0.0);
    for (std::size_t d = first; d < r; ++d) {
      runs[at + d - run_begin(c)] = (d == c ? 0.5 : 1.0) * factor * *from++;
    }
  }
  return from;
}

}  // namespace

ViscousDamping::ViscousDamping(std::uint32_t r, std::span<const double> linear,
                               std::span<const double> mixed, std::span<const double> quadratic)
    : r_(checked_dimension(kDampingName, r)) {
  const std::size_t pairs = distinct_count(r, 2);
  check_coefficients(kDampingName, "linear", linear, pairs, r);
  check_coefficients(kDampingName, "mixed", mixed, r * pairs, r);
  check_coefficients(kDampingName, "quadratic", quadratic, pairs * (pairs + 1) / 2, r);

  linear_.resize(std::size_t{r} * r);
  const double* from = linear.data();
  for (std::size_t i = 0; i < r; ++i) {
    for (std::size_t j = i; j < r; ++j) linear_[i * r + j] = linear_[j * r + i] = *from++;
  }
  from = mixed.data();
  for (std::size_t l = 0; l < r; ++l) from = append_runs(mixed_, from, 0, 0, r, 2.0);
  from = quadratic.data();
  for (std::size_t a = 0; a < r; ++a) {
    for (std::size_t b = a; b < r; ++b) {
      const std::size_t own = quadratic_.size() + b - run_begin(a);
      from = append_runs(quadratic_, from, a, b, r, 4.0);
      quadratic_[own] *= 0.5;  // diagonal of the triangle
    }
  }
}

ViscousDamping::Workspace::Workspace(std::uint32_t r)
    : q_(padded(r), 0.0), row_(padded(r), 0.0), sum_(r * padded(r), 0.0) {}

void ViscousDamping::evaluate(std::span<const double> q, std::span<double> matrix,
                              Workspace& workspace) const HAPTIC_REALTIME {
  const std::size_t r = r_, used = q.size(), stride = padded(used);
  HAPTIC_ASSERT(used <= r && matrix.size() <= used * used);
  HAPTIC_ASSERT(workspace.sum_.size() >= used * stride);
  double* x = workspace.q_.data();
  double* w = workspace.row_.data();
  double* Y = workspace.sum_.data();
  std::copy(q.begin(), q.end(), x);
  std::fill(x + used, x + stride, 0.0);
  std::fill_n(Y, used * stride, 0.0);

  const double* values = mixed_.data();
  for (std::size_t l = 0; l < used; ++l) {
    values = add_product(values, 0, r, used, x, Y + l * stride);
  }
  values = quadratic_.data();
  for (std::size_t a = 0; a < used; ++a) {
    for (std::size_t b = a; b < used; ++b) {
      std::fill_n(w, stride, 0.0);
      values = add_product(values, a, r, used, x, w);
      for (std::size_t i = 0; i < stride; i += kLanes) {
        const Lanes w_i = load(w + i);
        store(Y + a * stride + i, load(Y + a * stride + i) + x[b] * w_i);
        if (a != b) store(Y + b * stride + i, load(Y + b * stride + i) + x[a] * w_i);
      }
    }
    values += (r - used) * runs_length(a, r);
  }
  std::size_t count = 0;
  while (count * count < matrix.size()) ++count;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      matrix[i * count + j] = matrix[j * count + i] =
          linear_[i * r + j] + Y[i * stride + j] + Y[j * stride + i];
    }
  }
}

}  // namespace haptic
