#include "host/report/log_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "host/artifact/hdf5_handle.h"
#include "host/log/log_dataset.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr std::size_t kLongestText = std::size_t{1} << 22;
constexpr hsize_t kMostParameters = 1u << 14;

bool has(hid_t file, const char* name) {
  return H5Lexists(file, name, H5P_DEFAULT) > 0;
}

/// A text of fixed length, as all of a log are; nothing for another type.
template <class Read>
std::string fixed_text(hid_t type, const Read& read) {
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) > 0) return {};
  std::string text(std::min(H5Tget_size(type), kLongestText), '\0');
  if (H5Tget_size(type) > kLongestText || read(text.data()) < 0) return {};
  text.resize(std::strlen(text.c_str()));
  return text;
}

herr_t add_attribute(hid_t object, const char* name, const H5A_info_t*, void* target) {
  auto& attributes = *static_cast<std::vector<std::pair<std::string, std::string>>*>(target);
  const Hdf5Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose, name);
  const Hdf5Handle type(H5Aget_type(attribute.get()), H5Tclose, name);
  const Hdf5Handle space(H5Aget_space(attribute.get()), H5Sclose, name);
  if (H5Sget_simple_extent_npoints(space.get()) != 1) return 0;
  double number = 0.0;
  if (H5Tget_class(type.get()) == H5T_STRING) {
    attributes.emplace_back(name, fixed_text(type.get(), [&](char* text) {
                              return H5Aread(attribute.get(), type.get(), text);
                            }));
  } else if (H5Aread(attribute.get(), H5T_NATIVE_DOUBLE, &number) >= 0) {
    attributes.emplace_back(name, fmt::format("{}", number));
  }
  return 0;
}

void add_attributes(hid_t file, const char* group, LogFacts& facts) {
  const Hdf5Handle object(H5Oopen(file, group, H5P_DEFAULT), H5Oclose, group);
  hsize_t start = 0;
  H5Aiterate2(object.get(), H5_INDEX_NAME, H5_ITER_INC, &start, add_attribute, &facts.attributes);
}

std::string scene_text(hid_t file) {
  constexpr const char* kName = "/session/scene";
  if (!has(file, "/session") || !has(file, kName)) return {};
  const Hdf5Handle dataset(H5Dopen2(file, kName, H5P_DEFAULT), H5Dclose, kName);
  const Hdf5Handle type(H5Dget_type(dataset.get()), H5Tclose, kName);
  const Hdf5Handle space(H5Dget_space(dataset.get()), H5Sclose, kName);
  if (H5Sget_simple_extent_npoints(space.get()) != 1) return {};
  return fixed_text(type.get(), [&](char* text) {
    return H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text);
  });
}

std::vector<std::pair<std::string, double>> parameters(hid_t file) {
  constexpr const char* kNames = "/parameters/name";
  constexpr const char* kValues = "/parameters/value";
  if (!has(file, "/parameters") || !has(file, kNames) || !has(file, kValues)) return {};
  const Hdf5Handle names(H5Dopen2(file, kNames, H5P_DEFAULT), H5Dclose, kNames);
  const Hdf5Handle values(H5Dopen2(file, kValues, H5P_DEFAULT), H5Dclose, kValues);
  const Hdf5Handle type(H5Dget_type(names.get()), H5Tclose, kNames);
  const Hdf5Handle name_space(H5Dget_space(names.get()), H5Sclose, kNames);
  const Hdf5Handle value_space(H5Dget_space(values.get()), H5Sclose, kValues);
  const hssize_t count = H5Sget_simple_extent_npoints(name_space.get());
  const std::size_t size = H5Tget_size(type.get());
  if (count <= 0 || count > static_cast<hssize_t>(kMostParameters) || size > 4096 ||
      count != H5Sget_simple_extent_npoints(value_space.get()) ||
      H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) > 0) {
    return {};
  }
  std::string texts(static_cast<std::size_t>(count) * size, '\0');
  std::vector<double> numbers(static_cast<std::size_t>(count));
  if (H5Dread(names.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, texts.data()) < 0 ||
      H5Dread(values.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()) < 0) {
    return {};
  }
  std::vector<std::pair<std::string, double>> result;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::string padded = texts.substr(i * size, size);
    result.emplace_back(padded.substr(0, padded.find('\0')), numbers[i]);
  }
  return result;
}

}  // namespace

LogFacts read_log_facts(const std::filesystem::path& path) {
  const OpenedLog log = open_log(path);
  const Hdf5Handle& file = log.file;
  LogFacts facts;
  add_attributes(file.get(), "/", facts);
  if (has(file.get(), "/session")) add_attributes(file.get(), "/session", facts);
  facts.scene_text = scene_text(file.get());
  facts.parameters = parameters(file.get());
  return facts;
}

}  // namespace haptic
