// SPDX-License-Identifier: Apache-2.0
// The system calls of a piece of work, made again with nothing around them; and a tree of plain
// files that a cgroup enforcer takes for its own. For bench_enforce.
#pragma once

#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "trestle/os/kernel.hpp"

namespace trestle {

/// Remembers the calls that it hands on; replay() makes them again, in their order, with the
/// descriptors that they return then, and closes what they opened.
class RecordingKernel final : public os::ForwardingKernel {
  public:
    explicit RecordingKernel(os::Kernel& inner) : ForwardingKernel(inner), inner_(inner) {}

    void start() {
        calls_.clear();
        is_recording_ = true;
    }
    void stop() { is_recording_ = false; }
    [[nodiscard]] std::size_t size() const { return calls_.size(); }

    /// False when a call that went well then fails now, or the other way round.
    [[nodiscard]] bool replay() {
        bool is_same = true;
        for (const Call& call : calls_) {
            const long result = call.make();
            is_same = is_same && (result < 0) == (call.result < 0);
            if (call.opens && call.result >= 0) put(static_cast<int>(call.result), result);
        }
        for (std::size_t file = 0; file < files_.size(); ++file) put(static_cast<int>(file), -1);
        return is_same;
    }

    int openat(int at, const char* path, int flags) override {
        const int fd = inner_.openat(at, path, flags);
        add(fd, true, [this, at, name = std::string(path), flags] {
            return inner_.openat(now(at), name.c_str(), flags);
        });
        return fd;
    }
    int openat2(int at, const char* path, std::uint64_t flags, std::uint64_t resolve) override {
        const int fd = inner_.openat2(at, path, flags, resolve);
        add(fd, true, [this, at, name = std::string(path), flags, resolve] {
            return inner_.openat2(now(at), name.c_str(), flags, resolve);
        });
        return fd;
    }
    ssize_t read(int fd, void* buffer, std::size_t size) override {
        const ssize_t result = inner_.read(fd, buffer, size);
        add(result, false, [this, fd, room = std::min(size, room_.size())] {
            return inner_.read(now(fd), room_.data(), room);
        });
        return result;
    }
    ssize_t write(int fd, const void* data, std::size_t size) override {
        const ssize_t result = inner_.write(fd, data, size);
        add(result, false, [this, fd, text = std::string(static_cast<const char*>(data), size)] {
            return inner_.write(now(fd), text.data(), text.size());
        });
        return result;
    }
    ssize_t getdents64(int fd, void* buffer, std::size_t size) override {
        const ssize_t result = inner_.getdents64(fd, buffer, size);
        add(result, false, [this, fd, room = std::min(size, room_.size())] {
            return inner_.getdents64(now(fd), room_.data(), room);
        });
        return result;
    }
    int faccessat(int at, const char* path, int mode, int flags) override {
        const int result = inner_.faccessat(at, path, mode, flags);
        add(result, false, [this, at, name = std::string(path), mode, flags] {
            return inner_.faccessat(now(at), name.c_str(), mode, flags);
        });
        return result;
    }
    int fstatat(int at, const char* path, struct stat* about, int flags) override {
        const int result = inner_.fstatat(at, path, about, flags);
        add(result, false, [this, at, name = std::string(path), flags] {
            struct stat nobody {};
            return inner_.fstatat(now(at), name.c_str(), &nobody, flags);
        });
        return result;
    }
    int mkdirat(int at, const char* path, mode_t mode) override {
        const int result = inner_.mkdirat(at, path, mode);
        add(result, false, [this, at, name = std::string(path), mode] {
            return inner_.mkdirat(now(at), name.c_str(), mode);
        });
        return result;
    }
    int unlinkat(int at, const char* path, int flags) override {
        const int result = inner_.unlinkat(at, path, flags);
        add(result, false, [this, at, name = std::string(path), flags] {
            return inner_.unlinkat(now(at), name.c_str(), flags);
        });
        return result;
    }
    int poll(struct pollfd* files, std::size_t count, int timeout_ms) override {
        std::vector<pollfd> asked(files, files + count);
        const int result = inner_.poll(files, count, timeout_ms);
        add(result, false, [this, asked, timeout_ms] {
            std::vector<pollfd> again = asked;
            for (pollfd& one : again) one.fd = now(one.fd);
            return inner_.poll(again.data(), again.size(), timeout_ms);
        });
        return result;
    }

  private:
    struct Call {
        std::function<long()> make;
        long result = 0;
        bool opens = false;
    };

    template <class Make>
    void add(long result, bool opens, Make make) {
        if (is_recording_) calls_.push_back({std::move(make), result, opens});
    }

    /// The descriptor that stands now for the one recorded; one from before the recording is
    /// itself.
    [[nodiscard]] int now(int recorded) const {
        const auto file = static_cast<std::size_t>(recorded);
        return recorded >= 0 && file < files_.size() && files_[file] >= 0 ? files_[file] : recorded;
    }
    void put(int recorded, long fd) {
        const auto file = static_cast<std::size_t>(recorded);
        if (file >= files_.size()) files_.resize(file + 1, -1);
        if (files_[file] >= 0) ::close(files_[file]);
        files_[file] = static_cast<int>(fd);
    }

    os::Kernel& inner_;
    std::vector<Call> calls_;
    std::vector<int> files_;
    std::array<char, 65536> room_{};
    bool is_recording_ = false;
};

/// A folder of plain files that looks like a group with four controllers, and one group below it at
/// a time: what would make or remove it renames a folder that lies beside.
class PlainTree final : public os::ForwardingKernel {
  public:
    PlainTree() : ForwardingKernel(os::real_kernel()), root_(made_folder()) {
        const std::string all = "cpuset cpu memory pids\n";
        for (const auto& [file, text] : {std::pair{"cgroup.controllers", all},
                                         {"cgroup.subtree_control", all},
                                         {"cgroup.procs", std::string()},
                                         {"cgroup.type", std::string("domain\n")}}) {
            std::ofstream(root_ / file) << text;
        }
        const std::filesystem::path spare = root_ / "spare";
        std::filesystem::create_directory(spare);
        for (const char* file :
             {"cgroup.procs", "cgroup.kill", "cgroup.freeze", "cpuset.cpus", "cpu.max",
              "memory.max", "memory.swap.max", "memory.oom.group", "pids.max"}) {
            std::ofstream(spare / file) << "";
        }
        std::ofstream(spare / "cgroup.events") << "populated 0\nfrozen 0\n";
        std::ofstream(spare / "cpuset.cpus.effective") << "0\n";
    }
    ~PlainTree() override {
        std::error_code ignored;
        std::filesystem::remove_all(root_, ignored);
    }
    [[nodiscard]] std::string directory() const { return root_.string(); }

    int statfs(const char* path, struct statfs* about) override {
        const int result = ForwardingKernel::statfs(path, about);
        about->f_type = CGROUP2_SUPER_MAGIC;
        return result;
    }
    int mkdirat(int at, const char* path, mode_t /*mode*/) override {
        return ::renameat(at, "spare", at, path);
    }
    int unlinkat(int at, const char* path, int /*flags*/) override {
        return ::renameat(at, path, at, "spare");
    }

  private:
    static std::filesystem::path made_folder() {
        std::string path = std::filesystem::temp_directory_path() / "trestle-bench-XXXXXX";
        if (::mkdtemp(path.data()) == nullptr) std::abort();
        return path;
    }

    std::filesystem::path root_;
};

}  // namespace trestle
