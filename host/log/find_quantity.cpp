#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "host/log/log_quantity.h"
#include "shared/config/toml_reader.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr std::pair<std::string_view, std::string_view> kShort[] = {
    {"force", "device_force"},
    {"torque", "device_torque"},
    {"hand", "manipulandum_position"},
    {"tool", "held_position"},
};

/// "bodies/pose[cow].x": the name, and what follows it.
struct Request {
  std::string name;
  std::vector<std::string> indices{};
  std::string part{};  ///< ".x"; empty: all
};

[[noreturn]] void refuse(std::string_view name, const std::string& found,
                         const std::string& expected) {
  throw InputError("column", name, found, expected);
}

Request parsed(std::string_view text) {
  Request request;
  const std::size_t end = std::min(text.find_first_of("[."), text.size());
  request.name = text.substr(0, end);
  std::string_view rest = text.substr(end);
  while (rest.starts_with('[')) {
    const std::size_t close = rest.find(']');
    if (close == std::string_view::npos) refuse(text, "found '[' alone", "NAME[INDEX]");
    request.indices.emplace_back(rest.substr(1, close - 1));
    rest.remove_prefix(close + 1);
  }
  request.part = rest;
  return request;
}

std::string_view last_word(std::string_view name) {
  return name.substr(name.rfind('/') + 1);
}

const LogQuantity& named(const std::vector<LogQuantity>& all, const std::string& wanted,
                         std::string_view text) {
  std::string_view name = wanted;
  for (const auto& [abbreviation, whole] : kShort) {
    if (name == abbreviation) name = whole;
  }
  const LogQuantity* by_last_word = nullptr;
  int having_last_word = 0;
  for (const LogQuantity& quantity : all) {
    if (quantity.name == name || (!name.empty() && quantity.dataset == name)) return quantity;
    if (last_word(quantity.name) != name) continue;
    by_last_word = &quantity;
    ++having_last_word;
  }
  if (having_last_word == 1) return *by_last_word;
  if (having_last_word > 1) {
    std::string candidates;
    for (const LogQuantity& quantity : all) {
      if (last_word(quantity.name) != name) continue;
      candidates += (candidates.empty() ? "" : " or ") + quantity.name;
    }
    refuse(text, "found several columns with this last word", candidates);
  }
  std::vector<std::string> names;
  for (const LogQuantity& quantity : all) {
    names.push_back(quantity.name);
    names.emplace_back(last_word(quantity.name));
  }
  for (const auto& [abbreviation, whole] : kShort) names.emplace_back(abbreviation);
  const std::string_view nearest = nearest_word(name, names);
  refuse(text, "found no such column",
         fmt::format("one of `--list`{}",
                     nearest.empty() ? std::string() : fmt::format("; did you mean {}?", nearest)));
}

/// Whether the index is a body's name and the quantity the reduced coordinates: keeps those of it.
bool choose_coordinates(LogQuantity& quantity, const Request& request, const LogReader& log) {
  if (quantity.name != StateLayout::kBodyCoordinates || request.indices.size() != 1) return false;
  const std::vector<LogBody>& bodies = log.description().bodies;
  const auto body = std::ranges::find(bodies, request.indices[0], &LogBody::name);
  if (body == bodies.end()) return false;
  std::erase_if(quantity.components, [&](const LogComponent& c) {
    return c.place < body->first_coordinate ||
           c.place - body->first_coordinate >= body->coordinate_count;
  });
  for (LogComponent& c : quantity.components) {
    c.suffix = fmt::format("[{}]", c.place - body->first_coordinate);
  }
  quantity.name += "[" + body->name + "]";
  return true;
}

/// Keeps the components whose suffix begins with the indices; they are then part of the name.
void choose_indices(LogQuantity& quantity, const Request& request, const LogReader& log,
                    std::string_view text) {
  std::string prefix;
  for (const std::string& index : request.indices) {
    std::string number = index;
    if (quantity.name.starts_with("bodies/") && prefix.empty()) {
      const std::vector<LogBody>& bodies = log.description().bodies;
      const auto body = std::ranges::find(bodies, index, &LogBody::name);
      if (body != bodies.end()) number = std::to_string(body - bodies.begin());
    }
    prefix += "[" + number + "]";
  }
  std::erase_if(quantity.components,
                [&](const LogComponent& c) { return !c.suffix.starts_with(prefix); });
  if (quantity.components.empty()) {
    refuse(text, fmt::format("found no part {}", prefix), "an index of `--list`");
  }
  for (LogComponent& c : quantity.components) c.suffix.erase(0, prefix.size());
  for (const std::string& index : request.indices) quantity.name += "[" + index + "]";
}

}  // namespace

LogQuantity find_quantity(const LogReader& log, std::string_view text) {
  Request request = parsed(text);
  if (request.name == "depth" && request.indices.empty() && request.part.empty()) {
    request = {"gap", {}, ".norm"};
  }
  LogQuantity quantity = named(log_quantities(log), request.name, text);
  if (!choose_coordinates(quantity, request, log)) choose_indices(quantity, request, log, text);
  if (quantity.components.empty()) refuse(text, "found a rigid body", "one with coordinates");
  if (request.part.empty()) return quantity;
  if (request.part == ".norm") {
    const bool vector = quantity.components.size() == 3 &&
                        std::ranges::all_of(quantity.components, [](const LogComponent& c) {
                          return c.suffix.size() == 2 && c.suffix[0] == '.';
                        });
    if (!vector) refuse(text, "found '.norm' of what is no vector", "a column with .x, .y and .z");
    for (const LogComponent& c : quantity.components) quantity.terms.push_back(c.place);
    quantity.source =
        quantity.source == QuantitySource::kGap ? QuantitySource::kGapNorm : QuantitySource::kNorm;
    quantity.components = {{"", quantity.components[0].unit, 0}};
    quantity.is_integer = false;
    quantity.name += ".norm";
    return quantity;
  }
  const auto part = std::ranges::find(quantity.components, request.part, &LogComponent::suffix);
  if (part == quantity.components.end()) {
    std::string parts;
    for (const LogComponent& c : quantity.components) {
      if (c.suffix.starts_with('.')) parts += (parts.empty() ? "" : ", ") + c.suffix;
    }
    refuse(text, fmt::format("found '{}'", request.part),
           parts.empty() ? "no part: the column is one number or has indices" : parts);
  }
  quantity.components = {{"", part->unit, part->place}};
  quantity.name += request.part;
  return quantity;
}

}  // namespace haptic
