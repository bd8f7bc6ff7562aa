#include "shared/artifact/section_shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "shared/artifact/sections.h"

namespace haptic {
namespace {

struct Choice {
  std::uint64_t addend = 0, choose = 0;
};

/// One extent of the shape column: factor * symbol + addend, or C(symbol + addend, choose), where a
/// binomial may replace the symbol: C(C(r+1,2)+1,2).
struct Extent {
  std::string text;
  std::uint64_t factor = 1;
  std::string symbol;  // empty: the constant `factor`
  std::uint64_t addend = 0;
  std::vector<Choice> choices;  // innermost first; empty: not a binomial
};

std::uint64_t parse_number(std::string_view& text, std::uint64_t absent) {
  if (text.empty() || text.front() < '0' || text.front() > '9') return absent;
  std::uint64_t value = 0;
  while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
    value = 10 * value + static_cast<std::uint64_t>(text.front() - '0');
    text.remove_prefix(1);
  }
  return value;
}

std::string parse_symbol(std::string_view& text) {
  std::string symbol;
  while (!text.empty() && ((text.front() >= 'a' && text.front() <= 'z') ||
                           (text.front() >= 'A' && text.front() <= 'Z'))) {
    symbol += text.front();
    text.remove_prefix(1);
  }
  return symbol;
}

Extent parse_extent(std::string_view text) {
  Extent extent;
  extent.text = text;
  std::string compact;
  for (char c : text) {
    if (c != ' ' && c != '(' && c != ')') compact += c;
  }
  std::string_view rest = compact;
  std::size_t binomials = 0;
  for (; text.starts_with("C("); text.remove_prefix(2)) ++binomials;
  rest.remove_prefix(binomials);
  extent.factor = parse_number(rest, 1);
  extent.symbol = parse_symbol(rest);
  const auto number_after = [&](char sign) -> std::uint64_t {
    if (!rest.starts_with(sign)) return 0;
    rest.remove_prefix(1);
    return parse_number(rest, 0);
  };
  if (binomials == 0) extent.addend = number_after('+');
  for (; binomials > 0; --binomials) {
    const std::uint64_t addend = number_after('+');
    extent.choices.push_back({addend, number_after(',')});
  }
  return extent;
}

std::vector<Extent> parse_shape(std::string_view text) {
  std::vector<Extent> extents;
  while (true) {
    const std::size_t end = text.find(" x ");
    extents.push_back(parse_extent(text.substr(0, end)));
    if (end == std::string_view::npos) return extents;
    text.remove_prefix(end + 3);
  }
}

constexpr std::uint64_t kHuge = std::numeric_limits<std::uint64_t>::max();
/// Counts and indices have 32 bits in the file and in the loop.
constexpr std::uint64_t kMaxExtent = std::numeric_limits<std::uint32_t>::max();

/// a * b + c, saturated: no section has as many as kHuge.
std::uint64_t multiply_add(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  std::uint64_t product = 0, sum = 0;
  if (__builtin_mul_overflow(a, b, &product)) return kHuge;
  return __builtin_add_overflow(product, c, &sum) ? kHuge : sum;
}

/// C(n, k), saturated.
std::uint64_t binomial(std::uint64_t n, std::uint64_t k) {
  if (n < k) return 0;
  std::uint64_t value = 1;
  for (std::uint64_t i = 1; i <= k; ++i) {
    // Exact at each i: a product of i successive numbers. Two 64 bit factors fit 128.
    __extension__ using Wide = unsigned __int128;
    const Wide wide = static_cast<Wide>(value) * (n - k + i) / i;
    if (wide >= kHuge) return kHuge;
    value = static_cast<std::uint64_t>(wide);
  }
  return value;
}

std::uint64_t expected_extent(const Extent& extent, std::uint64_t value) {
  for (const Choice& c : extent.choices) {
    value = binomial(multiply_add(value, 1, c.addend), c.choose);
  }
  return multiply_add(value, extent.factor, extent.addend);
}

struct Known {
  std::uint64_t value;
  std::string_view section;
};

std::string found_expected(std::string_view section, std::string_view shape, const Extent& extent,
                           std::uint64_t found, std::string_view expected) {
  return fmt::format("{}: found extent {} for {} of {}, expected {}", section, found, extent.text,
                     shape, expected);
}

}  // namespace

std::string disagreement_of_shapes(std::span<const NamedShape> sections) {
  std::map<std::string, Known, std::less<>> symbols;
  const auto has = [&](std::string_view name) {
    return std::any_of(sections.begin(), sections.end(),
                       [&](const NamedShape& section) { return section.name == name; });
  };
  if (has("/mesh/elements") && has("/mesh/tetrahedra")) {
    return "/mesh/tetrahedra: found together with /mesh/elements, expected one kind of element";
  }
  if (has("/field/values") && has("/field/sparse")) {
    return "/field/sparse: found together with /field/values, expected one kind of field";
  }
  if (has("/condensed/compliance/single") && has("/condensed/compliance/double")) {
    return "/condensed/compliance/double: found together with /condensed/compliance/single, "
           "expected one precision";
  }
  for (const bool binomials : {false, true}) {
    for (const NamedShape& section : sections) {
      const SectionInfo* info = find_section(section.name);
      const std::vector<Extent> extents = parse_shape(info->shape);
      for (std::size_t i = 0; i < extents.size(); ++i) {
        const Extent& extent = extents[i];
        const std::uint64_t found = section.shape[i];
        const auto bad = [&](std::string_view expected) {
          return found_expected(section.name, info->shape, extent, found, expected);
        };
        if (found > kMaxExtent) return bad(fmt::format("at most {}", kMaxExtent));
        if (extent.choices.empty() == binomials) continue;
        if (extent.symbol.empty()) {
          if (found != extent.factor) return bad(extent.text);
          continue;
        }
        auto known = symbols.find(extent.symbol);
        if (!binomials && known == symbols.end()) {
          if (found < extent.addend || (found - extent.addend) % extent.factor != 0) {
            return bad(extent.addend ? fmt::format("at least {}", extent.addend)
                                     : fmt::format("a multiple of {}", extent.factor));
          }
          const std::uint64_t value = (found - extent.addend) / extent.factor;
          symbols.emplace(extent.symbol, Known{value, section.name});
          continue;
        }
        if (known == symbols.end()) {
          return bad(fmt::format("a section that fixes {}, such as /reduced/basis", extent.symbol));
        }
        const auto [value, from] = known->second;
        const std::uint64_t expected = expected_extent(extent, value);
        if (found != expected) {
          return bad(fmt::format("{} ({} = {} in {})", expected, extent.symbol, value, from));
        }
      }
    }
  }
  // E is a product, which the notation cannot express.
  const auto domains = symbols.find("D"), slices = symbols.find("E"), edge = symbols.find("N");
  if (domains != symbols.end() && slices != symbols.end() && edge != symbols.end()) {
    const std::uint64_t side = multiply_add(edge->second.value, 1, 1);
    const std::uint64_t expected = multiply_add(domains->second.value, side, 0);
    if (slices->second.value != expected) {
      return fmt::format("{}: found {} slices, expected {}, N+1 for each of D = {} in {}",
                         slices->second.section, slices->second.value, expected,
                         domains->second.value, domains->second.section);
    }
  }
  return {};
}

}  // namespace haptic
