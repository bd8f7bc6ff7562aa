#include "host/mesh/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/mesh/mesh_report.h"
#include "host/mesh/shape_table.h"
#include "shared/assert.h"
#include "shared/error.h"

namespace haptic {
namespace {

/// The rest of the time is that of the check of the surface.
constexpr double kSurfaceShare = 0.8;

const std::vector<ShapeEntry>& table() {
  static const std::vector<ShapeEntry> entries = [] {
    std::vector<ShapeEntry> all;
    for (auto family :
         {basic_shapes, rounded_shapes, lattice_shapes, tube_shapes, bolt_shapes, hand_shapes}) {
      for (ShapeEntry& entry : family()) all.push_back(std::move(entry));
    }
    return all;
  }();
  return entries;
}

/// Levenshtein distance.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

template <typename Range, typename Name>
std::string_view nearest_name(std::string_view wanted, const Range& range, Name name) {
  const auto it = std::min_element(range.begin(), range.end(), [&](const auto& x, const auto& y) {
    return edit_distance(wanted, name(x)) < edit_distance(wanted, name(y));
  });
  return name(*it);
}

ShapeValues checked_values(const ShapeInfo& info, const std::map<std::string, double>& values,
                           const Progress& progress) {
  std::map<std::string, double, std::less<>> all;
  for (const ShapeParameter& parameter : info.parameters) {
    all.emplace(parameter.name, parameter.value);
  }
  for (const auto& [key, value] : values) {
    const auto it =
        std::find_if(info.parameters.begin(), info.parameters.end(),
                     [&, name = key](const ShapeParameter& p) { return p.name == name; });
    if (it == info.parameters.end()) {
      throw InputError(
          info.name, key, "unknown parameter",
          fmt::format("e.g. \"{}\"", nearest_name(key, info.parameters,
                                                  [](const ShapeParameter& p) { return p.name; })));
    }
    if (!(value >= it->minimum && value <= it->maximum)) {
      throw InputError(info.name, key, fmt::format("found {}", value),
                       fmt::format("{} to {} [{}]", it->minimum, it->maximum, it->unit));
    }
    all[key] = value;
  }
  return {info.name, std::move(all), part_of(progress, 0.0, kSurfaceShare)};
}

}  // namespace

double ShapeValues::operator()(std::string_view name) const {
  const auto it = values_.find(name);
  HAPTIC_DEMAND(it != values_.end());
  return it->second;
}

std::uint32_t ShapeValues::count(std::string_view name) const {
  return static_cast<std::uint32_t>(std::lround((*this)(name)));
}

void ShapeValues::refuse(std::string_view key, const std::string& found,
                         std::string_view expected) const {
  throw InputError(shape_, key, found, expected);
}

std::span<const ShapeInfo> catalogue() {
  static const std::vector<ShapeInfo> infos = [] {
    std::vector<ShapeInfo> all;
    for (const ShapeEntry& entry : table()) all.push_back(entry.info);
    return all;
  }();
  return infos;
}

TriangleMesh make_shape(std::string_view name, const std::map<std::string, double>& values,
                        const Progress& progress) {
  const auto it = std::find_if(table().begin(), table().end(),
                               [&](const ShapeEntry& entry) { return entry.info.name == name; });
  if (it == table().end()) {
    throw InputError(
        "", "", fmt::format("unknown shape \"{}\"", name),
        fmt::format("e.g. \"{}\"",
                    nearest_name(name, table(), [](const ShapeEntry& e) { return e.info.name; })));
  }
  TriangleMesh mesh = it->build(checked_values(it->info, values, progress));
  for (Vector3& v : mesh.vertices) v = Vector3(v.x(), v.z(), -v.y());
  if (progress) progress(kSurfaceShare);
  const MeshReport report = clean_mesh(mesh);
  if (!report.closed_manifold()) {
    throw OperationError(
        fmt::format("{}: the surface is not a closed manifold ({}); try a higher resolution", name,
                    report.summary()));
  }
  return mesh;
}

}  // namespace haptic
