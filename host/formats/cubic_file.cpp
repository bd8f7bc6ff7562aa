#include "host/formats/cubic_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "host/files/replace_file.h"
#include "host/formats/file_bytes.h"
#include "rt/dynamics/reduced_energy.h"
#include "shared/assert.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr std::size_t kCubicHeader = 4 * sizeof(std::int32_t);
constexpr double kAsymmetryLimit = 1e-9;  // VegaFEM's own files: 5e-15

/// Position of ascending indices in a packed totally symmetric tensor, last index fastest.
template <std::size_t kOrder>
std::size_t packed(std::size_t r, std::array<std::size_t, kOrder> index) {
  std::sort(index.begin(), index.end());
  std::size_t position = 0, first = 0;
  for (std::size_t k = 0; k < kOrder; ++k) {
    for (std::size_t i = first; i < index[k]; ++i) {
      position += distinct_count(r - i, kOrder - k - 1);
    }
    first = index[k];
  }
  return position;
}

/// Number of terms that equal indices collect: kOrder! / prod(run lengths!).
template <std::size_t kOrder>
double permutations(const std::array<std::size_t, kOrder>& index) {
  double count = 1.0;
  std::size_t run = 0;
  for (std::size_t k = 0; k < kOrder; ++k) {
    run = k > 0 && index[k] == index[k - 1] ? run + 1 : 1;
    count *= static_cast<double>(k + 1) / static_cast<double>(run);
  }
  return count;
}

/// Calls body(ascending indices, position) for every packed entry over r indices.
template <std::size_t kOrder, typename Body>
void for_each_packed(std::size_t r, const Body& body) {
  std::array<std::size_t, kOrder> index{};
  const std::size_t count = distinct_count(r, kOrder);
  for (std::size_t position = 0; position < count; ++position) {
    body(index, position);
    std::size_t k = kOrder;
    while (k > 0 && index[k - 1] + 1 == r) --k;
    if (k == 0) return;
    const std::size_t value = index[k - 1] + 1;
    std::fill(index.begin() + static_cast<std::ptrdiff_t>(k - 1), index.end(), value);
  }
}

template <std::size_t kOrder>
std::array<std::size_t, kOrder + 1> with_output(std::size_t output,
                                                const std::array<std::size_t, kOrder>& index) {
  std::array<std::size_t, kOrder + 1> all{};
  std::copy(index.begin(), index.end(), all.begin());
  all[kOrder] = output;
  return all;
}

/// Symmetric tensor of order kOrder + 1 from the packed polynomials of degree kOrder.
template <std::size_t kOrder>
std::vector<double> tensor_of(std::size_t r, const std::vector<double>& force, double& asymmetry) {
  const std::size_t width = distinct_count(r, kOrder);
  const std::size_t count = distinct_count(r, kOrder + 1);
  std::vector<double> sum(count, 0.0), copies(count, 0.0);
  std::vector<double> low(count, HUGE_VAL), high(count, -HUGE_VAL);
  double scale = 0.0;
  for_each_packed<kOrder>(r, [&](const auto& index, std::size_t position) {
    for (std::size_t l = 0; l < r; ++l) {
      const double value = force[l * width + position] / permutations(index);
      const std::size_t at = packed(r, with_output(l, index));
      sum[at] += value;
      copies[at] += 1.0;
      low[at] = std::min(low[at], value);
      high[at] = std::max(high[at], value);
      scale = std::max(scale, std::abs(value));
    }
  });
  for (std::size_t at = 0; at < count; ++at) {
    // Equal copies are kept bit for bit; different ones are averaged, with rounding.
    sum[at] = low[at] == high[at] ? low[at] : sum[at] / copies[at];
    if (scale > 0.0) asymmetry = std::max(asymmetry, (high[at] - low[at]) / scale);
  }
  return sum;
}

