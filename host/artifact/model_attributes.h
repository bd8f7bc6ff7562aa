#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <variant>

namespace haptic {

/// Attributes of the groups of a model file, by path, e.g. "/mesh.youngs_modulus_Pa" or
/// "/provenance.recipe".
using ModelAttributes = std::map<std::string, std::variant<double, std::string>>;

/// Reads the attributes of shared/artifact/attributes.h that the file has; open it as a ModelFile
/// first, which checks that it is one.
/// @throws InputError if HDF5 cannot open the file or it is damaged
ModelAttributes read_model_attributes(const std::filesystem::path& path);

/// @throws InputError if the file lacks the number
double number_attribute(const ModelAttributes& attributes, const std::filesystem::path& path,
                        const std::string& name);
/// `absent` if the file lacks the text.
std::string text_attribute(const ModelAttributes& attributes, const std::string& name,
                           const std::string& absent);

}  // namespace haptic
