#include "host/monitor/key_control.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string_view>

#include "host/monitor/key_motion.h"
#include "host/monitor/raw_terminal.h"
#include "shared/config/toml_reader.h"
#include "shared/error.h"
#include "shared/ipc/command_client.h"
#include "shared/ipc/telemetry_reader.h"
#include "shared/monotonic_time.h"
#include "shared/printable.h"

namespace haptic {
namespace {

constexpr std::int64_t kSendInterval_ns = 40'000'000;
constexpr int kRefresh_ms = 100;

class KeyControl {
 public:
  KeyControl(const std::string& daemon_name, const std::vector<KeyBinding>& bindings)
      : daemon_name_(daemon_name), telemetry_(daemon_name), motion_(bindings) {
    if (telemetry_.life() == DaemonLife::kReplaced) telemetry_ = TelemetryReader(daemon_name);
    if (telemetry_.life() != DaemonLife::kAlive) {
      throw OperationError(fmt::format("hapticd \"{}\" is no longer running", daemon_name));
    }
    begin();
  }

  /// What the keys do, a line for each pair.
  void print_keys() const {
    for (const KeyBinding& binding : motion_.bindings()) {
      const KeyMotion::Axis& axis =
          *std::ranges::find(motion_.axes(), binding.parameter, &KeyMotion::Axis::parameter);
      fmt::print("{} / {}  {}, {:g} to {:g}, {:g} per second\n", name_of(binding.less),
                 name_of(binding.more), printable(axis.parameter), axis.minimum, axis.maximum,
                 binding.speed);
    }
    fmt::print("q ends\n");
  }

  /// Until the operator or the daemon ends it. @returns how the daemon is
  DaemonLife run() {
    RawTerminal terminal;
    for (;;) {
      show();
      if (!take_keys() || RawTerminal::interrupted()) return DaemonLife::kAlive;
      terminal.stop_if_asked();
      const DaemonLife life = telemetry_.life();
      if (life == DaemonLife::kReplaced) {
        take_other_scene();
        continue;
      }
      if (life != DaemonLife::kAlive) return life;
      follow_others();
      send();
    }
  }

 private:
  void take_other_scene() {
    telemetry_ = TelemetryReader(daemon_name_);
    try {
      begin();
    } catch (const InputError&) {
      throw OperationError(fmt::format(
          "hapticd \"{}\" has loaded another scene, without these parameters", daemon_name_));
    }
  }

  /// Takes ranges and values of the scene that runs.
  void begin() {
    const std::vector<ParameterRecord> parameters = telemetry_.parameters();
    for (std::size_t i = 0; i < motion_.axes().size(); ++i) {
      const std::string& name = motion_.axes()[i].parameter;
      const auto found = std::ranges::find_if(
          parameters, [&](const ParameterRecord& p) { return name == p.name; });
      if (found == parameters.end()) refuse_parameter(name, parameters);
      if (!std::isfinite(found->value)) {
        throw InputError("keys", name, fmt::format("found the value {:g}", found->value),
                         "a finite one: `haptic set` it first");
      }
      motion_.start(i, found->minimum, found->maximum, found->value);
    }
    // The value moves to what was set last.
    next_event_ = 0;
    own_too_ = true;
    follow_others();
    own_too_ = false;
  }

  [[noreturn]] void refuse_parameter(const std::string& name,
                                     const std::vector<ParameterRecord>& parameters) const {
    std::vector<std::string> names;
    for (const ParameterRecord& p : parameters) names.emplace_back(p.name);
    const std::string_view near = nearest_word(name, names);
    throw InputError("keys", name,
                     fmt::format("found no such parameter of hapticd \"{}\"", daemon_name_),
                     near.empty() ? "one that `haptic status` lists" : fmt::format("{}?", near));
  }

  /// Targets that other clients have set.
  void follow_others() {
    for (const EventRecord& event : telemetry_.events(next_event_)) {
      next_event_ = event.number + 1;
      if (event.kind != EventKind::kCommand || event.command != CommandKind::kSet ||
          event.answer != CommandAnswer::kApplied || (!own_too_ && event.pid == getpid())) {
        continue;
      }
      motion_.take_over(event.key, event.value);
    }
  }

