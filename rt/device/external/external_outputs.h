#pragma once

#include <string>

#include "rt/device/external/external_settings.h"
#include "shared/ipc/external_link.h"

namespace haptic {

/// The guard's side of a link. It demands zero by a word of the link's memory, which the adapter
/// reads before every wrench, and reads whether the adapter has confirmed it. It cannot write to
/// the device itself: only the vendor's library can.
class ExternalOutputs {
 public:
  /// @throws InputError if the manifest is refused
  explicit ExternalOutputs(const DeviceManifest& manifest);
  ExternalOutputs(const ExternalOutputs&) = delete;
  ExternalOutputs& operator=(const ExternalOutputs&) = delete;
  ~ExternalOutputs();

  /// Takes the memory of the daemon that runs now, if there is one; the memory outlives it.
  void prepare();
  /// @returns whether no force acts as far as anybody can know: the adapter has confirmed zero
  ///          after the demand, there is no adapter, or no daemon has ever fed one
  bool make_safe();
  /// What make_safe found, one line.
  const std::string& describe() const { return found_; }

 private:
  ExternalSettings settings_;
  haptic_link link_{};
  bool linked_ = false;
  std::string found_;
};

}  // namespace haptic
