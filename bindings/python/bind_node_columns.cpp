// SPDX-License-Identifier: Apache-2.0
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bind_struct.hpp"
#include "bindings.hpp"
#include "columns.hpp"
#include "errors.hpp"
#include "numpy_array.hpp"
#include "trestle/alloc/cluster/columns/node_columns.hpp"
#include "trestle/alloc/cluster/columns/observer.hpp"
#include "trestle/alloc/cluster/place/place_many.hpp"

namespace trestle::python {

/// A dict of arrays by name, or None.
struct NamedArrays {
    nb::object dict;

    [[nodiscard]] bool has_any() const { return !dict.is_none(); }
};

template <>
struct Converter<NamedArrays> {
    static constexpr bool is_ours = true;
    static constexpr auto name = const_name("dict[str, numpy.typing.NDArray[typing.Any]]");

    static bool fits(nb::handle object) noexcept {
        return object.is_none() || nb::isinstance<nb::dict>(object);
    }
    static NamedArrays from(nb::handle object) { return {nb::borrow(object)}; }
    static nb::handle to(const NamedArrays& arrays, nb::rv_policy, cleanup_list*) noexcept {
        return arrays.dict.inc_ref();
    }
};

namespace {

/// Columns of a cluster as it is; without a function of Python's they need no GIL.
class Asker {
  public:
    Asker(const Cluster& cluster, const PlaceOptions& options, const ColumnPolicy& policy)
        : calls_python_(policy.is_function()),
          columns_(cluster, with_policy(options, policy),
                   score_function(policy, std::make_shared<const Cluster*>(&cluster))) {}

    [[nodiscard]] std::size_t rows() const { return columns_.rows(); }
    template <class Ask>
    void ask(const Ask& ask) {
        if (calls_python_) return ask(columns_);
        const nb::gil_scoped_release others_run;
        ask(columns_);
    }

