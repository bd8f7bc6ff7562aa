#include "shared/artifact/attributes.h"

#include <algorithm>

namespace haptic {

std::vector<std::string> model_attribute_names(std::string_view group) {
  std::vector<std::string> names;
  for (const ModelAttributeName& attribute : kModelAttributes) {
    if (attribute.group == group) names.emplace_back(attribute.name);
  }
  if (group != kStagesGroup) return names;
  for (const char* stage : kModelStages) {
    for (const std::string_view what : {kStageSeconds, kStagePeak}) {
      names.push_back(std::string(what) + stage);
    }
  }
  return names;
}

std::vector<std::string> model_attribute_groups() {
  std::vector<std::string> groups;
  for (const ModelAttributeName& attribute : kModelAttributes) {
    if (std::ranges::find(groups, attribute.group) == groups.end()) {
      groups.emplace_back(attribute.group);
    }
  }
  return groups;
}

}  // namespace haptic
