#include "host/reduction/force_samples.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

#include "host/files/replace_file.h"
#include "shared/error.h"
#include "shared/files/regular_file.h"

namespace haptic {
namespace {

constexpr std::array<std::string_view, 5> kColumns = {"time_s", "vertex", "fx_N", "fy_N", "fz_N"};

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  while (true) {
    const auto comma = line.find(',');
    cells.push_back(trimmed(line.substr(0, comma)));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

double number_in(std::string_view cell, const std::string& place, std::string_view column) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc() || end != cell.data() + cell.size() || !std::isfinite(value)) {
    throw InputError(place, column, fmt::format("found \"{}\"", cell), "a finite number");
  }
  return value;
}

// Place of each of kColumns in the header.
std::array<std::size_t, kColumns.size()> read_header(std::string_view line,
                                                     const std::string& place) {
  const std::vector<std::string_view> cells = cells_of(line);
  std::array<std::size_t, kColumns.size()> places{};
  for (std::size_t c = 0; c < kColumns.size(); ++c) {
    std::size_t at = 0;
    while (at < cells.size() && cells[at] != kColumns[c]) ++at;
    if (at == cells.size() || cells.size() != kColumns.size()) {
      throw InputError(place, "", fmt::format("found \"{}\"", trimmed(line)),
                       "the header time_s, vertex, fx_N, fy_N, fz_N");
    }
    places[c] = at;
  }
  return places;
}

}  // namespace

std::vector<ForceSample> read_force_samples(const std::filesystem::path& path) {
  constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30;  // 10^7 loads
  std::istringstream file(read_regular_file(path, "a file of force loads (CSV)", kMaxBytes));
  std::vector<ForceSample> samples;
  std::array<std::size_t, kColumns.size()> columns{};
  bool has_header = false;
  double largest = 0.0;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    const std::string_view text = trimmed(line);
    if (text.empty() || text.front() == '#') continue;
    const std::string place = fmt::format("{}:{}", path.string(), number);
    if (!has_header) {
      columns = read_header(text, place);
      has_header = true;
      continue;
    }
    const std::vector<std::string_view> cells = cells_of(text);
    if (cells.size() != kColumns.size()) {
      throw InputError(place, "", fmt::format("found {} cells", cells.size()), "5");
    }
    std::array<double, kColumns.size()> values{};
    for (std::size_t c = 0; c < kColumns.size(); ++c) {
      values[c] = number_in(cells[columns[c]], place, kColumns[c]);
    }
    if (values[1] < 0.0 || values[1] != std::floor(values[1]) ||
        values[1] > std::numeric_limits<std::uint32_t>::max()) {
      throw InputError(place, "vertex", fmt::format("found {}", values[1]), "a vertex id >= 0");
    }
    if (!samples.empty() && values[0] < samples.back().time) {
      throw InputError(place, "time_s", fmt::format("found {}", values[0]),
                       fmt::format("at least {}, the row above", samples.back().time));
    }
    if (samples.empty() || values[0] > samples.back().time) samples.push_back({values[0], {}});
    const Vector3 force(values[2], values[3], values[4]);
    samples.back().forces.push_back({static_cast<std::uint32_t>(values[1]), force});
    largest = std::max(largest, force.norm());
  }
  if (!(largest > 0.0)) {
    throw InputError(path.string(), "",
                     samples.empty() ? "found no force load" : "found only zero forces",
                     "at least one force that is not zero");
  }
  return samples;
}

void write_force_samples(const std::filesystem::path& path,
                         const std::vector<ForceSample>& samples) {
  std::string text = "time_s,vertex,fx_N,fy_N,fz_N\n";
  for (const ForceSample& sample : samples) {
    for (const VertexForce& f : sample.forces) {
      text += fmt::format("{},{},{},{},{}\n", sample.time, f.vertex, f.force.x(), f.force.y(),
                          f.force.z());
    }
  }
  replace_file(path, {text});
}

}  // namespace haptic
