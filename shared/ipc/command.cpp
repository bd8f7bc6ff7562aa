#include "shared/ipc/command.h"

#include <cmath>
#include <optional>

namespace haptic {
namespace {

/// Characters before the end; nothing if one is not `allowed`, the end is missing, or something
/// follows it.
template <std::size_t N, typename Allowed>
std::optional<std::size_t> padded_length(const char (&text)[N], Allowed allowed) {
  std::size_t length = 0;
  while (length < N && text[length] != '\0' && allowed(text[length])) ++length;
  if (length == N) return std::nullopt;
  for (std::size_t i = length; i < N; ++i) {
    if (text[i] != '\0') return std::nullopt;
  }
  return length;
}

}  // namespace

bool is_well_formed(const Command& command) {
  const auto kind = static_cast<std::uint32_t>(command.kind);
  if (kind < 1 || kind > 8 || command.reserved != 0 || !std::isfinite(command.value)) return false;
  const auto in_key = [](char c) { return c > ' ' && c <= '~'; };
  // Any file name but one that would break a line of the journal.
  const auto in_path = [](char c) { return static_cast<unsigned char>(c) >= ' ' && c != '\x7f'; };
  const auto key_length = padded_length(command.key, in_key);
  const auto path_length = padded_length(command.path, in_path);
  if (!key_length || !path_length || !padded_length(command.client, in_key)) return false;
  if (command.deadline_ns < 0) return false;
  const bool sets = command.kind == CommandKind::kSet;
  const bool loads = command.kind == CommandKind::kLoad;
  if (sets != (*key_length > 0) || loads != (*path_length > 0)) return false;
  if (loads && command.path[0] != '/') return false;
  return sets || command.value == 0.0;
}

}  // namespace haptic
