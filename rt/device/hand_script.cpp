#include "rt/device/hand_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "shared/error.h"
#include "shared/files/regular_file.h"

namespace haptic {

namespace {

constexpr double kUnitTolerance = 1e-3;
constexpr std::array<std::string_view, 8> kColumns = {"time_s", "x_m", "y_m", "z_m",
                                                      "qw",     "qx",  "qy",  "qz"};
constexpr std::string_view kHeader = "time_s,x_m,y_m,z_m,qw,qx,qy,qz";
constexpr std::string_view kButtons = "buttons";
constexpr std::string_view kHdf5 = "\x89HDF\r\n";
constexpr std::size_t kNoColumn = ~std::size_t{0};
// A quarter of an hour at 1 kHz; with the bytes, what a script may take of a daemon's locked
// memory.
constexpr std::size_t kMaxRows = 1'000'000;
constexpr std::uint64_t kMaxBytes = std::uint64_t{128} << 20;
constexpr std::string_view kExpectedFile =
    "a CSV file with the header time_s,x_m,y_m,z_m,qw,qx,qy,qz";

/// Position of each of kColumns in the file's header, and of kButtons.
struct Columns {
  std::array<std::size_t, 8> of{};
  std::size_t buttons = kNoColumn;
  char separator = ',';

  std::size_t count() const { return of.size() + (buttons == kNoColumn ? 0 : 1); }
};

std::string_view trimmed(std::string_view text, std::string_view blank = " \t\r") {
  const std::size_t begin = text.find_first_not_of(blank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blank) - begin + 1);
}

/// Without the quotes that R and some spreadsheets put around names.
std::string_view unquoted(std::string_view text) {
  const bool is_quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return is_quoted ? text.substr(1, text.size() - 2) : text;
}

/// @param separator  a blank stands for any number of blanks
std::vector<std::string_view> cells(std::string_view line, char separator) {
  std::vector<std::string_view> result;
  while (true) {
    if (separator == ' ') line = trimmed(line);
    const std::size_t end = line.find(separator);
    result.push_back(unquoted(trimmed(line.substr(0, end))));
    if (end == std::string_view::npos) return result;
    line.remove_prefix(end + 1);
  }
}

/// Commas, or what a spreadsheet with decimal commas writes, or blanks (numpy.savetxt).
char separator_of(std::string_view header) {
  for (const char separator : {';', '\t', ','}) {
    if (header.find(separator) != std::string_view::npos) return separator;
  }
  return ' ';
}

std::string quoted(std::string_view text) {
  constexpr std::size_t kMaxLength = 60;
  return text.size() <= kMaxLength ? fmt::format("'{}'", text)
                                   : fmt::format("'{}...'", text.substr(0, kMaxLength));
}

/// A number as spreadsheets and numpy write it: perhaps with a plus, perhaps with a decimal comma
/// where commas separate no values.
bool parse(std::string_view text, char separator, double& value) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-' && text[1] != '+') text.remove_prefix(1);
  std::string with_point(text);
  if (separator != ',') std::ranges::replace(with_point, ',', '.');
  const char* const last = with_point.data() + with_point.size();
  const auto [end, error] = std::from_chars(with_point.data(), last, value);
  return error == std::errc{} && end == last;
}

/// A bit per button; also as the real number of a table without integers, such as 3.0.
bool parse(std::string_view text, char separator, std::uint32_t& value) {
  double number = 0.0;
  constexpr double kMax = std::numeric_limits<std::uint32_t>::max();
  if (!parse(text, separator, number) || !(number >= 0.0 && number <= kMax)) return false;
  value = static_cast<std::uint32_t>(number);
  return value == number;
}

Columns read_header(std::string_view line, const std::string& place) {
  Columns columns;
  columns.separator = separator_of(line);
  const std::vector<std::string_view> names = cells(line, columns.separator);
  const std::string expected = fmt::format("the header {}", kHeader);
  if (double number = 0.0; parse(names.front(), columns.separator, number)) {
    throw InputError(place, "", "found numbers and no header before them", expected);
  }
  if (std::ranges::find(names, std::string_view()) != names.end()) {
    throw InputError(place, "",
                     fmt::format("found a column without a name in {}, such as the index of "
                                 "pandas (to_csv(index=False) writes none)",
                                 quoted(line)),
                     expected);
  }
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    const auto found = std::ranges::find(names, kColumns[i]);
    if (found == names.end()) {
      throw InputError(place, "",
                       fmt::format("found no column '{}' in {}", kColumns[i], quoted(line)),
                       expected);
    }
    columns.of[i] = static_cast<std::size_t>(found - names.begin());
  }
  const auto buttons = std::ranges::find(names, kButtons);
  if (buttons != names.end()) columns.buttons = static_cast<std::size_t>(buttons - names.begin());
  if (names.size() != columns.count()) {
    throw InputError(
        place, "", fmt::format("found {} columns", names.size()),
        fmt::format("the {} columns {}, and perhaps {}", kColumns.size(), kHeader, kButtons));
  }
  return columns;
}

