#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shared/config/document_keys.h"

namespace haptic {

/// A described key and the document that it belongs to.
struct FoundKey {
  std::string document;   ///< "scene"
  std::string condition;  ///< `world = "cloth"`; empty: in every such document
  std::string path;       ///< whole, as DocumentKey::path
  DocumentKey key;
  /// Name of haptic set by which the key was found, e.g. "beam.stiffness"; empty: by its path.
  std::string parameter = {};
};

/// Every described key of every kind of document, in the order of their tables.
std::vector<FoundKey> all_keys();

/// Names of the documents: "recipe", "scene", ...
std::vector<std::string> documents(const std::vector<FoundKey>& all);

/// The keys that `word` names: a document, a key ("stiffness"), the end of a path
/// ("contact.stiffness"), a table with its keys ("coupling"), one of these after the name of a
/// document ("scene.coupling"), or a parameter of haptic set ("beam.stiffness"). Brackets are
/// ignored: "[[contact]]" is "contact". Empty: none.
std::vector<FoundKey> find_keys(const std::vector<FoundKey>& all, std::string_view word);

/// Words that find_keys knows, without brackets, sorted, each once: documents, tables, keys, their
/// paths, the same after the name of their document, and parameters without a name in capitals.
std::vector<std::string> key_words(const std::vector<FoundKey>& all);

/// The nearest word that find_keys knows; empty: none is near.
std::string nearest_key(const std::vector<FoundKey>& all, std::string_view word);

}  // namespace haptic
