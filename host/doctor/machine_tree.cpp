#include "host/doctor/machine_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <system_error>
#include <utility>

#include "shared/error.h"
#include "shared/files/regular_file.h"

namespace haptic {
namespace {

std::optional<long long> parse(std::string_view text) {
  long long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return value;
}

}  // namespace

std::filesystem::path MachineTree::at(std::string_view path) const {
  return root_ / std::filesystem::path(path).relative_path();
}

bool MachineTree::has(std::string_view path) const {
  std::error_code error;
  return std::filesystem::exists(at(path), error);
}

std::optional<std::string> MachineTree::line(std::string_view path) const {
  std::vector<std::string> all = lines(path);
  if (all.empty()) return std::nullopt;
  return std::move(all.front());
}

std::vector<std::string> MachineTree::lines(std::string_view path) const {
  constexpr std::uint64_t kMaxBytes = std::uint64_t{16} << 20;  // /proc/interrupts of 1,000 CPUs
  std::vector<std::string> all;
  try {
    std::istringstream file(read_regular_file(at(path), "a file", kMaxBytes));
    for (std::string text; std::getline(file, text);) all.push_back(text);
  } catch (const InputError&) {  // as if it were not there
  }
  return all;
}

std::optional<long long> MachineTree::number(std::string_view path) const {
  const std::optional<std::string> text = line(path);
  return text ? parse(*text) : std::nullopt;
}

std::vector<std::string> MachineTree::names(std::string_view folder) const {
  std::vector<std::string> all;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(at(folder), error), end; !error && entry != end;
       entry.increment(error)) {
    all.push_back(entry->path().filename().string());
  }
  // "cpu2" before "cpu10", "9" before "24".
  std::sort(all.begin(), all.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  });
  return all;
}

std::optional<std::uint32_t> MachineTree::group(std::string_view name) const {
  for (const std::string& entry : lines("/etc/group")) {
    const std::size_t first = entry.find(':');
    if (first == std::string::npos || entry.substr(0, first) != name) continue;
    const std::size_t second = entry.find(':', first + 1);
    if (second == std::string::npos) return std::nullopt;
    if (const auto id = parse(std::string_view(entry).substr(second + 1))) {
      return static_cast<std::uint32_t>(*id);
    }
  }
  return std::nullopt;
}

}  // namespace haptic
