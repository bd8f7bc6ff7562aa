#include "host/log/log_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "host/log/log_columns.h"

namespace haptic {
namespace {

/// Columns that may be compared, with the numbers of a row.
std::map<std::string, std::size_t> columns_of(const LogReader& log, bool times) {
  std::map<std::string, std::size_t> columns;
  for (const std::string& name : log.cycle_columns()) {
    const bool is_time = name.starts_with("/timing/");
    if (name != "/samples/cycle" && (times || !is_time)) columns[name] = log.width(name);
  }
  if (times) return columns;
  for (const StateBlock& block : log.description().state.blocks()) {
    if (block.measured) columns.erase("/state/" + block.name);
  }
  return columns;
}

template <class T>
void note(std::vector<std::string>& lines, const char* what, const T& a, const T& b) {
  if (a != b) lines.push_back(fmt::format("{}: {} and {}", what, a, b));
}

void compare_descriptions(const LogReader& a, const LogReader& b, std::vector<std::string>& lines) {
  const LogDescription &of_a = a.description(), &of_b = b.description();
  note(lines, "source", of_a.source, of_b.source);
  note(lines, "scene", of_a.scene_path, of_b.scene_path);
  note(lines, "rate_hz", of_a.rate_hz, of_b.rate_hz);
  note(lines, "length_scale", of_a.length_scale, of_b.length_scale);
  note(lines, "bodies", of_a.bodies.size(), of_b.bodies.size());
  for (std::size_t i = 0; i < std::min(of_a.bodies.size(), of_b.bodies.size()); ++i) {
    const LogBody &body_a = of_a.bodies[i], &body_b = of_b.bodies[i];
    note(lines, "body", body_a.name, body_b.name);
    if (body_a.model_hash == body_b.model_hash) continue;
    lines.push_back(fmt::format("model of {}: {:016x} and {:016x}", body_a.name, body_a.model_hash,
                                body_b.model_hash));
  }
}

/// Places in both sequences, which ascend, with the same number: of a cycle or an event.
template <class Number>
std::vector<std::pair<std::size_t, std::size_t>> common_places(const std::vector<Number>& a,
                                                               const std::vector<Number>& b) {
  std::vector<std::pair<std::size_t, std::size_t>> rows;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i] == b[j]) rows.emplace_back(i, j);
    const bool behind_a = a[i] <= b[j], behind_b = b[j] <= a[i];
    if (behind_a) ++i;
    if (behind_b) ++j;
  }
  return rows;
}

double difference(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0.0;
  const double size = std::abs(a - b);
  return std::isnan(size) ? std::numeric_limits<double>::infinity() : size;
}

bool differ(const EventRecord& a, const EventRecord& b, const LogColumn& column) {
  const char* const at_a = reinterpret_cast<const char*>(&a) + column.offset;
  const char* const at_b = reinterpret_cast<const char*>(&b) + column.offset;
  if (column.type == FieldType::kText) return std::string_view(at_a) != at_b;
  if (column.type != FieldType::kFloat64) return std::memcmp(at_a, at_b, column.size) != 0;
  double x = 0.0, y = 0.0;
  std::memcpy(&x, at_a, sizeof x);
  std::memcpy(&y, at_b, sizeof y);
  return difference(x, y) != 0.0;
}

std::vector<std::uint64_t> numbers_of(const std::vector<EventRecord>& events) {
  std::vector<std::uint64_t> numbers;
  for (const EventRecord& event : events) numbers.push_back(event.number);
  return numbers;
}

EventDifference compare_events(const std::vector<EventRecord>& a, const std::vector<EventRecord>& b,
                               bool times) {
  EventDifference result;
  const auto places = common_places(numbers_of(a), numbers_of(b));
  result.common = places.size();
  result.only_a = a.size() - places.size();
  result.only_b = b.size() - places.size();
  for (const auto& [i, j] : places) {
    bool any = false;
    for (const LogColumn& column : event_columns()) {
      if (!times && column.name == "/events/time_ns") continue;
      if (!differ(a[i], b[j], column)) continue;
      ++result.columns[column.name];
      any = true;
    }
    if (any) ++result.differing;
  }
  return result;
}

}  // namespace

LogDifference compare_logs(const LogReader& a, const LogReader& b, bool times,
                           const Progress& progress) {
  LogDifference result;
  compare_descriptions(a, b, result.descriptions);
  result.events = compare_events(a.events(), b.events(), times);
  const std::vector<double> cycles_a = a.cycles();
  const auto rows = common_places(cycles_a, b.cycles());
  result.cycles = rows.size();
  result.only_a = a.rows() - rows.size();
  result.only_b = b.rows() - rows.size();
  std::vector<char> differs(rows.size(), 0);
  const auto columns_a = columns_of(a, times), columns_b = columns_of(b, times);
  for (const auto& [name, width] : columns_b) {
    if (!columns_a.contains(name)) result.descriptions.push_back("only the second has " + name);
  }
  std::size_t first_row = rows.size(), compared = 0;
  for (const auto& [name, width] : columns_a) {
    if (progress) {
      progress(static_cast<double>(compared++) / static_cast<double>(columns_a.size()));
    }
    const auto other = columns_b.find(name);
    if (other == columns_b.end() || other->second != width) {
      result.descriptions.push_back(
          other == columns_b.end()
              ? "only the first has " + name
              : fmt::format("{}: {} and {} numbers a cycle", name, width, other->second));
      continue;
    }
    const std::vector<double> values_a = a.column(name), values_b = b.column(name);
    ColumnDifference column{name};
    for (std::size_t row = 0; row < rows.size(); ++row) {
      bool any = false;
      for (std::size_t i = 0; i < width; ++i) {
        const double x = values_a[rows[row].first * width + i];
        const double y = values_b[rows[row].second * width + i];
        const double size = difference(x, y);
        if (size == 0.0) continue;
        column.largest = std::max(column.largest, size);
        if (row < first_row) {
          first_row = row;
          const auto cycle = static_cast<std::uint64_t>(cycles_a[rows[row].first]);
          result.first = {{name, cycle, i, x, y}};
        }
        any = true;
      }
      if (!any) continue;
      ++column.cycles;
      differs[row] = 1;
    }
    if (column.cycles > 0) result.columns.push_back(column);
  }
  result.differing = static_cast<std::uint64_t>(std::ranges::count(differs, 1));
  return result;
}

}  // namespace haptic
