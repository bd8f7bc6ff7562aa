#include "shared/artifact/section_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

namespace haptic {
namespace {

template <typename T>
std::span<const T> values_of(const Section& section) {
  return {reinterpret_cast<const T*>(section.bytes.data()), section.bytes.size() / sizeof(T)};
}

/// Index of the first number that is not finite, or the size.
template <typename T>
std::size_t first_not_finite(std::span<const T> values) {
  // Without the sign bit, the bits of a number increase with its magnitude, up to infinity and NaN.
  // So a whole block is checked by its largest value, which compilers vectorise.
  using Bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  constexpr Bits kMagnitude = std::numeric_limits<Bits>::max();
  constexpr auto kInfinity = std::bit_cast<Bits>(std::numeric_limits<T>::infinity());
  constexpr std::size_t kBlock = 1024;
  for (std::size_t at = 0; at < values.size(); at += kBlock) {
    const std::span<const T> block = values.subspan(at, std::min(kBlock, values.size() - at));
    Bits largest = 0;
    for (const T value : block) {
      largest = std::max<Bits>(largest, std::bit_cast<Bits>(value) & kMagnitude);
    }
    if (largest < kInfinity) continue;
    const auto bad = std::ranges::find_if(block, [](T value) { return !std::isfinite(value); });
    return at + static_cast<std::size_t>(bad - block.begin());
  }
  return values.size();
}

template <typename T>
std::string require_finite(const Section& section) {
  const std::span<const T> values = values_of<T>(section);
  const std::size_t at = first_not_finite(values);
  if (at == values.size()) return {};
  return fmt::format("{}: found {} at number {}, expected finite numbers", section.name, values[at],
                     at);
}

/// Indices and what they count: the first extent of another section.
struct IndexRange {
  std::string_view section, counted;
  /// The index that means "none" in this section; 0: every index must be that of an entry.
  std::uint32_t none = 0;
};
constexpr std::array kIndexRanges = {
    IndexRange{"/surface/triangles", "/surface/vertices"},
    IndexRange{"/mesh/elements", "/mesh/vertices"},
    IndexRange{"/mesh/tetrahedra", "/mesh/vertices"},
    IndexRange{"/mesh/fixed", "/mesh/vertices"},
    IndexRange{"/material/group", "/material/density"},
    IndexRange{"/shell/tree/point", "/shell/points"},
    IndexRange{"/field/proxies/domain", "/field/domains/frame"},
    IndexRange{"/condensed/nodes", "/mesh/vertices"},
    IndexRange{"/cloth/quads", "/surface/vertices"},
    IndexRange{"/cloth/springs/particles", "/surface/vertices"},
    IndexRange{"/condensed/embedding/nodes", "/condensed/nodes", ~std::uint32_t{0}},
};

const Section* find(std::span<const Section> sections, std::string_view name) {
  const auto found = std::ranges::find(sections, name, &Section::name);
  return found == sections.end() ? nullptr : &*found;
}

std::string require_range(std::span<const Section> sections, const IndexRange& range) {
  const Section* const section = find(sections, range.section);
  if (!section || section->bytes.empty()) return {};
  const Section* const counted = find(sections, range.counted);
  if (!counted) {
    return fmt::format("{}: found without {}, expected both", range.section, range.counted);
  }
  const std::span<const std::uint32_t> indices = values_of<std::uint32_t>(*section);
  // Without the mark for "none", which wraps to 0, indices keep their order.
  const std::uint32_t shift = range.none == 0 ? 0 : 1;
  const auto largest =
      std::ranges::max_element(indices, {}, [shift](std::uint32_t index) { return index + shift; });
  if (*largest < counted->shape[0] || (shift != 0 && *largest == range.none)) return {};
  return fmt::format("{}: found {} at number {}, expected indices below {}, as many as {} has",
                     range.section, *largest, largest - indices.begin(), counted->shape[0],
                     range.counted);
}

/// Group names become parameter names, which terminals and logs show.
std::string require_printable_names(std::span<const Section> sections) {
  const Section* const section = find(sections, "/material/names");
  if (!section) return {};
  const std::span<const std::uint8_t> bytes = values_of<std::uint8_t>(*section);
  constexpr std::size_t kName = 32;
  for (std::size_t group = 0; (group + 1) * kName <= bytes.size(); ++group) {
    for (const std::uint8_t byte : bytes.subspan(group * kName, kName)) {
      if (byte == 0) break;
      if (byte >= 0x20 && byte < 0x7f) continue;
      return fmt::format(
          "{}: found byte {:02x} in the name of group {}, expected printable ASCII padded with "
          "zeros",
          section->name, byte, group);
    }
  }
  return {};
}

}  // namespace

std::string bad_value(std::span<const Section> sections) {
  for (const Section& section : sections) {
    std::string line;
    if (section.type == ElementType::kFloat32) line = require_finite<float>(section);
    if (section.type == ElementType::kFloat64) line = require_finite<double>(section);
    if (!line.empty()) return line;
  }
  for (const IndexRange& range : kIndexRanges) {
    if (std::string line = require_range(sections, range); !line.empty()) return line;
  }
  return require_printable_names(sections);
}

}  // namespace haptic
