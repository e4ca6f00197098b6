// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/function.h>

#include <functional>
#include <optional>

#include "bind_struct.hpp"
#include "bindings.hpp"
#include "columns.hpp"
#include "node_filter.hpp"
#include "trestle/alloc/schedule/earliest_start.hpp"
#include "trestle/alloc/schedule/explain.hpp"
#include "trestle/alloc/schedule/queue/job_queue.hpp"
#include "trestle/alloc/schedule/schedule_pass.hpp"
#include "trestle/alloc/schedule/timeline.hpp"
#include "trestle/alloc/schedule/timeline_bytes.hpp"
#include "trestle/alloc/schedule/timeline_diff.hpp"
#include "trial_block.hpp"
#include "watched.hpp"

namespace trestle::python {
namespace {

[[nodiscard]] nb::bytes timeline_bytes(const Timeline& timeline) {
    const auto bytes = to_bytes(timeline);
    return nb::bytes(bytes.data(), bytes.size());
}
[[nodiscard]] StatusOr<Timeline> timeline_from(const nb::bytes& bytes) {
    return timeline_from_bytes({static_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

void bind_timeline_questions(nb::class_<Timeline>& timeline) {
    timeline
        .def(
            "cluster", [](const Timeline& self) { return self.cluster(); },
            "A copy of the cluster as it is now: what runs, without what comes later.")
        .def("now", &Timeline::now, "The moment that the timeline has come to, in seconds.")
        .def("size", &Timeline::size, doc("Timeline.size"))
        .def("period_of", &Timeline::period_of, nb::arg("owner"),
             "When the owner has what it has, or None for a stranger.")
        .def(
            "find_allocation",
            [](const Timeline& self, OwnerId owner) -> std::optional<Allocation> {
                const Allocation* found = self.find_allocation(owner);
                return found ? std::optional(*found) : std::nullopt;
            },
            nb::arg("owner"), "What the owner has or will have, or None.")
        .def("reservations", &Timeline::reservations, doc("Timeline.reservations"))
        .def("parts", &Timeline::parts, doc("Timeline.parts"))
        .def("next_change", &Timeline::next_change, doc("Timeline.next_change"))
        .def("free_at", &Timeline::free_at, nb::arg("at"), doc("Timeline.free_at"))
        .def(
            "free_counts",
            [](const Timeline& self, const Period& period) -> StatusOr<std::vector<ClusterCount>> {
                TRESTLE_TRY_STATUS(check(period));
                return self.free_counts(period);
            },
            nb::arg("period"), doc("Timeline.free_counts"))
        .def(
            "most_cpus",
            [](const Timeline& self, NodeId node, const std::string& partition,
               const Period& period) -> StatusOr<MilliCpu> {
                check_position("node", node.value(), self.cluster().node_count());
                TRESTLE_TRY_STATUS(check(period));
                return self.most_cpus(node, partition, period);
            },
            nb::arg("node"), nb::arg("partition"), nb::arg("period"), doc("Timeline.most_cpus"));
}

void bind_timeline_changes(nb::class_<Timeline>& timeline) {
    timeline
        .def("reserve", &Timeline::reserve, nb::arg("allocation"), nb::arg("period"),
             nb::arg("sink") = nb::none(), doc("Timeline.reserve"))
        .def("cancel", &Timeline::cancel, nb::arg("owner"), nb::arg("sink") = nb::none(),
             doc("Timeline.cancel"))
        .def("set_end", &Timeline::set_end, nb::arg("owner"), nb::arg("end"),
             doc("Timeline.set_end"))
        .def("advance", &Timeline::advance, nb::arg("to"), nb::arg("sink") = nb::none(),
             doc("Timeline.advance"))
        .def(
            "change_cluster",
            [](Timeline& self, const std::function<void(nb::handle)>& change) {
                return self.change_cluster([&](Cluster& cluster) {
                    const nb::object changing = nb::cast(cluster);
                    change(changing);
                    cluster = nb::cast<const Cluster&>(changing);
                    return Status();
                });
            },
            nb::arg("change"),
            nb::sig("def change_cluster(self, change: collections.abc.Callable[[Cluster], object])"
                    " -> None"),
            "Changes what there is: `change(cluster)` may do all but give and take, as to drain a "
            "node or set partitions. Errors: those of `change`; Error, naming the "
            "owner, when a reservation has no place any more, or when something was given or "
            "taken. Nothing changes then.");
}

void bind_value_of_timeline(nb::class_<Timeline>& timeline) {
    bind_equality(timeline);
    timeline
        .def("to_bytes", &timeline_bytes,
             "The timeline as bytes, equal for equal timelines, however they came about.")
        .def_static("from_bytes", &timeline_from, nb::arg("bytes"), doc("timeline_from_bytes"));
    timeline.def("__copy__", [](const Timeline& self) { return self; });
    timeline.def(
        "__deepcopy__", [](const Timeline& self, nb::handle) { return self; }, nb::arg("memo"));
    timeline.def("__getstate__", &timeline_bytes);
    timeline.def("__setstate__", [](Timeline& self, const nb::bytes& bytes) {
        auto timeline = timeline_from(bytes);
        raise_if_error(timeline.status());
        new (&self) Timeline(*std::move(timeline));
    });
    timeline.def("__repr__", [](const Timeline& self) {
        const std::size_t running = self.cluster().allocation_count();
        return fmt::format("<Timeline at {} of {} nodes, {} running, {} reserved>", self.now(),
                           self.cluster().node_count(), running, self.size() - running);
    });
}

void bind_timeline(nb::module_& module) {
    bind_struct<OwnerPeriod>(module, "OwnerPeriod");
    bind_struct<TimedAllocation>(module, "TimedAllocation");
    bind_struct<TimelineParts>(module, "TimelineParts");
    bind_struct<Timeline::Advance>(module, "Advance", "Timeline.Advance");
    nb::class_<Timeline> timeline(
        module, "Timeline",
        "A cluster now, and what of it is taken and given back later.\n\nMoments are seconds since "
        "one that the caller chooses, periods ranges of them. A copy is independent of the "
        "original, and cheap.");
    timeline
        .def(
            "__init__",
            [](Timeline* self, const Cluster& cluster, Instant now) {
                new (self) Timeline(cluster, now);
            },
            nb::arg("cluster") = Cluster(), nb::arg("now") = Instant(),
            "What the cluster's owners have they have from now on, and for ever until set_end().")
        .def_static("create", &Timeline::create, nb::arg("cluster"), nb::arg("parts"),
                    doc("Timeline.create"));
    bind_trial<Timeline::Trial>(module, timeline, "TimelineTrial", "Timeline.Trial");
    bind_timeline_questions(timeline);
    bind_timeline_changes(timeline);
    bind_value_of_timeline(timeline);
    bind_struct<Change<OwnerId, TimedAllocation>>(module, "ReservationChange", "Change");
    nb::class_<TimelineDiff> difference(module, "TimelineDiff", doc("TimelineDiff"));
    complete_struct(difference, module, "TimelineDiff");
    difference.def("is_empty", &TimelineDiff::is_empty, "True when nothing differs.");
    module.def(
        "diff", [](const Timeline& before, const Timeline& after) { return diff(before, after); },
        nb::arg("before"), nb::arg("after"),
        "What differs between two timelines; its cost is that of what they do not share.");
    module.def("whole_nodes", &whole_nodes, nb::arg("cluster"), nb::arg("nodes"),
               doc("whole_nodes"));
    module.attr("END_OF_TIME") = end_of_time.value();
}

void bind_starts(nb::module_& module) {
    bind_struct<StartQuestion>(module, "StartQuestion");
    bind_struct<Start>(module, "Start");
    static PyType_Slot slots[] = {
        {Py_tp_traverse, reinterpret_cast<void*>(visit_policy<ColumnFinder>)},
        {Py_tp_clear, reinterpret_cast<void*>(clear_policy<ColumnFinder>)},
        {0, nullptr}};
    const std::string finder_text =
        std::string(doc("StartFinder")) +
        "\nA `policy` stands in place of the options' policy. It is a name, a scoring expression "
        "as "
        "text, or a\nfunction of the caller's own from PolicyColumns to an array of scores.";
    nb::class_<ColumnFinder>(module, "StartFinder", nb::type_slots(slots), finder_text.c_str())
        .def(
            "__init__",
            [](ColumnFinder* self, PlaceOptions options, const ColumnPolicy& policy) {
                new (self) ColumnFinder(std::move(options), policy);
            },
            nb::arg("options") = PlaceOptions(), nb::arg("policy") = nb::none())
        .def(
            "options", [](const ColumnFinder& self) { return self.options(); },
            "What it decides by.")
        .def(
            "earliest_start",
            [](ColumnFinder& self, const Timeline& timeline, const PreparedRequest& request,
               const StartQuestion& question, const std::optional<NodeSet>& candidates,
               const std::function<bool(NodeId)>& predicate) {
                const Timeline asked = timeline;  // whatever the predicate does to it
                const Deciding scope(self, asked.cluster());
                return self.earliest_start(asked, request, question,
                                           filter_of(asked.cluster(), candidates, predicate));
            },
            nb::arg("timeline"), nb::arg("request"), nb::arg("question") = StartQuestion(),
            nb::arg("candidates") = nb::none(), nb::arg("predicate") = nb::none(),
            doc("StartFinder.earliest_start"));
    module.def(
        "earliest_start",
        [](const Timeline& timeline, const PreparedRequest& request, const StartQuestion& question,
           const PlaceOptions& options, const std::optional<NodeSet>& candidates,
           const std::function<bool(NodeId)>& predicate, const ColumnPolicy& policy) {
            const Timeline asked = timeline;
            ColumnFinder finder(options, policy);
            const Deciding scope(finder, asked.cluster());
            return finder.earliest_start(asked, request, question,
                                         filter_of(asked.cluster(), candidates, predicate));
        },
        nb::arg("timeline"), nb::arg("request"), nb::arg("question") = StartQuestion(),
        nb::arg("options") = PlaceOptions(), nb::arg("candidates") = nb::none(),
        nb::arg("predicate") = nb::none(), nb::arg("policy") = nb::none(), doc("earliest_start"));
}

void bind_start_explanation(nb::module_& module) {
    module.def(
        "explain",
        [](const Timeline& timeline, const PreparedRequest& request, const StartQuestion& question,
           const PlaceOptions& options, const std::optional<NodeSet>& candidates,
           const std::function<bool(NodeId)>& predicate) {
            const Timeline asked = timeline;
            return explain(asked, request, question, options,
                           filter_of(asked.cluster(), candidates, predicate));
        },
        nb::arg("timeline"), nb::arg("request"), nb::arg("question") = StartQuestion(),
        nb::arg("options") = PlaceOptions(), nb::arg("candidates") = nb::none(),
        nb::arg("predicate") = nb::none(), doc("explain(Timeline)"));
}

void bind_pass(nb::module_& module) {
    bind_struct<QueuedJob>(module, "QueuedJob");
    bind_enum<Discipline::Order>(module, "QueueOrder", "Discipline.Order");
    bind_struct<Discipline>(module, "Discipline")
        .def_static("strict", &Discipline::strict, nb::arg("order") = Discipline::Order::as_queued,
                    "No job overtakes: the first that cannot start ends the pass.")
        .def_static(
            "easy", &Discipline::easy, nb::arg("order") = Discipline::Order::as_queued,
            "The first job that cannot start gets a reserved start; jobs that do not delay it may "
            "overtake.")
        .def_static("conservative", &Discipline::conservative,
                    nb::arg("order") = Discipline::Order::as_queued,
                    "Each job that cannot start gets a reserved start; no job delays any of them.")
        .def_static("lookahead", &Discipline::lookahead,
                    nb::arg("order") = Discipline::Order::as_queued, doc("Discipline.lookahead"))
        .def_static("slack_based", &Discipline::slack_based,
                    nb::arg("order") = Discipline::Order::as_queued, doc("Discipline.slack_based"));
    bind_struct<PassResult::Waiting>(module, "WaitingJob", "PassResult.Waiting");
    bind_struct<PassResult>(module, "PassResult");
    module.def(
        "schedule_pass",
        [](const Timeline& timeline, const std::vector<QueuedJob>& queue,
           const Discipline& discipline, ColumnFinder* finder) -> StatusOr<PassResult> {
            const Timeline asked = timeline;  // whatever the policy does to it
            if (finder == nullptr) {
                StartFinder usual{PlaceOptions()};
                Watched watched(usual, "schedule", queue.size());
                return watched.run([&] { return schedule_pass(asked, queue, discipline, usual); });
            }
            const Deciding scope(*finder, asked.cluster());
            Watched watched(static_cast<StartFinder&>(*finder), "schedule", queue.size());
            return watched.run([&] {
                return naming_the_job(
                    queue, *finder, fmt::format(", at {} s", asked.now().value()),
                    [&] { return schedule_pass(asked, queue, discipline, *finder); });
            });
        },
        nb::arg("timeline"), nb::arg("queue"), nb::arg("discipline") = Discipline(),
        nb::arg("finder") = nb::none(), doc("schedule_pass"));
}

void bind_job_queue(nb::module_& module) {
    bind_struct<JobQueue::Pass>(module, "QueuePass", "JobQueue.Pass");
    bind_struct<JobQueue::Options>(module, "JobQueueOptions", "JobQueue.Options");
    nb::class_<JobQueue>(module, "JobQueue", doc("JobQueue"))
        .def(nb::init<const Discipline&, const JobQueue::Options&>(),
             nb::arg("discipline") = Discipline(), nb::arg("options") = JobQueue::Options())
        .def("discipline", &JobQueue::discipline, nb::rv_policy::copy, "How it decides.")
        .def("__len__", &JobQueue::size)
        .def("__contains__", &JobQueue::contains, nb::arg("owner"))
        .def("jobs", &JobQueue::jobs, doc("JobQueue.jobs"))
        .def("add", &JobQueue::add, nb::arg("job"), nb::arg("place") = nb::none(),
             doc("JobQueue.add"))
        .def("remove", &JobQueue::remove, nb::arg("owner"), doc("JobQueue.remove"))
        .def(
            "schedule",
            [](JobQueue& self, const Timeline& timeline, ColumnFinder& finder) {
                const Timeline asked = timeline;  // whatever the policy does to it
                const Deciding scope(finder, asked.cluster());
                Watched watched(static_cast<StartFinder&>(finder), "schedule", self.size());
                return watched.run([&] {
                    return naming_the_owner([&] { return self.asked_last(); },
                                            fmt::format(", at {} s", asked.now().value()),
                                            [&] { return self.schedule(asked, finder); });
                });
            },
            nb::arg("timeline"), nb::arg("finder"), doc("JobQueue.schedule"))
        .def("asked_last", &JobQueue::asked_last, doc("JobQueue.asked_last"))
        .def("forget_reservations", &JobQueue::forget_reservations,
             doc("JobQueue.forget_reservations"))
        .def("reservations", &JobQueue::reservations, doc("JobQueue.reservations"));
}

}  // namespace

void bind_time(nb::module_& module) {
    bind_timeline(module);
    bind_starts(module);
    bind_start_explanation(module);
    bind_pass(module);
    bind_job_queue(module);
}

}  // namespace trestle::python