  private:
    bool calls_python_;
    NodeColumns columns_;
};

[[nodiscard]] Status check_column(const Request& request) {
    TRESTLE_TRY_STATUS(check(request));
    if (request.components.empty()) return {};
    return invalid_argument("components: expected none, each is a request of its own");
}

/// What `Fill` makes of one request.
template <class T, class Fill>
[[nodiscard]] auto column_of(Asker asker, const Request& request, const Fill& fill) {
    raise_if_error(check_column(request));
    const std::size_t rows = asker.rows();
    auto values = std::make_unique<T[]>(rows);
    asker.ask(
        [&](NodeColumns& columns) { fill(columns, request, std::span<T>(values.get(), rows)); });
    return array_of<T, nb::ndim<1>>(std::move(values), {rows});
}

void bind_answers(nb::module_& module) {
    module.def(
        "feasible",
        [](const Cluster& cluster, const std::vector<Request>& requests,
           const PlaceOptions& options) {
            for (std::size_t r = 0; r < requests.size(); ++r) {
                raise_if_error(
                    with_context(fmt::format("requests[{}]", r), check_column(requests[r])));
            }
            Asker asker(cluster, options, {std::make_shared<nb::object>(nb::none())});
            const std::size_t rows = asker.rows();
            auto values = std::make_unique<bool[]>(requests.size() * rows);
            asker.ask([&](NodeColumns& columns) {
                for (std::size_t r = 0; r < requests.size(); ++r) {
                    columns.feasible(requests[r], {values.get() + r * rows, rows});
                }
            });
            return array_of<bool, nb::ndim<2>>(std::move(values), {requests.size(), rows});
        },
        nb::arg("cluster"), nb::arg("requests"), nb::arg("options") = PlaceOptions(),
        "Which nodes could take each request now: a row for each request, a column for each "
        "node.\n\nA request for several nodes is asked of each by one part, on the fewest nodes "
        "that it accepts. That is the smallest part that the request allows in any split, whatever "
        "the nodes have. Where only the even split is possible, it is the largest part. A node "
        "that can take "
        "only a larger part is not counted. Whether enough nodes are left, and what the network "
        "says, is for place(), and components are requests of their own. Needs NumPy.");
    module.def(
        "fit_count",
        [](const Cluster& cluster, const Request& request, const ColumnPolicy& policy,
           const PlaceOptions& options) {
            return column_of<std::int32_t>({cluster, options, policy}, request,
                                           [](NodeColumns& columns, const auto& asked, auto out) {
                                               columns.fit_count(asked, out);
                                           });
        },
        nb::arg("cluster"), nb::arg("request"), nb::arg("policy") = nb::none(),
        nb::arg("options") = PlaceOptions(),
        "How many such jobs each node could take one after the other, if all were put there; "
        "licences count for the first only.\n\nNeeds NumPy.");
    module.def(
        "score",
        [](const Cluster& cluster, const Request& request, const ColumnPolicy& policy,
           const PlaceOptions& options) {
            return column_of<double>({cluster, options, policy}, request,
                                     [](NodeColumns& columns, const auto& asked, auto out) {
                                         columns.score(asked, out);
                                     });
        },
        nb::arg("cluster"), nb::arg("request"), nb::arg("policy") = nb::none(),
        nb::arg("options") = PlaceOptions(),
        "What `policy`, or that of the options, finds of each node; NaN where the node cannot take "
        "the request.\n\nplace() takes the highest, of equal ones by what the policy says second, "
        "then the lowest node. Nodes that options.spare_devices puts last come behind all others. "
        "Policy.random gives all 0. Needs NumPy.");
}

/// PlacedJobs as a table with a row for each job. Requires: the jobs are those that were placed.
[[nodiscard]] nb::object placed_table(const Cluster& cluster, const std::vector<JobOrder>& jobs,
                                      const PlacedJobs& placed) {
    const std::size_t rows = jobs.size();
    auto owners = std::make_unique<std::uint64_t[]>(rows);
    auto first = std::make_unique<std::int64_t[]>(rows);
    auto nodes = std::make_unique<std::int32_t[]>(rows);
    for (std::size_t job = 0; job < rows; ++job) {
        owners[job] = jobs[job].owner.value();
        first[job] = -1;
    }
    const auto expect = [&](bool is_so, std::size_t job, const char* what) {
        if (is_so) return;
        throw nb::value_error(fmt::format("placed: job {} {}", job, what).c_str());
    };
    for (const std::size_t job : placed.placed) {
        expect(job < rows, job, "is not in the list of jobs");
        const Allocation* const held = cluster.find_allocation(jobs[job].owner);
        expect(held != nullptr, job, "has nothing in this cluster");
        const auto& parts = held->placement.nodes;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if (i == 0 || parts[i - 1].node != parts[i].node) ++nodes[job];
        }
        if (!parts.empty()) first[job] = parts.front().node.value();
    }
    nb::list positions;
    nb::list refusals;
    for (const PlacedJobs::Refused& one : placed.refused) {
        expect(one.job < rows, one.job, "is not in the list of jobs");
        positions.append(one.job);
        refusals.append(fmt::format("{}", one.why.constraint));
    }
    const nb::module_ numpy = nb::module_::import_("numpy");
    nb::list fields;
    for (const auto& [name, type] : {std::pair{"owner", "u8"}, std::pair{"node", "i8"},
                                     std::pair{"nodes", "i4"}, std::pair{"refused_by", "U24"}}) {
        fields.append(nb::make_tuple(name, type));
    }
    nb::object table = numpy.attr("zeros")(rows, fields);
    using Column = nb::ndim<1>;
    table["owner"] = array_of<std::uint64_t, Column>(std::move(owners), {rows});
    table["node"] = array_of<std::int64_t, Column>(std::move(first), {rows});
    table["nodes"] = array_of<std::int32_t, Column>(std::move(nodes), {rows});
    if (nb::len(positions) > 0) {
        nb::object refused_by = table["refused_by"];
        refused_by[positions] = refusals;
    }
    return table;
}

/// The arrays of an observation by name, made here or the caller's, and where they lie.
class Tables {
  public:
    /// Without arrays of the caller's all are made; else those that are given are written.
    Tables(const Observer::Layout& layout, const NamedArrays& given) : makes_(!given.has_any()) {
        if (!makes_) by_name_.update(given.dict);  // the caller may change its own
        const std::size_t nodes = layout.nodes;
        free_ = span_of<std::int64_t>("free", "int64", {nodes, layout.resources.size()});
        devices_ = span_of<std::int64_t>("devices", "int64", {nodes, layout.devices});
        cores_ = span_of<std::uint64_t>("cores", "uint64", {nodes, layout.core_words});
        fragments_ = span_of<double>("fragments", "float64", {nodes});
        is_usable_ = span_of<bool>("is_usable", "bool", {nodes});
        for (const auto [name, array] : by_name_) {
            const bool is_known = std::find(names_.begin(), names_.end(),
                                            nb::cast<std::string>(name)) != names_.end();
            if (is_known) continue;
            throw BadValue{PyExc_ValueError,
                           fmt::format("no table has this name, expected some of: {}",
                                       fmt::join(names_, ", ")),
                           "out." + nb::cast<std::string>(name)};
        }
    }

