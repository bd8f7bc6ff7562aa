#include "host/artifact/model_attributes.h"

#include <vector>

#include "host/artifact/hdf5_handle.h"
#include "shared/error.h"

namespace haptic {
namespace {

struct Visit {
  ModelAttributes* attributes;
  std::string group;
};

herr_t read_attribute(hid_t group, const char* name, const H5A_info_t*, void* data) {
  const auto* visit = static_cast<Visit*>(data);
  const std::string key = visit->group + "." + name;
  const hid_t attribute = H5Aopen(group, name, H5P_DEFAULT);
  if (attribute < 0) return -1;
  const hid_t type = H5Aget_type(attribute);
  herr_t status = -1;
  if (H5Tget_class(type) == H5T_FLOAT) {
    double value = 0.0;
    status = H5Aread(attribute, H5T_NATIVE_DOUBLE, &value);
    if (status >= 0) (*visit->attributes)[key] = value;
  } else if (H5Tget_class(type) == H5T_STRING && !H5Tis_variable_str(type)) {
    std::string text(H5Tget_size(type), '\0');
    status = H5Aread(attribute, type, text.data());
    text.resize(text.find_last_not_of('\0') + 1);
    if (status >= 0) (*visit->attributes)[key] = text;
  }
  H5Tclose(type);
  H5Aclose(attribute);
  return status < 0 ? -1 : 0;
}

}  // namespace

ModelAttributes read_model_attributes(const std::filesystem::path& path) {
  silence_hdf5();
  const hid_t id = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (id < 0) throw InputError(path.string(), "", "HDF5 cannot open it", "an HDF5 file");
  const Hdf5Handle file(id, H5Fclose, "open");
  ModelAttributes attributes;
  for (const char* name : {"/mesh", "/material", "/reduced", "/condensed", "/cloth", "/shell",
                           "/field", "/rigid", "/surface", "/provenance"}) {
    if (H5Lexists(file.get(), name, H5P_DEFAULT) <= 0) continue;
    const hid_t group_id = H5Gopen2(file.get(), name, H5P_DEFAULT);
    if (group_id < 0) throw InputError(path.string(), name, "HDF5 cannot open it", "a group");
    const Hdf5Handle group(group_id, H5Gclose, name);
    Visit visit{&attributes, name};
    if (H5Aiterate2(group.get(), H5_INDEX_NAME, H5_ITER_INC, nullptr, read_attribute, &visit) < 0) {
      throw InputError(path.string(), name, "HDF5 cannot read an attribute", "numbers and texts");
    }
  }
  return attributes;
}

double number_attribute(const ModelAttributes& attributes, const std::filesystem::path& path,
                        const std::string& name) {
  const auto found = attributes.find(name);
  if (found == attributes.end() || !std::holds_alternative<double>(found->second)) {
    throw InputError(path.string(), name, "missing", "a number");
  }
  return std::get<double>(found->second);
}

std::string text_attribute(const ModelAttributes& attributes, const std::string& name,
                           const std::string& absent) {
  const auto found = attributes.find(name);
  const auto* text = found == attributes.end() ? nullptr : std::get_if<std::string>(&found->second);
  return text == nullptr ? absent : *text;
}

}  // namespace haptic
