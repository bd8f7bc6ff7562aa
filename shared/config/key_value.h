#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "shared/config/document_keys.h"
#include "shared/config/number_range.h"
#include "shared/config/toml_reader.h"

/// How a value is read from a key, described, and written as a default, by its type. For
/// key_schema.h.
namespace haptic {

/// Whole numbers that a key accepts, both ends included.
struct IntegerRange {
  std::int64_t minimum = std::numeric_limits<std::int64_t>::min();
  std::int64_t maximum = std::numeric_limits<std::int64_t>::max();
  std::string_view unit = {};  ///< e.g. "bytes"; empty if dimensionless
};

/// Of numbers that a document gives in another unit than their member has: member = factor *
/// number.
struct ScaledRange {
  NumberRange range;
  double factor;
};

/// Of an orientation, which a document gives as w, x, y, z.
struct UnitQuaternion {};

/// The words of a choice, each with the value that it stands for, in the order of messages.
template <class Value>
using KeyWords = std::vector<std::pair<std::string_view, Value>>;

/// Of an enumeration whose values are numbered in the order of the words.
template <class Value, std::size_t kCount>
KeyWords<Value> words_in_order(const std::array<std::string_view, kCount>& words) {
  KeyWords<Value> all;
  for (std::size_t i = 0; i < kCount; ++i) all.emplace_back(words[i], static_cast<Value>(i));
  return all;
}

/// Of a flag, a text or a file.
struct AnyValue {};

template <class Value>
struct OptionalInner {
  using Type = Value;
};
template <class Value>
struct OptionalInner<std::optional<Value>> {
  using Type = Value;
};
/// Value, or what an optional holds.
template <class Value>
using Inner = typename OptionalInner<Value>::Type;

template <class Value>
concept IsOptional = !std::same_as<Value, Inner<Value>>;

template <class Value>
concept IsVector = requires(Value v) {
  v.emplace_back();
}
&&!std::same_as<Value, std::string>;

/// A number of elements that the type tells: std::array, or a fixed vector of Eigen.
template <class Value>
concept IsArray = !IsVector<Value> && !std::same_as<Value, std::string> && requires(Value v) {
  v[0];
  v.size();
  v.data();
};

namespace key_value {

/// "[0, -9.81, 0]"
template <class Array>
std::string list_text(const Array& values) {
  std::string text = "[";
  for (std::size_t i = 0; i < static_cast<std::size_t>(values.size()); ++i) {
    text += (i == 0 ? "" : ", ") + number_text(static_cast<double>(values[i]));
  }
  return text + "]";
}

inline std::string unit_text(std::string_view unit) {
  return unit.empty() ? "1" : std::string(unit);
}

template <class Value>
DocumentKey describe(const NumberRange& range) {
  const std::string unit = unit_text(range.unit);
  if constexpr (IsOptional<Value>) {
    return describe<Inner<Value>>(range);
  } else if constexpr (IsArray<Value>) {
    const auto count = static_cast<std::size_t>(Value{}.size());
    return {.kind = KeyKind::kNumbers,
            .unit = unit,
            .range = array_text("numbers", count, range),
            .numbers = range,
            .count = count};
  } else if constexpr (IsVector<Value>) {
    return {.kind = KeyKind::kNumbers,
            .unit = unit,
            .range = array_text("numbers", 0, range),
            .numbers = range};
  } else {
    static_assert(std::same_as<Value, double>, "a member for numbers");
    return {.kind = KeyKind::kNumber, .unit = unit, .range = range_text(range), .numbers = range};
  }
}

template <class Value>
DocumentKey describe(const IntegerRange& range) {
  if constexpr (IsOptional<Value>) {
    return describe<Inner<Value>>(range);
  } else if constexpr (IsVector<Value>) {
    return {.kind = KeyKind::kIntegers,
            .unit = unit_text(range.unit),
            .range = array_text("integers", 0, number_range(range.minimum, range.maximum)),
            .numbers = number_range(range.minimum, range.maximum)};
  } else {
    static_assert(std::integral<Value>, "a member for a whole number");
    return {.kind = KeyKind::kInteger,
            .unit = unit_text(range.unit),
            .range = range_text(number_range(range.minimum, range.maximum)),
            .numbers = number_range(range.minimum, range.maximum)};
  }
}

template <class Value>
DocumentKey describe(const ScaledRange& scaled) {
  return describe<Value>(scaled.range);
}

template <class Value>
DocumentKey describe(const UnitQuaternion&) {
  return {
      .kind = KeyKind::kNumbers, .unit = "1", .range = array_text("numbers", 4, {}), .count = 4};
}

template <class Value>
DocumentKey describe(const KeyWords<Inner<Value>>& words) {
  std::string list;
  for (const auto& [word, value] : words) list += (list.empty() ? "" : ", ") + std::string(word);
  return {.kind = KeyKind::kChoice, .unit = "-", .range = std::move(list)};
}

template <class Value>
DocumentKey describe(const AnyValue&) {
  using Type = Inner<Value>;
  KeyKind kind = KeyKind::kText;
  if constexpr (std::same_as<Type, bool>) kind = KeyKind::kFlag;
  if constexpr (std::same_as<Type, std::filesystem::path>) kind = KeyKind::kFile;
  if constexpr (std::same_as<Type, std::vector<std::filesystem::path>>) kind = KeyKind::kFiles;
  std::string range;
  std::size_t count = 0;
  if constexpr (IsArray<Type> && !std::same_as<Type, std::filesystem::path>) {
    kind = KeyKind::kTexts;
    count = Type{}.size();
    range = array_text("texts", count, {});
  }
  return {.kind = kind, .unit = "-", .range = std::move(range), .count = count};
}

template <class Value>
void read(const TomlTable& table, std::string_view name, const NumberRange& range, Value& value) {
  if constexpr (IsOptional<Value>) {
    Inner<Value> inner{};
    read(table, name, range, inner);
    value = std::move(inner);
  } else if constexpr (IsVector<Value>) {
    value = table.numbers(name, 0, range);
  } else if constexpr (IsArray<Value>) {
    const std::vector<double> numbers =
        table.numbers(name, static_cast<std::size_t>(value.size()), range);
    std::copy(numbers.begin(), numbers.end(), value.data());
  } else {
    value = table.number(name, range);
  }
}

template <class Value>
void read(const TomlTable& table, std::string_view name, const ScaledRange& scaled, Value& value) {
  read(table, name, scaled.range, value);
  if constexpr (IsArray<Value>) {
    for (auto& each : value) each *= scaled.factor;
  } else {
    value *= scaled.factor;
  }
}

template <class Value>
void read(const TomlTable& table, std::string_view name, const UnitQuaternion&, Value& value) {
  const std::vector<double> q = table.numbers(name, 4, {});
  value = Value(q[0], q[1], q[2], q[3]);
  const double norm = value.norm();
  if (std::abs(norm - 1.0) > 1e-3) {
    table.refuse(name, fmt::format("found a quaternion of length {:.6g}", norm),
                 "w, x, y, z of length 1 within 0.001");
  }
  value.normalize();
}

template <class Value>
void read(const TomlTable& table, std::string_view name, const IntegerRange& range, Value& value) {
  if constexpr (IsVector<Value>) {
    value.clear();
    for (const std::int64_t each : table.integers(name, range.minimum, range.maximum)) {
      value.push_back(static_cast<typename Value::value_type>(each));
    }
  } else {
    value = static_cast<Inner<Value>>(table.integer(name, range.minimum, range.maximum));
  }
}

template <class Value>
void read(const TomlTable& table, std::string_view name, const KeyWords<Inner<Value>>& words,
          Value& value) {
  std::vector<std::string_view> choices;
  for (const auto& [word, meant] : words) choices.push_back(word);
  const std::string found = table.choice(name, choices);
  for (const auto& [word, meant] : words) {
    if (word == found) value = meant;
  }
}

template <class Value>
void read(const TomlTable& table, std::string_view name, const AnyValue&, Value& value) {
  using Type = Inner<Value>;
  if constexpr (std::same_as<Type, bool>) {
    value = table.boolean(name);
  } else if constexpr (std::same_as<Type, std::filesystem::path>) {
    value = table.file(name);
  } else if constexpr (std::same_as<Type, std::vector<std::filesystem::path>>) {
    value = table.files(name);
  } else if constexpr (std::same_as<Type, std::string>) {
    value = table.text(name);
  } else {
    const std::vector<std::string> texts = table.texts(name, Type{}.size());
    std::copy(texts.begin(), texts.end(), value.begin());
  }
}

/// As a default in descriptions; "none" for an optional without a value.
template <class Value, class Format>
std::string text(const Value& value, const Format& format) {
  if constexpr (IsOptional<Value>) {
    return value ? text(*value, format) : "none";
  } else if constexpr (std::same_as<Format, KeyWords<Value>>) {
    for (const auto& [word, meant] : format) {
      if (meant == value) return std::string(word);
    }
    return "none";
  } else if constexpr (std::same_as<Format, ScaledRange>) {
    Value unscaled = value;
    if constexpr (IsArray<Value>) {
      for (auto& each : unscaled) each /= format.factor;
    } else {
      unscaled /= format.factor;
    }
    return text(unscaled, format.range);
  } else if constexpr (std::same_as<Format, UnitQuaternion>) {
    return list_text(std::array{value.w(), value.x(), value.y(), value.z()});
  } else if constexpr (std::same_as<Value, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::same_as<Value, std::string>) {
    return value;
  } else if constexpr (std::is_arithmetic_v<Value>) {
    return number_text(static_cast<double>(value));
  } else if constexpr (std::same_as<Format, AnyValue>) {
    return "none";
  } else {
    return list_text(value);
  }
}

}  // namespace key_value
}  // namespace haptic