    [[nodiscard]] const nb::dict& by_name() const { return by_name_; }
    [[nodiscard]] Observer::Observation spans() const {
        return {free_, devices_, cores_, fragments_, is_usable_};
    }

  private:
    template <class T>
    [[nodiscard]] std::span<T> span_of(const char* name, const char* type,
                                       const std::vector<std::size_t>& shape) {
        names_.emplace_back(name);
        if (makes_) {
            nb::list sizes;
            for (const std::size_t size : shape) sizes.append(size);
            by_name_[name] = nb::module_::import_("numpy").attr("zeros")(nb::tuple(sizes), type);
        }
        if (!by_name_.contains(name)) return {};
        nb::ndarray<nb::numpy, T, nb::c_contig, nb::device::cpu> array;
        const bool is_array = nb::try_cast(by_name_[name], array, false);
        bool is_like = is_array && array.ndim() == shape.size();
        for (std::size_t d = 0; is_like && d < shape.size(); ++d) {
            is_like = array.shape(d) == shape[d];
        }
        if (!is_like) {
            throw BadValue{is_array ? PyExc_ValueError : PyExc_TypeError,
                           fmt::format("expected a writable NumPy array of {} in C order, of shape "
                                       "({})",
                                       type, fmt::join(shape, ", ")),
                           std::string("out.") + name};
        }
        check_alone<T>(name, {array.data(), array.size()});
        kept_.push_back(nb::object(by_name_[name]));
        return {array.data(), array.size()};
    }

    /// That no other table lies in the same bytes, and numbers where numbers may lie.
    template <class T>
    void check_alone(const char* name, std::span<T> table) {
        const auto begin = reinterpret_cast<std::uintptr_t>(table.data());
        const Bounds bounds{begin, begin + table.size_bytes()};
        const bool is_aligned = begin % alignof(T) == 0;
        const bool is_alone = std::none_of(taken_.begin(), taken_.end(), [&](const Bounds& other) {
            return bounds.first < other.second && other.first < bounds.second;
        });
        if (!is_aligned || !is_alone) {
            throw BadValue{PyExc_ValueError,
                           is_alone ? "expected an aligned array" : "overlaps another table",
                           std::string("out.") + name};
        }
        taken_.push_back(bounds);
    }

    using Bounds = std::pair<std::uintptr_t, std::uintptr_t>;

    nb::dict by_name_;
    bool makes_;
    std::vector<std::string> names_;
    std::vector<Bounds> taken_;
    std::vector<nb::object> kept_;  ///< the arrays, whatever becomes of the dict
    std::span<std::int64_t> free_;
    std::span<std::int64_t> devices_;
    std::span<std::uint64_t> cores_;
    std::span<double> fragments_;
    std::span<bool> is_usable_;
};

class TableObserver {
  public:
    TableObserver(const Cluster& cluster, const NamedArrays& out, const Observer::Options& options)
        : observer_(cluster, options), tables_(observer_.layout(), out) {}

