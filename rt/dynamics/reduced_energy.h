#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "rt/dynamics/aligned_vector.h"
#include "rt/dynamics/quartic_layout.h"
#include "rt/dynamics/symmetric_kernels.h"
#include "shared/realtime.h"
#include "shared/simd/simd_target.h"

namespace haptic {

class LeadingCoefficients;
class ModelFile;
struct QuarticKernels;
struct QuarticScratch;

/// Number of distinct entries of a totally symmetric tensor of `order` over r indices:
/// C(r + order - 1, order).
constexpr std::size_t distinct_count(std::size_t r, std::size_t order) {
  std::size_t count = 1;
  for (std::size_t m = 1; m <= order; ++m) count = count * (r + m - 1) / m;
  return count;
}

/// Number format of the stored coefficients. kFloat halves the memory that an evaluation reads and
/// rounds each coefficient to 6e-8 relative; the arithmetic stays double.
enum class CoefficientStorage : std::uint8_t { kDouble, kFloat };

/// Reduced StVK strain energy (docs/methods/reduced-dynamics.md, "Reduced polynomials"):
///   W(q) = 1/2 P_ij q_i q_j + 1/3 Q_ijk q_i q_j q_k + 1/4 S_ijkl q_i q_j q_k q_l   (full sums)
/// P, Q, S are totally symmetric; each distinct entry, i <= j <= k <= l, is given once, last index
/// fastest.
///
/// Stores an aligned copy of the coefficients, multiplied by their multiplicities. Only `blend`,
/// `blend_leading` and `set_layout` change it: any number of threads may evaluate one energy, each
/// with a separate Workspace.
class ReducedEnergy {
 public:
  /// @throws InputError if r is not in 1..kMaxReducedDimension, a length does not fit r or a
  ///         coefficient is not finite or (kFloat) beyond float's range
  ReducedEnergy(std::uint32_t r, std::span<const double> quadratic, std::span<const double> cubic,
                std::span<const double> quartic,
                CoefficientStorage storage = CoefficientStorage::kDouble);
  /// From /reduced/quadratic, cubic, quartic. @throws InputError as above or if a section is
  /// missing
  explicit ReducedEnergy(const ModelFile& model,
                         CoefficientStorage storage = CoefficientStorage::kDouble);

  /// The coefficients in the storage order of an energy of dimension r, the input of `blend`.
  /// Linear in its arguments. @throws InputError as the constructor
  static AlignedVector<double> layout(std::uint32_t r, std::span<const double> quadratic,
                                      std::span<const double> cubic,
                                      std::span<const double> quartic);
  /// Number of values that `layout` returns for dimension r.
  static std::size_t layout_size(std::uint32_t r);

  /// Replaces the coefficients by the weighted sum of the rows. Sums in double, in the order of the
  /// rows, for both storage formats. No evaluation may run at the same time.
  /// @param rows  `layout` of each energy, 64-byte aligned  @param weights  one per row
  void blend(std::span<const double* const> rows, std::span<const double> weights) HAPTIC_REALTIME;
  /// The same for entries [first, first + count) of the layout only, so that a large energy can be
  /// replaced over several cycles. Both are multiples of 4.
  void blend(std::span<const double* const> rows, std::span<const double> weights,
             std::size_t first, std::size_t count) HAPTIC_REALTIME;

  /// The same for the first `leading.dimension()` basis vectors of the rows; entries [first, first
  /// + count) of leading.layout(), multiples of its lanes. Call set_layout() when all are written.
  /// @pre leading.dimension() <= the dimension at construction
  void blend_leading(const LeadingCoefficients& leading, std::span<const double* const> rows,
                     std::span<const double> weights, std::size_t first,
                     std::size_t count) HAPTIC_REALTIME;
  /// From now on the coefficients are those of `layout`, at most as large as at construction.
  void set_layout(const QuarticLayout& layout) HAPTIC_REALTIME;
  const QuarticLayout& layout() const HAPTIC_REALTIME { return layout_; }

  std::uint32_t dimension() const HAPTIC_REALTIME { return r_; }
  CoefficientStorage storage() const HAPTIC_REALTIME { return storage_; }

  /// Instruction set of the evaluations, chosen at construction (simd_target.h).
  SimdTarget simd() const HAPTIC_REALTIME { return simd_; }

  /// Working memory of one evaluation, less than (r + 10)^2 SIMD vectors; allocates at construction
  /// only.
  class Workspace {
   public:
    /// @param r largest dimension of the energies to evaluate
    explicit Workspace(std::uint32_t r);

    /// Stiffness of the last `evaluate`, r rows.
    HalvedTriangle stiffness() const HAPTIC_REALTIME;
    /// W [J] of the last `evaluate`, without another pass over the coefficients.
    double energy() const HAPTIC_REALTIME;

   private:
    friend class ReducedEnergy;
    QuarticScratch scratch() HAPTIC_REALTIME;
    /// For an energy of this layout, in the memory there is.
    void fit(const QuarticLayout& layout) HAPTIC_REALTIME;

    QuarticLayout layout_;
    AlignedVector<double> x_, sums_, dots_, hessian_, gradient_;
  };

  /// W(q) [J]. @param q r values
  double energy(std::span<const double> q) const HAPTIC_REALTIME;

  /// Force R = dW/dq [r]. The stiffness stays in the workspace, in the form that an implicit step
  /// uses.
  /// @param force r values, any alignment
  void evaluate(std::span<const double> q, std::span<double> force,
                Workspace& workspace) const HAPTIC_REALTIME;

  /// Force R = dW/dq [r] and stiffness K = dR/dq [r x r, symmetric, both triangles], in one pass
  /// over the distinct coefficients with three multiply-adds per coefficient;
  /// R = (K0 + K1/2 + K2/3) q by Euler's theorem for homogeneous functions.
  /// @param workspace made for this dimension or a larger one
  void force_and_stiffness(std::span<const double> q, std::span<double> force,
                           std::span<double> stiffness, Workspace& workspace) const HAPTIC_REALTIME;

 private:
  std::uint32_t r_;
  CoefficientStorage storage_;
  SimdTarget simd_;
  const QuarticKernels* kernels_;
  QuarticLayout layout_;
  /// Coefficients of the homogenised W, in the order of layout_; one of the two is empty.
  AlignedVector<double> coefficients_;
  AlignedVector<float> float_coefficients_;
};

}  // namespace haptic
