#include "host/bake/stage_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "host/files/replace_file.h"
#include "shared/error.h"

namespace haptic {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kManifest = "manifest", kLock = "lock", kSuffix = ".stage";
constexpr std::string_view kTitle = "haptic bake cache 1";
constexpr std::array<char, 16> kMagic = {'h', 'a', 'p', 't', 'i', 'c', '-',  's',
                                         't', 'a', 'g', 'e', '-', '1', '\n', '\0'};

/// `name` without ".tmp<digits>"; empty if that is not how it ends.
std::string_view without_temporary_suffix(std::string_view name) {
  const std::size_t at = name.rfind(".tmp");
  if (at == std::string_view::npos || at + 4 == name.size()) return {};
  const std::string_view digits = name.substr(at + 4);
  const bool number =
      std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
  return number ? name.substr(0, at) : std::string_view();
}

bool is_result(std::string_view name) {
  return name.size() > kSuffix.size() && name.ends_with(kSuffix);
}

bool is_temporary(std::string_view name) {
  const std::string_view stem = without_temporary_suffix(name);
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
  try {
    check_manifest(recipe, owner);
    remove_temporaries();
  } catch (...) {
    close(lock_);
    throw;
  }
}

StageCache::~StageCache() {
  close(lock_);
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
  lock_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock_ < 0) {
    throw InputError(path.string(), "", fmt::format("cannot be opened ({})", std::strerror(errno)),
                     "a folder that you can write to");
  }
  if (flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    close(lock_);
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
  std::ifstream file(path);
  if (!file) return replace_file(path, {text});
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
  std::ifstream file(folder_ / (stage + std::string(kSuffix)), std::ios::binary | std::ios::ate);
  if (!file) return std::nullopt;
  const auto length = static_cast<std::size_t>(std::max<std::streamoff>(0, file.tellg()));
  file.seekg(0);
  std::array<char, kMagic.size()> magic = {};
  StageDigest own, body_digest;
  constexpr std::size_t kHead = kMagic.size() + 2 * sizeof(StageDigest);
  if (length >= kHead) {
    file.read(magic.data(), magic.size());
    file.read(reinterpret_cast<char*>(&own), sizeof own);
    file.read(reinterpret_cast<char*>(&body_digest), sizeof body_digest);
  }
  if (magic != kMagic || !file) {
    damage = "found no stage result";
    return std::nullopt;
  }
  if (own != key) return std::nullopt;
  std::vector<std::byte> body(length - kHead);
  file.read(reinterpret_cast<char*>(body.data()), static_cast<std::streamsize>(body.size()));
  try {
    if (!file || digest_of(body) != body_digest) throw OperationError("hash mismatch");
    auto entry = decode_stage<StageEntry>(body);
    if (entry.key != key) throw OperationError("key mismatch");
    return entry;
  } catch (const OperationError& error) {
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
