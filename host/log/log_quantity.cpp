#include "host/log/log_quantity.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "host/log/log_columns.h"
#include "shared/math/length.h"

namespace haptic {
namespace {

constexpr std::array<const char*, 3> kAxes = {".x", ".y", ".z"};
constexpr std::array<const char*, 4> kQuaternion = {".qw", ".qx", ".qy", ".qz"};

/// Ending of a dataset's name for each unit.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kUnitEndings = {{
    {"N", "_N"},
    {"N m", "_Nm"},
    {"m", "_m"},
    {"m/s", "_m_s"},
    {"rad/s", "_rad_s"},
    {"J", "_J"},
    {"N s/m", "_N_s_m"},
    {"ns", "_ns"},
    {"s", "_s"},
}};

std::string without_unit(std::string_view name, std::string_view unit) {
  for (const auto& [of, ending] : kUnitEndings) {
    if (unit == of && name.ends_with(ending)) name.remove_suffix(ending.size());
  }
  if (name.ends_with("_wxyz")) name.remove_suffix(5);
  return std::string(name);
}

LogQuantity of_column(const LogColumn& column, std::string_view group) {
  LogQuantity quantity;
  quantity.name = without_unit(std::string_view(column.name).substr(group.size()), column.unit);
  if (group == "/timing/") quantity.name = "timing/" + quantity.name;
  quantity.meaning = column.meaning;
  quantity.dataset = column.name;
  quantity.is_integer = column.type != FieldType::kFloat64;
  for (std::size_t i = 0; i < column.width; ++i) {
    const char* suffix = column.width == 1 ? "" : column.width == 3 ? kAxes[i] : kQuaternion[i];
    quantity.components.push_back({suffix, std::string(column.unit), i});
  }
  return quantity;
}

/// Suffix and unit of number `i` of a block.
LogComponent of_block(const StateBlock& block, std::uint64_t i) {
  StateBlock leading = block;
  leading.name.clear();
  LogComponent component{{}, block.unit, i};
  const bool pose = block.display == StateDisplay::kPose;
  const bool points = block.display == StateDisplay::kVertices ||
                      block.display == StateDisplay::kSurface ||
                      (!block.shape.empty() && block.shape.back() == 3);
  if (pose || points) {
    const std::uint64_t last = block.shape.back();
    leading.shape.pop_back();
    const std::uint64_t axis = i % last;
    component.suffix =
        value_name(leading, i / last) + (axis < 3 ? kAxes[axis] : kQuaternion[axis - 3]);
    if (pose) component.unit = axis < 3 ? "m" : "1";
  } else {
    component.suffix = value_name(leading, i);
  }
  return component;
}

}  // namespace

std::vector<LogQuantity> log_quantities(const LogReader& log) {
  std::vector<LogQuantity> quantities = {{"time",
                                          "cycle / rate: the hand's own time",
                                          "/samples/time_s",
                                          QuantitySource::kDataset,
                                          {{"", "s", 0}}}};
  for (const LogColumn& column : sample_columns()) {
    if (log.has(column.name)) quantities.push_back(of_column(column, "/samples/"));
  }
  LogQuantity gap{"gap", "hand minus simulated object, world", "", QuantitySource::kGap};
  for (std::size_t i = 0; i < 3; ++i) gap.components.push_back({kAxes[i], "m", i});
  quantities.push_back(std::move(gap));
  for (const StateBlock& block : log.description().state.blocks()) {
    const std::string dataset = "/state/" + block.name;
    if (block.rate != StateRate::kCycle || block.size() == 0 || !log.has(dataset)) continue;
    LogQuantity quantity{block.name, block.meaning, dataset};
    for (std::uint64_t i = 0; i < block.size(); ++i) {
      quantity.components.push_back(of_block(block, i));
    }
    quantities.push_back(std::move(quantity));
  }
  if (log.description().timing) {
    for (const LogColumn& column : timing_columns()) {
      if (log.has(column.name)) quantities.push_back(of_column(column, "/timing/"));
    }
  }
  return quantities;
}

std::vector<double> read_quantity(const LogReader& log, const LogQuantity& quantity,
                                  std::uint64_t first, std::uint64_t count) {
  const std::size_t width = quantity.components.size();
  std::vector<double> values(count * width);
  if (quantity.source == QuantitySource::kGap || quantity.source == QuantitySource::kGapNorm) {
    const std::vector<double> hand =
        log.rows_of("/samples/manipulandum_position_m", 3, first, count);
    const std::vector<double> tool = log.rows_of("/samples/held_position_m", 3, first, count);
    for (std::size_t row = 0; row < count; ++row) {
      const double* a = &hand[3 * row];
      const double* b = &tool[3 * row];
      const std::array<double, 3> gap = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
      for (std::size_t c = 0; c < width; ++c) {
        values[row * width + c] = quantity.source == QuantitySource::kGap
                                      ? gap[quantity.components[c].place]
                                      : length(gap[0], gap[1], gap[2]);
      }
    }
    return values;
  }
  const std::size_t stride = log.width(quantity.dataset);
  const std::vector<double> rows = log.rows_of(quantity.dataset, stride, first, count);
  for (std::size_t row = 0; row < count; ++row) {
    const double* from = rows.data() + row * stride;
    if (quantity.source == QuantitySource::kNorm) {
      double sum = 0.0;
      for (const std::size_t place : quantity.terms) sum += from[place] * from[place];
      values[row] = std::sqrt(sum);
      continue;
    }
    for (std::size_t c = 0; c < width; ++c) {
      values[row * width + c] = from[quantity.components[c].place];
    }
  }
  return values;
}

}  // namespace haptic
