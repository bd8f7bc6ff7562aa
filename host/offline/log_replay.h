#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "host/log/log_reader.h"
#include "host/offline/replayed_commands.h"
#include "rt/worlds/world.h"

namespace haptic {

/// The world of a log's scene, stepped once more with the log's hand and commands.
class LogReplay {
 public:
  /// @param log  outlives this
  /// @throws InputError if the log does not begin with the first cycle of its scene, or bodies,
  ///         models or blocks are no longer those that were logged
  explicit LogReplay(const LogReader& log);
  ~LogReplay();
  LogReplay(const LogReplay&) = delete;
  LogReplay& operator=(const LogReplay&) = delete;

  std::uint64_t rows() const;  ///< that can be stepped: up to the first cycle or event missing
  std::uint64_t row() const;   ///< of the next step
  /// The step of row(). @throws OperationError if the world fails where that of the log did not, or
  /// the other way round, or refuses a logged command
  const WorldOutput& step();

  const World& at_servo() const;   ///< as the servo steps it
  const World& simulated() const;  ///< the world of the scene's kind; the same at one rate

  const std::vector<std::string>& notes() const;         ///< what cannot be followed, and why
  const std::vector<ReplayedCommand>& commands() const;  ///< that were applied so far

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace haptic
