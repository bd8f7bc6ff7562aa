#include "bench/contact_scenes/contact_case.h"

namespace haptic {

std::span<const ContactCase> contact_cases() {
  static const std::vector<ContactCase> cases = {
      {"tower_bolt", "knight (rigid) + axe (rigid)", {"tower", "bolt_fine"}},
      {"hose_bolt", "CAD scene (deformable) + metal part (rigid)", {"hose", "bolt"}},
      {"basket_heart", "dragon (deformable) + Buddha (rigid)", {"basket", "heart"}},
  };
  return cases;
}

}  // namespace haptic
