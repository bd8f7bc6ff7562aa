#include "shared/ipc/command.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "shared/ipc/mark_text.h"

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

bool is_zero(const PullRequest& pull) {
  const double numbers[] = {pull.point[0],  pull.point[1],  pull.point[2],
                            pull.target[0], pull.target[1], pull.target[2],
                            pull.stiffness, pull.limit,     pull.is_relative};
  return std::ranges::all_of(numbers, [](double x) { return x == 0.0; });
}

bool is_possible(const PullRequest& pull) {
  const auto finite = [](double x) { return std::isfinite(x); };
  return std::ranges::all_of(pull.point, finite) && std::ranges::all_of(pull.target, finite) &&
         pull.stiffness > 0.0 && finite(pull.stiffness) && pull.limit > 0.0 && finite(pull.limit) &&
         (pull.is_relative == 0.0 || pull.is_relative == 1.0);
}

}  // namespace

bool is_well_formed(const Command& command) {
  const auto kind = static_cast<std::uint32_t>(command.kind);
  if (kind < 1 || kind > kCommandKinds || command.reserved != 0 || !std::isfinite(command.value))
    return false;
  const auto in_name = [](char c) { return c > ' ' && c <= '~'; };
  // Any file name but one that would break a line of the journal.
  const auto in_text = [](char c) { return static_cast<unsigned char>(c) >= ' ' && c != '\x7f'; };
  const auto subject_length = padded_length(command.subject, in_name);
  const auto text_length = padded_length(command.text, in_text);
  if (!subject_length || !text_length || !padded_length(command.client, in_name)) return false;
  if (command.deadline_ns < 0) return false;
  const bool sets = command.kind == CommandKind::kSet;
  const bool loads = command.kind == CommandKind::kLoad;
  const bool pulls = command.kind == CommandKind::kPull;
  const bool has_subject = *subject_length > 0;
  if ((sets && !has_subject) || (has_subject && !sets && !pulls)) return false;
  const bool marks = command.kind == CommandKind::kMark;
  if ((loads || marks) != (*text_length > 0)) return false;
  if (!(pulls && has_subject ? is_possible(command.pull) : is_zero(command.pull))) return false;
  if (loads && command.text[0] != '/') return false;
  if (marks && !is_mark_text(command.text)) return false;
  return sets || command.value == 0.0;
}

}  // namespace haptic
