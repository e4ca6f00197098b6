// SPDX-License-Identifier: Apache-2.0
#include "gres_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "../../../words.hpp"
#include "../conf_lines.hpp"
#include "trestle/dialect/slurm/gres.hpp"

namespace trestle::slurm {
namespace {

using words::same_word;

/// Takes lines of gres.conf for the items of slurm.conf.
class RecordBuilder {
  public:
    RecordBuilder(const NodeView& view, std::vector<ConfError>& errors)
        : view_(view), errors_(errors) {
        for (const GresLine* line : view.lines) left_.push_back(count_of_line(*line));
    }

    GresRecords build() {
        const std::size_t errors_before = errors_.size();
        check_lines();
        for (const NodeGres& gres : view_.node.gres) take(gres);
        if (count_unmended(errors_, errors_before) != 0) return std::move(records_);
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
    void add_error(const ConfPlace& place, std::string token, std::string what,
                   std::string expected) {
        errors_.push_back({place, {0, std::move(token), std::move(what), std::move(expected)}});
    }

    /// Rules for all lines of one name. A line that breaks them gives no files.
    void check_lines() {
        std::map<std::string, std::vector<const GresLine*>> by_name;
        std::set<std::string, std::less<>> files;
        for (std::size_t i = 0; i < view_.lines.size(); ++i) {
            const GresLine* const line = view_.lines[i];
            if (line->name.empty() || line->count.is_zero()) continue;
            by_name[words::lower(line->name)].push_back(line);
            if (is_shared_gres(line->name)) continue;
            if (line->files.size() > static_cast<std::uint64_t>(devices_of_node_max)) {
                add_error(line->place, "File",
                          fmt::format("{} files for node {}", line->files.size(), view_.name),
                          fmt::format("at most {}", devices_of_node_max));
                left_[i] = Count();
                continue;
            }
            const auto add_file = [&](const std::string& file) {
                if (files.insert(file).second || left_[i].is_zero()) return;
                add_error(line->place, file,
                          fmt::format("belongs to a device of node {} already", view_.name),
                          "a file for each device");
                left_[i] = Count();
            };
            if (line->is_one_device) {
                add_file(fmt::format("{}", fmt::join(line->files.names(), ",")));
            } else {
                line->files.for_each(add_file);
            }
        }
        for (const auto& [name, lines] : by_name) check_name(lines);
    }

    void check_name(const std::vector<const GresLine*>& lines) {
        const GresLine& first = *lines.front();
        for (const GresLine* line : lines) {
            const auto bad = [&](std::string_view what, std::string_view expected) {
                add_error(line->place, line->name, fmt::format("{} for node {}", what, view_.name),
                          std::string(expected));
            };
            if (line->files.is_empty() != first.files.is_empty()) {
                bad("with and without files", "them on all lines or on none");
            } else if (line->type.empty() != first.type.empty()) {
                bad("with and without a type", "one on all lines or on none");
            } else if (line != &first && line->files.is_empty() && line->type.empty()) {
                bad("two lines with neither file nor type", "one");
            }
        }
    }

    void take(const NodeGres& item) {
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
            add(item, line, {count_of_line(line) - left_[i], taken});
            left_[i] -= taken;
            missing -= taken;
        }
        if (missing.is_zero()) return;
        GresRecord rest = record_of(item, last);
        rest.cores.reset();
        rest.links.clear();
        add_without_file(std::move(rest), missing);
    }

    struct Part {
        Count first;  ///< of the line's devices
        Count count;
    };

    void add(const NodeGres& item, const GresLine& line, Part part) {
        if (is_shared_gres(item.gres.name)) {
            GresRecord record = record_of(item, &line);
            record.count = part.count;
            line.files.for_each([&](const std::string& file) { record.files.push_back(file); });
            records_.parts.push_back(std::move(record));
            return;
        }
        const bool has_files = !line.files.is_empty() && !has_flag(line, GresFlag::count_only);
        if (!has_files) return add_without_file(record_of(item, &line), part.count);
        if (!has_room(part.count)) return;
        if (line.is_one_device) {
            GresRecord record = record_of(item, &line);
            record.files = line.files.names();
            records_.devices.push_back(std::move(record));
            return;
        }
        for (Count i; i < part.count; i += Count(1)) {
            GresRecord record = record_of(item, &line);
            record.files = {line.files[static_cast<std::uint64_t>((part.first + i).value())]};
            records_.devices.push_back(std::move(record));
        }
    }

    /// Devices that are counted only; very many are one.
    void add_without_file(GresRecord record, Count count) {
        if (is_shared_gres(record.name)) {
            record.count = count;
            records_.parts.push_back(std::move(record));
            return;
        }
        if (count.value() > devices_of_node_max) {
            record.count = count;
            count = Count(1);
        }
        if (!has_room(count)) return;
        for (Count i; i < count; i += Count(1)) records_.devices.push_back(record);
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

    /// False, with an error, where so many more devices are too many.
    bool has_room(Count more) {
        const auto there = static_cast<std::int64_t>(records_.devices.size());
        if (more.value() <= devices_of_node_max - there) return true;
        if (!is_full_) {
            add_error(
                view_.node.place, "Gres",
                fmt::format("more than {} devices on node {}", devices_of_node_max, view_.name),
                "fewer");
        }
        is_full_ = true;
        return false;
    }

    const NodeView& view_;
    std::vector<ConfError>& errors_;
    bool is_full_ = false;     ///< that there are too many devices was said
    std::vector<Count> left_;  ///< of each line
    GresRecords records_;
};

}  // namespace

Count count_of_line(const GresLine& line) {
    if (!is_shared_gres(line.name) || line.files.is_empty()) return line.count;
    const auto files = static_cast<std::int64_t>(line.files.size());
    return div_floor(line.count, files) * files;
}

GresRecords records_of(const NodeView& view, std::vector<ConfError>& errors) {
    return RecordBuilder(view, errors).build();
}

std::optional<AutoDetect> autodetect_of(const NodeView& view, std::vector<ConfError>& errors) {
    const GresLine* everywhere = nullptr;
    const GresLine* own = nullptr;
    for (const GresLine* line : view.lines) {
        if (!line->autodetect) continue;
        if (line->nodes.is_empty()) {
            everywhere = line;
            continue;
        }
        if (own != nullptr && own->autodetect != line->autodetect) {
            errors.push_back({line->place,
                              {0, fmt::format("AutoDetect={}", trestle::to_text(*line->autodetect)),
                               fmt::format("another one for node {}", view.name),
                               fmt::format("{} as in line {}", trestle::to_text(*own->autodetect),
                                           own->place.line)}});
            continue;
        }
        own = line;
    }
    const GresLine* line = own != nullptr ? own : everywhere;
    return line != nullptr ? line->autodetect : std::nullopt;
}

}  // namespace trestle::slurm