HandSample read_row(std::string_view line, const Columns& columns, const std::string& place) {
  const std::vector<std::string_view> texts = cells(line, columns.separator);
  if (texts.size() != columns.count()) {
    const bool has_decimal_commas = columns.separator == ',' && texts.size() > columns.count();
    throw InputError(
        place, "",
        fmt::format("found {} values{}", texts.size(),
                    has_decimal_commas ? " (decimal commas need semicolons between values)" : ""),
        fmt::format("{} values, one for each column", columns.count()));
  }
  std::array<double, 8> v{};
  for (std::size_t i = 0; i < columns.of.size(); ++i) {
    const std::string_view text = texts[columns.of[i]];
    if (!parse(text, columns.separator, v[i]) || !std::isfinite(v[i])) {
      throw InputError(place, kColumns[i], fmt::format("found {}", quoted(text)),
                       "a finite number");
    }
  }
  std::uint32_t buttons = 0;
  if (columns.buttons != kNoColumn && !parse(texts[columns.buttons], columns.separator, buttons)) {
    throw InputError(place, kButtons, fmt::format("found {}", quoted(texts[columns.buttons])),
                     "an integer, one bit for each of up to 32 buttons");
  }
  return {v[0], {{v[1], v[2], v[3]}, {v[4], v[5], v[6], v[7]}}, buttons};
}

/// Whether a comment is the header of numpy.savetxt.
bool names_columns(std::string_view comment) {
  const std::vector<std::string_view> names = cells(comment, separator_of(comment));
  return std::ranges::all_of(kColumns, [&](std::string_view column) {
    return std::ranges::find(names, column) != names.end();
  });
}

/// A zero byte would end the message about the value that has it.
void refuse_zero_byte(std::string_view line, const std::string& place) {
  constexpr std::size_t kShown = 20;
  const std::size_t zero = line.find('\0');
  if (zero == std::string_view::npos) return;
  const std::size_t begin = zero < kShown ? 0 : zero - kShown;
  throw InputError(place, "",
                   fmt::format("found a zero byte, '{}\\x00'", line.substr(begin, zero - begin)),
                   "text");
}

/// Removes a byte order mark. @throws InputError for UTF-16
void skip_byte_order_mark(std::string& first_line, const std::string& place) {
  if (first_line.starts_with("\xef\xbb\xbf")) first_line.erase(0, 3);
  const bool is_utf16 = first_line.starts_with("\xff\xfe") || first_line.starts_with("\xfe\xff") ||
                        first_line.find('\0') < 2;
  if (is_utf16) throw InputError(place, "", "found UTF-16", "UTF-8 (in Excel: CSV UTF-8)");
}

}  // namespace

HandScript::HandScript() : HandScript(std::vector<HandSample>{{0.0, Pose{}}}) {}

HandScript::HandScript(std::vector<HandSample> rows, const std::string& source)
    : rows_(std::move(rows)) {
  std::vector<std::string> places;
  if (rows_.empty()) places.push_back(source);
  for (std::size_t i = 0; i < rows_.size(); ++i)
    places.push_back(fmt::format("{}: row {}", source, i + 1));
  check(places);
}

HandScript::HandScript(std::vector<HandSample> rows, const std::vector<std::string>& places)
    : rows_(std::move(rows)) {
  check(places);
}

