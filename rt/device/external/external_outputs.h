#pragma once

#include <sys/types.h>

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

  /// Why make_safe could not demand zero of the adapter of `daemon` now; empty while the link is up
  /// and its other end is that process. Takes the daemon's memory, which outlives it.
  std::string obstacle(pid_t daemon);
  /// @returns whether no force acts: the adapter has confirmed zero after the demand, or the daemon
  ///          has never asked for a force. Without a daemon's memory nothing is known, unless there
  ///          is no daemon, as there was none before: its socket goes with it when it ends in order
  bool make_safe();
  /// What make_safe found, one line.
  const std::string& describe() const { return found_; }

 private:
  bool is_of_daemon(const haptic_link& link) const;
  void drop();
  std::string connect();

  ExternalSettings settings_;
  haptic_link link_{};
  bool linked_ = false;
  pid_t daemon_ = 0;  // 0: whichever has the link
  std::string found_;
};

}  // namespace haptic