template <std::size_t kOrder>
void append_force(std::string& bytes, std::size_t r, const std::vector<double>& tensor) {
  for (std::size_t l = 0; l < r; ++l) {
    for_each_packed<kOrder>(r, [&](const auto& index, std::size_t) {
      append_value(bytes, permutations(index) * tensor[packed(r, with_output(l, index))]);
    });
  }
}

std::vector<double> take_doubles(const std::filesystem::path& path, std::string_view bytes,
                                 std::size_t& offset, std::size_t count) {
  std::vector<double> values(count);
  for (double& value : values) {
    value = value_at<double>(bytes, offset);
    if (!std::isfinite(value)) {
      throw InputError(path.string(), fmt::format("byte {}", offset),
                       fmt::format("found {}", value), "a finite number");
    }
    offset += sizeof(double);
  }
  return values;
}

}  // namespace

CubicPolynomial read_cub(const std::filesystem::path& path) {
  const std::string bytes = read_file_bytes(path, "a VegaFEM cubic polynomial (.cub)");
  if (bytes.size() < kCubicHeader) {
    throw InputError(path.string(), "", fmt::format("{} bytes", bytes.size()),
                     "a header of 16 bytes");
  }
  std::array<std::int32_t, 4> header{};
  for (std::size_t i = 0; i < 4; ++i) header[i] = value_at<std::int32_t>(bytes, 4 * i);
  if (header[0] < 1 || header[0] > static_cast<std::int32_t>(kMaxReducedDimension)) {
    throw InputError(path.string(), "r", fmt::format("found {}", header[0]),
                     fmt::format("1 to {}", kMaxReducedDimension));
  }
  const auto r = static_cast<std::size_t>(header[0]);
  const std::size_t linear = r, quadratic = distinct_count(r, 2), cubic = distinct_count(r, 3);
  const std::size_t length = kCubicHeader + sizeof(double) * r * (linear + quadratic + cubic);
  if (header[1] != static_cast<std::int32_t>(linear) ||
      header[2] != static_cast<std::int32_t>(quadratic) ||
      header[3] != static_cast<std::int32_t>(cubic) || bytes.size() != length) {
    throw InputError(
        path.string(), "",
        fmt::format("a header of {}, {}, {}, {} in a file of {} bytes", header[0], header[1],
                    header[2], header[3], bytes.size()),
        fmt::format("{}, {}, {}, {} in {} bytes", r, linear, quadratic, cubic, length));
  }
  std::size_t offset = kCubicHeader;
  CubicPolynomial result;
  result.energy.dimension = static_cast<std::uint32_t>(r);
  result.energy.quadratic =
      tensor_of<1>(r, take_doubles(path, bytes, offset, r * linear), result.asymmetry);
  result.energy.cubic =
      tensor_of<2>(r, take_doubles(path, bytes, offset, r * quadratic), result.asymmetry);
  result.energy.quartic =
      tensor_of<3>(r, take_doubles(path, bytes, offset, r * cubic), result.asymmetry);
  if (!(result.asymmetry <= kAsymmetryLimit)) {
    throw InputError(path.string(), "",
                     fmt::format("a force without an energy: coefficients that must agree differ "
                                 "by {:.3g} of the largest",
                                 result.asymmetry),
                     fmt::format("at most {:g}", kAsymmetryLimit));
  }
  return result;
}

void write_cub(const std::filesystem::path& path, const ReducedPolynomials& energy) {
  const std::size_t r = energy.dimension;
  HAPTIC_DEMAND(energy.quadratic.size() == distinct_count(r, 2) &&
                energy.cubic.size() == distinct_count(r, 3) &&
                energy.quartic.size() == distinct_count(r, 4));
  std::string bytes;
  for (const std::size_t number : {r, r, distinct_count(r, 2), distinct_count(r, 3)}) {
    append_value(bytes, static_cast<std::int32_t>(number));
  }
  append_force<1>(bytes, r, energy.quadratic);
  append_force<2>(bytes, r, energy.cubic);
  append_force<3>(bytes, r, energy.quartic);
  replace_file(path, {bytes});
}

}  // namespace haptic
