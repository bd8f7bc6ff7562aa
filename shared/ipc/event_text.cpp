#include "shared/ipc/event_text.h"

#include <fmt/format.h>

#include <cstring>

#include "shared/printable.h"

namespace haptic {
namespace {

/// A zero-terminated field, printable.
template <std::size_t N>
std::string line_of(const char (&field)[N]) {
  return printable({field, strnlen(field, N)});
}

std::string command_text(const EventRecord& event) {
  std::string text(name(event.command));
  if (event.key[0] != '\0') text += fmt::format(" {}", line_of(event.key));
  if (event.command == CommandKind::kSet) text += fmt::format(" {:g}", event.value);
  if (event.command == CommandKind::kMark)
    return fmt::format("{} \"{}\"", text, line_of(event.text));
  if (event.text[0] != '\0') text += fmt::format(" {}", line_of(event.text));
  return text;
}

}  // namespace

std::string event_text(const EventRecord& event) {
  switch (event.kind) {
    case EventKind::kCommand:
      return fmt::format("{} by user {}, process {} ({}): {}", command_text(event), event.uid,
                         event.pid, line_of(event.client), reason(event.answer));
    case EventKind::kFault:
      return fmt::format("fault {}{}{}", name(event.fault), event.text[0] == '\0' ? "" : ": ",
                         line_of(event.text));
    case EventKind::kScene:
      return "another scene " + line_of(event.text);
    case EventKind::kLeftOut:
      return fmt::format("{:.0f} more {} of user {} in a second, not listed", event.value,
                         event.value == 1.0 ? "command" : "commands", event.uid);
  }
  return "unknown event";
}

}  // namespace haptic
