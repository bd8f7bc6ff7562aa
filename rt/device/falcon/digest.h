#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace haptic {

/// SHA-256 (FIPS 180-4) in lower-case hexadecimal, as `sha256sum` prints it.
std::string sha256(std::span<const std::uint8_t> data);

/// MD5 (RFC 1321), as `md5sum` prints it. For telling a known file from a wrong or damaged one, not
/// against forgery.
std::string md5(std::span<const std::uint8_t> data);

}  // namespace haptic
