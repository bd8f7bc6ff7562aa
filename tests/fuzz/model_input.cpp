#include "tests/fuzz/model_input.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string_view>

#include "shared/artifact/user_block.h"
#include "tests/support/model_hashes.h"

namespace haptic {
namespace {

constexpr std::size_t kMaxFile = std::size_t{1} << 18;
constexpr std::size_t kMaxParts = 80;

/// Takes numbers off the front of the input.
class Source {
 public:
  explicit Source(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  bool empty() const { return bytes_.empty(); }
  template <typename T>
  T take() {
    T value{};
    const std::size_t count = std::min(sizeof value, bytes_.size());
    std::memcpy(&value, bytes_.data(), count);
    bytes_ = bytes_.subspan(count);
    return value;
  }
  std::vector<std::uint8_t> take_bytes(std::size_t count) {
    count = std::min(count, bytes_.size());
    std::vector<std::uint8_t> taken(bytes_.begin(),
                                    bytes_.begin() + static_cast<std::ptrdiff_t>(count));
    bytes_ = bytes_.subspan(count);
    return taken;
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

template <typename T>
void put(std::vector<std::uint8_t>& out, T value) {
  out.resize(out.size() + sizeof value);
  std::memcpy(out.data() + (out.size() - sizeof value), &value, sizeof value);
}

std::uint64_t choose(std::uint64_t n, std::uint64_t k) {
  if (n < k) return 0;
  std::uint64_t value = 1;
  for (std::uint64_t i = 1; i <= k; ++i) value = value * (n - k + i) / i;
  return value;
}

/// One extent of the shape column.
std::uint64_t extent_of(std::string_view text, const ModelInput& input, std::size_t data_size) {
  const auto symbol = [&](char name) -> std::uint64_t {
    const char* const at = std::strchr(ModelInput::kSymbols, name);
    return input.symbols[static_cast<std::size_t>(at - ModelInput::kSymbols)];
  };
  const std::uint64_t r = symbol('r');
  if (text == "bytes") return data_size;
  if (text == "fixed") return data_size / 4;
  if (text == "E") return symbol('D') * (symbol('N') + 1);
  if (text == "C(r+1,2)") return choose(r + 1, 2);
  if (text == "C(r+2,3)") return choose(r + 2, 3);
  if (text == "C(r+3,4)") return choose(r + 3, 4);
  if (text == "C(C(r+1,2)+1,2)") return choose(choose(r + 1, 2) + 1, 2);
  if (text == "(N+1)") return symbol('N') + 1;
  if (text == "l + 1") return symbol('l') + 1;
  std::uint64_t factor = 0;
  std::size_t digits = 0;
  for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9'; ++digits) {
    factor = 10 * factor + static_cast<std::uint64_t>(text[digits] - '0');
  }
  if (digits == text.size()) return factor;
  return (digits == 0 ? 1 : factor) * symbol(text[digits]);
}

std::array<std::uint64_t, 3> shape_of(const ModelInput::Part& part, const SectionInfo& info,
                                      const ModelInput& input) {
  if (part.own_shape) return part.shape;
  std::array<std::uint64_t, 3> shape = {};
  std::string_view text = info.shape;
  for (std::uint32_t i = 0; i < info.rank; ++i) {
    const std::size_t end = text.find(" x ");
    shape[i] = extent_of(text.substr(0, end), input, part.data.size());
    if (end != std::string_view::npos) text.remove_prefix(end + 3);
  }
  return shape;
}

template <typename T>
void overwrite(std::vector<std::uint8_t>& data, std::size_t number, T value) {
  const std::size_t at = number * sizeof value;
  if (at + sizeof value <= data.size()) std::memcpy(data.data() + at, &value, sizeof value);
}

template <typename T>
T odd_number(std::mt19937& random, T old) {
  using Limits = std::numeric_limits<T>;
  const T numbers[] = {T(0),
                       T(-1),
                       T(1),
                       Limits::max(),
                       Limits::lowest(),
                       Limits::min(),
                       Limits::denorm_min(),
                       Limits::infinity(),
                       Limits::quiet_NaN(),
                       -old,
                       old * T(2),
                       old / T(2),
                       old * T(1e9),
                       old * T(1e-9),
                       T(1e15),
                       T(1e-15)};
  return numbers[random() % std::size(numbers)];
}

std::uint32_t odd_index(std::mt19937& random, std::uint32_t old) {
  const std::uint32_t numbers[] = {0, 1, 2, old + 1, old - 1, ~0u, ~0u >> 1, 1u << 31, old * 2};
  return numbers[random() % std::size(numbers)];
}

void mutate_number(ModelInput::Part& part, std::mt19937& random) {
  const SectionInfo& info = kSections[part.section % kSections.size()];
  const std::size_t size = element_size(info.type), count = part.data.size() / size;
  if (count == 0) {
    part.data.assign(size * (1 + random() % 8), 0);
    return;
  }
  const std::size_t number = random() % count;
  const auto old = [&](auto value) {
    std::memcpy(&value, part.data.data() + number * size, sizeof value);
    return value;
  };
  switch (info.type) {
    case ElementType::kFloat32:
      return overwrite(part.data, number, odd_number(random, old(0.0f)));
    case ElementType::kFloat64:
      return overwrite(part.data, number, odd_number(random, old(0.0)));
    case ElementType::kUint32:
      return overwrite(part.data, number, odd_index(random, old(0u)));
    case ElementType::kUint8:
      return overwrite(part.data, number, static_cast<std::uint8_t>(random()));
  }
}

}  // namespace

ModelInput ModelInput::parse(std::span<const std::uint8_t> bytes) {
  Source source(bytes);
  ModelInput input;
  input.scene = source.take<std::uint8_t>();
  for (std::uint8_t& symbol : input.symbols) symbol = source.take<std::uint8_t>();
  while (!source.empty() && input.parts.size() < kMaxParts) {
    Part& part = input.parts.emplace_back();
    part.section = source.take<std::uint8_t>();
    part.own_shape = source.take<std::uint8_t>() == 1;
    if (part.own_shape) part.shape = source.take<decltype(part.shape)>();
    part.data = source.take_bytes(source.take<std::uint16_t>());
  }
  return input;
}

std::vector<std::uint8_t> ModelInput::bytes() const {
  std::vector<std::uint8_t> out;
  put(out, scene);
  put(out, symbols);
  for (const Part& part : parts) {
    put(out, part.section);
    put(out, static_cast<std::uint8_t>(part.own_shape ? 1 : 0));
    if (part.own_shape) put(out, part.shape);
    const std::size_t count = std::min<std::size_t>(part.data.size(), 0xffff);
    put(out, static_cast<std::uint16_t>(count));
    out.insert(out.end(), part.data.begin(),
               part.data.begin() + static_cast<std::ptrdiff_t>(count));
  }
  return out;
}

void ModelInput::write_file(std::vector<std::uint8_t>& file) const {
  file.clear();
  file.reserve(kMaxFile + kSectionAlignment);
  file.resize(kUserBlockSize);
  UserBlockHeader header = {};
  header.magic = kModelMagic;
  header.byte_order = kByteOrderMark;
  header.version = kModelFormatVersion;
  header.section_count = static_cast<std::uint32_t>(parts.size());
  header.entry_size = sizeof(UserBlockEntry);
  header.index_offset = sizeof header;
  header.index_length = parts.size() * sizeof(UserBlockEntry);
  std::memcpy(file.data(), &header, sizeof header);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[i];
    const SectionInfo& info = kSections[part.section % kSections.size()];
    UserBlockEntry entry = {};
    std::copy(info.name.begin(), info.name.end(), entry.name.begin());
    entry.type = static_cast<std::uint32_t>(info.type);
    entry.rank = info.rank;
    const std::array<std::uint64_t, 3> shape = shape_of(part, info, *this);
    entry.length = element_size(info.type);
    for (std::uint32_t axis = 0; axis < info.rank; ++axis) {
      entry.shape[axis] = shape[axis];
      entry.length *= shape[axis];
    }
    entry.offset = file.size();
    std::memcpy(file.data() + sizeof header + i * sizeof entry, &entry, sizeof entry);
    if (entry.length > kMaxFile - file.size()) continue;
    const std::size_t begin = file.size();
    file.resize(begin +
                (entry.length + kSectionAlignment - 1) / kSectionAlignment * kSectionAlignment);
    for (std::size_t at = 0; at < entry.length && !part.data.empty(); at += part.data.size()) {
      const std::size_t count = std::min(part.data.size(), entry.length - at);
      std::memcpy(file.data() + begin + at, part.data.data(), count);
    }
  }
  rebuild_model_hashes(file);
}

void mutate(ModelInput& input, std::uint32_t seed) {
  std::mt19937 random(seed);
  if (input.parts.empty()) input.parts.emplace_back();
  ModelInput::Part& part = input.parts[random() % input.parts.size()];
  switch (random() % 10) {
    case 0: {
      std::uint8_t& symbol = input.symbols[random() % input.symbols.size()];
      const std::uint8_t values[] = {0,
                                     1,
                                     static_cast<std::uint8_t>(symbol + 1),
                                     static_cast<std::uint8_t>(symbol - 1),
                                     static_cast<std::uint8_t>(2 * symbol),
                                     255};
      symbol = values[random() % std::size(values)];
      return;
    }
    case 1: {
      const SectionInfo& info = kSections[part.section % kSections.size()];
      if (!part.own_shape) part.shape = shape_of(part, info, input);
      part.own_shape = true;
      std::uint64_t& extent = part.shape[random() % info.rank];
      const std::uint64_t all = ~std::uint64_t{0};
      const std::uint64_t values[] = {0,
                                      1,
                                      extent + 1,
                                      extent - 1,
                                      all,
                                      all - 1,
                                      all - 2,
                                      all / 2,
                                      std::uint64_t{1} << 32,
                                      (std::uint64_t{1} << 32) - 1};
      extent = values[random() % std::size(values)];
      return;
    }
    case 2:
      part.own_shape = false;
      return;
    case 3:
      input.scene = static_cast<std::uint8_t>(random());
      return;
    case 4:
      if (random() % 4 != 0) break;
      if (random() % 2 == 0) {
        input.parts.erase(input.parts.begin() +
                          static_cast<std::ptrdiff_t>(&part - input.parts.data()));
      } else if (input.parts.size() < kMaxParts) {
        ModelInput::Part other;
        other.section = static_cast<std::uint8_t>(random() % kSections.size());
        input.parts.push_back(std::move(other));
      }
      return;
    default:
      break;
  }
  for (auto count = 1 + random() % 3; count > 0; --count) mutate_number(part, random);
}

}  // namespace haptic
