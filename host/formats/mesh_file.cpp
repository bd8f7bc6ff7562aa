#include "host/formats/mesh_file.h"

#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <fmt/format.h>

#include <assimp/Importer.hpp>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>
#include <unordered_map>

#include "host/files/replace_file.h"
#include "host/formats/file_bytes.h"
#include "host/formats/mesh_bounds.h"
#include "shared/error.h"

namespace haptic {
namespace {

std::string lower_case_extension(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return extension;
}

/// Names the vertex by its number and line in the file; the importer renumbers vertices.
void check_obj_vertices(const std::filesystem::path& path, const std::string& bytes) {
  std::size_t line = 0, vertex = 0;
  for (std::size_t begin = 0; begin < bytes.size();) {
    std::size_t end = bytes.find('\n', begin);
    if (end == std::string::npos) end = bytes.size();
    ++line;
    const char* text = bytes.data() + begin;
    while (text < bytes.data() + end && (*text == ' ' || *text == '\t')) ++text;
    if (end - begin > 1 && text[0] == 'v' && (text[1] == ' ' || text[1] == '\t')) {
      ++vertex;
      ++text;
      for (int axis = 0; axis < 3; ++axis) {
        char* after = nullptr;
        const double value = std::strtod(text, &after);
        const std::string key = fmt::format("vertex {} (line {})", vertex, line);
        if (after == text || after > bytes.data() + end) {
          throw InputError(path.string(), key, "fewer than three coordinates");
        }
        if (!std::isfinite(value)) {
          throw InputError(path.string(), key, fmt::format("coordinate {}", value),
                           "a finite number");
        }
        text = after;
      }
    }
    begin = end + 1;
  }
}

/// Exact position; -0 and 0 are the same place.
struct PositionKey {
  std::array<std::uint32_t, 3> bits;
  bool operator==(const PositionKey&) const = default;
};

struct PositionHash {
  std::size_t operator()(const PositionKey& key) const {
    std::uint64_t h = 0x9e3779b97f4a7c15ULL;
    for (const std::uint32_t word : key.bits) {
      h = (h ^ word) * 0xff51afd7ed558ccdULL;
      h ^= h >> 32;
    }
    return static_cast<std::size_t>(h);
  }
};

/// Merges vertices at the same position while triangles are added.
class Welder {
 public:
  explicit Welder(TriangleMesh& mesh) : mesh_(mesh) {}

  std::uint32_t add(const aiVector3D& v) {
    const std::array<float, 3> xyz = {v.x + 0.0F, v.y + 0.0F, v.z + 0.0F};  // -0 + 0 = 0
    PositionKey key;
    static_assert(sizeof key.bits == sizeof xyz);
    std::memcpy(key.bits.data(), xyz.data(), sizeof xyz);
    const auto [it, is_new] =
        ids_.try_emplace(key, static_cast<std::uint32_t>(mesh_.vertices.size()));
    if (is_new) mesh_.vertices.emplace_back(xyz[0], xyz[1], xyz[2]);
    return it->second;
  }

