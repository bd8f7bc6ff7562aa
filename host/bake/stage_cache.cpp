#include "host/bake/stage_cache.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>

#include "host/files/replace_file.h"
#include "host/files/temporary_file.h"
#include "shared/error.h"
#include "shared/files/file_lock.h"
#include "shared/files/regular_file.h"

namespace haptic {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kManifest = "manifest", kLock = "lock", kSuffix = ".stage";
// Far above the largest stage, the stiffness of 10^6 elements.
constexpr std::uint64_t kMaxStageBytes = std::uint64_t{16} << 30;
constexpr std::string_view kTitle = "haptic bake cache 1";
constexpr std::array<char, 16> kMagic = {'h', 'a', 'p', 't', 'i', 'c', '-',  's',
                                         't', 'a', 'g', 'e', '-', '1', '\n', '\0'};

bool is_result(std::string_view name) {
  return name.size() > kSuffix.size() && name.ends_with(kSuffix);
}

bool is_temporary(std::string_view name) {
  const std::string_view stem = without_temporary_ending(name);
  return stem == kManifest || is_result(stem);
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

StageCache::StageCache(const fs::path& folder, const fs::path& recipe, Owner owner)
    : folder_(fs::absolute(folder).lexically_normal()) {
  if (!folder_.has_filename()) folder_ = folder_.parent_path();
  std::error_code ignored;
  if (!fs::exists(folder_, ignored)) {
    std::error_code error;
    fs::create_directory(folder_, error);
    if (error) {
      throw InputError(folder_.string(), "", fmt::format("cannot be made ({})", error.message()),
                       "a folder for the results of stages");
    }
  }
  require_own_folder();
  lock();
  check_manifest(recipe, owner);
  if (alone_) remove_temporaries();
}

void StageCache::require_own_folder() const {
  if (!fs::is_directory(folder_)) {
    throw InputError(folder_.string(), "", "found a file", "a folder for the results of stages");
  }
  bool results = false, manifest = false;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
    const std::string name = entry.path().filename().string();
    const bool own = name == kManifest || name == kLock || is_result(name) || is_temporary(name);
    if (!own || !entry.is_regular_file()) {
      throw InputError(folder_.string(), "", fmt::format("found {}", name),
                       "a folder with nothing but the results of a bake");
    }
    results = results || is_result(name);
    manifest = manifest || name == kManifest;
  }
  if (results && !manifest) {
    throw InputError(folder_.string(), "", "found results without a manifest",
                     "the folder of one recipe");
  }
}

void StageCache::lock() {
  const fs::path path = folder_ / kLock;
  lock_ = FileDescriptor(
      open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0666));
  if (lock_.get() < 0) {
    throw InputError(path.string(), "", fmt::format("cannot be opened ({})", std::strerror(errno)),
                     "a folder that you can write to");
  }
  // Without locks two bakes may use the folder at once: each replaces whole results, which carry
  // the key of what they were made of, so that one of them computes a stage again at worst.
  const FileLock lock = lock_file(lock_.get());
  alone_ = lock == FileLock::kTaken;
  if (lock == FileLock::kHeld) {
    throw OperationError(fmt::format(
        "{}: another bake is using it; wait for it, or name another folder with --cache",
        folder_.string()));
  }
}

void StageCache::check_manifest(const fs::path& recipe, Owner owner) const {
  const fs::path path = folder_ / kManifest;
  // Relative, so that caches stay valid when a project folder is moved.
  const std::string own = fs::proximate(fs::absolute(recipe).lexically_normal(), folder_).string();
  const std::string text = fmt::format("{}\nrecipe {}\n", kTitle, own);
  if (!fs::exists(path)) return replace_file(path, {text});
  constexpr std::uint64_t kMaxBytes = 1 << 16;  // the title and a path
  std::istringstream file(read_regular_file(path, "the manifest of a cache", kMaxBytes));
  std::string title, line;
  std::getline(file, title);
  std::getline(file, line);
  if (title != kTitle || !line.starts_with("recipe ")) {
    throw InputError(path.string(), "", fmt::format("found \"{}\"", title.substr(0, 60)),
                     fmt::format("\"{}\"", kTitle));
  }
  if (line.substr(7) == own) return;
  if (owner == Owner::kAnyRecipe) {
    replace_file(path, {text});
  } else {
    throw InputError(
        folder_.string(), "",
        fmt::format("found the results of another recipe ({})", line.substr(7)),
        fmt::format("those of {}; delete the folder or name another with --cache", own));
  }
}

void StageCache::remove_temporaries() const {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
    // We have the lock, so the process that wrote it has ended.
    if (is_temporary(entry.path().filename().string())) fs::remove(entry.path());
  }
}

std::optional<StageEntry> StageCache::load(const std::string& stage, const StageDigest& key,
                                           std::string& damage) const {
  const fs::path path = folder_ / (stage + std::string(kSuffix));
  if (!fs::exists(path)) return std::nullopt;
  StageDigest own, body_digest;
  constexpr std::size_t kHead = kMagic.size() + 2 * sizeof(StageDigest);
  const std::string head = first_bytes(path, kHead);
  if (head.size() < kHead || std::memcmp(head.data(), kMagic.data(), kMagic.size()) != 0) {
    damage = "found no stage result";
    return std::nullopt;
  }
  std::memcpy(&own, head.data() + kMagic.size(), sizeof own);
  std::memcpy(&body_digest, head.data() + kMagic.size() + sizeof own, sizeof body_digest);
  if (own != key) return std::nullopt;
  try {
    const std::string whole = read_regular_file(path, "the result of a stage", kMaxStageBytes);
    if (!whole.starts_with(head)) throw OperationError("hash mismatch");
    const std::span<const std::byte> body = std::as_bytes(std::span(whole)).subspan(kHead);
    if (digest_of(body) != body_digest) throw OperationError("hash mismatch");
    auto entry = decode_stage<StageEntry>(body);
    if (entry.key != key) throw OperationError("key mismatch");
    return entry;
  } catch (const std::runtime_error& error) {  // the stage is computed again
    damage = error.what();
    return std::nullopt;
  }
}

void StageCache::store(const std::string& stage, const StageEntry& entry) const {
  const std::vector<std::byte> body = encode_stage(entry);
  const StageDigest digest = digest_of(body);
  std::string head(kMagic.data(), kMagic.size());
  head.append(reinterpret_cast<const char*>(&entry.key), sizeof entry.key);
  head.append(reinterpret_cast<const char*>(&digest), sizeof digest);
  replace_file(folder_ / (stage + std::string(kSuffix)), {head, text_of(body)});
}

}  // namespace haptic
