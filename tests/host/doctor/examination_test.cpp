// `haptic doctor` on synthetic machines: one that is fit, and the result of each single change.
#include "host/doctor/examination.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace haptic {
namespace {

using testing::HasSubstr;

/// A lab PC with four CPUs, the last isolated, a Falcon, a comedi board, the package installed.
class Doctor : public testing::Test {
 protected:
  Doctor() {
    std::string pattern = (std::filesystem::temp_directory_path() / "doctor-XXXXXX").string();
    root_ = mkdtemp(pattern.data());
    write("/proc/version", "Linux version 6.1.0-rt (gcc) #1 SMP PREEMPT_RT Debian\n");
    write("/sys/kernel/realtime", "1\n");
    write("/proc/sys/kernel/osrelease", "6.1.0-rt\n");
    write("/boot/config-6.1.0-rt", "CONFIG_PREEMPT_RT=y\n# CONFIG_RT_GROUP_SCHED is not set\n");
    write("/proc/sys/kernel/sched_rt_runtime_us", "950000\n");
    write("/proc/sys/kernel/sched_rt_period_us", "1000000\n");
    write("/proc/sys/vm/compact_unevictable_allowed", "0\n");
    write("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
    write("/sys/kernel/mm/transparent_hugepage/shmem_enabled",
          "always within_size advise [never] deny force\n");
    write("/sys/devices/system/cpu/online", "0-3\n");
    write("/sys/devices/system/cpu/isolated", "3\n");
    write("/sys/devices/system/cpu/nohz_full", "3\n");
    write("/proc/cmdline", "quiet isolcpus=3 nohz_full=3 rcu_nocbs=3 irqaffinity=0-2\n");
    for (int cpu = 0; cpu < 4; ++cpu) {
      const std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(cpu);
      write(folder + "/cpufreq/scaling_governor", "performance\n");
      write(folder + "/cpuidle/state0/latency", "0\n");
      write(folder + "/cpuidle/state0/disable", "0\n");
      write(folder + "/cpuidle/state1/latency", "133\n");
      write(folder + "/cpuidle/state1/disable", "0\n");
    }
    write("/dev/cpu_dma_latency", "");
    write("/proc/irq/9/effective_affinity_list", "0\n");
    write("/proc/irq/9/acpi/x", "");
    write("/proc/irq/24/effective_affinity_list", "1-2\n");
    write("/proc/irq/24/eth0/x", "");
    write("/proc/irq/25/smp_affinity_list", "0-3\n");  // without a handler
    write("/sys/bus/usb/devices/1-2/idVendor", "0403\n");
    write("/sys/bus/usb/devices/1-2/idProduct", "cb48\n");
    write("/sys/bus/usb/devices/1-2/busnum", "1\n");
    write("/sys/bus/usb/devices/1-2/devnum", "7\n");
    write("/sys/bus/usb/devices/1-2/power/control", "on\n");
    write("/dev/bus/usb/001/007", "");
    write("/dev/comedi0", "");
    mode("/dev/bus/usb/001/007", 0660);
    mode("/dev/comedi0", 0660);
    write("/proc/devices",
          "Character devices:\n 98 comedi\n189 usb_device\n\nBlock devices:\n  8 sd\n");
    write("/usr/lib/systemd/system/hapticd.service",
          "[Service]\nLimitRTPRIO=90\nLimitMEMLOCK=infinity\n");
    // The group of the test represents the device groups: the test cannot change the group of
    // files.
    const std::string own = std::to_string(getegid());
    write("/etc/group", "root:x:0:\nhaptic:x:991:ann\nhaptic-operator:x:" + own +
                            ":ann\niocard:x:" + own + ":\n");
    write("/proc/self/status",
          "Name:\tx\nUid:\t1000\t1000\t1000\t1000\nGroups:\t991 " + own + " \n");
  }
  ~Doctor() override { std::filesystem::remove_all(root_); }

  void write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  void mode(const std::string& path, mode_t bits) { chmod((root_ + path).c_str(), bits); }
  void remove(const std::string& path) { std::filesystem::remove_all(root_ + path); }

  std::vector<Finding> all() const { return examine(MachineTree(root_)); }
  Finding finding(std::string_view check) const {
    for (const Finding& one : all()) {
      if (one.check == check) return one;
    }
    ADD_FAILURE() << "no check " << check;
    return {};
  }
  /// `check` has `verdict` and `found`, and its fix contains `fix`; all other findings are
  /// unchanged.
  void expect(std::string_view check, Verdict verdict, const std::string& found,
              const std::string& fix) const {
    for (const Finding& one : all()) {
      if (one.check == check) {
        EXPECT_EQ(one.verdict, verdict) << check << ": " << one.found;
        EXPECT_THAT(one.found, HasSubstr(found));
        EXPECT_THAT(one.fix, HasSubstr(fix));
      } else {
        EXPECT_EQ(one.verdict, Verdict::kGood) << one.check << ": " << one.found;
      }
    }
    EXPECT_EQ(is_fit(all()), verdict != Verdict::kUnfit);
  }

  std::string root_;
};

TEST_F(Doctor, finds_nothing_to_change_on_a_fit_machine) {
  EXPECT_EQ(all().size(), 15u);
  for (const Finding& one : all()) {
    EXPECT_EQ(one.verdict, Verdict::kGood) << one.check << ": " << one.found;
    EXPECT_EQ(one.fix, "") << one.check;
  }
  EXPECT_TRUE(is_fit(all()));
}

TEST_F(Doctor, a_realtime_kernel_is_recognised_by_sysfs_or_its_version) {
  remove("/sys/kernel/realtime");  // missing on some real-time kernels
  expect("kernel", Verdict::kGood, "PREEMPT_RT", "");
  write("/proc/version", "Linux version 6.1.0 #1 SMP PREEMPT_DYNAMIC\n");
  expect("kernel", Verdict::kUnfit, "not a PREEMPT_RT", "linux-image-rt-amd64");
}

TEST_F(Doctor, reports_the_limit_of_real_time_threads) {
  write("/proc/sys/kernel/sched_rt_runtime_us", "-1\n");
  expect("throttling", Verdict::kAdvice, "without limit", "950000");
  write("/proc/sys/kernel/sched_rt_runtime_us", "0\n");
  expect("throttling", Verdict::kUnfit, "not run at all", "950000");
  write("/proc/sys/kernel/sched_rt_runtime_us", "500000\n");
  expect("throttling", Verdict::kUnfit, "50 % of a CPU", "950000");
}

TEST_F(Doctor, detects_group_scheduling_by_configuration_and_by_budget) {
  write("/boot/config-6.1.0-rt", "CONFIG_RT_GROUP_SCHED=y\n");
  expect("group scheduling", Verdict::kUnfit, "only root", "rt_group_sched=0");
  write("/sys/fs/cgroup/cpu/system.slice/cpu.rt_runtime_us", "0\n");
  expect("group scheduling", Verdict::kUnfit, "no real-time budget", "system.slice/cpu.rt_runtime");
}

TEST_F(Doctor, advises_against_a_kernel_that_samples_the_use_of_memory) {
  write("/proc/41/comm", "kcompactd0\n");
  expect("page sampling", Verdict::kGood, "does not sample", "");
  write("/proc/77/comm", "kdamond.0\n");
  expect("page sampling", Verdict::kAdvice, "kdamond.0 (DAMON) samples", "DAMON off");
}

TEST_F(Doctor, warns_about_memory_compaction) {
  write("/proc/sys/vm/compact_unevictable_allowed", "1\n");
  expect("compaction", Verdict::kUnfit, "locked pages", "vm.compact_unevictable_allowed=0");
  write("/proc/sys/vm/compact_unevictable_allowed", "0\n");
  write("/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n");
  expect("huge pages", Verdict::kAdvice, "khugepaged", "transparent_hugepage=madvise");
}

TEST_F(Doctor, reports_the_page_size_of_the_models) {
  const std::string file = "/sys/kernel/mm/transparent_hugepage/enabled";
  expect("huge pages", Verdict::kGood, "models are in huge pages", "");
  write(file, "always madvise [never]\n");
  expect("huge pages", Verdict::kGood, "models are in small pages", "");
  for (const char* setting : {"", "]never[\n"}) {  // invalid contents, which no kernel writes
    write(file, setting);
    expect("huge pages", Verdict::kGood, "models are in small pages", "");
  }
}

TEST_F(Doctor, warns_about_huge_pages_for_all_shared_memory) {
  const std::string file = "/sys/kernel/mm/transparent_hugepage/shmem_enabled";
  for (const char* setting : {"[always] advise never\n", "always advise never [force]\n"}) {
    write(file, setting);
    expect("huge pages", Verdict::kAdvice, "other programs", "echo never");
  }
  for (const char* setting : {"always [advise] never\n", "always advise never [deny] force\n"}) {
    write(file, setting);
    expect("huge pages", Verdict::kGood, "models are in huge pages", "");
  }
}

TEST_F(Doctor, names_the_cpu_to_isolate) {
  write("/sys/devices/system/cpu/isolated", "\n");
  expect("isolation", Verdict::kAdvice, "no CPU is isolated", "isolcpus=3 nohz_full=3 rcu_nocbs=3");
  write("/sys/devices/system/cpu/online", "0\n");
  expect("isolation", Verdict::kAdvice, "one CPU", "two CPUs");
}

TEST_F(Doctor, an_isolated_cpu_has_no_work_of_the_kernel) {
  expect("isolation", Verdict::kGood, "CPU 3 isolated", "");
  for (const char* tickless : {"\n", "(null)\n", "2\n"}) {
    write("/sys/devices/system/cpu/nohz_full", tickless);
    expect("isolation", Verdict::kAdvice, "not in nohz_full and rcu_nocbs",
           "isolcpus=3 nohz_full=3 rcu_nocbs=3");
  }
  write("/sys/devices/system/cpu/nohz_full", "3\n");
  write("/proc/cmdline", "isolcpus=3 nohz_full=3 rcu_nocbs=2\n");
  expect("isolation", Verdict::kAdvice, "not in nohz_full and rcu_nocbs", "rcu_nocbs=3");
}

TEST_F(Doctor, an_isolated_cpu_exists) {
  write("/sys/devices/system/cpu/isolated", "31\n");
  write("/sys/devices/system/cpu/nohz_full", "31\n");
  write("/proc/cmdline", "isolcpus=31 nohz_full=31 rcu_nocbs=31\n");
  expect("isolation", Verdict::kAdvice, "CPU 31 isolated, but online are only 0-3", "isolcpus=3");
}

TEST_F(Doctor, the_core_of_an_isolated_cpu_is_its_own) {
  for (int cpu = 0; cpu < 4; ++cpu) {
    write("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/thread_siblings_list",
          cpu % 2 == 0 ? "0,2\n" : "1,3\n");
  }
  expect("isolation", Verdict::kAdvice, "CPU 3 isolated, but CPU 1 of the same core",
         "isolate CPU 1");
  write("/sys/devices/system/cpu/isolated", "1,3\n");
  write("/proc/irq/24/effective_affinity_list", "0,2\n");
  expect("isolation", Verdict::kGood, "CPU 3 isolated", "");
}

TEST_F(Doctor, a_partition_of_a_cpuset_isolates) {
  write("/sys/devices/system/cpu/isolated", "\n");
  write("/sys/fs/cgroup/haptics.slice/loop/cpuset.cpus.partition", "isolated\n");
  write("/sys/fs/cgroup/haptics.slice/loop/cpuset.cpus.effective", "3\n");
  expect("isolation", Verdict::kGood, "CPU 3 isolated; start hapticd with --cpu 3", "");
  write("/sys/fs/cgroup/haptics.slice/loop/cpuset.cpus.partition", "isolated invalid (no CPU)\n");
  expect("isolation", Verdict::kAdvice, "no CPU is isolated", "isolcpus=3");
  write("/sys/fs/cgroup/cpuset.cpus.isolated", "2\n");
  EXPECT_EQ(finding("isolation").verdict, Verdict::kAdvice);
  EXPECT_THAT(finding("isolation").found, HasSubstr("CPU 2 isolated, but not in nohz_full"));
}

TEST_F(Doctor, finds_an_irqaffinity_over_the_isolated_cpu) {
  EXPECT_EQ(finding("interrupts").verdict, Verdict::kGood);
  write("/proc/cmdline", "isolcpus=3 nohz_full=3 rcu_nocbs=3 irqaffinity=0-3\n");
  expect("interrupts", Verdict::kAdvice, "irqaffinity has the isolated CPU 3", "irqaffinity=0-2");
}

TEST_F(Doctor, lists_cpus_by_governor) {
  write("/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n");
  write("/sys/devices/system/cpu/cpu2/cpufreq/scaling_governor", "powersave\n");
  write("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "schedutil\n");
  expect("governor", Verdict::kUnfit, "powersave on CPU 1-2, schedutil on CPU 0", "-g performance");
  for (int cpu = 0; cpu < 4; ++cpu) {
    remove("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cpufreq");
  }
  expect("governor", Verdict::kGood, "no frequencies", "");
}

TEST_F(Doctor, deep_sleep_matters_where_it_cannot_be_forbidden) {
  EXPECT_THAT(finding("sleep states").found, HasSubstr("up to 133"));
  remove("/dev/cpu_dma_latency");
  expect("sleep states", Verdict::kUnfit, "133", "intel_idle.max_cstate=1");
  for (int cpu = 0; cpu < 4; ++cpu) {
    write("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cpuidle/state1/disable", "1\n");
  }
  expect("sleep states", Verdict::kGood, "0 µs at most", "");
}

TEST_F(Doctor, finds_interrupts_on_the_isolated_cpu) {
  write("/proc/irq/24/effective_affinity_list", "2-3\n");
  expect("interrupts", Verdict::kAdvice, "24 on an isolated CPU", "irqaffinity=0-2");
  write("/sys/devices/system/cpu/isolated", "\n");
  EXPECT_EQ(finding("interrupts").verdict, Verdict::kGood);
}

TEST_F(Doctor, warns_about_a_falcon_that_may_be_suspended) {
  write("/sys/bus/usb/devices/1-2/power/control", "auto\n");
  expect("USB autosuspend", Verdict::kUnfit, "Falcon", "1-2/power/control");
  remove("/sys/bus/usb/devices/1-2");
  write("/sys/module/usbcore/parameters/autosuspend", "2\n");
  expect("USB autosuspend", Verdict::kAdvice, "after 2 s", "usbcore.autosuspend=-1");
  write("/usr/lib/udev/rules.d/60-hapticd.rules", "");
  expect("USB autosuspend", Verdict::kGood, "", "");
}

TEST_F(Doctor, devices_are_open_to_their_group_only) {
  mode("/dev/comedi0", 0666);
  expect("device access", Verdict::kUnfit, "/dev/comedi0 is open to everybody (mode 666)", "udev");
  mode("/dev/comedi0", 0600);
  expect("device access", Verdict::kUnfit, "group iocard may not use /dev/comedi0", "udev");
  mode("/dev/comedi0", 0660);
  mode("/dev/bus/usb/001/007", 0664);
  expect("device access", Verdict::kUnfit, "/dev/bus/usb/001/007 is open to everybody", "udev");
  remove("/dev/bus/usb/001/007");
  expect("device access", Verdict::kUnfit, "/dev/bus/usb/001/007 is not there", "udev");
}

TEST_F(Doctor, reports_drivers_missing_at_the_start_of_the_service) {
  // A block device of the same name does not count.
  write("/proc/devices", "Character devices:\n189 usb_device\n\nBlock devices:\n 98 comedi\n");
  expect("drivers", Verdict::kAdvice, "does not know comedi", "modprobe comedi");
}

TEST_F(Doctor, without_the_service_the_limits_of_the_user_count) {
  remove("/usr/lib/systemd/system/hapticd.service");
  write("/proc/self/limits",
        "Limit                     Soft Limit           Hard Limit           Units     \n"
        "Max locked memory         unlimited            unlimited            bytes     \n"
        "Max realtime priority     80                   80                   \n");
  expect("limits", Verdict::kGood, "for this user", "");
  write("/proc/self/limits",
        "Max locked memory         8388608              8388608              bytes     \n"
        "Max realtime priority     0                    0                    \n");
  expect("limits", Verdict::kUnfit,
         "priority 0 (needs 80), 8 MiB of locked memory (needs unlimited)", "limits.d");
}

TEST_F(Doctor, requires_the_groups_and_the_user_in_them) {
  write("/proc/self/status", "Uid:\t1000\t1000\t1000\t1000\nGroups:\t100 \n");
  expect("groups", Verdict::kAdvice, "not in group haptic:", "adduser YOU haptic,");
  write("/proc/self/status", "Uid:\t0\t0\t0\t0\nGroups:\t0 \n");
  expect("groups", Verdict::kGood, "root", "");
  const std::string own = std::to_string(getegid());
  write("/etc/group", "haptic-operator:x:" + own + ":\niocard:x:" + own + ":\n");
  expect("groups", Verdict::kUnfit, "no group haptic", "package hapticd");
}

TEST_F(Doctor, an_empty_tree_is_unfit_and_does_not_crash) {
  remove("");
  std::filesystem::create_directories(root_);
  EXPECT_EQ(all().size(), 15u);
  EXPECT_FALSE(is_fit(all()));
}

TEST_F(Doctor, every_check_is_documented_in_lab_pc) {
  std::ifstream file(HAPTIC_SOURCE_DIR "/docs/lab-pc.md");
  const std::string page((std::istreambuf_iterator<char>(file)), {});
  for (const Finding& one : all()) {
    EXPECT_THAT(page, HasSubstr("| " + std::string(one.check) + " |"));
  }
}

}  // namespace
}  // namespace haptic
