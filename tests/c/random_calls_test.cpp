// SPDX-License-Identifier: Apache-2.0
// Random calls of every function of trestle.h: in any order, with NULL, with handles of other
// kinds, freed ones and pointers to other memory, with good and bad texts and numbers.
#include <trestle.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "handle.hpp"
#include "support/catch.hpp"
#include "support/seed.hpp"
#include "trestle/base/rng.hpp"

namespace trestle {
namespace {

using c::Kind;

constexpr std::array node_texts = {"2s4c2t mem=16G gpu:a100:4",
                                   "3 x (8c mem=32G gpu:2/4) 2 per switch",
                                   "2 x (4c mem=8G) + 1 x (4c mem=8G gpu:1)",
                                   "1 x (",
                                   "",
                                   "9 x (0c)"};
constexpr std::array srun_texts = {"--gres=gpu:2 -c 2 --mem=1G",
                                   "-n 3 -t 10",
                                   "-N 2 --exclusive",
                                   "--gres=gpu:9",
                                   "--mem=0",
                                   "--bogus",
                                   "-N 1 : -N 1 --gres=gpu:1",
                                   "",
                                   "--switches=1 -N 2 -t 1:00",
                                   "-n 2 --gpus=3 -L lic:1"};
constexpr std::array dstack_texts = {
    "type: task\ncommands: [x]\nresources: {gpu: 1.., cpu: 1.., memory: 1GB.., disk: 1GB..}\n",
    "type: task\nnodes: 2\ncommands: [x]\n", "type: fleet\nname: f\nnodes: 1\n", "a: [", ""};
constexpr std::array slurm_confs = {
    "NodeName=n[0-1] CPUs=8 RealMemory=32000 Gres=gpu:2\nPartitionName=p Nodes=ALL Default=YES\n"
    "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\nGresTypes=gpu\n",
    "NodeName=n0 CPUs=4\nPartitionName=p Nodes=n9\n", "garbage", ""};
constexpr std::array csv_texts = {
    "backend,region,instance,cpus,memory,disk,gpu_count,gpu_name,gpu_memory,gpu_vendor,price,spot\n"
    "aws,r1,big,16,64,,2,A100,40,nvidia,3.5,false\naws,r1,small,4,16,,0,,,,0.5,true\n",
    "backend\n", ""};
constexpr std::array json_texts = {
    "{}",
    "[]",
    "null",
    "{\"policy\":\"best_fit\"}",
    "{\"nodes\":[{\"node\":0,\"cores\":\"0-1\"}]}",
    "{\"nodes\":[{\"node\":4000000000,\"cores\":\"0-9\",\"tasks\":1}]}",
    "{\"policy\":{\"pids_max\":5}}",
    "{\"options\":{\"nice\":5}}",
    "{\"devices\":[{\"count\":{\"min\":1,\"max\":1}}]}"};
constexpr std::array other_texts = {"n0", "n1", "job_1", "job_2", "job_1/step", "../x", "", "a b"};
constexpr std::array<std::int64_t, 12> amounts = {
    0, 1, 2, 3, 60, 1000, std::int64_t{1} << 32, INT64_MAX - 1, INT64_MAX, INT64_MIN, -1, -2};

class Caller {
  public:
    explicit Caller(std::uint64_t seed) : rng_(seed) {}
    Caller(const Caller&) = delete;
    Caller& operator=(const Caller&) = delete;
    ~Caller() {
        for (std::size_t kind = 1; kind < live_.size(); ++kind) {
            for (void* handle : live_[kind]) free_as(kind, handle);
        }
    }

    /// One call of any function, and what has to hold of its result.
    void step() {
        error_ = {};
        error_.code = 77;
        std::memset(error_.message, 'x', sizeof error_.message);
        at_ = rng_.chance(1, 20) ? nullptr : &error_;
        if (rng_.chance(1, 8)) {
            free_any();
            return;
        }
        const int code = call(rng_.below(52));
        ++calls_of_[static_cast<std::size_t>(code)];
        if (at_ == nullptr) return;
        if (error_.code != code) FAIL("the struct has code " << error_.code << ", not " << code);
        if (std::memchr(error_.message, 0, sizeof error_.message) == nullptr) FAIL("no end");
        if (code == TRESTLE_INTERNAL) FAIL("function " << last_ << ": " << error_.message);
        if ((code == TRESTLE_OK) != (error_.message[0] == '\0')) {
            FAIL("function " << last_ << ": code " << code << ", message " << error_.message);
        }
    }

    [[nodiscard]] std::uint64_t count(trestle_code code) const {
        return calls_of_[static_cast<std::size_t>(code)];
    }

