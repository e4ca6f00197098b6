// SPDX-License-Identifier: Apache-2.0
// A job tries to open a device that it was not given: by other paths, names, numbers and files that
// others have open.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>

#include "os/attacks/attack_job.hpp"

namespace trestle {
namespace {

constexpr std::uint32_t granted_major = 120;  // for local use: no driver has it

/// Nodes that the manager made. Opening one gives ENXIO where the filter allows it.
void make_node(const std::string& path, mode_t kind, std::uint32_t minor) {
    REQUIRE(::mknod(path.c_str(), kind | 0666, ::makedev(granted_major, minor)) == 0);
    REQUIRE(::chmod(path.c_str(), 0666) == 0);
}

/// The pseudo-devices without /dev/full, which exists and can be opened anywhere: a device that
/// works, and that the job is not given. 120:0 is given.
DeviceAllowList without_full() {
    DeviceAllowList list;
    for (const std::uint32_t minor : {3u, 5u, 8u, 9u}) {
        list.rules.add({Device::File::Kind::character, 1, minor, DeviceRule::Access::all()});
    }
    list.rules.add(
        {Device::File::Kind::character, granted_major, 0, DeviceRule::Access::read_write()});
    return list;
}

/// Sends an open /dev/full to each of so many that connect. Outside of the group.
class SendsOpenDevice {
  public:
    explicit SendsOpenDevice(const std::string& path, int times) {
        listening_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::memcpy(address.sun_path, path.c_str(), path.size());
        REQUIRE(::bind(listening_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
        REQUIRE(::chmod(path.c_str(), 0666) == 0);
        REQUIRE(::listen(listening_, times) == 0);
        device_ = ::open("/dev/full", O_RDWR | O_CLOEXEC);
        REQUIRE(device_ >= 0);
        thread_ = std::thread([this, times] {
            for (int i = 0; i < times; ++i) send();
        });
    }
    SendsOpenDevice(const SendsOpenDevice&) = delete;
    SendsOpenDevice& operator=(const SendsOpenDevice&) = delete;
    ~SendsOpenDevice() {
        ::shutdown(listening_, SHUT_RDWR);
        thread_.join();
        ::close(listening_);
        ::close(device_);
    }

  private:
    void send() const {
        const int connection = ::accept(listening_, nullptr, nullptr);
        if (connection < 0) return;
        char byte = 'x';
        iovec data{&byte, 1};
        alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
        msghdr message{};
        message.msg_iov = &data;
        message.msg_iovlen = 1;
        message.msg_control = control.data();
        message.msg_controllen = control.size();
        cmsghdr* header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int));
        std::memcpy(CMSG_DATA(header), &device_, sizeof device_);
        (void)::sendmsg(connection, &message, MSG_NOSIGNAL);
        ::close(connection);
    }

    int listening_ = -1;
    int device_ = -1;
    std::thread thread_;
};

}  // namespace

TEST_CASE("attack: a denied device is denied by every path, name and number", "[os][privileged]") {
    if (!has_device_filters()) return;
    const OpenFolder nodes;
    make_node(nodes.path("granted"), S_IFCHR, 0);
    make_node(nodes.path("denied"), S_IFCHR, 1);
    make_node(nodes.path("denied_hard"), S_IFCHR, 1);
    make_node(nodes.path("block"), S_IFBLK, 0);
    std::filesystem::create_symlink("denied", nodes.path("soft"));
    std::ofstream(nodes.path("target")).close();
    std::filesystem::permissions(nodes.path("target"), std::filesystem::perms::all);
    KernelGroup group;
    (void)group.job({});
    REQUIRE(group.enforcer().run(filter_step("job", without_full())) == Status());
    const std::string made = nodes.path("made");
    check_attacks(
        group,
        {{"open " + nodes.path("granted"), "ENXIO", "ENXIO", "ENXIO", "given, without a driver"},
         {"open " + nodes.path("denied"), "EPERM", "EPERM", "EPERM", "another minor number"},
         {"open " + nodes.path("denied_hard"), "EPERM", "EPERM", "EPERM", "another name"},
         {"open " + nodes.path("soft"), "EPERM", "EPERM", "EPERM", "by a symbolic link"},
         {"open " + nodes.path("block"), "EPERM", "EPERM", "EPERM",
          "a block device of the numbers that are given for a character device"},
         {"open /dev/full", "EPERM", "EPERM", "EPERM", "a device that has a driver"},
         {"bind " + nodes.path("denied") + " " + nodes.path("target"), "EPERM", "EPERM", "EPERM",
          "mounted over another file: who may mount may not open"},
         {"bind " + nodes.path("granted") + " " + nodes.path("target"), "EPERM", "ENXIO", "ENXIO",
          "the same with a given device: it is the number that counts"},
         {"mknod " + made + " c 120 1", "EPERM", "EPERM", "EPERM", "a node of its own"},
         {"mknod " + made + " c 120 0", "EPERM", "EPERM", "EPERM",
          "even of what was given: m is not among its rights"},
         {"mknod " + made + " b 120 0", "EPERM", "EPERM", "EPERM", "of the other kind"},
         {"mknod " + made + " c 1 1", "EPERM", "EPERM", "EPERM", "the memory of the machine"}});
}

TEST_CASE("attack: a file opened outside works inside, and cannot be opened again",
          "[os][privileged]") {
    if (!has_device_filters()) return;
    const OpenFolder folder;
    KernelGroup group;
    (void)group.job({});
    REQUIRE(group.enforcer().run(filter_step("job", without_full())) == Status());
    const std::string socket = folder.path("socket");
    const SendsOpenDevice sender(socket, 6);
    check_attacks(group,
                  {{"receive " + socket, "done", "done", "done",
                    "who has it open outside can hand it in: the filter is asked at open only"},
                   {"reopen " + socket, "EPERM", "EPERM", "EPERM", "by its number"}});
}

TEST_CASE("attack: nothing that the manager has open reaches the job", "[os][privileged]") {
    if (!has_device_filters()) return;
    for (const auto start : {os::StartMethod::automatic, os::StartMethod::fork_and_move}) {
        KernelGroup group({.start = start});
        const Plan plan = group.job({});
        REQUIRE(group.enforcer().run(filter_step("job", without_full())) == Status());
        const int before = ::open("/dev/full", O_RDWR);  // without O_CLOEXEC
        const int high = ::dup2(before, 900);
        CHECK(before > 2);
        CHECK(group.run(plan,
                        "for i in $(seq 3 30) 900; do test ! -e /proc/$$/fd/$i || exit 1; done") ==
              exited(0));
        ::close(before);
        ::close(high);
    }
}

TEST_CASE("attack: only real root takes the filter off", "[os][privileged]") {
    if (!has_device_filters()) return;
    const OpenFolder nodes;
    make_node(nodes.path("denied"), S_IFCHR, 1);
    KernelGroup group;
    (void)group.job({});
    REQUIRE(group.enforcer().run(filter_step("job", without_full())) == Status());
    const std::string open = "open " + nodes.path("denied");
    check_attacks(group,
                  {{open, "EPERM", "EPERM", "EPERM", "before"},
                   {"unfilter " + group.path() + "/job", "EPERM", "EPERM", "done", "by bpf(2)"},
                   {open, "EPERM", "EPERM", "ENXIO", "after"}});
}

}  // namespace trestle
