#include "host/formats/number_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <utility>

#include "host/formats/file_bytes.h"
#include "shared/error.h"
#include "shared/files/regular_file.h"

namespace haptic {
namespace {

constexpr std::string_view kBlank = " \t\r\f\v";

}  // namespace

NumberLines::NumberLines(const std::filesystem::path& path, char comment)
    : NumberLines(read_regular_file(path, "a file of numbers", kMaxMeshBytes), path.string(),
                  comment) {}

NumberLines::NumberLines(std::string text, std::string file, char comment)
    : file_(std::move(file)), text_(std::move(text)), comment_(comment) {}

bool NumberLines::next() {
  while (at_ < text_.size()) {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    line_ = std::string_view(text_).substr(at_, end - at_);
    at_ = end + 1;
    ++number_;
    if (comment_ != 0) line_ = line_.substr(0, line_.find(comment_));
    words_.clear();
    for (std::size_t i = 0; i < line_.size();) {
      const std::size_t begin = line_.find_first_not_of(kBlank, i);
      if (begin == std::string_view::npos) break;
      i = std::min(line_.find_first_of(kBlank, begin), line_.size());
      words_.push_back(line_.substr(begin, i - begin));
    }
    if (words_.empty()) continue;
    line_ = std::string_view(words_.front().data(),
                             static_cast<std::size_t>(words_.back().data() + words_.back().size() -
                                                      words_.front().data()));
    return true;
  }
  return false;
}

void NumberLines::require_next(std::string_view expected) {
  if (!next()) throw InputError(file_, "", "found the end of the file", expected);
}

void NumberLines::refuse(const std::string& found, std::string_view expected) const {
  throw InputError(file_, fmt::format("line {}", number_), found, expected);
}

std::string_view NumberLines::word(std::size_t i) const {
  if (i >= words_.size()) {
    refuse(fmt::format("found {} numbers", words_.size()), fmt::format("at least {}", i + 1));
  }
  return words_[i];
}

std::int64_t NumberLines::integer(std::size_t i) const {
  const std::string_view text = word(i);
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size()) {
    refuse(fmt::format("found \"{}\"", text), "an integer");
  }
  return value;
}

double NumberLines::real(std::size_t i) const {
  std::string_view text = word(i);
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0.0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  // A value below the smallest denormal is accepted as zero; files contain such values.
  const bool tiny = code == std::errc::result_out_of_range && text.find("e-") != text.npos;
  if ((code != std::errc{} && !tiny) || end != text.data() + text.size() || !std::isfinite(value)) {
    refuse(fmt::format("found \"{}\"", text), "a finite number");
  }
  return value;
}

std::size_t NumberLines::count(std::size_t i) const {
  const std::int64_t value = integer(i);
  if (value < 0 || value > INT32_MAX) refuse(fmt::format("found {}", value), "a count");
  return static_cast<std::size_t>(value);
}

}  // namespace haptic
