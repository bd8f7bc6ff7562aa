#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

namespace haptic {

/// One row of the table of contact cases of Barbic 2007 (Table 3.1) and the scene that
/// represents it here.
struct ContactCase {
  std::string name;
  std::string folder, scene;       ///< of scenes/, and the scene file in it
  std::string published_pair;      ///< in Barbic 2007, Table 3.1: points + field
  std::vector<std::string> parts;  ///< models that the scene names
  /// Parameters of the catalogue's shapes, by shape.
  std::map<std::string, std::map<std::string, double>> shapes = {};
};

std::span<const ContactCase> contact_cases();

}  // namespace haptic
