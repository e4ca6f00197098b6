// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/events.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <limits>

#include "../../kernel_text.hpp"
#include "../enforcer_state.hpp"
#include "base/errno_status.hpp"
#include "enforce/detail/group_signs.hpp"

namespace trestle::os {

namespace {

using detail::Fd;
using detail::GroupDirectory;
using detail::retried;

std::int64_t monotonic_us() {
    struct timespec now {};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1'000;
}

/// The text of a file at its beginning. Errors: NotFound when the group, or the controller of the
/// file, has gone.
StatusOr<std::string> text_at(Kernel& kernel, int fd, const std::string& path) {
    std::array<char, 1024> text;
    const auto size = retried([&] { return kernel.pread(fd, text.data(), text.size(), 0); });
    if (size < 0) return errno_status(errno == ENODEV ? ENOENT : errno, path);
    return std::string(text.data(), static_cast<std::size_t>(size));
}

/// `some avg10=0.00 avg60=0.00 avg300=0.00 total=4711` gives 4711.
std::uint64_t stalled_us(std::string_view pressure, EventOptions::PressureTrigger::Stall stall) {
    const std::size_t line = pressure.find(to_text(stall));
    const std::size_t total = pressure.find("total=", line);
    if (line == std::string_view::npos || total == std::string_view::npos) return 0;
    return TextCursor(pressure.substr(total + 6)).take_number().value_or(0);
}

/// Memory pressure as the kernel's trigger tells it. The kernel tells each time to one caller of
/// poll only, which is not this class when the descriptor of the source is polled by others. So
/// the time that was waited since is looked at too, against half of the threshold: the kernel adds
/// up what its trigger and its file show at different moments.
class PressureWatch {
  public:
    static StatusOr<PressureWatch> open(const GroupDirectory& group,
                                        const EventOptions::PressureTrigger& trigger) {
        const std::string path = group.path() + "/memory.pressure";
        PressureWatch watch(trigger, path);
        Kernel& kernel = group.kernel();
        watch.trigger_ =
            Fd(kernel.openat(group.fd(), "memory.pressure", O_RDWR | O_CLOEXEC | O_NOFOLLOW));
        watch.file_ =
            Fd(kernel.openat(group.fd(), "memory.pressure", O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
        const std::string text = fmt::format("{} {} {}", to_text(trigger.stall),
                                             trigger.threshold.value(), trigger.window.value());
        const bool is_open = watch.trigger_ && watch.file_;
        if (is_open && retried([&] {
                           return kernel.write(watch.trigger_.get(), text.data(), text.size());
                       }) >= 0) {
            (void)watch.has_pressure(kernel, false);
            return watch;
        }
        const int error = errno;
        if (error == EOPNOTSUPP || (error == ENOENT && group.has("cgroup.procs"))) {
            return failed_precondition("{}: the kernel tells no memory pressure here", path);
        }
        if (error == EINVAL) {
            return invalid_argument(
                "{}: \"{}\": the kernel takes a threshold within a window of 0.5 to 10 s, without "
                "CAP_SYS_RESOURCE a window of a multiple of 2 s",
                path, text);
        }
        return errno_status(error, path + ": \"" + text + "\"");
    }

    [[nodiscard]] int fd() const { return trigger_.get(); }

    /// `is_told`: poll said so.
    [[nodiscard]] bool has_pressure(Kernel& kernel, bool is_told) {
        const auto text = text_at(kernel, file_.get(), path_);
        const Mark now{monotonic_us(),
                       text.ok() ? stalled_us(*text, wanted_.stall) : newer_.stalled};
        const bool is_long = 2 * (now.stalled - std::min(now.stalled, older_.stalled)) >=
                             static_cast<std::uint64_t>(wanted_.threshold.value());
        const bool is_first = newer_.at == 0;
        if (is_first || is_told || is_long) {
            older_ = newer_ = now;
            return !is_first;
        }
        // The older mark is a window old at least, so that no window is cut in two.
        if (now.at - newer_.at >= wanted_.window.value()) older_ = std::exchange(newer_, now);
        return false;
    }

  private:
    struct Mark {
        std::int64_t at = 0;
        std::uint64_t stalled = 0;
    };
    PressureWatch(const EventOptions::PressureTrigger& wanted, std::string path)
        : wanted_(wanted), path_(std::move(path)) {}

    EventOptions::PressureTrigger wanted_;
    std::string path_;
    Fd trigger_;
    Fd file_;
    Mark older_;
    Mark newer_;
};

/// Watches open files: what the kernel raises for one of them stays raised until it is read.
class CgroupEventSource final : public EventSource {
  public:
    CgroupEventSource(Kernel& kernel, std::string group)
        : kernel_(kernel), group_(std::move(group)) {}

    [[nodiscard]] Status open(const GroupDirectory& directory, const EventOptions& options) {
        all_ = Fd(kernel_.epoll_create1(EPOLL_CLOEXEC));
        if (!all_) return errno_status(errno, "epoll_create1");
        for (std::size_t i = 0; i < files_.size(); ++i) {
            Watched& file = files_[i];
            file.path = directory.path() + "/" + file_names[i];
            file.fd = Fd(
                kernel_.openat(directory.fd(), file_names[i], O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
            const bool is_lacking = !file.fd && errno == ENOENT && i != states;
            if (is_lacking) continue;  // its controller is off
            if (!file.fd) return errno_status(errno == ENODEV ? ENOENT : errno, file.path);
            TRESTLE_TRY_STATUS(add(file.fd.get()));
        }
        if (!options.memory_pressure) return {};
        TRESTLE_TRY(pressure_, PressureWatch::open(directory, *options.memory_pressure));
        return add(pressure_->fd());
    }

    [[nodiscard]] int fd() const override { return all_.get(); }

    [[nodiscard]] StatusOr<std::vector<GroupEvent>> read() override {
        TRESTLE_TRY(const Raised raised, poll(0));
        return look(raised);
    }

    [[nodiscard]] StatusOr<std::vector<GroupEvent>> next(Microseconds timeout) override {
        const std::int64_t end =
            monotonic_us() +
            std::min(timeout.value(), std::numeric_limits<std::int64_t>::max() / 2);
        TRESTLE_TRY(auto events, read());
        while (events.empty() && !is_removed_) {
            const std::int64_t left_ms = (end - monotonic_us() + 999) / 1000;
            if (left_ms <= 0) break;
            TRESTLE_TRY(const Raised raised,
                        poll(static_cast<int>(std::min<std::int64_t>(left_ms, 1 << 30))));
            TRESTLE_TRY(events, look(raised));
        }
        return events;
    }

  private:
    enum File : std::size_t { states, memory, pids };
    static constexpr std::array file_names = {"cgroup.events", "memory.events", "pids.events"};
    struct Watched {
        Fd fd;
        std::string path;
    };
    /// What poll said.
    struct Raised {
        bool has_state_change = false;
        bool has_pressure = false;
        bool is_trigger_dead = false;
    };

    [[nodiscard]] Status add(int fd) {
        epoll_event event{};
        event.events = EPOLLPRI;
        if (kernel_.epoll_ctl(all_.get(), EPOLL_CTL_ADD, fd, &event) == 0) return {};
        return errno_status(errno, group_ + ": epoll_ctl");
    }

    [[nodiscard]] StatusOr<Raised> poll(int timeout_ms) {
        std::vector<pollfd> polled;
        for (const Watched& file : files_) polled.push_back({file.fd.get(), POLLPRI, 0});
        polled.push_back({pressure_ ? pressure_->fd() : -1, POLLPRI, 0});
        if (is_removed_) return Raised{};
        if (kernel_.poll(polled.data(), polled.size(), timeout_ms) < 0) {
            if (errno == EINTR) return Raised{};
            return errno_status(errno, group_ + ": cannot poll");
        }
        const short trigger = polled.back().revents;
        return Raised{(polled[states].revents & POLLPRI) != 0,
                      (trigger & POLLPRI) != 0 && (trigger & POLLERR) == 0,
                      (trigger & POLLERR) != 0};
    }

    /// Closed files leave the epoll set by themselves.
    [[nodiscard]] StatusOr<std::vector<GroupEvent>> look(const Raised& raised) {
        if (is_removed_) return std::vector<GroupEvent>();
        auto now = signs();
        if (now.status().code() == StatusCode::kNotFound) {
            is_removed_ = true;
            for (Watched& file : files_) file.fd.reset();
            pressure_.reset();
            return std::vector<GroupEvent>{{group_, GroupEvent::Kind::removed}};
        }
        TRESTLE_TRY_STATUS(now.status());
        now->has_flickered = raised.has_state_change;
        if (raised.is_trigger_dead) pressure_.reset();
        now->has_pressure = pressure_ && pressure_->has_pressure(kernel_, raised.has_pressure);
        const TwoLooks looks{before_, *now};
        before_ = *std::move(now);
        return events_between(group_, looks);
    }

    [[nodiscard]] StatusOr<GroupSigns> signs() {
        GroupSigns signs;
        // The counts last: when a group turns out to be empty, the kills that emptied it are in.
        const auto count = [&](File file, const char* key, GroupEvent::Kind kind) {
            const auto number = detail::keyed_number(texts_[file], key).value_or(0);
            if (number != 0) signs.counts[kind] = Count(static_cast<std::int64_t>(number));
        };
        for (const File file : {states, memory, pids}) {
            texts_[file].clear();
            if (!files_[file].fd) continue;
            auto text = text_at(kernel_, files_[file].fd.get(), files_[file].path);
            if (text.status().code() == StatusCode::kNotFound && file != states) {
                files_[file].fd.reset();  // its controller was switched off, or the group has gone
                continue;
            }
            TRESTLE_TRY(texts_[file], std::move(text));
        }
        count(memory, "high", GroupEvent::Kind::memory_high);
        count(memory, "max", GroupEvent::Kind::memory_max);
        count(memory, "oom", GroupEvent::Kind::oom);
        count(memory, "oom_kill", GroupEvent::Kind::oom_kill);
        count(memory, "oom_group_kill", GroupEvent::Kind::oom_group_kill);
        count(pids, "max", GroupEvent::Kind::pids_max);
        signs.is_populated = detail::keyed_number(texts_[states], "populated") == 1;
        signs.is_frozen = detail::keyed_number(texts_[states], "frozen") == 1;
        return signs;
    }

    Kernel& kernel_;
    std::string group_;
    Fd all_;
    std::array<Watched, file_names.size()> files_;
    std::array<std::string, file_names.size()> texts_;
    std::optional<PressureWatch> pressure_;
    std::optional<GroupSigns> before_;
    bool is_removed_ = false;
};

}  // namespace

StatusOr<std::unique_ptr<EventSource>> CgroupEnforcer::events(const std::string& group,
                                                              const EventOptions& options) {
    TRESTLE_TRY(const auto directory, state_->tree.open(group));
    auto source = std::make_unique<CgroupEventSource>(state_->kernel, group);
    TRESTLE_TRY_STATUS(source->open(directory, options));
    return source;
}

}  // namespace trestle::os
