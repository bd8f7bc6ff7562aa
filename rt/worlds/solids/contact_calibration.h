#pragma once

#include "rt/contact/contact_settings.h"
#include "rt/contact/node_budget.h"

namespace haptic {
struct BodyModel;
class Clock;
}  // namespace haptic

namespace haptic::solids {

/// Measures the cost of a node and of a contact on this machine, before the loop. The shell is
/// placed in the field at up to 200 random poses, for at most 0.1 s in all. At each pose the
/// contact is evaluated twice and the second evaluation is timed. Source:
/// docs/methods/contact-and-coupling.md, "Node budget".
void calibrate(NodeBudget& budget, const BodyModel& points, const BodyModel& field,
               const ContactSettings& settings, const Clock& clock);

}  // namespace haptic::solids
