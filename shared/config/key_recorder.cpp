#include "shared/config/key_recorder.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>

namespace haptic {
namespace {

thread_local KeyRecorder* current_recorder = nullptr;

}  // namespace

KeyRecorder::KeyRecorder() : outer_(current_recorder) {
  current_recorder = this;
}

KeyRecorder::~KeyRecorder() {
  current_recorder = outer_;
}

KeyRecorder* KeyRecorder::current() {
  return current_recorder;
}

std::string number_text(double value) {
  std::string text = fmt::format("{:.10g}", value);
  const bool round = value != 0.0 && std::fmod(value, 1e5) == 0.0;
  if (const std::string power = fmt::format("{:.0e}", value); round && std::stod(power) == value) {
    text = power;
  }
  const std::size_t e = text.find('e');
  if (e == std::string::npos) return text;
  return fmt::format("{}e{}", text.substr(0, e), std::stoi(text.substr(e + 1)));  // not e+06
}

std::string range_text(const NumberRange& range) {
  const bool low = std::isfinite(range.minimum), high = std::isfinite(range.maximum);
  const std::string minimum = number_text(range.minimum), maximum = number_text(range.maximum);
  if (!low && !high) return {};
  if (!high) return fmt::format("{} {}", range.minimum_excluded ? ">" : ">=", minimum);
  if (!low) return fmt::format("{} {}", range.maximum_excluded ? "<" : "<=", maximum);
  if (!range.minimum_excluded && !range.maximum_excluded) {
    return fmt::format("{} to {}", minimum, maximum);
  }
  return fmt::format("{} {}, {} {}", range.minimum_excluded ? "above" : "at least", minimum,
                     range.maximum_excluded ? "below" : "at most", maximum);
}

std::string array_text(std::string_view what, std::size_t count, const NumberRange& range) {
  const std::string each = range_text(range);
  const std::string many = count == 0 ? std::string(what) : fmt::format("{} {}", count, what);
  return each.empty() ? many : fmt::format("{}, each {}", many, each);
}

}  // namespace haptic
