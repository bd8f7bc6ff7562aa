#include "shared/ipc/session_texts.h"

#include <cstring>
#include <string_view>

#include "shared/error.h"
#include "shared/ipc/shared_words.h"

namespace haptic {
namespace {

struct TextsHeader {
  static constexpr std::uint64_t kMagic = 0x3153545845545048;  // "HPTEXTS1"

  std::uint64_t magic;  ///< set last
  std::uint64_t instance;
  std::uint64_t scene_size;     ///< bytes after this header
  std::uint64_t manifest_size;  ///< bytes after the scene
};

}  // namespace

SharedSegment share_session_texts(const std::filesystem::path& path, std::uint64_t instance,
                                  const SessionTexts& texts) {
  const TextsHeader header{0, instance, texts.scene.size(), texts.manifest.size()};
  SharedSegment segment = SharedSegment::create(
      path, sizeof header + texts.scene.size() + texts.manifest.size(), "haptic");
  std::byte* const data = segment.data();
  std::memcpy(data, &header, sizeof header);
  std::memcpy(data + sizeof header, texts.scene.data(), texts.scene.size());
  std::memcpy(data + sizeof header + texts.scene.size(), texts.manifest.data(),
              texts.manifest.size());
  store_word(reinterpret_cast<TextsHeader*>(data)->magic, TextsHeader::kMagic,
             std::memory_order_release);
  return segment;
}

std::optional<SessionTexts> read_session_texts(const std::filesystem::path& telemetry,
                                               std::uint64_t instance) {
  try {
    std::filesystem::path path = telemetry;
    const SharedSegment segment = SharedSegment::open(path.replace_extension(".texts"));
    const auto* const shared = reinterpret_cast<const TextsHeader*>(segment.data());
    if (segment.size() < sizeof(TextsHeader) ||
        load_word(shared->magic, std::memory_order_acquire) != TextsHeader::kMagic) {
      return std::nullopt;
    }
    TextsHeader header{};
    std::memcpy(&header, shared, sizeof header);
    const std::string_view texts(reinterpret_cast<const char*>(shared + 1),
                                 segment.size() - sizeof header);
    if (header.instance != instance || header.scene_size > texts.size() ||
        header.manifest_size != texts.size() - header.scene_size) {
      return std::nullopt;
    }
    return SessionTexts{std::string(texts.substr(0, header.scene_size)),
                        std::string(texts.substr(header.scene_size))};
  } catch (const OperationError&) {
    return std::nullopt;
  }
}

}  // namespace haptic
