// SPDX-License-Identifier: Apache-2.0
#include "gres_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "../../../words.hpp"
#include "trestle/dialect/slurm/gres.hpp"

namespace trestle::slurm {
namespace {

using words::same_word;

/// Takes lines of gres.conf for the items of slurm.conf.
class RecordBuilder {
  public:
    explicit RecordBuilder(const NodeView& view) : view_(view) {
        for (const GresLine* line : view.lines) left_.push_back(count_of_line(*line));
    }

    StatusOr<GresRecords> build() {
        TRESTLE_TRY_STATUS(check_lines());
        for (const NodeGres& gres : view_.node.gres) TRESTLE_TRY_STATUS(take(gres));
        for (std::size_t i = 0; i < view_.lines.size(); ++i) {
            const GresLine& line = *view_.lines[i];
            if (line.name.empty() || left_[i].is_zero()) continue;
            records_.warnings.push_back(
                {line.place,
                 fmt::format("{} of {} for node {} are more than the Gres of {}", left_[i].value(),
                             to_text(Gres{line.name, line.type, line.count}), view_.name,
                             to_text(view_.node.place))});
        }
        return std::move(records_);
    }

  private:
    /// The Count of parts is of each file.
    [[nodiscard]] static Count count_of_line(const GresLine& line) {
        if (!is_shared_gres(line.name) || line.files.is_empty()) return line.count;
        return checked_mul(line.count, static_cast<std::int64_t>(line.files.size()))
            .value_or(Count::max());
    }

    /// Rules for all lines of one name.
    Status check_lines() const {
        std::map<std::string, std::vector<const GresLine*>> by_name;
        std::set<std::string, std::less<>> files;
        for (const GresLine* line : view_.lines) {
            if (line->name.empty() || line->count.is_zero()) continue;
            by_name[words::lower(line->name)].push_back(line);
            if (is_shared_gres(line->name)) continue;
            if (line->files.size() > static_cast<std::uint64_t>(devices_of_node_max)) {
                return invalid_argument("{}: {} files for node {}, expected at most {}",
                                        to_text(line->place), line->files.size(), view_.name,
                                        devices_of_node_max);
            }
            Status status;
            const auto add_file = [&](const std::string& file) {
                if (files.insert(file).second || !status.ok()) return;
                status = invalid_argument("{}: {} on node {} belongs to a device already",
                                          to_text(line->place), file, view_.name);
            };
            if (line->is_one_device) {
                add_file(fmt::format("{}", fmt::join(line->files.names(), ",")));
            } else {
                line->files.for_each(add_file);
            }
            TRESTLE_TRY_STATUS(status);
        }
        for (const auto& [name, lines] : by_name) TRESTLE_TRY_STATUS(check_name(lines));
        return {};
    }

    Status check_name(const std::vector<const GresLine*>& lines) const {
        const GresLine& first = *lines.front();
        for (const GresLine* line : lines) {
            const auto bad = [&](std::string_view what) {
                return invalid_argument("{}: {} for node {}: {}", to_text(line->place), line->name,
                                        view_.name, what);
            };
            if (line->files.is_empty() != first.files.is_empty()) {
                return bad("with and without files, expected them on all lines or on none");
            }
            if (line->type.empty() != first.type.empty()) {
                return bad("with and without a type, expected one on all lines or on none");
            }
            if (line != &first && line->files.is_empty() && line->type.empty()) {
                return bad("two lines with neither file nor type, expected one");
            }
        }
        return {};
    }

