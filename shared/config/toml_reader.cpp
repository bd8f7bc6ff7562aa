#include "shared/config/toml_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "shared/config/nearest_word.h"
#include "shared/config/toml_bounds.h"
#include "shared/config/toml_state.h"
#include "shared/error.h"
#include "shared/files/regular_file.h"

namespace haptic {

namespace {

/// The value as written in the file, cut to one short line.
std::string written(const std::vector<std::string_view>& lines, const toml::node& node) {
  constexpr std::size_t kMaxLength = 60;
  const toml::source_region& region = node.source();
  if (region.begin.line == 0 || region.begin.line > lines.size()) return "a value";
  std::string_view line = lines[region.begin.line - 1];
  // Columns count code points and start at 1; values in recipes and scenes are ASCII.
  const std::size_t begin = std::min<std::size_t>(region.begin.column - 1, line.size());
  const bool one_line = region.end.line == region.begin.line;
  const std::size_t end =
      one_line ? std::min<std::size_t>(region.end.column - 1, line.size()) : line.size();
  std::string text(line.substr(begin, end > begin ? end - begin : 0));
  if (!one_line || text.size() > kMaxLength) {
    text = text.substr(0, kMaxLength) + " ...";
  }
  return text.empty() ? "a value" : text;
}

std::string_view type_name(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "an array";
    case toml::node_type::string:
      return "text";
    case toml::node_type::integer:
      return "an integer";
    case toml::node_type::floating_point:
      return "a number";
    case toml::node_type::boolean:
      return "a boolean";
    default:
      return "a date or time";
  }
}

/// Refuses zero bytes in keys and texts: the name of a file and the message about it would end
/// there.
struct ZeroByteCheck {
  std::string file;
  const std::vector<std::string_view>& lines;

  /// @param path  dotted, of the node
  void check(const toml::node& node, const std::string& path) const {
    if (const toml::table* table = node.as_table()) {
      for (const auto& [key, value] : *table) {
        const std::string name(key.str());
        if (name.find('\0') != std::string::npos) refuse(value, path, "a key with a zero byte");
        check(value, path.empty() ? name : path + "." + name);
      }
    } else if (const toml::array* array = node.as_array()) {
      for (std::size_t i = 0; i < array->size(); ++i) {
        check((*array)[i], fmt::format("{}[{}]", path, i));
      }
    } else if (const auto* text = node.as_string()) {
      if (text->get().find('\0') != std::string::npos) refuse(node, path, written(lines, node));
    }
  }
  [[noreturn]] void refuse(const toml::node& node, const std::string& path,
                           std::string_view found) const {
    throw InputError(fmt::format("{}:{}", file, node.source().begin.line), path,
                     fmt::format("found {}", found), "no zero byte in keys and texts");
  }
};

}  // namespace

// ---- TomlDocument

TomlDocument TomlDocument::load(const std::filesystem::path& path) {
  return parse(read_regular_file(path, "a TOML file", kMaxTomlBytes), path);
}

TomlDocument TomlDocument::parse(std::string text, const std::filesystem::path& source) {
  demand_toml_bounds(text, source.string());
  auto state = std::make_shared<State>();
  state->text = std::move(text);
  state->path = source;
  std::string_view rest = state->text;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    state->lines.push_back(rest.substr(0, end));
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
  }
  try {
    state->root = toml::parse(std::string_view(state->text));
  } catch (const toml::parse_error& error) {
    const auto position = error.source().begin;
    throw InputError(fmt::format("{}:{}:{}", source.string(), position.line, position.column), "",
                     fmt::format("not TOML: {}", error.description()));
  }
  ZeroByteCheck{source.string(), state->lines}.check(state->root, "");
  return TomlDocument(std::move(state));
}

TomlTable TomlDocument::root() const {
  auto state = std::make_shared<TomlTable::State>();
  state->document = state_;
  state->table = &state_->root;
  return TomlTable(std::move(state));
}

const std::string& TomlDocument::text() const {
  return state_->text;
}
const std::filesystem::path& TomlDocument::path() const {
  return state_->path;
}

// ---- TomlTable

std::string TomlTable::location(std::string_view key) const {
  const toml::node* node = key.empty() ? nullptr : state_->table->get(key);
  const toml::source_region& region = node ? node->source() : state_->table->source();
  const std::string file = state_->document->path.string();
  return region.begin.line == 0 ? file : fmt::format("{}:{}", file, region.begin.line);
}

