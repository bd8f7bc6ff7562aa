#include "host/cli/document_schema.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string_view>

namespace haptic {
namespace {

using nlohmann::json;

/// Words of a choice, which a description separates by ", ".
std::vector<std::string> choices(const std::string& range) {
  std::vector<std::string> words;
  std::istringstream stream(range);
  for (std::string word; stream >> word;) {
    if (word.ends_with(',')) word.pop_back();
    words.push_back(word);
  }
  return words;
}

json number_schema(const DocumentKey& key, std::string_view type) {
  json schema = {{"type", type}};
  const NumberRange& range = key.numbers;
  if (std::isfinite(range.minimum)) {
    schema[range.minimum_excluded ? "exclusiveMinimum" : "minimum"] = range.minimum;
  }
  if (std::isfinite(range.maximum)) {
    schema[range.maximum_excluded ? "exclusiveMaximum" : "maximum"] = range.maximum;
  }
  return schema;
}

json array_schema(json item, std::size_t count) {
  json schema = {{"type", "array"}, {"items", std::move(item)}};
  if (count > 0) schema["minItems"] = schema["maxItems"] = count;
  return schema;
}

json table_schema() {
  return {{"type", "object"}, {"additionalProperties", false}, {"properties", json::object()}};
}

json value_schema(const DocumentKey& key) {
  const json text = {{"type", "string"}, {"minLength", 1}};
  switch (key.kind) {
    case KeyKind::kNumber:
      return number_schema(key, "number");
    case KeyKind::kInteger:
      return number_schema(key, "integer");
    case KeyKind::kNumbers:
      return array_schema(number_schema(key, "number"), key.count);
    case KeyKind::kIntegers:
      return array_schema(number_schema(key, "integer"), key.count);
    case KeyKind::kFlag:
      return {{"type", "boolean"}};
    case KeyKind::kText:
    case KeyKind::kFile:
      return text;
    case KeyKind::kTexts:
      return array_schema(text, key.count);
    case KeyKind::kChoice:
      return {{"enum", choices(key.range)}};
    case KeyKind::kFiles:
      return {{"anyOf", json::array({text, array_schema(text, 0)})}};
    case KeyKind::kTable:
      return table_schema();
    case KeyKind::kTables:
      return {{"type", "array"}, {"items", table_schema()}};
  }
  return {};
}

/// The table with the path `path` in `root`; made where no key describes it.
json& table_at(json& root, std::string_view path) {
  json* table = &root;
  while (!path.empty()) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    std::string_view name = path.substr(0, dot);
    path.remove_prefix(std::min(dot + 1, path.size()));
    const bool array = name.ends_with("[]");
    if (array) name.remove_suffix(2);
    json& value = (*table)["properties"][std::string(name)];
    if (value.is_null()) {
      value = array ? json{{"type", "array"}, {"items", table_schema()}} : table_schema();
    }
    table = array ? &value["items"] : &value;
  }
  return *table;
}

void require(json& table, const std::string& name) {
  json& names = table["required"];
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

void add_key(json& root, const FoundKey& found) {
  json& table = table_at(root, table_of(found.path));
  json value = value_schema(found.key);
  value["description"] = found.key.meaning;
  const std::string name(name_of_key(found.path));
  table["properties"][name] = std::move(value);
  if (found.key.required) require(table, name);
}

}  // namespace

json document_schema(const std::string& document, const std::vector<FoundKey>& keys) {
  json common = table_schema();
  std::vector<std::string> conditions;
  for (const FoundKey& key : keys) {
    if (key.condition.empty()) {
      add_key(common, key);
    } else if (std::ranges::find(conditions, key.condition) == conditions.end()) {
      conditions.push_back(key.condition);
    }
  }
  json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                 {"title", "hapticd " + document}};
  if (conditions.empty()) {
    schema.update(common);
    return schema;
  }
  for (const std::string& condition : conditions) {
    json one = common;
    for (const FoundKey& key : keys) {
      if (key.condition == condition) add_key(one, key);
    }
    // condition is `NAME = "VALUE"`
    const std::string name = condition.substr(0, condition.find(' '));
    const std::size_t quote = condition.find('"') + 1;
    const std::string value = condition.substr(quote, condition.size() - 1 - quote);
    one["title"] = condition;
    one["properties"][name]["enum"] = json::array({value});
    const auto is_default = [&](const FoundKey& key) {
      return key.path == name && key.key.absent == value;
    };
    if (std::ranges::none_of(keys, is_default)) require(one, name);
    schema["oneOf"].push_back(std::move(one));
  }
  return schema;
}

}  // namespace haptic
