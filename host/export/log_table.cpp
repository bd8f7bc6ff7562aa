#include "host/export/log_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "shared/error.h"

namespace haptic {
namespace {

constexpr std::uint64_t kBlockValues = std::uint64_t{1} << 22;  // 32 MB
constexpr std::uint64_t kMaxBlockRows = std::uint64_t{1} << 16;

template <class Value>
std::vector<Value> picked(const std::vector<Value>& values, std::size_t width, std::size_t place,
                          std::span<const std::uint64_t> rows, std::uint64_t first) {
  std::vector<Value> result;
  result.reserve(rows.size());
  for (const std::uint64_t row : rows) result.push_back(values[(row - first) * width + place]);
  return result;
}

}  // namespace

LogTable::LogTable(const LogReader& log, const std::vector<std::string>& names,
                   const RowChoice& choice, Progress progress)
    : log_(log), rows_(chosen_rows(log, choice)), progress_(std::move(progress)) {
  if (names.empty()) {
    quantities_ = log_quantities(log);
    std::erase_if(quantities_,
                  [](const LogQuantity& q) { return q.source == QuantitySource::kGap; });
  }
  for (const std::string& name : names) quantities_.push_back(find_quantity(log, name));
  const LogQuantity time = find_quantity(log, "time");
  if (std::ranges::find(quantities_, time.name, &LogQuantity::name) == quantities_.end()) {
    quantities_.insert(quantities_.begin(), time);
  }
  std::set<std::string> titles;
  for (const LogQuantity& quantity : quantities_) {
    for (std::size_t c = 0; c < quantity.components.size(); ++c) {
      if (!titles.insert(quantity.title(c)).second) {
        throw InputError("column", quantity.title(c), "found twice", "each column once");
      }
      columns_.push_back({quantity.title(c), quantity.components[c].unit, quantity.meaning,
                          quantity.is_integer ? ColumnKind::kInteger : ColumnKind::kReal});
    }
  }
}

LogTable::Block LogTable::read(std::uint64_t first, std::uint64_t last) const {
  Block block;
  const auto rows = std::span(rows_).subspan(first, last - first);
  const std::uint64_t begin = rows.front(), count = rows.back() + 1 - begin;
  for (const LogQuantity& quantity : quantities_) {
    if (quantity.is_integer) {
      const std::size_t width = log_.width(quantity.dataset);
      std::vector<std::int64_t> values(count * width);
      log_.read_rows(quantity.dataset, width, begin, count, H5T_NATIVE_INT64, values.data());
      // HDF5 writes the nearest number for one that does not fit.
      constexpr std::int64_t kTooLarge = std::numeric_limits<std::int64_t>::max();
      if (std::ranges::find(values, kTooLarge) != values.end()) {
        throw InputError(log_.path().string(), quantity.dataset,
                         fmt::format("found {} or more", kTooLarge), "integers below 2^63 - 1");
      }
      for (const LogComponent& c : quantity.components) {
        block.emplace_back(picked(values, width, c.place, rows, begin));
      }
      continue;
    }
    const std::vector<double> values = read_quantity(log_, quantity, begin, count);
    const std::size_t width = quantity.components.size();
    for (std::size_t c = 0; c < width; ++c) {
      block.emplace_back(picked(values, width, c, rows, begin));
    }
  }
  return block;
}

void LogTable::for_each_block(const std::function<void(const Block&)>& use) const {
  const std::uint64_t span =
      std::clamp<std::uint64_t>(kBlockValues / columns_.size(), 1, kMaxBlockRows);
  std::uint64_t first = 0;
  while (first < rows_.size()) {
    // Of the log, no more rows than a block has room for lie between the first and the last.
    std::uint64_t last = first + 1;
    while (last < rows_.size() && rows_[last] - rows_[first] < span) ++last;
    use(read(first, last));
    first = last;
    if (progress_) progress_(static_cast<double>(first) / static_cast<double>(rows_.size()));
  }
}

std::size_t size_of(const ColumnValues& values) {
  return std::visit([](const auto& v) { return v.size(); }, values);
}

}  // namespace haptic
