#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace haptic {

/// A JSON file given on the command line. @throws InputError if it cannot be read or is not JSON
nlohmann::json read_state_file(const std::filesystem::path& path);

/// Refuses keys of `object` that are not `known`, naming the nearest, and values that are not
/// objects.
/// @param where  dotted path of the object, for messages; empty for the whole file
void require_keys(const nlohmann::json& object, const std::vector<std::string>& known,
                  const std::filesystem::path& file, const std::string& where);

/// Exactly `count` finite numbers. @throws InputError (file, where, found, expected)
std::vector<double> require_numbers(const nlohmann::json& value, std::size_t count,
                                    const std::filesystem::path& file, const std::string& where);

}  // namespace haptic
