#pragma once

#include <cstddef>
#include <cstdint>

#include "rt/contact/row_support.h"
#include "shared/memory/huge_vector.h"
#include "shared/realtime.h"

namespace haptic {

/// Sums weighted products of rows J [n], in one pass over H for eight rows:
///
///   H += slope J^T J  [n x n],   r += force J^T  [n]
///
/// A row has elements for the blocks of its support only. Allocates in the constructor only.
class NormalEquations {
 public:
  /// @param width  of the widest row (RowSupport::width)
  NormalEquations(std::uint32_t unknowns, std::uint32_t width);

  /// Column j of H. Elements before the diagonal have no meaning.
  double* column(std::uint32_t j) HAPTIC_REALTIME { return values_.data() + stride_ * j; }
  const double* column(std::uint32_t j) const HAPTIC_REALTIME {
    return values_.data() + stride_ * j;
  }
  double* load() HAPTIC_REALTIME { return column(unknowns_); }  ///< r [n]
  const double* load() const HAPTIC_REALTIME { return column(unknowns_); }

  /// Adds a row; row and support must not change before flush(). Only then do H and r contain it.
  void add(const RowSupport& support, const double* row, double slope,
           double force) HAPTIC_REALTIME;
  /// Adds the row a u + b v.
  void add(const RowSupport& support, double a, const double* u, double b, const double* v,
           double slope, double force) HAPTIC_REALTIME;
  void flush() HAPTIC_REALTIME;

 private:
  static constexpr std::size_t kLane = RowSupport::kLane;
  static constexpr std::size_t kMaxPending = 8;
  struct Pending {
    const double* row;
    double slope, force;
  };
  void enter(const RowSupport& support) HAPTIC_REALTIME;
  template <std::size_t kRows>
  void add_rows(const Pending* pending) HAPTIC_REALTIME;

  std::uint32_t unknowns_;
  std::size_t stride_, width_;
  HugeVector<double> values_;            // n columns of H, then r
  HugeVector<double> combined_;          // rows a u + b v that are pending
  const RowSupport* support_ = nullptr;  // of the pending rows
  Pending pending_[kMaxPending] = {};
  std::size_t count_ = 0;
};

}  // namespace haptic