  /// Waits for keys, a limited time. @returns whether to go on
  bool take_keys() {
    const bool waits = motion_.next_unsent().has_value();
    const std::int64_t until_send = sent_ns_ + kSendInterval_ns - monotonic_ns();
    const int wait_ms =
        waits
            ? static_cast<int>(std::clamp<std::int64_t>(until_send / 1'000'000 + 1, 0, kRefresh_ms))
            : kRefresh_ms;
    pollfd input{STDIN_FILENO, POLLIN, 0};
    if (poll(&input, 1, wait_ms) <= 0) return true;
    char bytes[256];
    const ssize_t count = read(STDIN_FILENO, bytes, sizeof bytes);
    if (count <= 0) return count < 0 && errno == EINTR;  // the terminal is gone
    const double now_s = 1e-9 * static_cast<double>(monotonic_ns());
    for (const char byte : std::string_view(bytes, static_cast<std::size_t>(count))) {
      const std::optional<Key> key = reader_.take(byte);
      if (!key) continue;
      if (ends_control(*key)) return false;
      motion_.press(*key, now_s);
    }
    return true;
  }

  void send() {
    const std::optional<std::size_t> axis = motion_.next_unsent();
    if (!axis || monotonic_ns() - sent_ns_ < kSendInterval_ns) return;
    const std::string& parameter = motion_.axes()[*axis].parameter;
    const double target = motion_.axes()[*axis].target;
    const CommandReply reply =
        CommandClient(daemon_name_).send(CommandKind::kSet, parameter, target);
    sent_ns_ = monotonic_ns();
    switch (reply.answer) {
      case CommandAnswer::kApplied:
        return motion_.sent(*axis);
      case CommandAnswer::kOutOfRange:
        if (!(reply.minimum <= reply.maximum)) break;
        return motion_.refused(*axis, reply.minimum, reply.maximum);
      case CommandAnswer::kBusy:        // a scene is being loaded
      case CommandAnswer::kUnknownKey:  // it has been loaded: its parameters come next
        return;
      default:
        break;
    }
    throw OperationError(fmt::format("set {} {:g}: refused: {}{}{}", parameter, target,
                                     reason(reply.answer), reply.text[0] != '\0' ? ": " : "",
                                     reply.text));
  }

  /// The line with values and targets, cut to the width of the terminal.
  void show() {
    const std::vector<ParameterRecord> parameters = telemetry_.parameters();
    std::string line;
    for (const KeyMotion::Axis& axis : motion_.axes()) {
      const auto now = std::ranges::find_if(
          parameters, [&](const ParameterRecord& p) { return axis.parameter == p.name; });
      if (now == parameters.end()) continue;
      line += fmt::format("{}{} {:.4g}", line.empty() ? "" : "   ", axis.parameter, now->value);
      if (fmt::format("{:.4g}", axis.target) != fmt::format("{:.4g}", now->value)) {
        line += fmt::format(" -> {:.4g}", axis.target);
      }
      if (axis.target == axis.minimum) line += " (least)";
      if (axis.target == axis.maximum) line += " (greatest)";
    }
    winsize size{};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1) {
      line.resize(std::min<std::size_t>(line.size(), size.ws_col - 1u));
    }
    if (line == shown_) return;
    shown_ = line;
    fmt::print("\r{}\x1b[K", printable(line));
    std::fflush(stdout);
  }

  std::string daemon_name_;
  TelemetryReader telemetry_;
  KeyMotion motion_;
  KeyReader reader_;
  std::uint64_t next_event_ = 0;
  bool own_too_ = false;
  std::int64_t sent_ns_ = 0;
  std::string shown_;
};

}  // namespace

void control_by_keys(const std::string& daemon_name, const std::vector<KeyBinding>& bindings) {
  if (isatty(STDIN_FILENO) == 0 || isatty(STDOUT_FILENO) == 0) {
    throw InputError("keys", "",
                     fmt::format("found that standard {} is no terminal",
                                 isatty(STDIN_FILENO) == 0 ? "input" : "output"),
                     "a terminal; `haptic set` is for scripts");
  }
  KeyControl control(daemon_name, bindings);
  control.print_keys();
  std::fflush(stdout);
  const DaemonLife life = control.run();
  if (life == DaemonLife::kDead)
    throw OperationError(fmt::format("hapticd \"{}\" died", daemon_name));
  if (life != DaemonLife::kAlive) fmt::print("hapticd \"{}\" ended\n", daemon_name);
}

}  // namespace haptic
