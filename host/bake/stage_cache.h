#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "host/bake/stage_key.h"
#include "shared/memory/file_descriptor.h"

namespace haptic {

/// Stored result of a stage.
struct StageEntry {
  StageDigest key;     ///< of everything the stage depended on
  StageDigest result;  ///< of the bytes
  double seconds = 0.0;
  double peak_bytes = 0.0;
  std::vector<std::string> notes;
  std::vector<std::byte> bytes;
};

template <class Archive>
void archive(Archive& a, StageEntry& e) {
  a(e.key, e.result, e.seconds, e.peak_bytes, e.notes, e.bytes);
}

/// A folder with the results of the stages of a bake, one file per stage. A bake continues an
/// interrupted one from them, and after a change of the recipe it repeats only the stages that
/// depend on the change.
///
/// It belongs to one recipe file and, where the file system has locks, one bake at a time. A file
/// is written under a temporary name, synced and renamed, and carries a hash: an incomplete or
/// damaged file is never used. The folder may be deleted at any time while no bake runs.
class StageCache {
 public:
  /// Results of which recipe the folder may contain.
  enum class Owner {
    kThisRecipe,  ///< a folder of another recipe is refused
    kAnyRecipe,   ///< the folder is taken over: matching results are used, the others replaced
  };

  /// Opens or makes the folder and locks it.
  /// @throws InputError if it is not a folder, contains other files than such results, or belongs
  ///         to another recipe; it is then unchanged. OperationError if another bake has locked it
  StageCache(const std::filesystem::path& folder, const std::filesystem::path& recipe,
             Owner owner = Owner::kThisRecipe);
  StageCache(const StageCache&) = delete;
  StageCache& operator=(const StageCache&) = delete;

  /// The entry of a stage, if there is one made from exactly `key`.
  /// @param damage set to the reason if a file cannot be used, otherwise unchanged
  std::optional<StageEntry> load(const std::string& stage, const StageDigest& key,
                                 std::string& damage) const;
  /// Replaces the entry of a stage. @throws OperationError if writing fails
  void store(const std::string& stage, const StageEntry& entry) const;

  const std::filesystem::path& folder() const { return folder_; }

 private:
  void require_own_folder() const;
  void lock();
  void check_manifest(const std::filesystem::path& recipe, Owner owner) const;
  void remove_temporaries() const;

  std::filesystem::path folder_;
  FileDescriptor lock_{-1};
  bool alone_ = false;  ///< the lock is held: no other bake uses the folder
};

}  // namespace haptic
