#include "host/bake/recipe_source.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string_view>
#include <utility>

#include "host/bake/recipe_tables.h"

namespace haptic {
namespace {

constexpr std::array<std::pair<std::string_view, double>, 6> kUnits = {
    {{"m", 1.0}, {"cm", 1e-2}, {"mm", 1e-3}, {"um", 1e-6}, {"in", 0.0254}, {"ft", 0.3048}}};

double unit_named(std::string_view name) {
  for (const auto& [unit, metres] : kUnits) {
    if (unit == name) return metres;
  }
  return 1.0;
}

/// Turns an axis of the file into +y, against which gravity acts in scenes.
Matrix3 rotation_of_up(std::string_view up) {
  Matrix3 rotation = Matrix3::Identity();
  if (up == "x") rotation << 0, -1, 0, 1, 0, 0, 0, 0, 1;
  if (up == "-x") rotation << 0, 1, 0, -1, 0, 0, 0, 0, 1;
  if (up == "-y") rotation << 1, 0, 0, 0, -1, 0, 0, 0, -1;
  if (up == "z") rotation << 1, 0, 0, 0, 0, 1, 0, -1, 0;
  if (up == "-z") rotation << 1, 0, 0, 0, 0, -1, 0, 1, 0;
  return rotation;
}

Matrix3 read_rotation(const TomlTable& table) {
  const std::vector<double> given = table.numbers("axis", 3, NumberRange::any("1"));
  const Vector3 axis(given[0], given[1], given[2]);
  const double length = axis.norm();
  if (!(length > 0.0 && std::isfinite(length))) {
    table.refuse("axis", "found no direction", "three numbers that are not all zero");
  }
  const double degrees = table.number("degrees", NumberRange::between(-360.0, 360.0, "degrees"));
  table.finish();
  const double angle = degrees / 180.0 * std::numbers::pi;
  return Eigen::AngleAxisd(angle, axis / length).toRotationMatrix();
}

}  // namespace

double SourceFrame::scale(const BoundingBox& box) const {
  return length > 0.0 ? length / box.longest_side() : unit;
}

SourceFrame read_source_frame(const TomlTable& table, bool required) {
  SourceFrame frame;
  const bool has_unit = table.has("unit"), has_scale = table.has("scale");
  if (has_unit || has_scale) {
    for (const char* const other : {"length", "scale"}) {
      if (!table.has(other) || (has_scale && !has_unit && other == std::string_view("scale"))) {
        continue;
      }
      table.refuse(other, fmt::format("found together with \"{}\"", has_unit ? "unit" : "scale"),
                   "one of length, unit and scale");
    }
  }
  const NumberRange metres = NumberRange::positive("m");
  frame.length = required && !has_unit && !has_scale ? table.number("length", metres)
                                                     : table.number("length", metres, 0.0);
  frame.unit = unit_named(table.choice("unit", {"m", "cm", "mm", "um", "in", "ft"}, "m"));
  if (has_scale) {
    frame.unit = table.number(
        "scale", {.minimum = 1e-9, .maximum = 1e9, .unit = "m per unit of the file"}, 1.0);
  }
  frame.rotation = rotation_of_up(table.choice("up", {"x", "y", "z", "-x", "-y", "-z"}, "y"));
  if (const auto rotate = table.optional_table("rotate")) {
    frame.rotation = read_rotation(*rotate) * frame.rotation;
  }
  if (table.is_array("origin")) {
    const std::vector<double> point = table.numbers("origin", 3, NumberRange::any("1"));
    frame.origin = SourceOrigin::kPoint;
    frame.point = Vector3(point[0], point[1], point[2]);
    return frame;
  }
  const std::string origin = table.choice("origin", {"file", "centre", "mass"}, "file");
  frame.origin = origin == "file"     ? SourceOrigin::kFile
                 : origin == "centre" ? SourceOrigin::kCentre
                                      : SourceOrigin::kMass;
  return frame;
}

SourceRepair read_source_repair(const TomlTable& table) {
  SourceRepair repair;
  repair.close_holes =
      table.number("close_holes", NumberRange::between(0.0, 2.0, "1"), repair.close_holes);
  repair.open = table.boolean("open", false);
  if (table.is_array("keep")) {
    constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
    for (const std::int64_t number : table.integers("keep", 1, kMost)) {
      repair.keep.push_back(static_cast<std::uint32_t>(number));
    }
    if (repair.keep.empty()) table.refuse("keep", "found an empty list", "numbers of components");
  } else {
    repair.keep_largest = table.choice("keep", {"all", "largest"}, "all") == "largest";
  }
  return repair;
}

void refuse_source_keys(const TomlTable& table, std::initializer_list<const char*> keys,
                        std::string_view why, std::string_view expected) {
  for (const char* const key : keys) {
    if (table.has(key)) table.refuse(key, why, expected);
  }
}

}  // namespace haptic
