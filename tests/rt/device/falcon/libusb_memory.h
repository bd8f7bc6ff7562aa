#pragma once

namespace haptic {

/// Makes one allocation by libusb fail, in a program that links libusb_memory.cpp. Only
/// allocations that libusb's own code makes in the calling thread count; not those of umockdev,
/// which stands between libusb and the kernel in these tests, nor of libudev.
class LibusbMemory {
 public:
  /// The allocation number `which` from now on (0: the next) returns a null pointer.
  static void fail(long which);
  /// No allocation fails any more. @returns whether one has failed since fail()
  static bool stop();
};

}  // namespace haptic
