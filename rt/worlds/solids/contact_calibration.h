#pragma once

#include "rt/contact/contact_settings.h"
#include "rt/contact/node_budget.h"

namespace haptic {

struct BodyModel;
class Clock;

/// Measures on this machine what a node and a contact cost, before the loop: the shell is put into
/// the field at up to 200 places, a tenth of a second in all, and touched twice at each, the second
/// time by the clock. Source: docs/methods/contact-and-coupling.md, "Node budget".
void calibrate(NodeBudget& budget, const BodyModel& points, const BodyModel& field,
               const ContactSettings& settings, const Clock& clock);

}  // namespace haptic
