#include "shared/command_line/option_words.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <set>
#include <string_view>

namespace haptic {
namespace {

/// Names of "value in {body->0,strain->1} OR {0,1}" or of "{direct,explicit}".
std::string members(std::string_view braces) {
  std::string names;
  while (!braces.empty() && braces.front() != '}') {
    const std::string_view entry = braces.substr(0, braces.find_first_of(",}"));
    names += (names.empty() ? "" : ", ") + std::string(entry.substr(0, entry.find("->")));
    braces.remove_prefix(entry.size());
    if (!braces.empty() && braces.front() == ',') braces.remove_prefix(1);
  }
  return names;
}

bool has_choices(const std::string& type) {
  return type.find('{') != std::string::npos;
}

/// In the order of the alphabet: that of the set is one of addresses.
std::string joined_names(const std::set<CLI::Option*>& options) {
  std::vector<std::string> names;
  for (const CLI::Option* option : options) names.push_back(option->get_name());
  std::ranges::sort(names);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

bool takes_value(const CLI::Option& option) {
  return option.get_expected_max() > 0;
}

std::string value_name(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::string first = type.substr(0, type.find(':'));
  if (has_choices(type) || first.empty()) return "VALUE";
  if (first == "UINT" || first == "INT") return "N";
  if (first == "FLOAT") return "NUMBER";
  return first;
}

std::string allowed_values(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  if (const std::size_t brace = type.find('{'); brace != std::string::npos) {
    return "one of " + members(std::string_view(type).substr(brace + 1));
  }
  const std::size_t open = type.find('['), between = type.find(" - ", open);
  if (open != std::string::npos && between != std::string::npos && type.back() == ']') {
    return fmt::format("{} to {}", type.substr(open + 1, between - open - 1),
                       type.substr(between + 3, type.size() - between - 4));
  }
  const std::size_t colon = type.find(':');
  if (colon == std::string::npos) return "";
  const std::string check = type.substr(colon + 1);
  if (check == "POSITIVE") return "above 0";
  return check;
}

std::vector<std::string> spellings(const CLI::Option& option) {
  std::vector<std::string> spelled;
  for (const std::string& name : option.get_snames()) spelled.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) spelled.push_back("--" + name);
  return spelled;
}

std::string describe(const CLI::Option& option) {
  std::string text = option.get_description();
  const auto add = [&text](std::string_view separator, const std::string& words) {
    if (!words.empty()) text += fmt::format("{}{}", text.empty() ? "" : separator, words);
  };
  add("; ", allowed_values(option));
  std::vector<std::string> conditions;
  if (option.get_required() && option.nonpositional()) conditions.emplace_back("required");
  if (!option.get_default_str().empty() && takes_value(option)) {
    conditions.push_back("default " + option.get_default_str());
  }
  if (!option.get_needs().empty()) conditions.push_back("with " + joined_names(option.get_needs()));
  if (!option.get_excludes().empty()) {
    conditions.push_back("not with " + joined_names(option.get_excludes()));
  }
  if (!conditions.empty()) add(" ", fmt::format("({})", fmt::join(conditions, "; ")));
  return text;
}

}  // namespace haptic
