#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rt/worlds/cloth/contact/contact_rows.h"
#include "rt/worlds/cloth/particle_constraints.h"
#include "rt/worlds/cloth/particle_vectors.h"
#include "shared/realtime.h"

namespace haptic::cloth {

/// Inverse diagonal of the matrix of a cloth with contacts: one number a particle, and a 3 x 3
/// block where contacts press, without which a stiff one would need an iteration for itself.
///
/// A block is inverted in the space that the particle's constraint allows, so that it commutes with
/// the filter. Source: docs/methods/cloth.md, "Contact in the step".
class ContactPreconditioner {
 public:
  explicit ContactPreconditioner(std::size_t particles);

  /// @param diagonal  of the springs' matrix (SpringOperator::diagonal), n values
  /// @param h         step [s]
  void set(std::span<const double> diagonal, const ContactRows& rows,
           const ParticleConstraints& constraints, double h) HAPTIC_REALTIME;
  /// 3n values each.
  void apply(std::span<const double> from, std::span<double> to) const HAPTIC_REALTIME;

 private:
  std::vector<double> inverse_;         // n
  std::vector<Matrix3> blocks_;         // n; of the touched particles, inverted
  std::vector<std::uint32_t> touched_;  // the first touched_count_ of n
  std::vector<unsigned char> is_touched_;
  std::size_t touched_count_ = 0;
};

}  // namespace haptic::cloth
