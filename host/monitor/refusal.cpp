#include "host/monitor/refusal.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "shared/config/toml_reader.h"
#include "shared/ipc/telemetry_reader.h"

namespace haptic {
namespace {

constexpr std::string_view kHomingHint =
    ": the device has given no pose yet; home it, or start the adapter of an external device";

/// Hint for an unknown `key`: the daemon's reason, the nearest parameter, or all parameters with
/// the same first word.
std::string known_keys(const std::string& daemon_name, const std::string& key,
                       const std::string& reason) {
  if (!reason.empty()) return fmt::format(" ({})", reason);
  const TelemetryReader telemetry(daemon_name);
  std::vector<std::string> names, related;
  const std::string first = key.substr(0, key.find('.') + 1);
  for (const ParameterRecord& p : telemetry.parameters()) {
    names.emplace_back(p.name);
    if (!first.empty() && names.back().starts_with(first)) related.push_back(names.back());
  }
  const std::string_view near = nearest_word(key, names);
  if (!near.empty()) return fmt::format(" (did you mean {}?)", near);
  if (related.empty()) return " (`haptic status` lists them)";
  return fmt::format(" (known: {})", fmt::join(related, ", "));
}

}  // namespace

std::string refusal(const std::string& daemon_name, const std::string& key,
                    const CommandReply& reply) {
  std::string why(reason(reply.answer));
  switch (reply.answer) {
    case CommandAnswer::kWrongState:
      why +=
          fmt::format(" ({}{}{}{})", name(reply.state), reply.fault == FaultKind::kNone ? "" : ": ",
                      reply.fault == FaultKind::kNone ? "" : name(reply.fault),
                      reply.state == ServoState::kHoming ? kHomingHint : "");
      break;
    case CommandAnswer::kOutOfRange:
      why += fmt::format(" (allowed {:g} to {:g}{}{})", reply.minimum, reply.maximum,
                         reply.text[0] != '\0' ? ", " : "", reply.text);
      break;
    case CommandAnswer::kUnknownKey:
      why += known_keys(daemon_name, key, reply.text);
      break;
    default:
      if (reply.text[0] != '\0') why += fmt::format(" ({})", reply.text);
      break;
  }
  return why;
}

}  // namespace haptic
