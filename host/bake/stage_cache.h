#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "host/bake/stage_key.h"

namespace haptic {

/// What a stage left behind.
struct StageEntry {
  StageDigest key;     ///< of everything it depended on
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

/// A folder with the results of a bake's stages, one file a stage, so that a bake goes on where an
/// earlier one stopped and redoes only what a changed recipe touches.
///
/// It belongs to one recipe file and one bake at a time. A file is written under a temporary name,
/// synced and renamed, and carries a hash: a half-written or damaged one is never taken for a
/// result. Safe to delete whole at any time while no bake runs.
class StageCache {
 public:
  /// Whose results the folder may hold.
  enum class Owner {
    kThisRecipe,  ///< a folder of another recipe is refused
    kAnyRecipe,   ///< it changes hands: results that fit are used, the others replaced
  };

  /// Opens or makes the folder and locks it.
  /// @throws InputError if it is no folder, holds anything else than such results, or belongs to
  ///         another recipe: nothing in it is touched. OperationError if another bake holds it
  StageCache(const std::filesystem::path& folder, const std::filesystem::path& recipe,
             Owner owner = Owner::kThisRecipe);
  StageCache(const StageCache&) = delete;
  StageCache& operator=(const StageCache&) = delete;
  ~StageCache();

  /// The entry of a stage, if there is one made from exactly `key`.
  /// @param damage set to what is wrong with a file that cannot be used, else left alone
  std::optional<StageEntry> load(const std::string& stage, const StageDigest& key,
                                 std::string& damage) const;
  /// Replaces the entry of a stage. @throws OperationError if the disk does not take it
  void store(const std::string& stage, const StageEntry& entry) const;

  const std::filesystem::path& folder() const { return folder_; }

 private:
  void require_own_folder() const;
  void lock();
  void check_manifest(const std::filesystem::path& recipe, Owner owner) const;
  void remove_temporaries() const;

  std::filesystem::path folder_;
  int lock_ = -1;
};

}  // namespace haptic
