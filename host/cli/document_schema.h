#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/cli/key_search.h"

namespace haptic {

/// JSON Schema (draft 7) of a kind of document, for editors that complete and check TOML files.
/// Where the value of a key decides which others there are, one alternative for each value. It does
/// not have the rules between keys that the readers have.
/// @param keys  all keys of the document, as find_keys gives them
nlohmann::json document_schema(const std::string& document, const std::vector<FoundKey>& keys);

}  // namespace haptic
