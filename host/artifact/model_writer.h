#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace haptic {

/// Writes a model file: an HDF5 file whose user block is a flat index (docs/artifact.md).
///
/// Everything goes to `<target>.tmp<pid>` beside the target; `commit` fills the user block, syncs
/// and renames, so a half-written model never stands under its final name and an old model stays
/// until the new one is whole. Without `commit` the destructor removes the temporary file.
/// The same content gives the same bytes, whatever the time of day.
class ModelWriter {
 public:
  using Shape = std::initializer_list<std::uint64_t>;

  /// @throws InputError as Hdf5Output
  explicit ModelWriter(const std::filesystem::path& target);
  ModelWriter(const ModelWriter&) = delete;
  ModelWriter& operator=(const ModelWriter&) = delete;
  ~ModelWriter();

  /// Writes one section, row-major; `values` may be freed afterwards. Name, type and rank are held
  /// against kSections, the size against the shape (a programmer's error aborts).
  /// @throws OperationError if a value is not finite, a name comes twice, or the disk is full
  void add(std::string_view name, std::span<const double> values, Shape shape);
  void add(std::string_view name, std::span<const float> values, Shape shape);
  void add(std::string_view name, std::span<const std::uint32_t> values, Shape shape);
  void add(std::string_view name, std::span<const std::uint8_t> values, Shape shape);

  /// Attribute of a group, which is made if need be, e.g. ("/provenance", "recipe", text).
  void set_attribute(const std::string& group, const std::string& name, const std::string& text);
  void set_attribute(const std::string& group, const std::string& name, double value);

  /// Puts the file under its final name.
  /// @throws OperationError if shapes of sections disagree, or the disk is full
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace haptic
