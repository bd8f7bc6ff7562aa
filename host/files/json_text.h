#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace haptic {

/// The value as JSON text that always parses and can be shown on a terminal: bytes of strings that
/// are not UTF-8 become U+FFFD, and characters that are not printable (shared/printable.h) are
/// written as \uXXXX.
/// @param indent  spaces a level; -1: one line
std::string json_text(const nlohmann::json& value, int indent = -1);

}  // namespace haptic