  private:
    static constexpr std::size_t kinds = 9;
    static constexpr std::size_t live_max = 24;

    static std::size_t index_of(Kind kind) { return static_cast<std::size_t>(kind); }

    template <class List>
    const auto& one_of(const List& list) {
        return list[rng_.below(list.size())];
    }

    Kind any_kind() { return static_cast<Kind>(1 + rng_.below(kinds - 1)); }

    /// A handle for a parameter: mostly of the right kind and live.
    template <class T>
    T* handle(Kind kind) {
        switch (rng_.below(40)) {
            case 0:
                return nullptr;
            case 1:
                if (!freed_.empty()) return static_cast<T*>(one_of(freed_));
                return nullptr;
            case 2:
                kind = any_kind();
                break;
            case 3:
                return reinterpret_cast<T*>(foreign_ + rng_.below(8));
            default:
                break;
        }
        const auto& found = live_[index_of(kind)];
        return found.empty() ? nullptr : static_cast<T*>(one_of(found));
    }
    trestle_cluster* cluster() { return handle<trestle_cluster>(Kind::cluster); }
    trestle_request* request() { return handle<trestle_request>(Kind::request); }
    trestle_placement* placement() { return handle<trestle_placement>(Kind::placement); }
    trestle_timeline* timeline() { return handle<trestle_timeline>(Kind::timeline); }
    trestle_plan* plan() { return handle<trestle_plan>(Kind::plan); }
    trestle_enforcer* enforcer() { return handle<trestle_enforcer>(Kind::enforcer); }
    trestle_controller* controller() { return handle<trestle_controller>(Kind::controller); }
    trestle_catalog* catalog() { return handle<trestle_catalog>(Kind::catalog); }
    void* any_handle() { return handle<void>(any_kind()); }
    void* holder() {
        constexpr std::array of = {Kind::cluster, Kind::timeline, Kind::controller};
        return handle<void>(one_of(of));
    }

    template <class List>
    const char* text(const List& list) {
        if (rng_.chance(1, 30)) return nullptr;
        return one_of(list);
    }
    /// A document, of the library's own that may be damaged, or any.
    const char* json() {
        if (documents_.empty() || rng_.chance(1, 3)) return text(json_texts);
        document_ = one_of(documents_);
        if (!document_.empty() && rng_.chance(1, 3)) {
            document_[rng_.below(document_.size())] = static_cast<char>(32 + rng_.below(95));
        }
        return document_.c_str();
    }
    const std::string& bytes() {
        document_ = snapshots_.empty() ? std::string("x") : one_of(snapshots_);
        if (rng_.chance(1, 3)) {
            const auto at = rng_.below(document_.size());
            document_[at] =
                static_cast<char>(document_[at] ^ static_cast<char>(1 << rng_.below(7)));
        }
        if (rng_.chance(1, 10)) document_.resize(rng_.below(document_.size()) + 1);
        return document_;
    }
    std::int64_t amount() { return one_of(amounts); }
    std::uint64_t owner() { return rng_.below(6); }
    std::uint32_t small() {
        return rng_.chance(1, 20) ? ~std::uint32_t{0} : static_cast<std::uint32_t>(rng_.below(4));
    }
    trestle_format format() { return rng_.chance(1, 30) ? 99 : static_cast<int>(rng_.below(6)); }
    template <class T>
    T* place_for(T& result) {
        return rng_.chance(1, 40) ? nullptr : &result;
    }
    template <class Struct>
    Struct* struct_for(Struct& out) {
        out.struct_size = sizeof(Struct);
        if (rng_.chance(1, 30)) out.struct_size = rng_.below(2 * sizeof(Struct));
        return place_for(out);
    }

