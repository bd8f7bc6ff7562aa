#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace haptic {

/// Run folders of other live daemons of the name than that in `folder`; only root sees those of
/// other users.
std::vector<std::filesystem::path> folders_of_namesakes(const std::string& daemon_name,
                                                        const std::filesystem::path& folder);

/// " (user hann, /dev/shm/hapticd-1001)" for root, who commands the daemons of all users, and the
/// namesakes of the daemon in `folder`. Empty for other users, and where root's own daemon is the
/// only one.
std::string owner_note(const std::string& daemon_name, const std::filesystem::path& folder);

}  // namespace haptic
