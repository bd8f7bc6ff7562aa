#pragma once

#include <filesystem>

namespace haptic {

enum class SampleElements { kHexahedra, kTetrahedra };

/// Writes a small model with every kind of section but the other kind of element, layout of the
/// field and precision of the compliance (r = 3, n = 8, G = 2): values are arbitrary but fixed.
void write_sample_model(const std::filesystem::path& path,
                        SampleElements elements = SampleElements::kHexahedra);

/// A fresh folder under the test's temporary folder.
std::filesystem::path fresh_folder(const char* name);

}  // namespace haptic
