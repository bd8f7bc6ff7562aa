#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/monitor/status_report.h"
#include "shared/ipc/telemetry_layout.h"

namespace haptic {

/// How a line of the page stands out.
enum class Emphasis : std::uint8_t { kPlain, kTitle, kHeading, kGood, kWarning, kBad };

struct PageLine {
  std::string text;  ///< printable (text_columns.h), at most as many columns as the page has
  Emphasis emphasis = Emphasis::kPlain;
};

struct PageSize {
  std::size_t rows = 24, columns = 80;
};

/// The page of `haptic top`: state and rate, force, torque and load against their limits, times as
/// histograms, the numbers of the world's state, events, and in the last row `prompt`. At most
/// `size.rows` lines; parts that do not fit are left out from below, the last row never is.
/// @param events oldest first; the newest that fit are shown
std::vector<PageLine> top_page(const std::string& daemon_name, const StatusReport& report,
                               const std::vector<EventRecord>& events, std::string_view prompt,
                               PageSize size);

}  // namespace haptic
