#pragma once

#include <cstddef>
#include <cstdint>

#include "shared/memory/huge_vector.h"
#include "shared/realtime.h"

namespace haptic {

/// Sums weighted products of rows J [n], in one pass over H for eight rows:
///
///   H += slope J^T J  [n x n],   r += force J^T  [n]
///
/// Allocates in the constructor only.
class NormalEquations {
 public:
  explicit NormalEquations(std::uint32_t unknowns);

  /// Length of a row: n, padded with zeros to whole vectors of four.
  std::size_t stride() const HAPTIC_REALTIME { return stride_; }
  /// Column j of H. Elements before the diagonal have no meaning.
  double* column(std::uint32_t j) HAPTIC_REALTIME { return values_.data() + stride_ * j; }
  const double* column(std::uint32_t j) const HAPTIC_REALTIME {
    return values_.data() + stride_ * j;
  }
  double* load() HAPTIC_REALTIME { return column(unknowns_); }  ///< r [n]
  const double* load() const HAPTIC_REALTIME { return column(unknowns_); }

  /// Adds a row, which must not change before flush(). Only then do H and r contain it.
  void add(const double* row, double slope, double force) HAPTIC_REALTIME;
  /// Adds the row a u + b v.
  void add(double a, const double* u, double b, const double* v, double slope,
           double force) HAPTIC_REALTIME;
  void flush() HAPTIC_REALTIME;

 private:
  static constexpr std::size_t kLane = 4;  // doubles of a vector
  static constexpr std::size_t kMostPending = 8;
  struct Pending {
    const double* row;
    double slope, force;
  };
  template <std::size_t kRows>
  void add_rows(const Pending* pending) HAPTIC_REALTIME;

  std::uint32_t unknowns_;
  std::size_t stride_;
  HugeVector<double> values_;    // n columns of H, then r
  HugeVector<double> combined_;  // rows a u + b v that are pending
  Pending pending_[kMostPending] = {};
  std::size_t count_ = 0;
};

}  // namespace haptic
