#include "host/view/gltf_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include "host/files/json_text.h"
#include "host/files/replace_file.h"
#include "shared/error.h"

namespace haptic {
namespace {

// Constants of OpenGL, as the format names them.
constexpr int kFloat = 5126, kUnsignedInt = 5125;
constexpr int kArrayBuffer = 34962, kElementArrayBuffer = 34963, kNoTarget = 0;

const char* type_of(int components) {
  return components == 1 ? "SCALAR" : components == 3 ? "VEC3" : "VEC4";
}

std::string little_endian(std::initializer_list<std::uint32_t> numbers) {
  std::string text;
  for (const std::uint32_t number : numbers) {
    for (int shift = 0; shift < 32; shift += 8) text.push_back(static_cast<char>(number >> shift));
  }
  return text;
}

}  // namespace

GltfWriter::GltfWriter() {
  root_ = {{"asset", {{"version", "2.0"}, {"generator", "haptic view"}}},
           {"accessors", nlohmann::json::array()},
           {"bufferViews", nlohmann::json::array()}};
}

std::size_t GltfWriter::add(const void* data, std::size_t bytes, nlohmann::json accessor,
                            int target) {
  if (binary_.size() + bytes > kMaxBytes) {
    throw OperationError(fmt::format(
        "the glTF file would exceed {} MiB; fewer --fps make it smaller", kMaxBytes >> 20));
  }
  nlohmann::json view = {{"buffer", 0}, {"byteOffset", binary_.size()}, {"byteLength", bytes}};
  if (target != kNoTarget) view["target"] = target;
  binary_.append(static_cast<const char*>(data), bytes);
  accessor["bufferView"] = root_["bufferViews"].size();
  root_["bufferViews"].push_back(std::move(view));
  root_["accessors"].push_back(std::move(accessor));
  return root_["accessors"].size() - 1;
}

std::size_t GltfWriter::add_indices(std::span<const std::uint32_t> indices) {
  return add(indices.data(), indices.size_bytes(),
             {{"componentType", kUnsignedInt}, {"count", indices.size()}, {"type", "SCALAR"}},
             kElementArrayBuffer);
}

std::size_t GltfWriter::add_vertices(std::span<const float> vectors) {
  std::array<float, 3> low{vectors[0], vectors[1], vectors[2]}, high = low;
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    low[i % 3] = std::min(low[i % 3], vectors[i]);
    high[i % 3] = std::max(high[i % 3], vectors[i]);
  }
  return add(vectors.data(), vectors.size_bytes(),
             {{"componentType", kFloat},
              {"count", vectors.size() / 3},
              {"type", "VEC3"},
              {"min", low},
              {"max", high}},
             kArrayBuffer);
}

std::size_t GltfWriter::add_numbers(std::span<const float> values, int components,
                                    bool of_animation) {
  nlohmann::json accessor = {{"componentType", kFloat},
                             {"count", values.size() / static_cast<std::size_t>(components)},
                             {"type", type_of(components)}};
  if (components == 1) {  // times need their extents
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    accessor["min"] = nlohmann::json::array({*low});
    accessor["max"] = nlohmann::json::array({*high});
  }
  return add(values.data(), values.size_bytes(), std::move(accessor),
             of_animation ? kNoTarget : kArrayBuffer);
}

void GltfWriter::write(const std::filesystem::path& path) {
  root_["buffers"] = nlohmann::json::array({nlohmann::json{{"byteLength", binary_.size()}}});
  std::string json = json_text(root_);
  json.resize((json.size() + 3) / 4 * 4, ' ');
  constexpr std::uint32_t kMagic = 0x46546C67, kJson = 0x4E4F534A, kBinary = 0x004E4942;
  const auto json_size = static_cast<std::uint32_t>(json.size());
  const auto binary_size = static_cast<std::uint32_t>(binary_.size());
  const std::string header =
      little_endian({kMagic, 2, 28 + json_size + binary_size, json_size, kJson});
  const std::string middle = little_endian({binary_size, kBinary});
  replace_file(path, {header, json, middle, binary_});
}

}  // namespace haptic
