#include "shared/artifact/model_file.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "shared/artifact/index_check.h"
#include "shared/error.h"
#include "shared/files/regular_file.h"

namespace haptic {
namespace {

std::uint64_t hash_of_content(const std::vector<Section>& sections) {
  std::vector<const Section*> order;
  for (const Section& section : sections) order.push_back(&section);
  std::sort(order.begin(), order.end(),
            [](const Section* a, const Section* b) { return a->name < b->name; });
  std::string identity;
  for (const Section* section : order) {
    identity += fmt::format("{}|{}|{:016x}\n", section->name, fmt::join(section->shape, "x"),
                            section->hash);
  }
  return XXH3_64bits(identity.data(), identity.size());
}

}  // namespace

ModelFile::ModelFile(const std::filesystem::path& path, Hashes hashes, Memory memory)
    : path_(path) {
  // Of any size: what is mapped takes no memory, and a copy is made only if there is memory for it.
  const RegularFile opened =
      open_regular_file(path, "a model file", std::numeric_limits<std::uint64_t>::max());
  const FileDescriptor& file = opened.descriptor;
  const std::size_t length = opened.size;
  if (length == 0) throw InputError(path.string(), "", "found an empty file", "a model file");
  if (path.extension() == ".toml") {
    throw InputError(path.string(), "", "found a TOML file (a recipe or a scene)", "a model file");
  }
  if (memory == Memory::kSealed) {
    sealed_.emplace(file.get(), length, path);
  } else {
    mapped_ = std::make_unique<const MappedFile>(file.get(), length, path);
  }
  sections_ = checked_sections(path, sealed_ ? sealed_->bytes() : mapped_->bytes(), hashes);
  content_hash_ = hash_of_content(sections_);
}

bool ModelFile::has(std::string_view name) const {
  return std::any_of(sections_.begin(), sections_.end(),
                     [&](const Section& section) { return section.name == name; });
}

const Section& ModelFile::section(std::string_view name) const {
  for (const Section& section : sections_) {
    if (section.name == name) return section;
  }
  throw InputError(path_.string(), name, "missing", "a model baked with this section");
}

namespace {

template <typename T>
std::span<const T> typed(const std::filesystem::path& path, const Section& section,
                         ElementType type, std::string_view type_name) {
  if (section.type != type) {
    throw InputError(path.string(), section.name,
                     fmt::format("found element type {}", static_cast<std::uint32_t>(section.type)),
                     type_name);
  }
  return {reinterpret_cast<const T*>(section.bytes.data()), section.bytes.size() / sizeof(T)};
}

}  // namespace

std::span<const float> ModelFile::floats(std::string_view name) const {
  return typed<float>(path_, section(name), ElementType::kFloat32, "float32");
}

std::span<const double> ModelFile::doubles(std::string_view name) const {
  return typed<double>(path_, section(name), ElementType::kFloat64, "float64");
}

std::span<const std::uint32_t> ModelFile::indices(std::string_view name) const {
  return typed<std::uint32_t>(path_, section(name), ElementType::kUint32, "uint32");
}

std::span<const std::uint8_t> ModelFile::bytes(std::string_view name) const {
  return typed<std::uint8_t>(path_, section(name), ElementType::kUint8, "uint8");
}

std::uint32_t ModelFile::reduced_dimension() const {
  if (!has("/reduced/basis")) return 0;
  return static_cast<std::uint32_t>(section("/reduced/basis").shape[1]);
}

std::uint32_t ModelFile::material_groups() const {
  if (!has("/material/density")) return 1;
  return static_cast<std::uint32_t>(section("/material/density").shape[0]);
}

std::uint32_t ModelFile::coefficient_size() const {
  if (!has("/reduced/storage")) return 8;
  const std::uint32_t size = indices("/reduced/storage")[0];
  if (size != 4 && size != 8) {
    throw InputError(path_.string(), "/reduced/storage", fmt::format("found {}", size), "8 or 4");
  }
  return size;
}

}  // namespace haptic
