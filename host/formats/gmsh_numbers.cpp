#include "host/formats/gmsh_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "host/formats/file_bytes.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr std::int64_t kMaxCount = INT32_MAX;

}  // namespace

std::string_view GmshText::next_line() {
  return lines_.next() ? lines_.line() : std::string_view{};
}

void GmshText::row(std::string_view expected) {
  lines_.require_next(expected);
  word_ = 0;
}

std::string_view GmshBinary::next_line() {
  at_ = std::min(bytes_.find_first_not_of("\r\n", at_), bytes_.size());
  const std::size_t end = std::min(bytes_.find_first_of("\r\n", at_), bytes_.size());
  const std::string_view line = bytes_.substr(at_, end - at_);
  at_ = std::min(end + (bytes_.substr(end).starts_with("\r\n") ? 2 : 1), bytes_.size());
  return line;
}

template <typename T>
T GmshBinary::take() {
  if (bytes_.size() - at_ < sizeof(T)) refuse("found the end of the file", "more numbers");
  const T value = value_at<T>(bytes_, at_);
  at_ += sizeof(T);
  return value;
}

std::int64_t GmshBinary::integer() {
  return take<std::int32_t>();
}

std::int64_t GmshBinary::index() {
  return take<std::int64_t>();
}

double GmshBinary::real() {
  const double value = take<double>();
  if (!std::isfinite(value)) refuse(fmt::format("found {}", value), "a finite number");
  return value;
}

std::size_t GmshBinary::count() {
  const std::int64_t value = index();
  if (value < 0 || value > kMaxCount) refuse(fmt::format("found {}", value), "a count");
  return static_cast<std::size_t>(value);
}

std::size_t GmshBinary::written_count() {
  const std::string_view text = next_line();
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [after, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || after != end || value < 0 || value > kMaxCount) {
    refuse(fmt::format("found \"{}\"", text.substr(0, 40)), "a count");
  }
  return static_cast<std::size_t>(value);
}

bool GmshBinary::skip_to(std::string_view line) {
  at_ = bytes_.find(line, at_);
  if (at_ == bytes_.npos) return false;
  return next_line() == line;
}

void GmshBinary::refuse(const std::string& found, std::string_view expected) const {
  throw InputError(file_, fmt::format("byte {}", at_), found, expected);
}

}  // namespace haptic
