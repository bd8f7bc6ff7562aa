#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

namespace haptic {

/// Builds a glTF 2.0 file in its binary form (.glb): one JSON chunk, one chunk of numbers.
/// Accessors are tightly packed and aligned to four bytes. Source: glTF 2.0 specification, ISO/IEC
/// 12113.
class GltfWriter {
 public:
  /// Largest file that is written [bytes]; the format itself ends at 4 GiB.
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30;

  GltfWriter();

  /// Each returns the index of its new accessor. @throws OperationError beyond kMaxBytes
  std::size_t add_indices(std::span<const std::uint32_t> indices);
  /// @param vectors 3 per vertex; with their extents, as POSITION needs
  std::size_t add_vertices(std::span<const float> vectors);
  /// @param components 1, 3 or 4 @param of_animation not of a mesh: without a target
  std::size_t add_numbers(std::span<const float> values, int components, bool of_animation);

  /// The file's object, for meshes, nodes and animations.
  nlohmann::json& root() { return root_; }

  std::uint64_t bytes() const { return binary_.size(); }

  /// Replaces `path` as a whole. @throws OperationError if it cannot be written
  void write(const std::filesystem::path& path);

 private:
  std::size_t add(const void* data, std::size_t bytes, nlohmann::json accessor, int target);

  nlohmann::json root_;
  std::string binary_;
};

}  // namespace haptic
