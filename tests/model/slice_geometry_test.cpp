// SPDX-License-Identifier: Apache-2.0
#include "trestle/model/slice_geometry.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/printers.hpp"

namespace trestle {
namespace {

TEST_CASE("slice geometries: an A100-40GB is what nvidia-smi lists", "[model][golden]") {
    const SliceGeometry* geometry = find_slice_geometry("a100-40gb");
    REQUIRE(geometry != nullptr);
    CHECK(geometry->compute_slices == 7);
    CHECK(geometry->memory_slices == 8);
    CHECK(geometry->profiles == std::vector<SliceGeometry::Profile>{
                                    {"1g.5gb", 1, 1, mib(4864), {0, 1, 2, 3, 4, 5, 6}, 7},
                                    {"1g.5gb+me", 1, 1, mib(4864), {0, 1, 2, 3, 4, 5, 6}, 1},
                                    {"1g.10gb", 1, 2, mib(9856), {0, 2, 4, 6}, 4},
                                    {"2g.10gb", 2, 2, mib(9856), {0, 2, 4}, 3},
                                    {"3g.20gb", 3, 4, mib(19968), {0, 4}, 2},
                                    {"4g.20gb", 4, 4, mib(19968), {0}, 1},
                                    {"7g.40gb", 7, 8, mib(40192), {0}, 1},
                                });
}

TEST_CASE("slice geometries: an A30 has four slices of each kind", "[model][golden]") {
    const SliceGeometry* geometry = find_slice_geometry("a30-24gb");
    REQUIRE(geometry != nullptr);
    CHECK(geometry->compute_slices == 4);
    CHECK(geometry->memory_slices == 4);
    CHECK(geometry->profiles == std::vector<SliceGeometry::Profile>{
                                    {"1g.6gb", 1, 1, mib(5952), {0, 1, 2, 3}, 4},
                                    {"1g.6gb+me", 1, 1, mib(5952), {0, 1, 2, 3}, 1},
                                    {"2g.12gb", 2, 2, mib(11968), {0, 2}, 2},
                                    {"2g.12gb+me", 2, 2, mib(11968), {0, 2}, 1},
                                    {"4g.24gb", 4, 4, mib(24000), {0}, 1},
                                });
}

TEST_CASE("slice geometries: the profiles of each GPU by name", "[model][golden]") {
    struct Row {
        const char* geometry;
        std::vector<std::string> profiles;
    };
    const Row rows[] = {
        {"a100-80gb",
         {"1g.10gb", "1g.10gb+me", "1g.20gb", "2g.20gb", "3g.40gb", "4g.40gb", "7g.80gb"}},
        {"h100-80gb",
         {"1g.10gb", "1g.10gb+me", "1g.20gb", "2g.20gb", "3g.40gb", "4g.40gb", "7g.80gb"}},
        {"h100-94gb",
         {"1g.12gb", "1g.12gb+me", "1g.24gb", "2g.24gb", "3g.47gb", "4g.47gb", "7g.94gb"}},
        {"h100-96gb",
         {"1g.12gb", "1g.12gb+me", "1g.24gb", "2g.24gb", "3g.48gb", "4g.48gb", "7g.96gb"}},
        {"h200-141gb",
         {"1g.18gb", "1g.18gb+me", "1g.35gb", "2g.35gb", "3g.71gb", "4g.71gb", "7g.141gb"}},
        {"gh200-144gb",
         {"1g.18gb", "1g.18gb+me", "1g.36gb", "2g.36gb", "3g.72gb", "4g.72gb", "7g.144gb"}},
        {"b200-180gb",
         {"1g.23gb", "1g.23gb+me", "1g.45gb", "2g.45gb", "3g.90gb", "4g.90gb", "7g.180gb"}},
        {"gb200-186gb",
         {"1g.23gb", "1g.23gb+me", "1g.47gb", "2g.47gb", "3g.93gb", "4g.93gb", "1g.24gb",
          "1g.24gb+me", "3g.95gb", "4g.95gb", "7g.189gb", "7g.186gb"}},
        {"b300-269gb",
         {"1g.34gb", "1g.34gb+me", "1g.67gb", "2g.67gb", "3g.135gb", "4g.135gb", "7g.269gb"}},
        {"gb300-278gb",
         {"1g.35gb", "1g.35gb+me", "1g.70gb", "2g.70gb", "3g.139gb", "4g.139gb", "7g.278gb"}},
        {"rtx-pro-6000-96gb",
         {"1g.24gb", "1g.24gb+me", "1g.24gb+gfx", "1g.24gb+me.all", "1g.24gb-me", "2g.48gb",
          "2g.48gb+gfx", "2g.48gb+me.all", "2g.48gb-me", "4g.96gb", "4g.96gb+gfx"}},
    };
    for (const Row& row : rows) {
        INFO(row.geometry);
        const SliceGeometry* geometry = find_slice_geometry(row.geometry);
        REQUIRE(geometry != nullptr);
        std::vector<std::string> names;
        for (const SliceGeometry::Profile& profile : geometry->profiles)
            names.push_back(profile.name);
        CHECK(names == row.profiles);
    }
    CHECK(find_slice_geometry("a100") == nullptr);
    CHECK(find_slice_geometry("") == nullptr);
}

TEST_CASE("slice geometries: every profile at every start is a legal instance", "[model]") {
    for (const SliceGeometry& geometry : slice_geometries()) {
        INFO(geometry.name);
        CHECK(check({geometry, {}, false}).ok());
        CHECK(find_slice_geometry(geometry.name) == &geometry);
        for (const SliceGeometry::Profile& profile : geometry.profiles) {
            INFO(profile.name);
            CHECK(geometry.find(profile.name) == &profile);
            CHECK(std::is_sorted(profile.starts.begin(), profile.starts.end()));
            for (const std::uint32_t start : profile.starts) {
                CHECK(
                    check({geometry, {{start, profile.memory_slices, profile.name}}, false}).ok());
            }
        }
    }
}

TEST_CASE("slice geometries: as many instances as a profile allows lie side by side, and no more",
          "[model]") {
    for (const SliceGeometry& geometry : slice_geometries()) {
        for (const SliceGeometry::Profile& profile : geometry.profiles) {
            INFO(geometry.name << " " << profile.name);
            std::uint32_t beside = 0;
            std::uint32_t end = 0;
            for (const std::uint32_t start : profile.starts) {
                if (start < end) continue;
                end = start + profile.memory_slices;
                ++beside;
            }
            const bool has_media = profile.name.find("+me") != std::string::npos;
            CHECK(profile.instances_max == (has_media ? 1 : beside));
            CHECK(profile.instances_max * profile.compute_slices <= geometry.compute_slices);
        }
    }
}

TEST_CASE("slice geometries: memory goes with memory slices and stays below what the name says",
          "[model]") {
    for (const SliceGeometry& geometry : slice_geometries()) {
        const SliceGeometry::Profile& whole = geometry.profiles.back();
        CHECK(whole.memory_slices == geometry.memory_slices);
        for (const SliceGeometry::Profile& profile : geometry.profiles) {
            INFO(geometry.name << " " << profile.name);
            const std::string gb = profile.name.substr(profile.name.find('.') + 1);
            CHECK(profile.memory <= gib(std::stoi(gb)));
            // The first drivers of GB200 list 20 GiB for 1g.24gb, all others are closer.
            CHECK(profile.memory * 100 > gib(std::stoi(gb)) * 83);
            CHECK(profile.memory * whole.memory_slices <= whole.memory * profile.memory_slices);
        }
    }
}

TEST_CASE("slice_geometry_for: by model and memory, else by type", "[model]") {
    struct Row {
        const char* vendor;
        const char* model;
        const char* type;
        Bytes memory;
        const char* geometry;
        const char* why;
    };
    const Row rows[] = {
        {"nvidia", "NVIDIA A100-SXM4-40GB", "", mib(40960), "a100-40gb", "as the driver names it"},
        {"nvidia", "NVIDIA A100 80GB PCIe", "", mib(81920), "a100-80gb", "memory tells them apart"},
        {"nvidia", "A100", "", gib(80), "a100-80gb", "as catalogues name it"},
        {"nvidia", "a100", "", gib(40), "a100-40gb", "without regard to case"},
        {"nvidia", "NVIDIA A30", "", mib(24576), "a30-24gb", "the small one"},
        {"nvidia", "NVIDIA H100 80GB HBM3", "", mib(81559), "h100-80gb", "80 GB as sold"},
        {"nvidia", "NVIDIA H100 NVL", "", mib(95830), "h100-94gb", "nearer to 94 than to 96"},
        {"nvidia", "NVIDIA GH200 480GB", "", mib(97871), "h100-96gb", "480 GB are the CPU's"},
        {"nvidia", "NVIDIA H200", "", mib(143771), "h200-141gb", "the largest"},
        {"", "", "h200", gib(141), "h200-141gb", "only a GRES type is known"},
        {"nvidia", "NVIDIA L40S", "h200", gib(141), nullptr, "the model goes before the type"},
        {"nvidia", "NVIDIA A100-SXM4-40GB", "", Bytes(), nullptr, "no memory, no telling"},
        {"nvidia", "NVIDIA A100", "", gib(60), nullptr, "no such A100"},
        {"nvidia", "NVIDIA A300", "", gib(24), nullptr, "words count whole"},
        {"nvidia", "NVIDIA GH200 144G HBM3e", "", gib(144), "gh200-144gb", "the larger one"},
        {"nvidia", "NVIDIA B200", "", mib(183359), "b200-180gb", "as the driver tells it"},
        {"nvidia", "NVIDIA GB200", "", mib(189471), "gb200-186gb", "with a Grace"},
        {"nvidia", "NVIDIA B300 SXM6 AC", "", mib(275040), "b300-269gb", "Blackwell Ultra"},
        {"nvidia", "NVIDIA GB300", "", mib(284208), "gb300-278gb", "with a Grace"},
        {"nvidia", "NVIDIA A800-SXM4-80GB", "", mib(81920), "a100-80gb", "an A100"},
        {"nvidia", "NVIDIA A800 40GB Active", "", mib(40960), "a100-40gb", "an A100"},
        {"nvidia", "NVIDIA H800", "", mib(81559), "h100-80gb", "an H100"},
        {"nvidia", "NVIDIA H800 NVL", "", mib(95830), "h100-94gb", "an H100 NVL"},
        {"nvidia", "NVIDIA H20", "", mib(97871), "h100-96gb", "as GH200"},
        {"nvidia", "NVIDIA H20-3e", "", mib(143771), "h200-141gb", "with more memory"},
        {"nvidia", "NVIDIA H200 NVL", "", mib(143771), "h200-141gb", "an H200"},
        {"nvidia", "NVIDIA RTX PRO 6000 Blackwell Server Edition", "", mib(97887),
         "rtx-pro-6000-96gb", "four slices"},
        {"nvidia", "NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition", "", mib(97887),
         "rtx-pro-6000-96gb", "the same"},
        {"nvidia", "NVIDIA RTX 6000 Ada Generation", "", mib(49140), nullptr, "has no MIG"},
        {"", "", "h100nvl", gib(94), "h100-94gb", "only a GRES type is known"},
        {"nvidia", "NVIDIA H200", "", Bytes::max(), nullptr, "far from everything"},
        {"amd", "A100", "", gib(40), nullptr, "another vendor's"},
        {"nvidia", "", "", gib(40), nullptr, "nothing known"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        Device device;
        device.vendor = row.vendor;
        device.model = row.model;
        device.type = row.type;
        device.memory = row.memory;
        const SliceGeometry* found = slice_geometry_for(device);
        CHECK(std::string(found == nullptr ? "none" : found->name) ==
              (row.geometry == nullptr ? "none" : row.geometry));
    }
}

}  // namespace
}  // namespace trestle
