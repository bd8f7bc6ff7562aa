#include "host/devices/connected_devices.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "rt/device/node_access.h"
#include "shared/ipc/local_socket.h"

namespace haptic {
namespace {

namespace fs = std::filesystem;

class Folder : public ::testing::Test {
 protected:
  Folder() {
    std::string name = fs::temp_directory_path() / "devices-XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  ~Folder() override { fs::remove_all(folder_); }
  fs::path write(const char* name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  fs::path folder_;
};

using ConnectedDevices = Folder;

TEST_F(ConnectedDevices, boards_are_found_by_their_nodes_names) {
  write("comedi1", "no board");
  write("comedi0_subd1", "");
  write("comedi", "");
  std::vector<std::string> nodes;
  for (const ConnectedDevice& device : find_devices(folder_)) {
    if (device.kind != "comedi") continue;
    nodes.push_back(fs::path(device.node).filename());
    EXPECT_FALSE(device.problem.empty());  // a plain file is no board
  }
  EXPECT_EQ(nodes, std::vector<std::string>{"comedi1"});
}

TEST_F(ConnectedDevices, manifests_are_checked_and_matched) {
  const ConnectedDevice board{"comedi", "/dev/comedi0", "s626, driver s626", "s626", ""};
  const ConnectedDevice locked{"comedi", "/dev/comedi0", "comedi board", "", "no permission"};
  const fs::path shipped(HAPTIC_FIRMWARE_CONFIG);
  const fs::path broken = write("broken.toml", "kind = \"comedi-arm\"\nname = \"broken\"\n");
  const std::vector<fs::path> files{shipped / "woodenhaptics.toml",
                                    shipped / "three-axis-stage.toml",
                                    shipped / "novint-falcon.toml", broken};
  const std::vector<ListedManifest> list = list_manifests_with({board}, files);
  ASSERT_EQ(list.size(), 4u);
  EXPECT_EQ(list[0].node, "/dev/comedi0");
  EXPECT_EQ(list[0].problem, "");
  EXPECT_EQ(list[1].node, "");  // wants a MultiQ-3
  EXPECT_EQ(list[2].kind, "falcon");
  EXPECT_EQ(list[2].node, "");
  EXPECT_NE(list[3].problem.find("rating: missing"), std::string::npos) << list[3].problem;
  EXPECT_EQ(list_manifests_with({locked}, files)[0].problem, "no permission");
}

TEST_F(ConnectedDevices, every_shipped_manifest_is_good) {
  std::vector<fs::path> files = list_manifests({fs::path(HAPTIC_FIRMWARE_CONFIG)});
  ASSERT_GE(files.size(), 7u);
  for (const ListedManifest& manifest : list_manifests_with({}, files)) {
    EXPECT_EQ(manifest.problem, "") << manifest.file;
    EXPECT_NE(manifest.description, "") << manifest.file;
  }
}

TEST_F(ConnectedDevices, an_external_device_is_listed_with_the_socket_of_its_daemon) {
  const std::vector<fs::path> files{fs::path(HAPTIC_FIRMWARE_CONFIG) / "external-reference.toml"};
  fs::permissions(folder_, fs::perms(0700));
  setenv("RUNTIME_DIRECTORY", folder_.c_str(), 1);
  write("device.reference.link", "a file is no socket");
  EXPECT_EQ(list_manifests_with({}, files)[0].node, "");
  fs::remove(folder_ / "device.reference.link");
  {
    const LocalListener listener(folder_ / "device.reference.link", "haptic-operator");
    EXPECT_EQ(list_manifests_with({}, files)[0].node, folder_ / "device.reference.link");
  }
  unsetenv("RUNTIME_DIRECTORY");
}

TEST_F(ConnectedDevices, a_node_without_permission_names_its_group) {
  const fs::path node = write("comedi0", "");
  EXPECT_EQ(node_problem(node), "");
  EXPECT_EQ(node_problem(folder_ / "none"), "");
  ASSERT_EQ(chmod(node.c_str(), 0000), 0);
  ASSERT_EQ(chmod(folder_.c_str(), 0755), 0);
  // Root may open every node, so another user is simulated.
  const auto told = [&](const std::string& words) {
    const pid_t child = fork();
    if (child == 0) {
      if (geteuid() == 0 && setuid(65534) != 0) _exit(2);
      _exit(node_problem(node).find(words) != std::string::npos ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  };
  EXPECT_EQ(told("no permission ("), 0);
  EXPECT_EQ(told(" 0000): install the udev rules"), 0);
}

}  // namespace
}  // namespace haptic
