#include "shared/artifact/index_check.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <string>
#include <system_error>
#include <thread>

#include "shared/artifact/section_shapes.h"
#include "shared/artifact/section_values.h"
#include "shared/artifact/user_block.h"
#include "shared/error.h"
#include "shared/printable.h"

namespace haptic {
namespace {

std::uint64_t hash_of(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

/// One hash per section, in order. Two threads compute those of a large file: its pages are
/// accessed for the first time here, which takes longer than the hashing.
std::vector<std::uint64_t> hashes_of(const std::vector<Section>& sections) {
  constexpr std::size_t kLarge = std::size_t{1} << 20;
  std::vector<std::uint64_t> hashes(sections.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&]() noexcept {
    for (std::size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < sections.size();) {
      hashes[i] = hash_of(sections[i].bytes);
    }
  };
  std::size_t bytes = 0;
  for (const Section& section : sections) bytes += section.bytes.size();
  std::jthread second;
  try {
    if (bytes >= kLarge) second = std::jthread(work);
  } catch (const std::system_error&) {
    // No thread could be started: this one computes them all.
  }
  work();
  if (second.joinable()) second.join();
  return hashes;
}

/// The checks of one file; every refusal names the file.
class Checker {
 public:
  Checker(const std::filesystem::path& path, std::span<const std::byte> file)
      : path_(path.string()), file_(file) {}

  std::vector<Section> read(ModelFile::Hashes hashes) const {
    const UserBlockHeader header = read_header();
    std::vector<Section> sections;
    for (std::uint32_t i = 0; i < header.section_count; ++i) {
      UserBlockEntry entry;
      std::memcpy(&entry, file_.data() + header.index_offset + i * sizeof entry, sizeof entry);
      sections.push_back(read_entry(entry, i));
    }
    check_together(sections);
    if (hashes == ModelFile::Hashes::kCheck) {
      const std::vector<std::uint64_t> found = hashes_of(sections);
      for (std::size_t i = 0; i < sections.size(); ++i) {
        if (found[i] != sections[i].hash) {
          refuse(sections[i].name, fmt::format("found hash {:016x} of the data", found[i]),
                 fmt::format("{:016x} (the file is damaged or changes while it is read)",
                             sections[i].hash));
        }
      }
      if (const std::string line = bad_value(sections); !line.empty()) {
        throw InputError(path_, "", line);
      }
    }
    return sections;
  }

 private:
  [[noreturn]] void refuse(std::string_view where, std::string_view found,
                           std::string_view expected) const {
    throw InputError(path_, where, found, expected);
  }

  UserBlockHeader read_header() const {
    if (file_.size() < kUserBlockSize) {
      refuse("", fmt::format("found a file of {} bytes", file_.size()),
             fmt::format("a model file of at least {} bytes", kUserBlockSize));
    }
    UserBlockHeader header;
    std::memcpy(&header, file_.data(), sizeof header);
    if (header.magic != kModelMagic) {
      refuse("header", "found no model file mark", "a file written by `haptic bake`");
    }
    if (header.byte_order != kByteOrderMark) {
      refuse("header", fmt::format("found byte order mark {:08x}", header.byte_order),
             fmt::format("{:08x}", kByteOrderMark));
    }
    // Before the hash: a newer version may lay out the rest differently.
    if (header.version != kModelFormatVersion) {
      refuse("header", fmt::format("found format version {}", header.version),
             header.version > kModelFormatVersion
                 ? fmt::format("{} (the file is newer than this program)", kModelFormatVersion)
                 : fmt::format("{}", kModelFormatVersion));
    }
    const std::uint64_t header_hash = hash_of(file_.first(offsetof(UserBlockHeader, header_hash)));
    if (header_hash != header.header_hash) {
      refuse("header", fmt::format("found hash {:016x}", header_hash),
             fmt::format("{:016x} (the file is damaged)", header.header_hash));
    }
    if (header.file_length != file_.size()) {
      refuse("header", fmt::format("found a file of {} bytes", file_.size()),
             fmt::format("{} bytes (the file is {})", header.file_length,
                         file_.size() < header.file_length ? "truncated" : "too long"));
    }
    if (header.entry_size != sizeof(UserBlockEntry) || header.section_count > kMaxSections ||
        header.index_offset != sizeof(UserBlockHeader) ||
        header.index_length != header.section_count * sizeof(UserBlockEntry)) {
      refuse("header",
             fmt::format("found an index of {} sections, {} bytes at {}", header.section_count,
                         header.index_length, header.index_offset),
             fmt::format("at most {} sections of {} bytes at {}", kMaxSections,
                         sizeof(UserBlockEntry), sizeof(UserBlockHeader)));
    }
    const std::uint64_t index_hash =
        hash_of(file_.subspan(header.index_offset, header.index_length));
    if (index_hash != header.index_hash) {
      refuse("index", fmt::format("found hash {:016x}", index_hash),
             fmt::format("{:016x} (the file is damaged)", header.index_hash));
    }
    const std::uint64_t index_end = header.index_offset + header.index_length;
    const auto padding = file_.subspan(index_end, kUserBlockSize - index_end);
    if (std::any_of(padding.begin(), padding.end(), [](std::byte b) { return b != std::byte{}; })) {
      refuse("index", "found bytes after the last section",
             "zeros up to the end of the user block");
    }
    return header;
  }

  Section read_entry(const UserBlockEntry& entry, std::uint32_t number) const {
    const std::string position = fmt::format("section {}", number);
    const auto name_end = std::find(entry.name.begin(), entry.name.end(), '\0');
    if (name_end == entry.name.end() ||
        std::any_of(name_end, entry.name.end(), [](char c) { return c != '\0'; })) {
      refuse(position, "found a name that does not end", "at most 63 characters padded with zeros");
    }
    const std::string name(entry.name.begin(), name_end);
    const SectionInfo* info = find_section(name);
    if (!info) {
      refuse(position, fmt::format("found the unknown name \"{}\"", printable(name)),
             "a section of docs/artifact.md");
    }
    if (entry.type != static_cast<std::uint32_t>(info->type)) {
      refuse(name, fmt::format("found element type {}", entry.type),
             fmt::format("{}", static_cast<std::uint32_t>(info->type)));
    }
    if (entry.rank != info->rank) {
      refuse(name, fmt::format("found rank {}", entry.rank), fmt::format("{}", info->rank));
    }
    std::uint64_t length = element_size(info->type);
    for (std::uint32_t i = 0; i < kMaxRank; ++i) {
      if (i >= entry.rank) {
        if (entry.shape[i] != 0) {
          refuse(name, fmt::format("found extent {} beyond the rank", entry.shape[i]), "0");
        }
      } else if (__builtin_mul_overflow(length, entry.shape[i], &length)) {
        refuse(name, "found a shape whose size overflows 64 bits", "a shape that fits the file");
      }
    }
    if (length != entry.length) {
      refuse(name, fmt::format("found {} bytes", entry.length),
             fmt::format("{} bytes by its shape", length));
    }
    if (entry.offset % kSectionAlignment != 0) {
      refuse(name, fmt::format("found offset {}", entry.offset),
             fmt::format("a multiple of {}", kSectionAlignment));
    }
    if (entry.offset < kUserBlockSize || entry.offset > file_.size() ||
        entry.length > file_.size() - entry.offset) {
      refuse(name, fmt::format("found bytes {} + {}", entry.offset, entry.length),
             fmt::format("a range from {} to {}", kUserBlockSize, file_.size()));
    }
    return {name, info->type,
            std::vector<std::uint64_t>(entry.shape.begin(), entry.shape.begin() + entry.rank),
            file_.subspan(entry.offset, entry.length), entry.hash};
  }

  void check_together(const std::vector<Section>& sections) const {
    std::vector<const Section*> order;
    for (const Section& section : sections) order.push_back(&section);
    std::sort(order.begin(), order.end(),
              [](const Section* a, const Section* b) { return a->name < b->name; });
    for (std::size_t i = 1; i < order.size(); ++i) {
      if (order[i]->name == order[i - 1]->name) refuse(order[i]->name, "found twice", "once");
    }
    std::erase_if(order, [](const Section* section) { return section->bytes.empty(); });
    std::sort(order.begin(), order.end(),
              [](const Section* a, const Section* b) { return a->bytes.data() < b->bytes.data(); });
    for (std::size_t i = 1; i < order.size(); ++i) {
      if (order[i - 1]->bytes.data() + order[i - 1]->bytes.size() > order[i]->bytes.data()) {
        refuse(order[i]->name, fmt::format("found bytes shared with {}", order[i - 1]->name),
               "sections that do not overlap");
      }
    }
    std::vector<NamedShape> shapes;
    for (const Section& section : sections) shapes.push_back({section.name, section.shape});
    if (const std::string line = disagreement_of_shapes(shapes); !line.empty()) {
      throw InputError(path_, "", line);
    }
  }

  std::string path_;
  std::span<const std::byte> file_;
};

}  // namespace

std::vector<Section> checked_sections(const std::filesystem::path& path,
                                      std::span<const std::byte> file, ModelFile::Hashes hashes) {
  return Checker(path, file).read(hashes);
}

}  // namespace haptic
