#include "host/cli/explain_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "host/cli/document_schema.h"
#include "host/cli/key_search.h"
#include "host/files/json_text.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr std::size_t kColumns = 80;
constexpr std::size_t kDetailed = 12;  ///< more keys of a table have one line each

bool is_table(const FoundKey& found) {
  return found.key.kind == KeyKind::kTable || found.key.kind == KeyKind::kTables;
}

std::vector<std::string> words_of(std::string_view list, std::string_view separator) {
  std::vector<std::string> words;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(separator), list.size());
    if (end > 0) words.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + separator.size(), list.size()));
  }
  return words;
}

/// `"a", "b" or "c"`. @param quote  around each word
std::string joined_by_or(const std::vector<std::string>& words, std::string_view quote) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += fmt::format("{}{}{}", quote, words[i], quote);
  }
  return text;
}

std::string kind_name(KeyKind kind) {
  switch (kind) {
    case KeyKind::kNumber:
      return "number";
    case KeyKind::kInteger:
      return "whole number";
    case KeyKind::kNumbers:
      return "array of numbers";
    case KeyKind::kIntegers:
      return "array of whole numbers";
    case KeyKind::kFlag:
      return "true or false";
    case KeyKind::kText:
      return "text";
    case KeyKind::kTexts:
      return "array of texts";
    case KeyKind::kChoice:
      return "one of some words";
    case KeyKind::kFile:
      return "path of a file";
    case KeyKind::kFiles:
      return "path of a file, or an array of paths";
    case KeyKind::kTable:
      return "table";
    case KeyKind::kTables:
      return "array of tables";
  }
  return {};
}

/// "number [N/m], 1 to 1e5", "\"static\" or \"dynamic\"".
std::string value_text(const DocumentKey& key) {
  if (key.kind == KeyKind::kChoice) {
    return joined_by_or(words_of(key.range, ", "), "\"");
  }
  const std::string unit = key.unit == "-" || key.unit == "1" ? "" : fmt::format(" [{}]", key.unit);
  const bool array = key.kind == KeyKind::kNumbers || key.kind == KeyKind::kIntegers ||
                     key.kind == KeyKind::kTexts;
  if (array && !key.range.empty()) return fmt::format("array of {}{}", key.range, unit);
  return fmt::format("{}{}{}{}", kind_name(key.kind), unit, key.range.empty() ? "" : ", ",
                     key.range);
}

/// "default 400", "required", "without it: as read from the device".
std::string default_text(const DocumentKey& key) {
  const std::string_view absent = key.absent;
  if (absent.starts_with("required")) return std::string(absent);
  const std::string_view first = absent.substr(0, absent.find(';'));
  if (key.kind == KeyKind::kChoice) {
    for (const std::string& word : words_of(key.range, ", ")) {
      if (word == first) return fmt::format("default \"{}\"{}", word, absent.substr(word.size()));
    }
  }
  const bool value = key.kind == KeyKind::kFlag || first.starts_with('[') ||
                     (!first.empty() && first.find_first_of("-.0123456789") == 0);
  return fmt::format("{}{}", value ? "default " : "without it: ", absent);
}

void print_wrapped(std::string_view text, std::string_view indent) {
  std::string line(indent);
  for (const std::string& word : words_of(text, " ")) {
    if (line.size() > indent.size() && line.size() + 1 + word.size() > kColumns) {
      std::cout << line << "\n";
      line = indent;
    }
    line += (line.size() > indent.size() ? " " : "") + word;
  }
  std::cout << line << "\n";
}

std::string place(const FoundKey& found) {
  return found.condition.empty() ? found.document
                                 : fmt::format("{} with {}", found.document, found.condition);
}

/// "[coupling] stiffness", "[[contact]]", "rate_hz".
std::string written(const FoundKey& found) {
  if (is_table(found)) return written_table(found.path);
  const std::string_view table = table_of(found.path);
  if (table.empty()) return found.path;
  return fmt::format("{} {}", written_table(table), name_of_key(found.path));
}

/// Bytes of UTF-8 that begin a character.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

void print_in_full(const FoundKey& found) {
  std::cout << place(found) << ": " << written(found) << "\n";
  print_wrapped(fmt::format("{}; {}", value_text(found.key), default_text(found.key)), "  ");
  print_wrapped(found.key.meaning, "  ");
  const std::vector<std::string> names =
      found.parameter.empty() ? words_of(found.key.parameters, " ") : std::vector{found.parameter};
  if (names.size() == 1) {
    print_wrapped(fmt::format("While a daemon runs: haptic set {} VALUE", names[0]), "  ");
  } else if (!names.empty()) {
    print_wrapped(fmt::format("While a daemon runs: haptic set NAME VALUE; NAME is {}",
                              joined_by_or(names, "")),
                  "  ");
  }
}

