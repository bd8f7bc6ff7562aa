#include "host/formats/interpolation_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "host/files/replace_file.h"
#include "host/formats/file_bytes.h"
#include "host/formats/number_list.h"
#include "shared/assert.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr std::size_t kMaxCorners = 64;
constexpr std::size_t kInterpolationHeader = 2 * sizeof(std::int32_t);

bool is_binary(const std::string& bytes) {
  if (bytes.size() < kInterpolationHeader) return false;
  const auto points = value_at<std::int32_t>(bytes, 0), corners = value_at<std::int32_t>(bytes, 4);
  if (points < 1 || corners < 1 || corners > static_cast<int>(kMaxCorners)) return false;
  return bytes.size() == kInterpolationHeader + 12 * static_cast<std::size_t>(points) *
                                                    static_cast<std::size_t>(corners);
}

Interpolation from_binary(const std::string& bytes) {
  Interpolation result;
  const auto points = static_cast<std::size_t>(value_at<std::int32_t>(bytes, 0));
  result.corners = static_cast<std::size_t>(value_at<std::int32_t>(bytes, 4));
  const std::size_t count = points * result.corners;
  result.vertices.resize(count);
  result.weights.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    // A negative id becomes a large one and is refused with the others.
    result.vertices[i] = value_at<std::uint32_t>(bytes, kInterpolationHeader + 4 * i);
    result.weights[i] = value_at<double>(bytes, kInterpolationHeader + 4 * count + 8 * i);
  }
  return result;
}

Interpolation from_text(const std::filesystem::path& path, const std::string& bytes) {
  Interpolation result;
  result.corners = 0;
  std::size_t point = 0;
  for (std::size_t begin = 0, line = 1; begin < bytes.size(); ++line) {
    const std::size_t end = std::min(bytes.find('\n', begin), bytes.size());
    NumberList words(std::string_view(bytes).substr(begin, end - begin));
    begin = end + 1;
    if (words.empty()) continue;
    const auto fail = [&](std::string_view found, std::string_view expected) {
      throw InputError(path.string(), fmt::format("line {}", line), found, expected);
    };
    if (words.integer() != static_cast<std::int64_t>(point)) {
      fail("found an id out of order", fmt::format("{}, ids in order from 0", point));
    }
    std::size_t corners = 0;
    for (; !words.empty(); ++corners) {
      const auto vertex = words.integer();
      const auto weight = words.real();
      if (!vertex || *vertex < 0 || *vertex > 0xffffffffLL || !weight || corners == kMaxCorners) {
        fail("found something else", "pairs of vertex and weight");
      }
      result.vertices.push_back(static_cast<std::uint32_t>(*vertex));
      result.weights.push_back(*weight);
    }
    if (point == 0) result.corners = corners;
    if (corners != result.corners || corners == 0) {
      fail(fmt::format("found {} pairs", corners), fmt::format("{} pairs", result.corners));
    }
    ++point;
  }
  if (point == 0) throw InputError(path.string(), "", "no line with weights", "a .interp file");
  return result;
}

}  // namespace

Interpolation read_interpolation(const std::filesystem::path& path, std::size_t vertex_count) {
  const std::string bytes = read_file_bytes(path, "interpolation weights (.interp)");
  Interpolation result = is_binary(bytes) ? from_binary(bytes) : from_text(path, bytes);
  for (std::size_t p = 0; p < result.point_count(); ++p) {
    double sum = 0.0, size = 0.0;
    for (std::size_t c = 0; c < result.corners; ++c) {
      const std::size_t i = p * result.corners + c;
      if (result.vertices[i] >= vertex_count) {
        throw InputError(path.string(), fmt::format("point {}", p),
                         fmt::format("found vertex {}", result.vertices[i]),
                         fmt::format("vertices below {}", vertex_count));
      }
      sum += result.weights[i];
      size += std::abs(result.weights[i]);
    }
    if (!(std::abs(sum - 1.0) <= 1e-3 || size == 0.0)) {  // also refuses NaN
      throw InputError(path.string(), fmt::format("point {}", p),
                       fmt::format("found weights that sum to {:g}", sum), "1");
    }
  }
  return result;
}

void write_interpolation(const std::filesystem::path& path, const Interpolation& interpolation,
                         InterpolationForm form) {
  const std::size_t corners = interpolation.corners;
  if (form == InterpolationForm::kBinary) {
    std::string bytes;
    append_value(bytes, static_cast<std::int32_t>(interpolation.point_count()));
    append_value(bytes, static_cast<std::int32_t>(corners));
    for (const std::uint32_t vertex : interpolation.vertices) append_value(bytes, vertex);
    for (const double weight : interpolation.weights) append_value(bytes, weight);
    replace_file(path, {bytes});
    return;
  }
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  for (std::size_t p = 0; p < interpolation.point_count(); ++p) {
    fmt::format_to(out, "{}", p);
    for (std::size_t c = 0; c < corners; ++c) {
      fmt::format_to(out, " {} {:.17g}", interpolation.vertices[p * corners + c],
                     interpolation.weights[p * corners + c]);
    }
    fmt::format_to(out, "\n");
  }
  replace_file(path, {std::string_view(text.data(), text.size())});
}

std::vector<float> interpolated_basis(const Interpolation& interpolation,
                                      std::span<const double> basis, std::size_t r) {
  std::vector<float> result(3 * interpolation.point_count() * r);
  std::vector<double> row(r);
  for (std::size_t p = 0; p < interpolation.point_count(); ++p) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      std::fill(row.begin(), row.end(), 0.0);
      for (std::size_t c = 0; c < interpolation.corners; ++c) {
        const std::size_t i = p * interpolation.corners + c;
        const std::size_t source = (3 * std::size_t{interpolation.vertices[i]} + axis) * r;
        HAPTIC_DEMAND(source + r <= basis.size());
        for (std::size_t j = 0; j < r; ++j) row[j] += interpolation.weights[i] * basis[source + j];
      }
      std::transform(row.begin(), row.end(),
                     result.begin() + static_cast<std::ptrdiff_t>((3 * p + axis) * r),
                     [](double value) { return static_cast<float>(value); });
    }
  }
  return result;
}

}  // namespace haptic