    /// Keeps a handle that a call made.
    template <class T>
    int made(Kind kind, int code, T* const& handle) {  // read after the call that `code` is of
        if ((handle != nullptr) && code != TRESTLE_OK) FAIL("a handle beside code " << code);
        if (handle == nullptr) return code;
        auto& list = live_[index_of(kind)];
        if (list.size() >= live_max) free_one(index_of(kind));
        list.push_back(handle);
        return code;
    }
    int wrote(int code, char* text) {
        if (text == nullptr) return code;
        if (documents_.size() < 40) documents_.emplace_back();
        auto& document = documents_[rng_.below(documents_.size())];
        document = text;
        if (document.size() > 4000) document.resize(4000);
        trestle_free(text);
        return code;
    }
    void free_as(std::size_t kind, void* handle) {
        switch (kind) {
            case 1:
                return trestle_cluster_free(static_cast<trestle_cluster*>(handle));
            case 2:
                return trestle_request_free(static_cast<trestle_request*>(handle));
            case 3:
                return trestle_placement_free(static_cast<trestle_placement*>(handle));
            case 4:
                return trestle_timeline_free(static_cast<trestle_timeline*>(handle));
            case 5:
                return trestle_plan_free(static_cast<trestle_plan*>(handle));
            case 6:
                return trestle_enforcer_free(static_cast<trestle_enforcer*>(handle));
            case 7:
                return trestle_controller_free(static_cast<trestle_controller*>(handle));
            default:
                return trestle_catalog_free(static_cast<trestle_catalog*>(handle));
        }
    }
    void free_one(std::size_t kind) {
        auto& list = live_[kind];
        const auto at = rng_.below(list.size());
        void* gone = list[at];
        list[at] = list.back();
        list.pop_back();
        free_as(kind, gone);
        if (freed_.size() < 64) freed_.push_back(gone);
        freed_[rng_.below(freed_.size())] = gone;
    }
    /// Frees a handle, at times one that is none of this kind.
    void free_any() {
        const std::size_t kind = 1 + rng_.below(kinds - 1);
        if (rng_.chance(1, 4)) {
            void* wrong = rng_.chance(1, 2) || freed_.empty() ? nullptr : one_of(freed_);
            return free_as(kind, rng_.chance(1, 4) ? foreign_ : wrong);
        }
        if (live_[kind].size() > 4) free_one(kind);
    }

    int call(std::uint64_t function) {
        last_ = function;
        if (function < 14) return call_makers(function);
        if (function < 30) return call_cluster(function);
        if (function < 42) return call_others(function);
        return call_enforcer(function);
    }
    int call_makers(std::uint64_t function);
    int call_cluster(std::uint64_t function);
    int call_others(std::uint64_t function);
    int call_enforcer(std::uint64_t function);
    int call_pass();