/// The first clause of a meaning, without the list that follows a colon.
std::string_view in_short(std::string_view meaning) {
  constexpr std::size_t kClause = 20;
  return meaning.substr(0, std::min({meaning.find(';'), meaning.find(". "),
                                     meaning.find(": ", kClause), meaning.size() - 1}));
}

/// One line for each key, under a heading for each kind of document.
void print_list(const std::vector<FoundKey>& keys) {
  const auto unit_of = [](const DocumentKey& key) {
    return key.unit == "-" || key.unit == "1" ? "" : fmt::format("[{}]", key.unit);
  };
  std::size_t widest = 0, widest_unit = 0;
  for (const FoundKey& found : keys) {
    widest = std::max(widest, found.path.size());
    widest_unit = std::max(widest_unit, width(unit_of(found.key)));
  }
  std::string heading;
  for (const FoundKey& found : keys) {
    if (place(found) != heading) {
      std::cout << (heading.empty() ? "" : "\n") << place(found) << "\n";
      heading = place(found);
    }
    const std::string unit = unit_of(found.key);
    std::cout << fmt::format("  {:<{}}  {}{}  {}\n", found.path, widest, unit,
                             std::string(widest_unit - width(unit), ' '),
                             in_short(found.key.meaning));
  }
}

nlohmann::json json_of(const FoundKey& found) {
  nlohmann::json json;
  const auto or_null = [](bool given, const nlohmann::json& value) {
    return given ? value : nlohmann::json();
  };
  const bool choice = found.key.kind == KeyKind::kChoice;
  json["document"] = found.document;
  json["condition"] = or_null(!found.condition.empty(), found.condition);
  json["key"] = found.path;
  json["value"] = choice ? "choice" : kind_name(found.key.kind);
  json["unit"] = or_null(found.key.unit != "-", found.key.unit);
  json["range"] = or_null(!found.key.range.empty() && !choice, found.key.range);
  json["choices"] = or_null(choice, words_of(found.key.range, ", "));
  json["absent"] = found.key.absent;
  json["meaning"] = found.key.meaning;
  json["parameters"] = words_of(found.key.parameters, " ");
  return json;
}

void explain(const std::string& word, bool as_json, bool as_schema) {
  const std::vector<FoundKey> all = all_keys();
  const std::vector<FoundKey> found = find_keys(all, word);
  if (found.empty()) {
    constexpr std::size_t kMaxWordLength = 100;
    if (word.size() > kMaxWordLength) {
      throw InputError("explain", word.substr(0, kMaxWordLength) + "...", "unknown key");
    }
    const std::string near = nearest_key(all, word);
    const std::string hint =
        near.empty() ? fmt::format("all keys of a document: {}", fmt::join(documents(all), ", "))
                     : fmt::format("did you mean \"{}\"?", near);
    throw InputError("explain", word, fmt::format("unknown key ({})", hint));
  }
  if (as_schema) {
    const std::vector<std::string> names = documents(all);
    if (std::ranges::find(names, word) == names.end()) {
      throw InputError("explain --json-schema", "", fmt::format("found \"{}\"", word),
                       fmt::format("a document: {}", fmt::join(names, ", ")));
    }
    std::cout << json_text(document_schema(word, found)) << "\n";
    return;
  }
  if (as_json) {
    nlohmann::json keys = nlohmann::json::array();
    for (const FoundKey& key : found) keys.push_back(json_of(key));
    std::cout << json_text({{"word", word}, {"keys", keys}}) << "\n";
    return;
  }
  if (found.size() > kDetailed && std::ranges::any_of(found, is_table)) {
    print_list(found);
    return;
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (i > 0) std::cout << "\n";
    print_in_full(found[i]);
  }
}

}  // namespace

void add_explain_command(CLI::App& app) {
  struct Options {
    std::string word;
    bool json = false, json_schema = false;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "explain", "Explain a key of a recipe, a scene, a manifest or a load script");
  command
      ->add_option("KEY", options->word,
                   "a key, \"stiffness\"; with its table, \"contact.stiffness\"; a table, "
                   "\"coupling\"; a parameter of haptic set; or all keys of a document: recipe, "
                   "scene, manifest, load-script, calibration-file")
      ->required();
  CLI::Option* const json =
      command->add_flag("--json", options->json, "one JSON object on standard output");
  command
      ->add_flag("--json-schema", options->json_schema,
                 "of a document: its JSON Schema, for editors that check TOML files")
      ->excludes(json);
  command->callback([options] { explain(options->word, options->json, options->json_schema); });
}

}  // namespace haptic
