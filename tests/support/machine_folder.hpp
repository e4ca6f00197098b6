// SPDX-License-Identifier: Apache-2.0
#pragma once

// A machine with accelerators below a root folder, and what the stubs of vendors' libraries say of
// it (tests/stub_drivers).

#include <fmt/format.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "machines/unpacked.hpp"

namespace trestle {

/// Two packages of four cores with one thread each, and 64 GiB in two NUMA nodes.
class MachineFolder {
  public:
    MachineFolder() {
        const std::string cpu = "sys/devices/system/cpu/";
        for (const char* list : {"online", "possible", "present"}) write(cpu + list, "0-7\n");
        for (int i = 0; i < 8; ++i) {
            const std::string topology = fmt::format("{}cpu{}/topology/", cpu, i);
            write(topology + "physical_package_id", fmt::format("{}\n", i / 4));
            write(topology + "core_id", fmt::format("{}\n", i % 4));
            for (const char* of_core : {"core_cpus", "thread_siblings"}) {
                write(topology + of_core, fmt::format("{:08x}\n", 1 << i));
            }
            for (const char* of_package : {"package_cpus", "core_siblings"}) {
                write(topology + of_package, i < 4 ? "0000000f\n" : "000000f0\n");
            }
        }
        const std::string node = "sys/devices/system/node/";
        for (const char* list : {"online", "possible", "has_memory"}) write(node + list, "0-1\n");
        for (int i = 0; i < 2; ++i) {
            const std::string its = fmt::format("{}node{}/", node, i);
            write(its + "cpumap", i == 0 ? "0000000f\n" : "000000f0\n");
            write(its + "meminfo", fmt::format("Node {} MemTotal: 33554432 kB\n", i));
            write(its + "distance", i == 0 ? "10 21\n" : "21 10\n");
        }
        write("proc/cpuinfo", "processor : 0\n");
        write("proc/devices",
              "Character devices:\n195 nvidia\n226 drm\n237 nvidia-caps\n\nBlock devices:\n8 sd\n");
    }

    /// Writes a file, making the folders above it.
    void write(const std::string& path, const std::string& content) const {
        const std::filesystem::path file = folder_.path() / path;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << content;
    }

    struct Pci {
        const char* bus_id;
        const char* vendor;  ///< `0x10de`
        const char* device;
        const char* near;                    ///< a mask of threads
        const char* pci_class = "0x030200";  ///< a 3D controller
    };
    void add_gpu(const Pci& pci) const {
        const std::string folder = fmt::format("sys/bus/pci/devices/{}/", pci.bus_id);
        write(folder + "class", std::string(pci.pci_class) + "\n");
        write(folder + "vendor", std::string(pci.vendor) + "\n");
        write(folder + "device", std::string(pci.device) + "\n");
        write(folder + "subsystem_vendor", "0x0000\n");
        write(folder + "subsystem_device", "0x0000\n");
        write(folder + "local_cpus", std::string(pci.near) + "\n");
    }
    /// The page of NVIDIA's kernel driver about a GPU.
    void add_nvidia_page(const char* bus_id, const std::string& content) const {
        write(fmt::format("proc/driver/nvidia/gpus/{}/information", bus_id), content);
    }

    [[nodiscard]] std::string path() const { return folder_.path().string(); }

  private:
    TemporaryFolder folder_;
};

/// What the stubs answer until the end of the scope.
class StubScript {
  public:
    explicit StubScript(const std::string& content) {
        const std::string file = (folder_.path() / "script").string();
        std::ofstream(file) << content;
        ::setenv("TRESTLE_STUB_DRIVER", file.c_str(), 1);
    }
    StubScript(const StubScript&) = delete;
    StubScript& operator=(const StubScript&) = delete;
    ~StubScript() { ::unsetenv("TRESTLE_STUB_DRIVER"); }

  private:
    TemporaryFolder folder_;
};

/// The folder of the stubs: `new`, `old`, `broken`.
[[nodiscard]] inline std::string stub_folder(const std::string& which) {
    return std::string(TRESTLE_STUB_DRIVERS) + "/" + which;
}

}  // namespace trestle
