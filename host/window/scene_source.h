#pragma once

#include <optional>
#include <string>

#include "host/window/moment_source.h"
#include "host/window/scene_run.h"

namespace haptic {

/// Simulates a scene while a window shows it, at the speed of the time bar. The bar spans the
/// moments that are kept; Play goes on simulating from the last one.
class SceneSource final : public MomentSource {
 public:
  /// @param at_s  runs up to there as fast as it can first; absent: from the beginning
  /// @throws InputError as SceneRun, and for a time after the end of the script
  SceneSource(const std::filesystem::path& scene, std::optional<double> at_s);

  bool read(Moment& moment, double elapsed_s) override;
  const std::string& message() const override { return message_; }
  double rate_hz() const override { return run_.rate_hz(); }
  Scene scene() const override { return load_scene(scene_); }
  int generation() const override { return 1; }
  Timeline* timeline() override { return &timeline_; }
  std::optional<ReportedContacts> contacts() override;

 private:
  void advance(double elapsed_s);

  std::filesystem::path scene_;
  SceneRun run_;
  Timeline timeline_;
  std::string message_;
  std::vector<PressingContact> contacts_;  ///< of the moment that was read last
  double catch_up_s_;                      ///< runs up to there before it plays
  bool was_playing_ = true;
};

}  // namespace haptic
