#pragma once

namespace haptic {

/// Resets the peak, where the kernel permits it (/proc/self/clear_refs); otherwise peaks count from
/// the start of the process.
void reset_peak_memory();

/// Largest resident memory of this process since the last reset [bytes].
double peak_memory();

}  // namespace haptic