void TomlTable::refuse(std::string_view key, std::string_view found,
                       std::string_view expected) const {
  std::string hint;
  if (!key.empty() && !state_->table->contains(key)) {  // absent: perhaps misspelt
    for (const auto& [present, node] : *state_->table) {
      const std::size_t slip = std::max<std::size_t>(1, key.size() / 3);
      if (!state_->asked.contains(present.str()) && edit_distance(present.str(), key) <= slip) {
        hint = fmt::format(" (did you mean \"{}\" instead of \"{}\"?)", key, present.str());
      }
    }
  }
  throw InputError(location(key), path_of(key), std::string(found) + hint, expected);
}

double TomlTable::number(std::string_view key, const NumberRange& range) const {
  if (!state_->asks(key)) refuse(key, "missing", range.describe());
  const toml::node& node = *state_->table->get(key);
  const std::optional<double> value = node.is_number() ? node.value<double>() : std::nullopt;
  if (!value || !range.contains(*value)) {
    refuse(key, fmt::format("found {}", written(state_->document->lines, node)), range.describe());
  }
  return *value;
}

std::int64_t TomlTable::integer(std::string_view key, std::int64_t minimum,
                                std::int64_t maximum) const {
  const std::string expected = number_range(minimum, maximum).describe("an integer");
  if (!state_->asks(key)) refuse(key, "missing", expected);
  const toml::node& node = *state_->table->get(key);
  const std::optional<std::int64_t> value =
      node.is_integer() ? node.value<std::int64_t>() : std::nullopt;
  if (!value || *value < minimum || *value > maximum) {
    refuse(key, fmt::format("found {}", written(state_->document->lines, node)), expected);
  }
  return *value;
}

bool TomlTable::boolean(std::string_view key) const {
  if (!state_->asks(key)) refuse(key, "missing", "true or false");
  const toml::node& node = *state_->table->get(key);
  if (!node.is_boolean()) {
    refuse(key, fmt::format("found {}", written(state_->document->lines, node)), "true or false");
  }
  return *node.value<bool>();
}

std::string TomlTable::text(std::string_view key) const {
  if (!state_->asks(key)) refuse(key, "missing", "text in quotes");
  const toml::node& node = *state_->table->get(key);
  if (!node.is_string() || node.as_string()->get().empty()) {
    refuse(key, fmt::format("found {}", written(state_->document->lines, node)),
           "text in quotes, not empty");
  }
  return node.as_string()->get();
}

std::string TomlTable::choice(std::string_view key,
                              std::span<const std::string_view> choices) const {
  std::string expected = "one of";
  for (std::string_view candidate : choices) expected += fmt::format(" \"{}\"", candidate);
  if (!state_->asks(key)) refuse(key, "missing", expected);
  const toml::node& node = *state_->table->get(key);
  const std::string value = node.is_string() ? node.as_string()->get() : std::string();
  if (std::find(choices.begin(), choices.end(), value) != choices.end()) return value;
  const std::vector<std::string> words(choices.begin(), choices.end());
  if (const std::string_view near = nearest_word(value, words); !near.empty()) {
    expected += fmt::format(" (did you mean \"{}\"?)", near);
  }
  refuse(key, fmt::format("found {}", written(state_->document->lines, node)), expected);
}

std::filesystem::path TomlTable::file(std::string_view key) const {
  const std::filesystem::path path = text(key);
  return path.is_absolute() ? path : state_->document->path.parent_path() / path;
}

std::vector<std::filesystem::path> TomlTable::files(std::string_view key) const {
  constexpr std::string_view kExpected =
      "text in quotes, or an array of texts in quotes, none empty";
  if (!state_->asks(key)) refuse(key, "missing", kExpected);
  const toml::node& node = *state_->table->get(key);
  const std::string found = fmt::format("found {}", written(state_->document->lines, node));
  std::vector<std::filesystem::path> paths;
  const auto add = [&](const toml::node& item) {
    if (!item.is_string() || item.as_string()->get().empty()) refuse(key, found, kExpected);
    const std::filesystem::path path = item.as_string()->get();
    paths.push_back(path.is_absolute() ? path : state_->document->path.parent_path() / path);
  };
  if (const toml::array* array = node.as_array()) {
    for (const toml::node& item : *array) add(item);
    if (paths.empty()) refuse(key, found, kExpected);
  } else {
    add(node);
  }
  return paths;
}

