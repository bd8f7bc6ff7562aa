#include "shared/artifact/model_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "shared/artifact/section_shapes.h"
#include "shared/artifact/user_block.h"
#include "shared/error.h"

namespace haptic {
namespace {

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

std::uint64_t hash_of(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
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
      for (const Section& section : sections) {
        const std::uint64_t found = hash_of(section.bytes);
        if (found != section.hash) {
          refuse(section.name, fmt::format("found hash {:016x} of the data", found),
                 fmt::format("{:016x} (the file is damaged)", section.hash));
        }
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

  static std::string printable(std::string text) {
    for (char& c : text) {
      if (c < ' ' || c > '~') c = '?';
    }
    return text;
  }

  std::string path_;
  std::span<const std::byte> file_;
};

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

namespace {

HugeVector<std::byte> whole_file(const std::filesystem::path& path, int file, std::size_t length) {
  HugeVector<std::byte> copy(length);
  for (std::size_t at = 0; at < length;) {
    const ssize_t count = pread(file, copy.data() + at, length - at, static_cast<off_t>(at));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      throw OperationError(fmt::format("{}: cannot be read whole ({})", path.string(),
                                       count < 0 ? std::strerror(errno) : "it became shorter"));
    }
    at += static_cast<std::size_t>(count);
  }
  mprotect(copy.data(), length, PROT_READ);  // refused: as safe as any other memory
  return copy;
}

}  // namespace

ModelFile::ModelFile(const std::filesystem::path& path, Hashes hashes, Memory memory)
    : path_(path) {
  // O_NONBLOCK: a FIFO under the model's name must not hang the opener.
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) {
    throw InputError(path.string(), "", fmt::format("cannot be opened ({})", std::strerror(errno)),
                     "a model file");
  }
  struct stat status = {};
  if (fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    throw InputError(path.string(), "", "found something that is not a regular file",
                     "a model file");
  }
  const auto length = static_cast<std::size_t>(status.st_size);
  if (length == 0) throw InputError(path.string(), "", "found an empty file", "a model file");
  if (memory == Memory::kCopy) {
    copy_ = whole_file(path, file.get(), length);
    sections_ = Checker(path, copy_).read(hashes);
    content_hash_ = hash_of_content(sections_);
    return;
  }
  void* map = mmap(nullptr, length, PROT_READ, MAP_SHARED, file.get(), 0);
  if (map == MAP_FAILED) {
    throw OperationError(
        fmt::format("{}: cannot be mapped ({})", path.string(), std::strerror(errno)));
  }
  map_ = static_cast<const std::byte*>(map);
  map_length_ = length;
  try {
    sections_ = Checker(path, {map_, map_length_}).read(hashes);
    content_hash_ = hash_of_content(sections_);
  } catch (...) {
    munmap(map, length);
    throw;
  }
}

ModelFile::ModelFile(ModelFile&& other) noexcept
    : path_(std::move(other.path_)),
      sections_(std::move(other.sections_)),
      content_hash_(other.content_hash_),
      map_(std::exchange(other.map_, nullptr)),
      map_length_(std::exchange(other.map_length_, 0)),
      copy_(std::move(other.copy_)) {}

ModelFile& ModelFile::operator=(ModelFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(sections_, other.sections_);
  std::swap(content_hash_, other.content_hash_);
  std::swap(map_, other.map_);
  std::swap(map_length_, other.map_length_);
  std::swap(copy_, other.copy_);
  return *this;
}

ModelFile::~ModelFile() {
  if (map_) munmap(const_cast<std::byte*>(map_), map_length_);
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
