#include "shared/state/state_layout.h"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

#include "shared/error.h"
#include "shared/printable.h"

namespace haptic {
namespace {

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_name(std::string_view name) {
  char before = '/';
  for (const char c : name) {
    if (!is_word_character(c) && (c != '/' || before == '/')) return false;
    before = c;
  }
  return before != '/';
}

bool is_text(std::string_view text, std::size_t most) {
  return text.size() <= most && printable(text) == text;
}

void check(const StateBlock& block) {
  const auto refuse = [&](const std::string& found, const std::string& expected) {
    throw InputError("state block", block.name, found, expected);
  };
  if (!is_name(block.name) || block.name.size() > StateLayout::kMaxNameLength) {
    refuse("found an invalid name", "at most " + std::to_string(StateLayout::kMaxNameLength) +
                                        " characters: words of a-z, 0-9 and _ joined by /");
  }
  if (!is_text(block.unit, StateLayout::kMaxUnitLength) ||
      !is_text(block.meaning, StateLayout::kMaxMeaningLength)) {
    refuse("found a unit or a meaning that is too long or not printable",
           "at most " + std::to_string(StateLayout::kMaxUnitLength) + " and " +
               std::to_string(StateLayout::kMaxMeaningLength) + " characters");
  }
  if (block.shape.size() > StateLayout::kMaxDimensions) {
    refuse("found " + std::to_string(block.shape.size()) + " dimensions",
           "at most " + std::to_string(StateLayout::kMaxDimensions));
  }
  std::uint64_t size = 1;
  for (const std::uint32_t extent : block.shape) {
    if (__builtin_mul_overflow(size, std::uint64_t{extent}, &size)) {
      refuse("found a shape whose size overflows 64 bits", "a shape that fits in memory");
    }
  }
  const std::uint32_t last = block.shape.empty() ? 1 : block.shape.back();
  const bool fits = block.display == StateDisplay::kPose       ? last == 7
                    : block.display == StateDisplay::kVertices ? last == 3
                    : block.display == StateDisplay::kSurface  ? last == 3 && body_of_surface(block)
                    : block.display == StateDisplay::kReducedCoordinates
                        ? block.shape.size() == 1
                        : block.display == StateDisplay::kScalar;
  if (!fits) {
    refuse("found a display that does not fit the shape",
           "7 numbers per pose, 3 per vertex, one dimension of reduced coordinates, a surface's "
           "name ending in its body's index");
  }
  if (block.rate != StateRate::kCycle && block.rate != StateRate::kDisplay) {
    refuse("found rate " + std::to_string(static_cast<std::uint32_t>(block.rate)),
           "every cycle (1) or display rate (2)");
  }
}

}  // namespace

std::uint64_t StateBlock::size() const {
  std::uint64_t size = 1;
  for (const std::uint32_t extent : shape) size *= extent;
  return size;
}

StateLayout::StateLayout(std::vector<StateBlock> blocks) : blocks_(std::move(blocks)) {
  if (blocks_.size() > kMaxBlocks) {
    throw InputError("state", "", "found " + std::to_string(blocks_.size()) + " blocks",
                     "at most " + std::to_string(kMaxBlocks));
  }
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const StateBlock& block = blocks_[i];
    check(block);
    for (std::size_t j = 0; j < i; ++j) {
      if (blocks_[j].name == block.name) {
        throw InputError("state block", block.name, "found twice", "once");
      }
      // In a log a name is either a group or a dataset.
      if (blocks_[j].name.starts_with(block.name + "/") ||
          block.name.starts_with(blocks_[j].name + "/")) {
        throw InputError("state block", block.name,
                         std::string("found together with ").append(blocks_[j].name),
                         "no name that begins with another name and /");
      }
    }
    const bool each_cycle = block.rate == StateRate::kCycle;
    std::uint64_t& values = each_cycle ? cycle_values_ : display_values_;
    const std::uint64_t most = each_cycle ? kMaxCycleValues : kMaxDisplayValues;
    if (block.size() > most - values) {
      throw InputError(
          "state block", block.name,
          "found " + std::to_string(block.size()) + " values after " + std::to_string(values),
          "at most " + std::to_string(most) + " of one rate");
    }
    offsets_.push_back(values);
    values += block.size();
  }
}

std::optional<std::size_t> StateLayout::find(std::string_view name) const {
  const auto found = std::ranges::find(blocks_, name, &StateBlock::name);
  if (found == blocks_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - blocks_.begin());
}

namespace {
constexpr std::string_view kSurfacePrefix = "bodies/surface/";
}  // namespace

std::string surface_block_name(std::size_t body) {
  return std::string(kSurfacePrefix) + std::to_string(body);
}

std::optional<std::size_t> body_of_surface(const StateBlock& block) {
  if (block.display != StateDisplay::kSurface || !block.name.starts_with(kSurfacePrefix)) {
    return std::nullopt;
  }
  const char* const begin = block.name.data() + kSurfacePrefix.size();
  const char* const end = block.name.data() + block.name.size();
  std::size_t body = 0;
  const auto [stop, error] = std::from_chars(begin, end, body);
  if (error != std::errc() || stop != end) return std::nullopt;
  return body;
}

std::string axis_label(std::string_view name, std::string_view unit) {
  std::string label(name);
  if (unit != "1") label.append(" [").append(unit).append("]");
  return label;
}

std::string value_name(const StateBlock& block, std::uint64_t index) {
  std::vector<std::string> places;  // last extent first
  for (auto extent = block.shape.rbegin(); extent != block.shape.rend(); ++extent) {
    places.push_back(std::to_string(index % *extent));
    index /= *extent;
  }
  std::string name = block.name;
  for (auto place = places.rbegin(); place != places.rend(); ++place) {
    name.append("[").append(*place).append("]");
  }
  return name;
}

}  // namespace haptic
