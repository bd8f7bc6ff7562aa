#include "host/monitor/top_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/monitor/duration_bars.h"
#include "host/monitor/text_columns.h"
#include "shared/ipc/event_text.h"
#include "shared/math/length.h"

namespace haptic {
namespace {

constexpr double kNearLimit = 0.8;  // of a limit, from which a bar is a warning

double norm(const double (&v)[3]) {
  return length(v[0], v[1], v[2]);
}

/// Lines of one page; what does not fit is dropped.
class Page {
 public:
  explicit Page(PageSize size) : size_(size) {}
  void add(std::string_view text, Emphasis emphasis = Emphasis::kPlain) {
    if (lines_.size() < size_.rows) lines_.push_back({printable(text, size_.columns), emphasis});
  }
  std::size_t room() const { return size_.rows - lines_.size(); }
  std::vector<PageLine> take() { return std::move(lines_); }

 private:
  PageSize size_;
  std::vector<PageLine> lines_;
};

/// "force   [######......]  2.31 of 9 N   0.1 2.3 0.0".
void add_bar(Page& page, std::size_t columns, const char* label, double value, double limit,
             const std::string& figures) {
  constexpr std::size_t kLabel = 8, kFigures = 44, kMin = 10;
  const std::size_t width = std::max(kMin, columns - std::min(columns, kLabel + kFigures));
  // A value that is not finite fills the bar.
  const double part = !(value >= 0.0) || limit <= 0.0 ? 0.0 : std::min(1.0, value / limit);
  const auto filled = static_cast<std::size_t>(
      std::lround((std::isfinite(value) ? part : 1.0) * static_cast<double>(width)));
  page.add(fmt::format("{:<{}}[{:#<{}}{:.<{}}] {}", label, kLabel, "", filled, "", width - filled,
                       figures),
           part >= 1.0          ? Emphasis::kBad
           : part >= kNearLimit ? Emphasis::kWarning
                                : Emphasis::kPlain);
}

std::string vector_figures(const double (&v)[3], double limit, const char* unit) {
  return fmt::format("{:.3g} of {:.3g} {}  ({:.3g} {:.3g} {:.3g})", norm(v), limit, unit, v[0],
                     v[1], v[2]);
}

Emphasis emphasis_of(const StatusReport& report) {
  if (report.life != DaemonLife::kAlive || stands_still(report)) return Emphasis::kBad;
  switch (report.newest.record.state) {
    case ServoState::kFault:
    case ServoState::kStopping:
      return Emphasis::kBad;
    case ServoState::kEngaged:
      return Emphasis::kGood;
    default:
      return Emphasis::kTitle;
  }
}

void add_head(Page& page, const std::string& daemon_name, const StatusReport& report,
              std::size_t columns) {
  const SampleRecord& newest = report.newest.record;
  const Counters& counters = report.statistics.counters;
  const bool alive = report.life == DaemonLife::kAlive;
  std::string state(alive ? state_name(report) : "ended");
  if (newest.fault != FaultKind::kNone) state += fmt::format(" ({})", name(newest.fault));
  if (stands_still(report)) state += fmt::format(" for {:.0f} s", report.age_s);
  const std::string head = fmt::format("hapticd \"{}\"  {}  ", daemon_name, state);
  const std::size_t used = std::min(columns, columns_of(printable(head, columns)));
  page.add(head + printable_end(report.header.scene_path, columns - used), emphasis_of(report));
  page.add(fmt::format("rate    {:g} Hz, {:.1f} measured   cycles {}   missed {}   overruns {}",
                       report.header.rate_hz, report.measured_rate_hz, counters.cycles,
                       counters.missed, counters.overruns),
           counters.missed > 0 ? Emphasis::kWarning : Emphasis::kPlain);
  const char* guard = (report.header.grants & kGrantGuarded) != 0          ? "guarded"
                      : (report.header.grants & kGrantMayGoUnguarded) != 0 ? "UNGUARDED"
                                                                           : "no guard";
  const std::string holder = report.holder.since_ns == 0
                                 ? "none"
                                 : fmt::format("user {}, process {} ({})", report.holder.uid,
                                               report.holder.pid, report.holder.client);
  page.add(fmt::format("device  {}, {}   operator {}", report.header.device, guard, holder));
}

void add_bars(Page& page, const StatusReport& report, std::size_t columns) {
  const SampleRecord& newest = report.newest.record;
  const auto& f = newest.device_wrench.force_N;
  const auto& t = newest.device_wrench.torque_Nm;
  add_bar(page, columns, "force", norm(f), report.header.force_limit_N,
          vector_figures(f, report.header.force_limit_N, "N"));
  add_bar(page, columns, "torque", norm(t), report.header.torque_limit_Nm,
          vector_figures(t, report.header.torque_limit_Nm, "N m"));
  const double period_us = 1e6 / report.header.rate_hz;
  const double compute_us = static_cast<double>(newest.total_ns) * 1e-3;
  add_bar(page, columns, "cycle", compute_us, period_us,
          fmt::format("{:.0f} of {:.0f} us", compute_us, period_us));
  const Counters& counters = report.statistics.counters;
  const std::uint64_t page_faults = counters.page_faults_minor + counters.page_faults_major;
  const bool watched = (report.header.grants & kGrantAllocationsWatched) != 0;
  page.add(fmt::format("energy  {:.3g} J at the port   allocations {}   page faults {}   "
                       "preemptions {}",
                       newest.port_energy_J,
                       watched ? fmt::format("{}", counters.allocations) : "not watched",
                       page_faults, counters.involuntary_switches),
           counters.allocations + page_faults > 0 ? Emphasis::kWarning : Emphasis::kPlain);
}

/// A line for each warning, at most `most`.
void add_warnings(Page& page, const StatusReport& report, std::size_t most) {
  const std::vector<WarningFinding> findings = report.physical_warnings();
  const bool all = findings.size() <= most;
  for (std::size_t i = 0; i < (all ? findings.size() : most - 1); ++i) {
    page.add(fmt::format("warning {:.3g} s, last {:.0f} s ago: {}", findings[i].held_s(),
                         report.since_s(findings[i]), findings[i].warning->what),
             Emphasis::kWarning);
  }
  if (!all) {
    page.add(fmt::format("warning {} more: haptic status", findings.size() - (most - 1)),
             Emphasis::kWarning);
  }
}

/// Two columns of lines side by side.
void add_columns(Page& page, const std::vector<std::string>& left,
                 const std::vector<std::string>& right, std::size_t rows, std::size_t width) {
  const auto at = [](const std::vector<std::string>& lines, std::size_t i) {
    return i < lines.size() ? lines[i] : std::string();
  };
  for (std::size_t i = 0; i < rows; ++i) {
    page.add(padded(at(left, i), width) + "  " + at(right, i));
  }
}

std::string percentiles(const char* label, const Histogram& histogram) {
  const auto us = [](std::uint64_t ns) { return static_cast<double>(ns) * 1e-3; };
  return fmt::format("{} p50 {:.1f} p99 {:.1f} max {:.1f} us", label,
                     us(histogram.percentile_ns(0.5)), us(histogram.percentile_ns(0.99)),
                     us(histogram.maximum_ns));
}

void add_histograms(Page& page, const Statistics& statistics, std::size_t height,
                    std::size_t width) {
  page.add(padded(percentiles("wake-up", statistics.wake), width) + "  " +
               percentiles("compute", statistics.compute),
           Emphasis::kHeading);
  const auto wake = duration_bars(statistics.wake, height, width);
  const auto compute = duration_bars(statistics.compute, height, width);
  add_columns(page, wake, compute, std::max(wake.size(), compute.size()), width);
}

std::vector<std::string> number_lines(const StatusReport& report) {
  std::vector<std::string> lines;
  if (!report.has_cycle) return lines;
  for (std::size_t i = 0; i < report.state.blocks().size(); ++i) {
    const StateBlock& block = report.state.blocks()[i];
    if (!block.is_number()) continue;
    const double value = report.state.values(i, std::span(report.newest.state))[0];
    lines.push_back(fmt::format("{} {:.5g}{}", block.name, value, block.unit_suffix()));
  }
  return lines;
}

void add_numbers(Page& page, const StatusReport& report, std::size_t most, std::size_t width) {
  const std::vector<std::string> numbers = number_lines(report);
  if (numbers.empty() || most < 2) return;
  const std::size_t rows = std::min(most - 1, (numbers.size() + 1) / 2);
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(std::min(numbers.size(), rows));
  page.add(numbers.size() > 2 * rows
               ? fmt::format("state of the world ({} of {})", 2 * rows, numbers.size())
               : "state of the world",
           Emphasis::kHeading);
  add_columns(page, {numbers.begin(), middle}, {middle, numbers.end()}, rows, width);
}

void add_events(Page& page, const StatusReport& report, const std::vector<EventRecord>& events,
                std::size_t most) {
  if (most < 2) return;
  page.add("events", Emphasis::kHeading);
  const std::size_t shown = std::min(events.size(), most - 1);
  for (std::size_t i = events.size() - shown; i < events.size(); ++i) {
    const EventRecord& event = events[i];
    const double seconds =
        static_cast<double>(event.time_ns - report.header.start_monotonic_ns) * 1e-9;
    page.add(fmt::format("{:10.3f} s  {}", seconds, event_text(event)),
             event.kind == EventKind::kFault ? Emphasis::kBad : Emphasis::kPlain);
  }
}

}  // namespace

std::vector<PageLine> top_page(const std::string& daemon_name, const StatusReport& report,
                               const std::vector<EventRecord>& events, std::string_view prompt,
                               PageSize size) {
  // Rows of 24: 7 of figures, 7 of histograms, 4 of the state, 5 of events, the prompt; what is
  // left over goes to the histograms and the events.
  constexpr std::size_t kMinHistogram = 6, kMaxHistogram = 16, kSmall = 24;
  const std::size_t extra = size.rows - std::min(size.rows, kSmall);
  const std::size_t width = (size.columns - std::min<std::size_t>(size.columns, 2)) / 2;
  Page page({size.rows - std::min<std::size_t>(size.rows, 1), size.columns});
  add_head(page, daemon_name, report, size.columns);
  add_bars(page, report, size.columns);
  add_warnings(page, report, 2 + extra / 4);
  add_histograms(page, report.statistics, std::min(kMaxHistogram, kMinHistogram + extra / 3),
                 width);
  add_numbers(page, report, std::min(page.room(), 4 + extra / 3), width);
  add_events(page, report, events, page.room());
  while (page.room() > 0) page.add("");
  std::vector<PageLine> lines = page.take();
  if (size.rows > 0) lines.push_back({printable(prompt, size.columns), Emphasis::kTitle});
  return lines;
}

}  // namespace haptic
