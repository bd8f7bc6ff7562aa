#include "host/cli/column_list.h"

#include <fmt/format.h>

#include <string>

#include "host/log/log_quantity.h"
#include "shared/printable.h"

namespace haptic {
namespace {

/// ".x .y .z", "[0] ... [23]"; empty for one number.
std::string parts_of(const LogQuantity& quantity) {
  constexpr std::size_t kMaxShown = 8;
  const auto& all = quantity.components;
  if (all.size() > kMaxShown) {
    return fmt::format("{} ... {}", all.front().suffix, all.back().suffix);
  }
  std::string parts;
  for (const LogComponent& c : all) parts += (parts.empty() ? "" : " ") + c.suffix;
  return parts;
}

/// "m", or of a pose "m, 1".
std::string units_of(const LogQuantity& quantity) {
  std::string units = quantity.components.front().unit;
  const std::string& last = quantity.components.back().unit;
  return last == units ? units : units + ", " + last;
}

}  // namespace

void print_columns(const LogReader& log) {
  fmt::print("{}: {} rows at {:g} Hz\n", printable(log.path().string()), log.rows(),
             log.description().rate_hz);
  for (const LogQuantity& quantity : log_quantities(log)) {
    fmt::print("  {:<28} {:<22} {:<12} {}\n", printable(quantity.name), parts_of(quantity),
               units_of(quantity), printable(quantity.meaning));
  }
  for (const StateBlock& block : log.description().state.blocks()) {
    if (block.rate != StateRate::kDisplay || block.size() == 0) continue;
    fmt::print(
        "  {:<28} {:<22} {:<12} {} (at display rate: only in view, report and export "
        "of scenes)\n",
        block.name, fmt::format("{} numbers", block.size()), block.unit, block.meaning);
  }
}

}  // namespace haptic
