#include "host/artifact/model_attributes.h"

#include "host/artifact/hdf5_input.h"
#include "shared/artifact/attributes.h"
#include "shared/error.h"

namespace haptic {

ModelAttributes read_model_attributes(const std::filesystem::path& path) {
  const Hdf5Input file = Hdf5Input::open(path, "a model (haptic bake)");
  ModelAttributes attributes;
  for (const std::string& group : model_attribute_groups()) {
    if (!file.has(group)) continue;
    for (auto& [name, value] : file.attributes(group, model_attribute_names(group))) {
      attributes[group + "." + name] = std::move(value);
    }
  }
  return attributes;
}

double number_attribute(const ModelAttributes& attributes, const std::filesystem::path& path,
                        const std::string& name) {
  const auto found = attributes.find(name);
  if (found == attributes.end() || !std::holds_alternative<double>(found->second)) {
    throw InputError(path.string(), name, "missing", "a number");
  }
  return std::get<double>(found->second);
}

std::string text_attribute(const ModelAttributes& attributes, const std::string& name,
                           const std::string& absent) {
  const auto found = attributes.find(name);
  const auto* text = found == attributes.end() ? nullptr : std::get_if<std::string>(&found->second);
  return text == nullptr ? absent : *text;
}

}  // namespace haptic
