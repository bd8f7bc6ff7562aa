#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

/// Largest speed of a hand script between two rows; a faster change is a jump. Human peaks are
/// about 3 m/s and 25 rad/s, so a script beyond these limits has a missing row or a wrong unit.
inline constexpr double kMaxHandSpeed = 5.0;          ///< m/s
inline constexpr double kMaxHandAngularSpeed = 50.0;  ///< rad/s

/// Times of a hand script are within this of 0 [s]: the longest duration that options accept.
inline constexpr double kMaxScriptTime_s = 1e6;

/// One row of a hand script.
struct HandSample {
  double time;                ///< s
  Pose pose;                  ///< device frame
  std::uint32_t buttons = 0;  ///< bit per button, pressed from here to the next row
};

/// A hand that follows a script: poses over time, linear in position and along the shorter arc in
/// orientation between rows; at rest before the first and after the last row.
class HandScript {
 public:
  /// A hand at rest in the device's origin.
  HandScript();

  /// @param rows    at least one; times strictly increasing, within kMaxScriptTime_s, the last one
  ///                >= 0 s; all finite, orientations unit to 1e-3 (then normalised)
  /// @param source  names the file in messages
  /// @throws InputError naming the row for anything else, and for a jump
  explicit HandScript(std::vector<HandSample> rows, const std::string& source = "hand script");

  /// Reads a CSV file with the header columns `time_s, x_m, y_m, z_m, qw, qx, qy, qz` and perhaps
  /// `buttons`, in any order. Blank lines and lines that begin with `#` are skipped; the header may
  /// be such a line (numpy.savetxt). Values are separated as the names of the header are: by
  /// commas, semicolons, tabs or blanks. Decimal commas are read where commas separate nothing.
  /// @throws InputError: file, line, what was found, what was expected
  static HandScript load(const std::filesystem::path& path);

  double end_time() const { return rows_.back().time; }  ///< s
  const std::vector<HandSample>& rows() const { return rows_; }

  Pose pose(double time) const HAPTIC_REALTIME;
  /// Exact derivative of pose(); at a row, of the segment that begins there.
  Twist twist(double time) const HAPTIC_REALTIME;
  /// Those of the last row at or before `time`; none before the first.
  std::uint32_t buttons(double time) const HAPTIC_REALTIME;

 private:
  HandScript(std::vector<HandSample> rows, const std::vector<std::string>& places);
  void check(const std::vector<std::string>& places);

  // Index of the last row at or before `time`; rows_.size() if `time` is before the first.
  std::size_t row_before(double time) const HAPTIC_REALTIME;

  std::vector<HandSample> rows_;
  std::vector<Twist> segments_;  // velocity from row i to row i+1
};

}  // namespace haptic
