#include "shared/cpu_list.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>

namespace haptic {
namespace {

constexpr int kMaxCpus = 4096;

std::optional<int> parse(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data() || value < 0) return std::nullopt;
  return value;
}

std::string range_text(int first, int last) {
  const std::string text = std::to_string(first);
  return first == last ? text : text + "-" + std::to_string(last);
}

}  // namespace

std::set<int> cpu_list(std::string_view text) {
  std::set<int> cpus;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    const std::size_t dash = part.find('-');
    const auto first = parse(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse(part.substr(dash + 1));
    if (!first || !last) continue;
    for (int cpu = *first; cpu <= std::min(*last, kMaxCpus - 1); ++cpu) cpus.insert(cpu);
  }
  return cpus;
}

std::string cpu_text(const std::set<int>& cpus) {
  std::string text;
  for (auto next = cpus.begin(); next != cpus.end();) {
    const int first = *next;
    int last = first;
    while (++next != cpus.end() && *next == last + 1) last = *next;
    if (!text.empty()) text += ',';
    text += range_text(first, last);
  }
  return text;
}

}  // namespace haptic
