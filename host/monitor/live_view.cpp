#include "host/monitor/live_view.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "host/monitor/raw_terminal.h"
#include "host/monitor/status_report.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr int kRefreshMs = 250;

bool quit_pressed() {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  char key = 0;
  return poll(&input, 1, kRefreshMs) > 0 && read(STDIN_FILENO, &key, 1) == 1 &&
         (key == 'q' || key == 'Q');
}

std::string bar(double value, double limit) {
  constexpr int kWidth = 40;
  const double fraction = limit > 0.0 ? std::min(1.0, value / limit) : 0.0;
  const int filled = static_cast<int>(std::lround(fraction * kWidth));
  return fmt::format("[{:#>{}}{:.>{}}]", "", filled, "", kWidth - filled);
}

std::string page(const std::string& daemon_name, const StatusReport& report) {
  const auto& f = report.newest.record.device_wrench.force_N;
  const double force = std::hypot(f[0], f[1], f[2]);
  const double period_us = 1e6 / report.header.rate_hz;
  const double compute_us = static_cast<double>(report.newest.record.total_ns) * 1e-3;
  return fmt::format(
      "hapticd \"{}\", process {}   (q quits)\n\n{}\nforce {} {:.2f} of {:.2f} N\n"
      "load  {} {:.0f} of {:.0f} us\n",
      daemon_name, report.header.daemon_pid, status_text(report),
      bar(force, report.header.force_limit_N), force, report.header.force_limit_N,
      bar(compute_us, period_us), compute_us, period_us);
}

}  // namespace

void watch_daemon(const std::string& daemon_name) {
  TelemetryReader telemetry(daemon_name);
  if (telemetry.life() == DaemonLife::kReplaced) telemetry = TelemetryReader(daemon_name);
  if (telemetry.life() != DaemonLife::kAlive) {
    throw OperationError("hapticd \"" + daemon_name + "\" is no longer running");
  }
  std::optional<SubspaceMonitor> subspace(telemetry);
  if (isatty(STDOUT_FILENO) == 0 || isatty(STDIN_FILENO) == 0) {
    fmt::print("{}", page(daemon_name, read_status(telemetry, &*subspace)));
    return;
  }
  DaemonLife life = DaemonLife::kAlive;
  {
    RawTerminal terminal(RawTerminal::Screen::kAlternate);
    while (life == DaemonLife::kAlive && !RawTerminal::interrupted()) {
      terminal.stop_if_asked();
      const StatusReport report = read_status(telemetry, &*subspace);
      life = report.life;
      if (life == DaemonLife::kReplaced) {  // switch to the scene that runs now
        telemetry = TelemetryReader(daemon_name);
        subspace.emplace(telemetry);
        life = DaemonLife::kAlive;
        continue;
      }
      // Home, then each line cleared to its end: no flicker, no remains of a longer line.
      std::string text = "\x1b[H";
      for (const char c : page(daemon_name, report)) {
        if (c == '\n') text += "\x1b[K";
        text += c;
      }
      text += "\x1b[J";
      std::fputs(text.c_str(), stdout);
      std::fflush(stdout);
      if (quit_pressed()) return;
    }
  }
  if (life == DaemonLife::kDead) throw OperationError("hapticd \"" + daemon_name + "\" died");
  if (life != DaemonLife::kAlive) fmt::print("hapticd \"{}\" ended\n", daemon_name);
}

}  // namespace haptic
