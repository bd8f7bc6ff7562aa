#include "bench/contact_scenes/contact_case.h"

namespace haptic {

std::span<const ContactCase> contact_cases() {
  static const std::vector<ContactCase> cases = {
      {"tower_bolt",
       "contact",
       "scene_tower_bolt.toml",
       "knight (rigid) + axe (rigid)",
       {"tower", "bolt_fine"}},
      {"hose_bolt",
       "contact",
       "scene_hose_bolt.toml",
       "CAD scene (deformable) + metal part (rigid)",
       {"hose", "bolt"}},
      {"basket_heart",
       "contact",
       "scene_basket_heart.toml",
       "dragon (deformable) + Buddha (rigid)",
       {"basket", "heart"}},
      {"basket_spoon",
       "contact",
       "scene_basket_spoon.toml",
       "dragon (deformable) + dinosaur (deformable)",
       {"basket", "spoon"}},
      {"alpha_puzzle",
       "alpha_puzzle",
       "scene.toml",
       "alpha puzzle (rigid, rigid)",
       {"alpha"},
       {{"alpha", {{"gap", 0.0144}, {"resolution", 440.0}}}}},
  };
  return cases;
}

}  // namespace haptic
