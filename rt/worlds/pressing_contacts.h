#pragma once

#include <vector>

#include "shared/math/pose.h"

namespace haptic {

/// A contact that pressed in the last step of a world.
struct PressingContact {
  Vector3 position;    ///< of the deformable body's material point after the step, world [m]
  Vector3 force;       ///< with friction, on what touches it, world [N]
  double depth = 0.0;  ///< overlap at the start of the step, >= 0 [m]
};

/// A World whose contacts follow from its past, so that no ContactProbe can evaluate them at a
/// given state: it tells those of its last step. For tools that run a world, not for the loop.
class PressingContacts {
 public:
  virtual ~PressingContacts() = default;
  virtual std::vector<PressingContact> pressing_contacts() const = 0;

 protected:
  PressingContacts() = default;
  PressingContacts(const PressingContacts&) = default;
  PressingContacts& operator=(const PressingContacts&) = default;
};

}  // namespace haptic
