#pragma once

#include <span>
#include <string>
#include <vector>

namespace haptic {

/// One row of the text's table of contact cases (spec contact-and-coupling 3.1) and what stands for
/// it here.
struct ContactCase {
  std::string name;     ///< scene_NAME.toml of scenes/contact
  std::string of_text;  ///< the text's pair: points + field
  std::vector<std::string>
      parts;  ///< recipes of scenes/contact, in the order of the scene's bodies
};

std::span<const ContactCase> contact_cases();

}  // namespace haptic
