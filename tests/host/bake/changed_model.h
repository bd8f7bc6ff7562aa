#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "shared/artifact/model_file.h"
#include "tests/host/bake/baking_folder.h"
#include "tests/support/model_hashes.h"

namespace haptic {

/// changed.h5: a model of the folder with some numbers of a section changed and all hashes right.
template <typename T>
std::filesystem::path changed_model(const BakingFolder& folder, const std::filesystem::path& model,
                                    const std::string& section,
                                    const std::function<void(std::span<T>)>& change) {
  const std::string text = folder.read(model.filename().string());
  std::vector<std::uint8_t> bytes(text.begin(), text.end());
  {
    const ModelFile file(model);
    const auto& found = file.section(section);
    // The offset: the bytes of the section within those of the file.
    const auto at = std::search(
        bytes.begin(), bytes.end(), reinterpret_cast<const std::uint8_t*>(found.bytes.data()),
        reinterpret_cast<const std::uint8_t*>(found.bytes.data()) + found.bytes.size());
    std::vector<T> values(found.bytes.size() / sizeof(T));
    std::memcpy(values.data(), &*at, found.bytes.size());
    change(values);
    std::memcpy(&*at, values.data(), found.bytes.size());
  }
  rebuild_model_hashes(bytes);
  folder.write("changed.h5", std::string(bytes.begin(), bytes.end()));
  return folder.file("changed.h5");
}

}  // namespace haptic