    Rng rng_;
    trestle_error error_ = {};
    trestle_error* at_ = nullptr;
    std::array<std::vector<void*>, kinds> live_;
    std::vector<void*> freed_;
    std::vector<std::string> documents_;
    std::vector<std::string> snapshots_;
    std::string document_;
    std::array<std::uint64_t, TRESTLE_INTERNAL + 1> calls_of_ = {};
    std::uint64_t last_ = 0;
    alignas(16) char foreign_[64] = {};
};

int Caller::call_makers(std::uint64_t function) {
    trestle_cluster* cluster_made = nullptr;
    trestle_request* request_made = nullptr;
    trestle_placement* placement_made = nullptr;
    trestle_timeline* timeline_made = nullptr;
    trestle_plan* plan_made = nullptr;
    trestle_enforcer* enforcer_made = nullptr;
    trestle_controller* controller_made = nullptr;
    trestle_catalog* catalog_made = nullptr;
    const std::string* read = nullptr;
    switch (function) {
        case 0: {
            const trestle_format as = format();
            const char* from = as == TRESTLE_JSON        ? json()
                               : as == TRESTLE_HWLOC_XML ? "/no/such/file"
                                                         : text(node_texts);
            return made(Kind::cluster,
                        trestle_cluster_create(as, from, place_for(cluster_made), at_),
                        cluster_made);
        }
        case 1:
            return made(Kind::cluster,
                        trestle_cluster_from_slurm(text(slurm_confs), nullptr, text(other_texts),
                                                   place_for(cluster_made), at_),
                        cluster_made);
        case 2:
            read = &bytes();
            return made(Kind::cluster,
                        trestle_cluster_from_bytes(read->data(), read->size(),
                                                   place_for(cluster_made), at_),
                        cluster_made);
        case 3:
            return made(Kind::cluster, trestle_cluster_copy(holder(), place_for(cluster_made), at_),
                        cluster_made);
        case 4: {
            const trestle_format as = format();
            const char* from = as == TRESTLE_JSON     ? json()
                               : as == TRESTLE_DSTACK ? text(dstack_texts)
                                                      : text(srun_texts);
            return made(Kind::request,
                        trestle_request_create(as, from, place_for(request_made), at_),
                        request_made);
        }
        case 5:
            return made(Kind::placement,
                        trestle_placement_from_json(json(), place_for(placement_made), at_),
                        placement_made);
        case 6:
        case 7:
            return made(Kind::placement,
                        trestle_place(cluster(), request(), place_for(placement_made), at_),
                        placement_made);
        case 8:
            return made(Kind::timeline,
                        trestle_timeline_create(cluster(), amount(), place_for(timeline_made), at_),
                        timeline_made);
        case 9:
            read = &bytes();
            return made(Kind::timeline,
                        trestle_timeline_from_bytes(read->data(), read->size(),
                                                    place_for(timeline_made), at_),
                        timeline_made);
        case 10:
            return made(Kind::plan,
                        trestle_plan_create(cluster(), small(), placement(), request(), owner(),
                                            text(other_texts), rng_.chance(1, 4) ? json() : nullptr,
                                            place_for(plan_made), at_),
                        plan_made);
        case 11:
            return made(Kind::plan, trestle_plan_from_json(json(), place_for(plan_made), at_),
                        plan_made);
        case 12:
            return made(Kind::controller,
                        trestle_controller_create(text(slurm_confs), nullptr, nullptr,
                                                  place_for(controller_made), at_),
                        controller_made);
        default:
            if (rng_.chance(1, 2)) {
                return made(Kind::enforcer, trestle_enforcer_memory(place_for(enforcer_made), at_),
                            enforcer_made);
            }
            return made(Kind::catalog,
                        trestle_catalog_create(text(csv_texts), text(other_texts),
                                               place_for(catalog_made), at_),
                        catalog_made);
    }
}

int Caller::call_cluster(std::uint64_t function) {
    char* written = nullptr;
    std::uint32_t number = 0;
    trestle_node node = {};
    trestle_placement* placement_made = nullptr;
    switch (function) {
        case 14:
            return trestle_set_options(any_handle(), json(), at_);
        case 15:
            return trestle_node_count(cluster(), place_for(number), at_);
        case 16:
            return trestle_node_info(cluster(), small(), struct_for(node), at_);
        case 17:
            return trestle_find_node(cluster(), text(other_texts), place_for(number), at_);
        case 18:
        case 19:
            return trestle_commit(cluster(), owner(), request(), placement(), at_);
        case 20:
            return trestle_adopt(cluster(), owner(), placement(), at_);
        case 21:
            return trestle_extend(cluster(), owner(), placement(), at_);
        case 22:
            return trestle_release(rng_.chance(1, 10) ? any_handle() : holder(), owner(), at_);
        case 23:
            return made(Kind::placement,
                        trestle_allocation(cluster(), owner(), place_for(placement_made), at_),
                        placement_made);
        case 24:
            return trestle_set_node_state(holder(), small(), static_cast<int>(rng_.below(4)), at_);
        case 25: {
            const int code =
                trestle_explain(holder(), request(), format(), place_for(written), at_);
            return wrote(code, written);
        }
        case 26:
            return trestle_trial_begin(cluster(), at_);
        case 27:
        case 28:
            return trestle_trial_end(cluster(), static_cast<int>(rng_.below(2)), at_);
        default: {
            const int code = trestle_write(any_handle(), format(), place_for(written), at_);
            return wrote(code, written);
        }
    }
}

int Caller::call_pass() {
    std::vector<trestle_queued_job> jobs(rng_.below(4));
    for (auto& job : jobs) job = {owner(), request(), amount(), amount()};
    std::vector<trestle_turn> turns(jobs.size());
    char* written = nullptr;
    const int code =
        trestle_schedule_pass(timeline(), rng_.chance(1, 30) ? nullptr : jobs.data(), jobs.size(),
                              static_cast<int>(rng_.below(4)),
                              rng_.chance(1, 30) ? nullptr : turns.data(), place_for(written), at_);
    for (const trestle_turn& turn : turns) made(Kind::placement, code, turn.placement);
    return wrote(code, written);
}

int Caller::call_others(std::uint64_t function) {
    char* written = nullptr;
    unsigned char* snapshot = nullptr;
    std::size_t size = 0;
    std::uint32_t cores[4] = {};
    trestle_device_share devices[4] = {};
    trestle_part part = {};
    trestle_start start = {};
    trestle_offer offers[2] = {};
    std::int64_t next = 0;
    trestle_placement* placement_made = nullptr;
    switch (function) {
        case 30: {
            const int code = trestle_to_bytes(holder(), place_for(snapshot), place_for(size), at_);
            if (snapshot == nullptr) return code;
            if (snapshots_.size() < 20) snapshots_.emplace_back();
            if (code == TRESTLE_OK) {
                snapshots_[rng_.below(snapshots_.size())].assign(
                    reinterpret_cast<const char*>(snapshot), size);
            }
            if (snapshots_.back().empty()) snapshots_.back() = "x";
            trestle_free(snapshot);
            return code;
        }
        case 31: {
            const int code =
                trestle_placement_text(placement(), cluster(), place_for(written), at_);
            return wrote(code, written);
        }
        case 32:
            return trestle_part_count(placement(), place_for(size), at_);
        case 33:
            return trestle_part_info(placement(), small(), struct_for(part), at_);
        case 34:
            return trestle_part_cores(placement(), small(), cores, rng_.below(5), place_for(size),
                                      at_);
        case 35:
            return trestle_part_devices(placement(), small(), devices, rng_.below(5),
                                        place_for(size), at_);
        case 36:
            return trestle_reserve(timeline(), owner(), request(), placement(), amount(), amount(),
                                   at_);
        case 37:
            return trestle_set_end(timeline(), owner(), amount(), at_);
        case 38:
            return trestle_advance(timeline(), amount(), place_for(next), at_);
        case 39:
            return made(Kind::placement,
                        trestle_earliest_start(timeline(), request(), amount(), amount(),
                                               struct_for(start), place_for(placement_made), at_),
                        placement_made);
        case 40:
            return call_pass();
        default: {
            if (rng_.chance(1, 2)) {
                const int code = trestle_catalog_offer(catalog(), small(), place_for(written), at_);
                return wrote(code, written);
            }
            return trestle_match(catalog(), request(), offers, rng_.below(3), place_for(size), at_);
        }
    }
}

int Caller::call_enforcer(std::uint64_t function) {
    static constexpr const char* command[] = {"train", "--x", nullptr};
    static constexpr const char* environment[] = {"A=1", "B", nullptr};
    static constexpr const char* const* no_command = nullptr;
    char* written = nullptr;
    std::int64_t pid = 0;
    std::uint64_t number = 0;
    trestle_outcome outcome = {};
    trestle_usage usage = {};
    trestle_placement* placement_made = nullptr;
    const std::int64_t some_pid = 1000 + static_cast<std::int64_t>(rng_.below(4));
    switch (function) {
        case 42: {
            const int code = trestle_apply(enforcer(), plan(), place_for(written), at_);
            return wrote(code, written);
        }
        case 43:
            return trestle_spawn(enforcer(), plan(), rng_.chance(1, 20) ? no_command : command,
                                 rng_.chance(1, 3) ? environment : nullptr, place_for(pid), at_);
        case 44:
            return trestle_wait(enforcer(), plan(), some_pid, static_cast<int>(rng_.below(2)),
                                struct_for(outcome), at_);
        case 45:
            return trestle_end_process(enforcer(), some_pid, static_cast<int>(rng_.below(300)),
                                       at_);
        case 46:
            return trestle_observe(enforcer(), text(other_texts), struct_for(usage), at_);
        case 47:
            return trestle_remove(enforcer(), text(other_texts), at_);
        case 48: {
            trestle_enforcer* opened = nullptr;
            return made(Kind::enforcer,
                        trestle_enforcer_cgroup("/no/such/folder", place_for(opened), at_), opened);
        }
        case 49:
            return trestle_check_version(small(), at_);
        default: {
            const int code = trestle_submit(controller(), text(srun_texts), place_for(number),
                                            place_for(placement_made), place_for(written), at_);
            return made(Kind::placement, wrote(code, written), placement_made);
        }
    }
}

void call_at_random(std::uint64_t calls) {
    const std::uint64_t before = c::live_handles();
    std::array<std::uint64_t, TRESTLE_INTERNAL + 1> codes = {};
    for (std::uint64_t done = 0; done < calls;) {
        const std::uint64_t seed = test_seed() + done;
        INFO("seed of the episode " << seed);
        Caller caller(seed);
        for (std::uint64_t i = 0; i < 2000 && done < calls; ++i, ++done) caller.step();
        for (std::size_t i = 0; i < codes.size(); ++i) {
            codes[i] += caller.count(static_cast<trestle_code>(i));
        }
    }
    CHECK(c::live_handles() == before);
    CHECK(codes[TRESTLE_OK] > calls / 5);
    for (const trestle_code code : {TRESTLE_REFUSED, TRESTLE_INVALID, TRESTLE_NOT_FOUND,
                                    TRESTLE_CONFLICT, TRESTLE_BAD_HANDLE, TRESTLE_OLD_LIBRARY}) {
        INFO("code " << code);
        CHECK(codes[static_cast<std::size_t>(code)] > calls / 2000);
    }
}

TEST_CASE("c: random calls end in a code", "[c]") { call_at_random(test_rounds(100'000u)); }

/// Ten million, or TRESTLE_RUNS where the environment has it.
TEST_CASE("c: ten million random calls end in a code", "[c][long]") {
    const char* runs = std::getenv("TRESTLE_RUNS");
    call_at_random(runs == nullptr ? 10'000'000 : std::strtoull(runs, nullptr, 10));
}

}  // namespace
}  // namespace trestle
