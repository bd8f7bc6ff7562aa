// How the solution follows a load on one block.

#include "rt/contact/contact_solver.h"
#include "shared/assert.h"

namespace haptic {

bool ContactSolver::response(std::uint32_t block, Response& of) HAPTIC_REALTIME {
  constexpr std::uint32_t kSize = 6;
  HAPTIC_ASSERT(pattern_.size(block) == kSize);
  find_islands();
  const Island in_work = island(islands_.of(block));
  load_matrix(in_work);
  permuted_.setZero();
  for (std::uint32_t k = 0; k < SmallCholesky::kRightHandSides; ++k) {
    cholesky_.set_right_hand_side(k, permuted_.data());
  }
  if (!cholesky_.factor()) return false;
  const auto at = static_cast<Eigen::Index>(order_.place(block));
  of.pressure.setZero();
  for (Eigen::Index k = 0; k < kSize; ++k) {
    permuted_.setZero();
    permuted_[at + k] = 1.0;
    cholesky_.solve(permuted_.data());
    if (!load_direction(in_work)) return false;
    of.compliance.col(k) = p_.segment<kSize>(pattern_.first(block));
    for (const std::uint32_t i : in_work.normals) {
      const NormalState& contact = normals_of_[i];
      if (contact.force == 0.0 || !contact.support->has(block)) continue;
      of.pressure[k] -= contact.slope * product(*contact.support, normal_row(i), p_);
    }
  }
  return true;
}

}  // namespace haptic