void HandScript::check(const std::vector<std::string>& places) {
  if (rows_.empty()) {
    throw InputError(places.empty() ? "hand script" : places.front(), "", "found no row of numbers",
                     "at least one");
  }
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    HandSample& row = rows_[i];
    if (!std::isfinite(row.time) || !is_finite(row.pose)) {
      throw InputError(places[i], "", "found a number that is not finite", "finite numbers");
    }
    const bool is_last = i + 1 == rows_.size();
    if (std::abs(row.time) > kMaxScriptTime_s || (is_last && row.time < 0.0)) {
      throw InputError(
          places[i], "time_s", fmt::format("found {} s", row.time),
          fmt::format("times within {:g} s of 0, the last one not before 0", kMaxScriptTime_s));
    }
    const double norm = row.pose.orientation.norm();
    if (std::abs(norm - 1.0) > kUnitTolerance) {
      throw InputError(places[i], "qw..qz",
                       fmt::format("found a quaternion of length {:.6g}", norm),
                       fmt::format("length 1 within {}", kUnitTolerance));
    }
    row.pose.orientation.normalize();
    if (i == 0) continue;

    const HandSample& last = rows_[i - 1];
    const double interval = row.time - last.time;
    if (!(interval > 0.0)) {
      throw InputError(places[i], "time_s",
                       fmt::format("found {} s after {} s", row.time, last.time),
                       "increasing times");
    }
    Twist velocity;
    velocity.linear = (row.pose.position - last.pose.position) / interval;
    velocity.angular =
        rotation_logarithm(row.pose.orientation * last.pose.orientation.conjugate()) / interval;
    const double speed = velocity.linear.norm();
    if (!(speed <= kMaxHandSpeed)) {
      throw InputError(places[i], "",
                       fmt::format("found a jump of {:.4g} m in {:.4g} s ({:.4g} m/s)",
                                   speed * interval, interval, speed),
                       fmt::format("at most {} m/s between rows", kMaxHandSpeed));
    }
    const double angular_speed = velocity.angular.norm();
    if (!(angular_speed <= kMaxHandAngularSpeed)) {
      throw InputError(places[i], "",
                       fmt::format("found a jump of {:.4g} rad in {:.4g} s ({:.4g} rad/s)",
                                   angular_speed * interval, interval, angular_speed),
                       fmt::format("at most {} rad/s between rows", kMaxHandAngularSpeed));
    }
    segments_.push_back(velocity);
  }
}

HandScript HandScript::load(const std::filesystem::path& path) {
  if (first_bytes(path, kHdf5.size()) == kHdf5) {
    throw InputError(path.string(), "", "found an HDF5 file (a log?)", kExpectedFile);
  }
  std::istringstream file(read_regular_file(path, kExpectedFile, kMaxBytes));
  std::vector<HandSample> rows;
  std::vector<std::string> places;
  Columns columns;
  bool has_header = false;
  std::size_t number = 0;
  for (std::string text; std::getline(file, text);) {
    ++number;
    const std::string place = fmt::format("{}:{}", path.string(), number);
    if (number == 1) skip_byte_order_mark(text, place);
    refuse_zero_byte(text, place);
    // A tab at the begin or the end separates an empty value.
    std::string_view line = trimmed(text, " \r");
    if (line.find_first_not_of("\t,;") == std::string_view::npos) continue;  // blank, or no value
    if (line.front() == '#') {
      line = trimmed(line, "# \t");
      if (has_header || !names_columns(line)) continue;
    }
    if (!has_header) {
      columns = read_header(line, place);
      has_header = true;
      continue;
    }
    if (rows.size() == kMaxRows) {
      throw InputError(place, "", "found more rows", fmt::format("at most {} rows", kMaxRows));
    }
    rows.push_back(read_row(line, columns, place));
    places.push_back(place);
  }
  if (!has_header) {
    throw InputError(path.string(), "", "found an empty file",
                     "the header " + std::string(kHeader));
  }
  if (places.empty()) places.push_back(path.string());
  return HandScript(std::move(rows), places);
}

std::size_t HandScript::row_before(double time) const HAPTIC_REALTIME {
  const auto after = std::upper_bound(rows_.begin(), rows_.end(), time,
                                      [](double t, const HandSample& row) { return t < row.time; });
  return after == rows_.begin() ? rows_.size()
                                : static_cast<std::size_t>(after - rows_.begin()) - 1;
}

Pose HandScript::pose(double time) const HAPTIC_REALTIME {
  const std::size_t i = row_before(time);
  if (i == rows_.size()) return rows_.front().pose;
  if (i + 1 == rows_.size()) return rows_.back().pose;
  const HandSample& row = rows_[i];
  const double elapsed = time - row.time;
  Pose result;
  result.position = row.pose.position + elapsed * segments_[i].linear;
  result.orientation =
      (rotation_exponential(elapsed * segments_[i].angular) * row.pose.orientation).normalized();
  return result;
}

Twist HandScript::twist(double time) const HAPTIC_REALTIME {
  const std::size_t i = row_before(time);
  if (i >= segments_.size()) return {};
  return segments_[i];
}

std::uint32_t HandScript::buttons(double time) const HAPTIC_REALTIME {
  const std::size_t i = row_before(time);
  return i == rows_.size() ? 0 : rows_[i].buttons;
}

}  // namespace haptic
