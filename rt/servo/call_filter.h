#pragma once

#include <span>
#include <string>
#include <string_view>

namespace haptic {

/// System calls that a loop's thread may make; everything else is refused to it (seccomp).
///
/// The loop is written to make only the calls of its clock and its device. The filter enforces this
/// in production: a call outside the list is not executed and returns EPERM to its caller. It is
/// also a latched fault, forbidden_call, with zero force from the next cycle on. The filter uses
/// SECCOMP_RET_TRAP. SECCOMP_RET_ERRNO would refuse the call silently, so the fault would go
/// undetected; SECCOMP_RET_KILL would leave the motors to the guard although a fault can still
/// release the device normally.
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

/// Installs the process-wide handler of refused calls, which counts them in LoopWatch. Call once,
/// before filter_calls.
void handle_forbidden_calls();

/// Filters the calling thread from here on, until it ends.
/// @returns empty, or the reason why not (a kernel without seccomp, a sanitizer's build)
std::string filter_calls();

}  // namespace haptic
