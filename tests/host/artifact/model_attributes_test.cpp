#include "host/artifact/model_attributes.h"

#include "tests/host/artifact/hostile_hdf5.h"

namespace haptic {
namespace {

class ModelAttributesTest : public HostileHdf5Test {};

TEST_F(ModelAttributesTest, an_attribute_of_many_numbers_or_texts_is_left_out) {
  write([](hid_t file) {
    const hid_t group = H5Gcreate2(file, "/mesh", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    write_attribute(group, "density_kg_m3", 1000.0);
    const std::vector<double> numbers(8000);
    add_attribute(group, "poisson_ratio", H5T_IEEE_F64LE, numbers.size(), numbers.data());
    const hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, 4);
    const std::string texts(4 * 15000, 'x');
    add_attribute(group, "lumped_mass", text, 15000, texts.data());
    H5Tclose(text);
    H5Gclose(group);
  });
  const ModelAttributes expected = {{"/mesh.density_kg_m3", 1000.0}};
  EXPECT_EQ(read_model_attributes(path()), expected);
  EXPECT_THROW(number_attribute(expected, path(), "/mesh.poisson_ratio"), InputError);
}

}  // namespace
}  // namespace haptic
