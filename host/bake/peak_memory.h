#pragma once

namespace haptic {

/// Forgets the peak so far, where the kernel lets a process do that (/proc/self/clear_refs);
/// elsewhere peaks are those since the start of the process.
void reset_peak_memory();

/// Largest resident memory of this process since the last reset [bytes].
double peak_memory();

}  // namespace haptic
