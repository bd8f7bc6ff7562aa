#include <fmt/format.h>

#include <limits>
#include <sstream>
#include <string>

#include "host/doctor/checks.h"

namespace haptic {
namespace {

constexpr long long kLoopPriority = 80;  // hapticd's own --priority
constexpr const char* kUnit = "/usr/lib/systemd/system/hapticd.service";

/// Soft limit of this process in /proc/self/limits; unlimited counts as the largest number.
std::optional<long long> own_limit(const MachineTree& machine, std::string_view title) {
  for (const std::string& entry : machine.lines("/proc/self/limits")) {
    if (!entry.starts_with(title)) continue;
    std::istringstream words(entry.substr(title.size()));
    std::string soft;
    words >> soft;
    if (soft == "unlimited") return std::numeric_limits<long long>::max();
    try {
      return std::stoll(soft);
    } catch (const std::exception&) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

bool unit_says(const MachineTree& machine, std::string_view line) {
  for (const std::string& entry : machine.lines(kUnit)) {
    if (entry == line) return true;
  }
  return false;
}

Finding limits(const MachineTree& machine) {
  constexpr std::string_view kCheck = "limits";
  if (unit_says(machine, "LimitRTPRIO=90") && unit_says(machine, "LimitMEMLOCK=infinity")) {
    return {kCheck, Verdict::kGood, "hapticd.service sets the limits that the loop needs", ""};
  }
  const auto priority = own_limit(machine, "Max realtime priority");
  const auto memory = own_limit(machine, "Max locked memory");
  std::string wrong;
  if (!priority || *priority < kLoopPriority) {
    wrong = fmt::format("real-time priority {} (needs {})", priority.value_or(0), kLoopPriority);
  }
  if (!memory || *memory != std::numeric_limits<long long>::max()) {
    wrong += fmt::format("{}{:g} MiB of locked memory (needs unlimited)", wrong.empty() ? "" : ", ",
                         static_cast<double>(memory.value_or(0)) / (1 << 20));
  }
  if (wrong.empty()) {
    return {kCheck, Verdict::kGood, "real-time priority and locked memory for this user", ""};
  }
  return {kCheck, Verdict::kUnfit, "this user gets " + wrong + ", and there is no hapticd.service",
          "install the package hapticd, or, to run hapticd as this user, put \"@haptic-operator - "
          "rtprio 90\" and \"@haptic-operator - memlock unlimited\" into "
          "/etc/security/limits.d/haptic.conf"};
}

Finding groups(const MachineTree& machine) {
  constexpr std::string_view kCheck = "groups";
  std::string missing;
  for (const char* group : {"haptic", "haptic-operator", "iocard"}) {
    if (!machine.group(group)) missing += (missing.empty() ? "" : ", ") + std::string(group);
  }
  if (!missing.empty()) {
    return {kCheck, Verdict::kUnfit, fmt::format("no group {}", missing),
            "install the package hapticd, or run addgroup --system for each"};
  }
  std::set<long long> mine;
  bool root = false;
  for (const std::string& entry : machine.lines("/proc/self/status")) {
    std::istringstream words(entry);
    std::string title;
    words >> title;
    if (title != "Groups:" && title != "Uid:") continue;
    for (long long id; words >> id;) {
      if (title == "Groups:") mine.insert(id);
      root = root || (title == "Uid:" && id == 0);
    }
  }
  if (root) return {kCheck, Verdict::kGood, "all exist; root needs none of them", ""};
  for (const char* group : {"haptic", "haptic-operator"}) {
    if (mine.contains(*machine.group(group))) continue;
    return {kCheck, Verdict::kAdvice,
            fmt::format("you are not in group {}: {}", group,
                        std::string_view(group) == "haptic" ? "no telemetry, no fault records"
                                                            : "you cannot command a daemon"),
            fmt::format("adduser YOU {}, then log in again", group)};
  }
  return {kCheck, Verdict::kGood, "all exist, and you are in haptic and haptic-operator", ""};
}

}  // namespace

void check_accounts(const MachineTree& machine, std::vector<Finding>& findings) {
  for (const auto check : {limits, groups}) findings.push_back(check(machine));
}

}  // namespace haptic
