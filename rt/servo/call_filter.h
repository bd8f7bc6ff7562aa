#pragma once

#include <span>
#include <string>
#include <string_view>

namespace haptic {

/// System calls that a loop's thread may make; everything else is refused to it (seccomp).
///
/// The loop is written to make none but those of its clock and its device. The filter holds it to
/// that in production: a call outside the list does not happen, returns EPERM to its caller and is
/// a latched fault, forbidden_call, with zero force from the next cycle on. SECCOMP_RET_TRAP is
/// what does it: SECCOMP_RET_ERRNO refuses as well but in silence, so it would not be known that
/// the loop's code is not what was tested; SECCOMP_RET_KILL would leave the motors to the guard
/// where a fault can still release the device normally.
///
/// Only the servo's and the simulation's threads are filtered. The supervisor (files, sockets) and
/// a device's own bus thread (libusb allocates and locks) are not real-time threads.
struct AllowedCall {
  int number;
  std::string_view name;
  std::string_view why;
};
std::span<const AllowedCall> allowed_calls();

/// Name of a call in the list, else its number.
std::string call_name(int number);

/// Process-wide handler of refused calls: notes them in LoopWatch. Once, before filter_calls.
void handle_forbidden_calls();

/// The calling thread is filtered from here on, for its life.
/// @returns empty, or why not (a kernel without seccomp, a sanitizer's build)
std::string filter_calls();

}  // namespace haptic
