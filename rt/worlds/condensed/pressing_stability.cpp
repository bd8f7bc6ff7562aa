#include "rt/worlds/condensed/pressing_stability.h"

namespace haptic::condensed {

PressingStability::PressingStability(const CondensedDynamics& dynamics)
    : dynamics_(&dynamics),
      limit_(dynamics.contacts().model().eigenvalues.first(dynamics.settings().modes),
             dynamics.settings().damping, dynamics.settings().integrator,
             dynamics.settings().capacity),
      stride_(3 * dynamics.settings().capacity),
      pressing_(dynamics.settings().capacity),
      matrix_(stride_ * stride_, 0.0),
      modes_(stride_ * dynamics.settings().modes, 0.0) {}

/// Lists the contacts that press. @returns whether the list is another one
bool PressingStability::gather(std::span<const double> forces) HAPTIC_REALTIME {
  std::size_t count = 0;
  bool another = false;
  for (std::size_t i = 0; 3 * i < forces.size(); ++i) {
    const double* const f = &forces[3 * i];
    if (f[0] == 0.0 && f[1] == 0.0 && f[2] == 0.0) continue;
    another = another || count >= count_ || pressing_[count] != i;
    pressing_[count++] = i;
  }
  another = another || count != count_;
  count_ = count;
  return another;
}

bool PressingStability::stable(std::span<const double> forces, bool changed) HAPTIC_REALTIME {
  if (!gather(forces) && !changed) return stable_;
  const SymmetricView S = dynamics_->effective_compliance();
  for (std::size_t i = 0; i < 3 * count_; ++i) {
    const double* const row = S.row(3 * pressing_[i / 3] + i % 3);
    for (std::size_t j = 0; j < 3 * count_; ++j) {
      matrix_[i * stride_ + j] = row[3 * pressing_[j / 3] + j % 3];
    }
  }
  for (std::size_t mode = 0; mode < dynamics_->settings().modes; ++mode) {
    const std::span<const double> row = dynamics_->contacts().contact_mode(mode);
    for (std::size_t j = 0; j < 3 * count_; ++j) {
      modes_[mode * stride_ + j] = row[3 * pressing_[j / 3] + j % 3];
    }
  }
  const ContactSystem system{
      {matrix_.data(), 3 * count_, stride_}, modes_.data(), stride_, dynamics_->contacts().scale()};
  stable_ = count_ == 0 || limit_.stable(system, dynamics_->settings().dt);
  return stable_;
}

}  // namespace haptic::condensed
