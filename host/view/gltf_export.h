#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "host/view/frame_source.h"
#include "shared/progress.h"

namespace haptic {

struct GltfSettings {
  FrameTimes times = {};   ///< of the samples
  Progress progress = {};  ///< told the fraction done; may be empty
};

/// A body whose vertices were sampled, and how well its morph targets hold them.
struct SampledBody {
  std::string name;
  std::size_t shapes = 0;
  double error = 0.0;  ///< m, largest error of a coordinate
};

struct GltfOutcome {
  std::size_t samples = 0;
  std::uint64_t bytes = 0;           ///< of the numbers
  std::vector<SampledBody> sampled;  ///< those with kSurface blocks
};

/// Writes a run as an animated glTF 2.0 file. A deformable body is its rest surface with a morph
/// target for each column of U (and of DN for the normals); the weights are its q, so that at the
/// samples the file has the vertices of the display shader. Poses move the nodes. A body with a
/// kSurface block has the shapes of decompose_motion instead, to 1/2000 of its extent and at most
/// 128.
/// @throws InputError for too many samples, or models that do not fit the run; OperationError if
///         the file would be too large or cannot be written
GltfOutcome export_gltf(FrameSource& run, const GltfSettings& settings,
                        const std::filesystem::path& path);

}  // namespace haptic
