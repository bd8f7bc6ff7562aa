#pragma once

#include <set>
#include <string>
#include <string_view>

namespace haptic {

/// CPUs of a kernel list such as "1,4-7"; empty for an empty or unreadable one. At most 4096.
std::set<int> cpu_list(std::string_view text);
/// The reverse, "1,4-7".
std::string cpu_text(const std::set<int>& cpus);

}  // namespace haptic
