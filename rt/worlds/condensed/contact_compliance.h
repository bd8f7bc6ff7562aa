#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rt/bodies/condensed_model.h"
#include "rt/dynamics/aligned_vector.h"
#include "rt/worlds/condensed/contact_row.h"
#include "rt/worlds/condensed/weighted_rows.h"
#include "shared/realtime.h"

namespace haptic::condensed {

/// A symmetric matrix in the memory of its owner, both triangles, row-major.
struct SymmetricView {
  const double* values = nullptr;
  std::size_t rows = 0;
  std::size_t stride = 0;  ///< from one row to the next [doubles]

  const double* row(std::size_t i) const HAPTIC_REALTIME { return values + i * stride; }
  double operator()(std::size_t i, std::size_t j) const HAPTIC_REALTIME { return row(i)[j]; }
};

/// The compliance of a condensed body between its contact points, kept up to date as contacts come,
/// move and go:
///   S = H C H^T - (H U1) G (H U1)^T      3c x 3c [m/N], unknown 3 contact + axis
/// with C the compliance of the model, U1 its first m modes and G a diagonal matrix. With
/// G = L1^-1 it is S2 = H C2 H^T, the compliance without the modes; CondensedDynamics chooses G so
/// that S is the matrix of its step. C2 itself is never formed, so m is a choice of the scene.
///
/// A contact costs 3 rows of s values, W = C H^T, when it is added or replaced: up to 72 rows of C
/// are read once. Contacts keep the order in which they were added; a removed one leaves no gap.
/// S depends, bit for bit, on the list of rows alone and not on the changes that led to it. It is
/// exactly symmetric.
/// Source: docs/methods/static-dynamic.md, "Compliance of a contact set"; Sedaghat 2011, section
/// 3.3.1, with C2 corrected.
class ContactCompliance {
 public:
  /// G = L1^-1: S is H C2 H^T.
  /// @param model     its spans outlive this object
  /// @param modes     m, 0 to model.mode_count
  /// @param capacity  contacts, at least 1. Allocates 3 capacity (s + 3 capacity + 2 m) doubles
  ///                  and a copy of the modes
  /// @throws InputError if modes or capacity is out of range, an eigenvalue in use is not above
  ///         zero, or the model's sections do not fit together
  ContactCompliance(const CondensedModel& model, std::size_t modes, std::size_t capacity);
  /// @param removed  G: m values [s^2], each at most 1 / eigenvalue in size
  ContactCompliance(const CondensedModel& model, std::span<const double> removed,
                    std::size_t capacity);

  const CondensedModel& model() const HAPTIC_REALTIME { return model_; }
  std::size_t dof() const HAPTIC_REALTIME { return dof_; }        ///< s
  std::size_t modes() const HAPTIC_REALTIME { return modes_; }    ///< m
  std::size_t size() const HAPTIC_REALTIME { return contacts_; }  ///< c
  std::size_t capacity() const HAPTIC_REALTIME { return capacity_; }

  /// Appends a contact. @returns false, nothing changed, when the capacity is reached
  [[nodiscard]] bool add(const ContactRow& row) HAPTIC_REALTIME;
  /// Moves contact i, below size(). A row equal to the present one costs nothing.
  void replace(std::size_t i, const ContactRow& row) HAPTIC_REALTIME;
  /// Takes contact i out, below size(); those after it move up by one.
  void remove(std::size_t i) HAPTIC_REALTIME;
  void clear() HAPTIC_REALTIME { contacts_ = 0; }

  const ContactRow& row(std::size_t i) const HAPTIC_REALTIME { return rows_[slots_[i]]; }
  /// C H_i^T by axis: displacement of all nodes by a unit force at contact i. s values [m/N]
  std::span<const double> response(std::size_t i, std::size_t axis) const HAPTIC_REALTIME;
  /// Row `mode` of (H U1)^T: 3c values [kg^-1/2].
  std::span<const double> contact_mode(std::size_t mode) const HAPTIC_REALTIME;
  /// Column `mode` of U1: s values [kg^-1/2].
  std::span<const double> mode(std::size_t mode) const HAPTIC_REALTIME;
  SymmetricView matrix() const HAPTIC_REALTIME;  ///< S
  /// Largest diagonal entry of H C H^T [m/N]: what is negligible in S is measured by it. 0 without
  /// contacts.
  double scale() const HAPTIC_REALTIME;

  /// (H U1) q. @param q  m values @param out  3c values [m]
  void modal_displacement(std::span<const double> q, std::span<double> out) const HAPTIC_REALTIME;
  /// (H U1)^T f. @param f  3c values [N] @param out  m values
  void modal_force(std::span<const double> f, std::span<double> out) const HAPTIC_REALTIME;
  /// U1 q + C H^T f at all nodes. @param q  m values @param f  3c values @param out  s values [m]
  void displacement(std::span<const double> q, std::span<const double> f,
                    std::span<double> out) HAPTIC_REALTIME;
  /// The same at one node: the same bits.
  std::array<double, 3> displacement_of_node(std::span<const double> q, std::span<const double> f,
                                             std::uint32_t node) const HAPTIC_REALTIME;

  const WeightedRowsKernels& kernels() const HAPTIC_REALTIME { return kernels_; }

 private:
  double* response_at(std::size_t slot) HAPTIC_REALTIME { return &responses_[3 * slot * dof_]; }
  const double* response_at(std::size_t slot) const HAPTIC_REALTIME {
    return &responses_[3 * slot * dof_];
  }
  double* entry(std::size_t i, std::size_t j) HAPTIC_REALTIME { return &matrix_[i * stride_ + j]; }
  void compute_contact(std::size_t i) HAPTIC_REALTIME;
  void compute_response(std::size_t slot) HAPTIC_REALTIME;
  void compute_contact_modes(std::size_t i) HAPTIC_REALTIME;
  void compute_blocks(std::size_t i) HAPTIC_REALTIME;
  void compute_elastic_block(std::size_t earlier, std::size_t later) HAPTIC_REALTIME;

  CondensedModel model_;
  const WeightedRowsKernels& kernels_;
  std::size_t dof_, modes_, capacity_, stride_, contacts_ = 0;
  std::vector<double> removed_;                   // G, m
  AlignedVector<double> mode_columns_;            // m x s
  std::vector<ContactRow> rows_;                  // by slot
  std::vector<std::size_t> slots_;                // slot of each contact, then the free ones
  AlignedVector<double> responses_;               // by slot, 3 x s
  AlignedVector<double> contact_modes_;           // m x stride, (H U1)^T
  AlignedVector<double> weighted_contact_modes_;  // m x stride, -G (H U1)^T
  AlignedVector<double> matrix_;                  // stride x stride
  std::vector<double> elastic_diagonal_;          // largest of a contact's three of H C H^T
  std::vector<const double*> row_pointers_;       // working memory of the kernels
  std::vector<const float*> single_pointers_;
  std::vector<double> row_weights_;
};

}  // namespace haptic::condensed