 private:
  TriangleMesh& mesh_;
  std::unordered_map<PositionKey, std::uint32_t, PositionHash> ids_;
};

TriangleMesh weld(const aiScene& scene, const std::string& file) {
  TriangleMesh mesh;
  Welder welder(mesh);
  for (unsigned m = 0; m < scene.mNumMeshes; ++m) {
    const aiMesh& part = *scene.mMeshes[m];
    for (unsigned v = 0; v < part.mNumVertices; ++v) {
      const aiVector3D& p = part.mVertices[v];
      if (!std::isfinite(p.x) || !std::isfinite(p.y) || !std::isfinite(p.z)) {
        throw InputError(file, fmt::format("vertex {}", v + 1),
                         fmt::format("coordinates {}, {}, {}", p.x, p.y, p.z), "finite numbers");
      }
    }
    for (unsigned f = 0; f < part.mNumFaces; ++f) {
      const aiFace& face = part.mFaces[f];
      if (face.mNumIndices != 3) continue;  // points and lines
      std::array<std::uint32_t, 3> triangle{};
      for (unsigned c = 0; c < 3; ++c) {
        if (face.mIndices[c] >= part.mNumVertices) {
          throw InputError(file, fmt::format("face {}", f + 1),
                           fmt::format("vertex index {}", face.mIndices[c]),
                           fmt::format("an index below {}", part.mNumVertices));
        }
        triangle[c] = welder.add(part.mVertices[face.mIndices[c]]);
      }
      mesh.triangles.push_back(triangle);
    }
  }
  return mesh;
}

}  // namespace

TriangleMesh read_mesh(const std::filesystem::path& path) {
  const std::string extension = lower_case_extension(path);
  if (extension != ".obj" && extension != ".stl" && extension != ".ply") {
    throw InputError(path.string(), "",
                     extension.empty() ? "no file extension"
                                       : fmt::format("unknown mesh format \"{}\"", extension),
                     "a mesh file in .obj, .stl or .ply");
  }
  std::string bytes = read_file_bytes(path, "an OBJ, STL or PLY mesh");
  demand_mesh_bounds(path, extension, bytes);
  if (extension == ".obj") check_obj_vertices(path, bytes);

  Assimp::Importer importer;
  importer.SetPropertyInteger(AI_CONFIG_PP_RVC_FLAGS,
                              aiComponent_NORMALS | aiComponent_TANGENTS_AND_BITANGENTS |
                                  aiComponent_COLORS | aiComponent_TEXCOORDS |
                                  aiComponent_TEXTURES | aiComponent_MATERIALS);
  const aiScene* scene = nullptr;
  std::string problem;
  try {
    // From memory, so that no material libraries or textures in the folder of the file are read.
    scene = importer.ReadFileFromMemory(bytes.data(), bytes.size(),
                                        aiProcess_RemoveComponent | aiProcess_Triangulate,
                                        extension.c_str() + 1);
    problem = importer.GetErrorString();
  } catch (const std::exception& error) {
    problem = error.what();
  }
  if (scene == nullptr) {
    for (char& c : problem) {
      if (c == '\n' || c == '\r') c = ' ';
    }
    // Of std::bad_alloc and std::length_error, assimp has no more than what().
    for (const char* const word : {"bad_alloc", "vector::", "basic_string::"}) {
      if (problem.find(word) == std::string::npos) continue;
      problem = "the length of a list in it needs more memory than there is";
      break;
    }
    // What assimp calls a file that it reads from memory.
    const std::string own_name = "$$$___magic___$$$" + extension;
    if (const std::size_t at = problem.find(own_name); at != std::string::npos) {
      problem.replace(at, own_name.size(), "this file");
    }
    throw InputError(path.string(), "", fmt::format("not a readable mesh ({})", problem),
                     "an OBJ, STL or PLY mesh");
  }

  TriangleMesh mesh = weld(*scene, path.string());
  if (mesh.triangles.empty()) {
    throw InputError(path.string(), "", "no triangles", "at least one face");
  }
  if (!(bounding_box(mesh).longest_side() > 0.0)) {
    throw InputError(path.string(), "", "all vertices at one position", "a mesh with extent");
  }
  return mesh;
}

void write_obj(const std::filesystem::path& path, const TriangleMesh& mesh) {
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "# {} vertices, {} triangles, metres\n", mesh.vertices.size(),
                 mesh.triangles.size());
  for (const Vector3& v : mesh.vertices) {
    fmt::format_to(out, "v {:.9g} {:.9g} {:.9g}\n", v.x(), v.y(), v.z());
  }
  for (const auto& [i, j, k] : mesh.triangles) {
    fmt::format_to(out, "f {} {} {}\n", i + 1, j + 1, k + 1);
  }

  replace_file(path, {std::string_view(text.data(), text.size())});
}

}  // namespace haptic
