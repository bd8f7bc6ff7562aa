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
/// All data goes to a TemporaryFile; `commit` fills the user block,
/// syncs and renames. An incomplete model never has the final name, and an old model stays until
/// the new one is complete. Without `commit` the destructor removes the temporary file. The same
/// content always gives the same bytes.
class ModelWriter {
 public:
  using Shape = std::initializer_list<std::uint64_t>;

  /// @throws InputError as Hdf5Output
  explicit ModelWriter(const std::filesystem::path& target);
  ModelWriter(const ModelWriter&) = delete;
  ModelWriter& operator=(const ModelWriter&) = delete;
  ~ModelWriter();

  /// Writes one section, row-major; `values` may be freed afterwards. Name, type and rank are
  /// checked against kSections, the size against the shape; a mismatch aborts.
  /// @throws OperationError if a value is not finite, a section is written twice, or the disk is
  ///         full
  void add(std::string_view name, std::span<const double> values, Shape shape);
  void add(std::string_view name, std::span<const float> values, Shape shape);
  void add(std::string_view name, std::span<const std::uint32_t> values, Shape shape);
  void add(std::string_view name, std::span<const std::uint8_t> values, Shape shape);

  /// Attribute of a group, which is created if necessary, e.g. ("/provenance", "recipe", text).
  /// @throws std::logic_error for one that is not in shared/artifact/attributes.h
  void set_attribute(const std::string& group, const std::string& name, const std::string& text);
  void set_attribute(const std::string& group, const std::string& name, double value);

  /// Gives the file its final name.
  /// @throws OperationError if shapes of sections disagree, or the disk is full
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace haptic
