#include "rt/contact/contact_pair.h"

#include "rt/contact/point_shell.h"

namespace haptic {

ContactPair::ContactPair(const PointShell& shell, const PointTree& tree, const SignedField& field,
                         const ContactSettings& settings, HeldSide held,
                         std::span<const float> area_weights)
    : traversal_(shell, tree, field, settings.traversal),
      law_(shell, tree, field, settings, held, area_weights),
      q_(shell.dimension()) {}

const ContactResult& ContactPair::evaluate(const BodyMotion& shell,
                                           const BodyMotion& field) HAPTIC_REALTIME {
  q_.assign(shell.q);
  const auto touching = traversal_.run(shell.pose, field.pose, q_, field.q, margin_);
  result_ = law_.apply(shell, field, q_, touching, traversal_.level());
  result_.visited_nodes = traversal_.visited_nodes();
  return result_;
}

const ContactResult& ContactPair::evaluate_brute_force(const BodyMotion& shell,
                                                       const BodyMotion& field) HAPTIC_REALTIME {
  q_.assign(shell.q);
  const auto touching = traversal_.run_all(shell.pose, field.pose, q_);
  result_ = law_.apply(shell, field, q_, touching, traversal_.level());
  result_.visited_nodes = traversal_.visited_nodes();
  return result_;
}

}  // namespace haptic
