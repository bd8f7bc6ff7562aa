#include "host/monitor/live_view.h"

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "host/monitor/curses_screen.h"
#include "host/monitor/status_report.h"
#include "host/monitor/top_page.h"
#include "shared/error.h"
#include "shared/ipc/command_client.h"

namespace haptic {
namespace {

constexpr int kRedraw_ms = 250;
constexpr const char* kKeys = "e engage   r release   s stop   R reset   q quit";

std::string outcome(CommandKind kind, const CommandReply& reply) {
  if (reply.answer == CommandAnswer::kApplied) return fmt::format("{}: applied", name(kind));
  std::string why(reason(reply.answer));
  if (reply.answer == CommandAnswer::kWrongState) why += fmt::format(" ({})", name(reply.state));
  if (reply.text[0] != '\0') why += fmt::format(" ({})", reply.text);
  return fmt::format("{}: refused: {}", name(kind), why);
}

/// The keys of an operator. What a key did is the message of the last row until the next key.
class Operator {
 public:
  explicit Operator(std::string daemon_name) : daemon_name_(std::move(daemon_name)) {}

  std::string prompt() const {
    if (to_engage_) return "engage: the force ramps in on the hand. Press y to engage";
    return message_.empty() ? kKeys : fmt::format("{}     {}", message_, kKeys);
  }

  void press(char key) {
    try {
      act(key);
    } catch (const std::exception& error) {
      to_engage_.reset();
      message_ = error.what();
    }
  }

 private:
  void act(char key) {
    if (to_engage_) {
      const std::unique_ptr<CommandClient> client = std::move(to_engage_);
      message_ = key == 'y' ? outcome(CommandKind::kEngage, client->send(CommandKind::kEngage))
                            : "not engaged";
      // No key but y does two things: s stops, also here.
      if (key != 's') return;
    }
    message_.clear();
    switch (key) {
      case 'e':
        // Connected before the question: the daemon refuses if its state changes before the answer.
        to_engage_ = std::make_unique<CommandClient>(daemon_name_);
        break;
      case 'r':
        send(CommandKind::kRelease);
        break;
      case 's':
        message_ = outcome(CommandKind::kStop, stop_daemon(daemon_name_));
        break;
      case 'R':
        send(CommandKind::kReset);
        break;
      default:
        break;
    }
  }
  void send(CommandKind kind) { message_ = outcome(kind, CommandClient(daemon_name_).send(kind)); }

  std::string daemon_name_;
  std::string message_;
  std::unique_ptr<CommandClient> to_engage_;
};

/// Telemetry of the daemon that runs under the name now, if there is one.
std::optional<TelemetryReader> open_alive(const std::string& daemon_name) {
  try {
    TelemetryReader telemetry(daemon_name);
    if (telemetry.life() == DaemonLife::kAlive) return telemetry;
  } catch (const OperationError&) {  // not started yet
  } catch (const InputError&) {      // its segment is not complete yet
  }
  return std::nullopt;
}

}  // namespace

void watch_daemon(const std::string& daemon_name) {
  TelemetryReader telemetry(daemon_name);
  if (telemetry.life() == DaemonLife::kReplaced) telemetry = TelemetryReader(daemon_name);
  if (telemetry.life() != DaemonLife::kAlive) {
    throw OperationError("hapticd \"" + daemon_name + "\" is no longer running");
  }
  CursesScreen screen;
  Operator keys(daemon_name);
  while (!screen.ended()) {
    const StatusReport report = read_status(telemetry);
    const bool alive = report.life == DaemonLife::kAlive;
    const std::string prompt =
        alive ? keys.prompt()
              : fmt::format("hapticd \"{}\" {}; waiting for it   q quit", daemon_name,
                            report.life == DaemonLife::kDead ? "died" : "ended");
    screen.show(top_page(daemon_name, report, telemetry.events(), prompt, screen.size()));
    const std::optional<char> key = screen.key(kRedraw_ms);
    if (key == 'q' || key == 'Q') return;
    if (key && alive) keys.press(*key);
    if (!alive) {
      if (std::optional<TelemetryReader> now = open_alive(daemon_name)) telemetry = std::move(*now);
    }
  }
}

}  // namespace haptic