    [[nodiscard]] const Observer::Layout& layout() const { return observer_.layout(); }
    [[nodiscard]] NamedArrays tables() const { return {tables_.by_name()}; }
    [[nodiscard]] auto observe(const Cluster& cluster) {
        const auto rows = observer_.observe(cluster, tables_.spans());
        raise_if_error(rows.status());
        auto values = std::make_unique<std::uint32_t[]>(rows->size());
        std::transform(rows->begin(), rows->end(), values.get(),
                       [](NodeId node) { return node.value(); });
        return array_of<std::uint32_t, nb::ndim<1>>(std::move(values), {rows->size()});
    }
    void restart() { observer_.restart(); }

  private:
    Observer observer_;
    Tables tables_;
};

void bind_observer(nb::module_& module) {
    bind_struct<Observer::Options>(module, "ObserveOptions", "Observer.Options");
    bind_struct<Observer::Layout>(module, "ObservationLayout", "Observer.Layout");
    const char* const tables_text =
        "`free` [nodes, resources] int64, `devices` [nodes, devices] int64, `cores` "
        "[nodes, core_words] uint64, `fragments` [nodes] float64, `is_usable` [nodes] bool. "
        "Observation has what they are, and ObservationLayout the columns";
    static const std::string class_text =
        std::string(
            "Tables of what a cluster has left, kept up to date.\n\nThe tables are made "
            "here, or those of `out`, a dict with some of these names: ") +
        tables_text + ". Needs NumPy.";
    nb::class_<TableObserver>(module, "Observer", class_text.c_str())
        .def(nb::init<const Cluster&, const NamedArrays&, const Observer::Options&>(),
             nb::arg("cluster"), nb::arg("out") = nb::none(),
             nb::arg("options") = Observer::Options())
        .def_prop_ro("layout", &TableObserver::layout, "How large the tables are.")
        .def_prop_ro("tables", &TableObserver::tables, "The arrays by name.")
        .def("observe", &TableObserver::observe, nb::arg("cluster"),
             "Writes the rows of nodes that changed since the last call, the first time all. Gives "
             "the nodes whose rows were written, rising. Errors: ValueError where the cluster has "
             "other nodes or devices than the one that this was made for.")
        .def("restart", &TableObserver::restart, doc("Observer.restart"));
    static const std::string observe_text =
        std::string(
            "What a cluster has left, in tables with a row for each node.\n\nFills the "
            "arrays of `out`, a dict with some of these names, or makes all: ") +
        tables_text + ". Needs NumPy.";
    module.def(
        "observe",
        [](const Cluster& cluster, const NamedArrays& out, const Observer::Options& options) {
            TableObserver observer(cluster, out, options);
            static_cast<void>(observer.observe(cluster));
            return observer.tables();
        },
        nb::arg("cluster"), nb::arg("out") = nb::none(), nb::arg("options") = Observer::Options(),
        observe_text.c_str());
}

}  // namespace

void bind_node_columns(nb::module_& module) {
    bind_answers(module);
    module.def(
        "placed_table", &placed_table, nb::arg("cluster"), nb::arg("jobs"), nb::arg("placed"),
        nb::sig("def placed_table(cluster: Cluster, jobs: collections.abc.Iterable[JobOrder], "
                "placed: PlacedJobs) -> numpy.typing.NDArray[typing.Any]"),
        "What place_many() did, as a structured array with a row for each job.\n\n`owner` is "
        "uint64. "
        "`node` is int64: the lowest one, -1 where the job was not placed. `nodes` is int32: how "
        "many. `refused_by` is the name of a Constraint, empty if placed or had no "
        "turn.\n\nErrors: ValueError for what was placed from another list, or "
        "in another cluster. Needs NumPy.");
    bind_observer(module);
}

}  // namespace trestle::python