    Status take(const NodeGres& item) {
        const Gres& gres = item.gres;
        Count missing = gres.count;
        const GresLine* last = nullptr;
        for (std::size_t i = 0; i < view_.lines.size() && !missing.is_zero(); ++i) {
            const GresLine& line = *view_.lines[i];
            if (!same_word(line.name, gres.name) || left_[i].is_zero()) continue;
            if (!gres.type.empty() && !line.type.empty() && !same_word(line.type, gres.type)) {
                continue;
            }
            if (!gres.type.empty() && line.type.empty() && !is_shared_gres(gres.name)) continue;
            last = &line;
            const Count taken = std::min(missing, left_[i]);
            TRESTLE_TRY_STATUS(add(item, line, {count_of_line(line) - left_[i], taken}));
            left_[i] -= taken;
            missing -= taken;
        }
        if (missing.is_zero()) return {};
        GresRecord rest = record_of(item, last);
        rest.cores.reset();
        rest.links.clear();
        return add_without_file(std::move(rest), missing);
    }

    struct Part {
        Count first;  ///< of the line's devices
        Count count;
    };

    Status add(const NodeGres& item, const GresLine& line, Part part) {
        if (is_shared_gres(item.gres.name)) {
            GresRecord record = record_of(item, &line);
            record.count = part.count;
            line.files.for_each([&](const std::string& file) { record.files.push_back(file); });
            records_.parts.push_back(std::move(record));
            return {};
        }
        const bool has_files = !line.files.is_empty() && !has_flag(line, GresFlag::count_only);
        if (!has_files) return add_without_file(record_of(item, &line), part.count);
        TRESTLE_TRY_STATUS(check_room(part.count));
        if (line.is_one_device) {
            GresRecord record = record_of(item, &line);
            record.files = line.files.names();
            records_.devices.push_back(std::move(record));
            return {};
        }
        for (Count i; i < part.count; i += Count(1)) {
            GresRecord record = record_of(item, &line);
            record.files = {line.files[static_cast<std::uint64_t>((part.first + i).value())]};
            records_.devices.push_back(std::move(record));
        }
        return {};
    }

    /// Devices that are counted only; very many are one.
    Status add_without_file(GresRecord record, Count count) {
        if (is_shared_gres(record.name)) {
            record.count = count;
            records_.parts.push_back(std::move(record));
            return {};
        }
        if (count.value() > devices_of_node_max) {
            record.count = count;
            count = Count(1);
        }
        TRESTLE_TRY_STATUS(check_room(count));
        for (Count i; i < count; i += Count(1)) records_.devices.push_back(record);
        return {};
    }

    GresRecord record_of(const NodeGres& item, const GresLine* line) const {
        GresRecord record;
        record.name = item.gres.name;
        record.type = item.gres.type;
        record.is_consumed = item.is_consumed;
        record.line = line;
        if (line != nullptr && !has_flag(*line, GresFlag::count_only)) {
            record.cores = line->cores;
            record.links = line->links;
        }
        return record;
    }

    Status check_room(Count more) const {
        const auto there = static_cast<std::int64_t>(records_.devices.size());
        if (more.value() <= devices_of_node_max - there) return {};
        return invalid_argument("{}: more than {} devices on node {}", to_text(view_.node.place),
                                devices_of_node_max, view_.name);
    }

    const NodeView& view_;
    std::vector<Count> left_;  ///< of each line
    GresRecords records_;
};

}  // namespace

StatusOr<GresRecords> records_of(const NodeView& view) { return RecordBuilder(view).build(); }

StatusOr<std::optional<AutoDetect>> autodetect_of(const NodeView& view) {
    const GresLine* everywhere = nullptr;
    const GresLine* own = nullptr;
    for (const GresLine* line : view.lines) {
        if (!line->autodetect) continue;
        if (line->nodes.is_empty()) {
            everywhere = line;
            continue;
        }
        if (own != nullptr && own->autodetect != line->autodetect) {
            return invalid_argument("{}: AutoDetect={} for node {}, expected {} as in line {}",
                                    to_text(line->place), trestle::to_text(*line->autodetect),
                                    view.name, trestle::to_text(*own->autodetect), own->place.line);
        }
        own = line;
    }
    const GresLine* line = own != nullptr ? own : everywhere;
    return line != nullptr ? line->autodetect : std::nullopt;
}

}  // namespace trestle::slurm