std::vector<std::string> TomlTable::texts(std::string_view key, std::size_t count) const {
  const std::string expected = fmt::format("an array of {} texts in quotes, none empty", count);
  if (!state_->asks(key)) refuse(key, "missing", expected);
  const toml::node& node = *state_->table->get(key);
  const toml::array* array = node.as_array();
  const std::string found = fmt::format("found {}", written(state_->document->lines, node));
  if (!array || array->size() != count) refuse(key, found, expected);
  std::vector<std::string> values;
  for (const toml::node& item : *array) {
    if (!item.is_string() || item.as_string()->get().empty()) refuse(key, found, expected);
    values.push_back(item.as_string()->get());
  }
  return values;
}

std::vector<double> TomlTable::numbers(std::string_view key, std::size_t count,
                                       const NumberRange& range) const {
  const std::string kind =
      count == 0 ? "an array of numbers, each" : fmt::format("an array of {} numbers, each", count);
  const std::string expected = range.describe(kind + " a number");
  if (!state_->asks(key)) refuse(key, "missing", expected);
  const toml::node& node = *state_->table->get(key);
  const toml::array* array = node.as_array();
  const std::string found = fmt::format("found {}", written(state_->document->lines, node));
  if (!array || (count != 0 && array->size() != count)) refuse(key, found, expected);
  std::vector<double> values;
  for (const toml::node& item : *array) {
    const std::optional<double> value = item.is_number() ? item.value<double>() : std::nullopt;
    if (!value || !range.contains(*value)) refuse(key, found, expected);
    values.push_back(*value);
  }
  return values;
}

std::vector<std::int64_t> TomlTable::integers(std::string_view key, std::int64_t minimum,
                                              std::int64_t maximum) const {
  const std::string expected =
      number_range(minimum, maximum).describe("an array of integers, each an integer");
  if (!state_->asks(key)) refuse(key, "missing", expected);
  const toml::node& node = *state_->table->get(key);
  const toml::array* array = node.as_array();
  const std::string found = fmt::format("found {}", written(state_->document->lines, node));
  if (!array) refuse(key, found, expected);
  std::vector<std::int64_t> values;
  for (const toml::node& item : *array) {
    const std::optional<std::int64_t> value =
        item.is_integer() ? item.value<std::int64_t>() : std::nullopt;
    if (!value || *value < minimum || *value > maximum) refuse(key, found, expected);
    values.push_back(*value);
  }
  return values;
}

std::optional<TomlTable> TomlTable::optional_table(std::string_view key) const {
  if (!state_->asks(key)) return std::nullopt;
  const toml::node& node = *state_->table->get(key);
  if (!node.is_table()) {
    refuse(key, fmt::format("found {}", type_name(node)),
           fmt::format("a table [{}]", path_of(key)));
  }
  auto state = std::make_shared<State>();
  state->document = state_->document;
  state->table = node.as_table();
  state->path = path_of(key);
  return TomlTable(std::move(state));
}

TomlTable TomlTable::table(std::string_view key) const {
  std::optional<TomlTable> table = optional_table(key);
  if (!table) refuse(key, "missing", fmt::format("a table [{}]", path_of(key)));
  return *table;
}

std::vector<TomlTable> TomlTable::tables(std::string_view key) const {
  std::vector<TomlTable> tables;
  if (!state_->asks(key)) return tables;
  const toml::node& node = *state_->table->get(key);
  const toml::array* array = node.as_array();
  if (!array) {
    refuse(key, fmt::format("found {}", type_name(node)),
           fmt::format("an array of tables [[{}]]", path_of(key)));
  }
  for (std::size_t i = 0; i < array->size(); ++i) {
    const toml::node& item = (*array)[i];
    if (!item.is_table()) {
      refuse(key, fmt::format("found {} at position {}", type_name(item), i), "a table");
    }
    auto state = std::make_shared<State>();
    state->document = state_->document;
    state->table = item.as_table();
    state->path = fmt::format("{}[{}]", path_of(key), i);
    tables.push_back(TomlTable(std::move(state)));
  }
  return tables;
}

}  // namespace haptic
