#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <span>
#include <string>

namespace haptic {

/// Limits of the black boxes of one daemon name in a folder: the oldest are removed. Only files of
/// this user count and are removed. Their order is that of BlackBoxHeader::number, because clocks
/// are changed; files without it are the oldest, in the order of their dates.
inline constexpr std::size_t kMaxBlackBoxFiles = 32;
inline constexpr std::uintmax_t kMaxBlackBoxBytes = std::uintmax_t{1} << 30;

/// Number for the next black box of this daemon name: one more than the largest in the folder.
std::uint32_t next_black_box_number(const std::filesystem::path& folder,
                                    const std::string& daemon_name);

/// Writes the pieces one after the other to `<folder>/hapticd-<daemon_name>-<fault>.box`, or with
/// `-2`, `-3` ... where that is there: no file is ever overwritten. The file has its name once it
/// is complete and synced; no part of it stays after a failure. Its group, `haptic` if this user
/// may give files to it, may read it. Before, removes the oldest black boxes of this daemon name
/// until another one is within the limits, and what a daemon that was killed left half written.
/// @param fault  "<fault>-cycle<N>"
/// @returns the file @throws OperationError naming the file and the system's reason
std::filesystem::path keep_black_box(const std::filesystem::path& folder,
                                     const std::string& daemon_name, const std::string& fault,
                                     std::initializer_list<std::span<const std::byte>> pieces);

}  // namespace haptic
