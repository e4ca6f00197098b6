// SPDX-License-Identifier: Apache-2.0
#include "node_parser.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "model/node_parts.hpp"
#include "trestle/base/enums.hpp"
#include "trestle/model/slice_geometry.hpp"
#include "trestle/set/text.hpp"

namespace trestle {

namespace testing {

namespace detail {

namespace {

constexpr std::uint32_t threads_max = NodeDescription::threads_max;
constexpr std::uint32_t parts_max = NodeDescription::parts_max;

}  // namespace

TextResult<NodeDescription> NodeParser::parse(TextCursor text) && {
    text.skip_blanks();
    if (auto error = read_hardware(text)) return *std::move(error);
    for (text.skip_blanks(); !text.at_end(); text.skip_blanks()) {
        const std::size_t offset = text.offset();
        TextCursor item(text.take_until(" \t"), offset);
        if (auto error = read_item(item)) return *std::move(error);
    }
    return std::move(description_);
}

NodeParser::Error NodeParser::store_count(TextCursor& text, Interval<std::uint32_t> bounds,
                                          std::uint32_t& target) {
    return store(read_count(text, bounds), target);
}

NodeParser::Error NodeParser::read_hardware(TextCursor& text) {
    const TextCursor start = text;
    const auto take = [&](char letter) -> std::optional<std::uint64_t> {
        TextCursor look = text;
        const auto number = look.take_number();
        if (!number || *number == 0 || *number > threads_max || !look.accept(letter)) return {};
        text = look;
        return number;
    };
    const auto sockets = take('s');
    const auto cores = take('c');
    const auto threads = take('t');
    const bool is_hybrid = cores && text.accept('+');
    const auto efficient = is_hybrid ? take('e') : std::nullopt;
    const bool is_word_end = text.at_end() || text.peek() == ' ' || text.peek() == '\t';
    if (!cores || !is_word_end || (is_hybrid && !efficient)) {
        return start.error("not a machine",
                           "sockets, cores of each, threads of each, as 2s16c2t, 16c2t or 16c; "
                           "with efficiency cores of one thread 6c2t+8e");
    }
    const std::uint64_t each = *cores * threads.value_or(1) + efficient.value_or(0);
    if (sockets.value_or(1) * each > threads_max) {
        return start.error("too large", "at most " + std::to_string(threads_max) + " threads");
    }
    if (sockets.value_or(1) > parts_max) {
        return start.error("too many sockets", "at most " + std::to_string(parts_max));
    }
    description_.packages = static_cast<std::uint32_t>(sockets.value_or(1));
    description_.cores_per_package = static_cast<std::uint32_t>(*cores);
    description_.threads_per_core = static_cast<std::uint32_t>(threads.value_or(1));
    description_.efficiency_cores_per_package = static_cast<std::uint32_t>(efficient.value_or(0));
    return {};
}

NodeParser::Error NodeParser::read_item(TextCursor item) {
    const TextCursor start = item;
    const auto word = read_word(item);
    if (!word) return word.error();
    Error error;
    if (item.accept('=')) {
        if (std::find(keys_.begin(), keys_.end(), *word) != keys_.end()) {
            return start.error("given twice", "each option once");
        }
        keys_.push_back(*word);
        error = read_option(start, *word, item);
    } else {
        error = read_devices(start, *word, item);
    }
    if (!error && !item.at_end()) return item.error("unexpected", "a blank or the end");
    return error;
}

NodeParser::Error NodeParser::read_option(const TextCursor& start, const std::string& key,
                                          TextCursor& value) {
    if (key == "mem") return store(read_size(value), description_.memory);
    if (key == "hbm") return store(read_size(value), description_.high_bandwidth);
    if (key == "pmem") return store(read_size(value), description_.persistent);
    if (key == "disk") return store(read_size(value), description_.disk);
    if (key == "numa") return read_part(value, description_.domains_per_package);
    if (key == "l3") return read_part(value, description_.l3_per_package);
    if (key == "system") return read_cores(value, description_.system_cores);
    if (key == "arch") return read_enum(value, description_.architecture);
    if (key == "state") return read_enum(value, description_.state);
    if (key == "health") return read_enum(value, description_.health);
    if (key == "name") return store(read_word(value), description_.name);
    if (key == "features") return read_features(value);
    if (key == "weight") return store_count(value, {0, ~std::uint32_t{0}}, description_.weight);
    return start.error("unknown option",
                       "mem, numa, l3, system, hbm, pmem, disk, arch, name, weight, features, "
                       "state, health, or a device such as gpu:2");
}

NodeParser::Error NodeParser::read_part(TextCursor& value, std::uint32_t& target) {
    const TextCursor start = value;
    if (auto error = store_count(value, {1, parts_max + 1}, target)) return error;
    const std::uint64_t cores = trestle::detail::cores_of_package(description_);
    if (cores % target != 0) {
        return start.error("no equal parts",
                           "a divisor of " + std::to_string(cores) + ", the cores of a socket");
    }
    if (description_.packages * target <= parts_max) return {};
    return start.error("too many parts",
                       "at most " + std::to_string(parts_max) + " on all sockets");
}

NodeParser::Error NodeParser::read_cores(TextCursor& value, CoreSet& target) const {
    const TextCursor start = value;
    const auto count = static_cast<std::uint32_t>(description_.packages *
                                                  trestle::detail::cores_of_package(description_));
    if (auto error = store(parse_set<CoreSet>(value, count), target)) return error;
    value.take_while([](char) { return true; });
    const auto last = target.last();
    if (last && last->value() < count) return {};
    return start.error("no cores of this node", "0 to " + std::to_string(count - 1));
}

NodeParser::Error NodeParser::read_features(TextCursor& value) {
    do {
        const auto feature = read_word(value);
        if (!feature) return feature.error();
        description_.features.push_back(*feature);
    } while (value.accept(','));
    return {};
}

NodeParser::Error NodeParser::read_devices(const TextCursor& start, const std::string& name,
                                           TextCursor& text) {
    NodeDescription::Devices devices;
    devices.name = name;
    if (text.peek() != ':') {
        return start.error("not a device", "NAME:TYPE or NAME:COUNT, as gpu:a100 or gpu:2");
    }
    bool has_count = is_count(text);
    if (!has_count) {
        text.accept(':');
        if (auto error = read_type(text, devices)) return error;
        has_count = is_count(text);
    }
    if (has_count) {
        text.accept(':');
        if (auto error = store_count(text, {1, parts_max + 1}, devices.count)) return error;
    }
    if (text.accept('/')) {
        std::uint32_t shares = 0;
        if (auto error = store_count(text, {1, ~std::uint32_t{0}}, shares)) return error;
        devices.shares = Count(shares);
    }
    while (text.accept('@')) {
        if (auto error = read_word_of(text, devices)) return error;
    }
    device_count_ += devices.count;
    if (device_count_ > parts_max) {
        return start.error("too many devices", "at most " + std::to_string(parts_max));
    }
    description_.devices.push_back(std::move(devices));
    return {};
}

bool NodeParser::is_count(TextCursor text) {
    if (!text.accept(':')) return false;
    const std::string_view word = text.take_while(is_word_character);
    return !word.empty() &&
           std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

NodeParser::Error NodeParser::read_type(TextCursor& text, NodeDescription::Devices& devices) {
    const TextCursor start = text;
    const std::string_view word = text.take_while(is_word_character);
    const std::size_t dash = word.rfind('-');
    if (word.empty() || word == "-") return start.error("no type", "a type or a count");
    devices.type = std::string(word);
    if (dash == word.npos) return {};
    TextCursor look(word.substr(dash + 1), start.offset() + dash + 1);
    const auto size = take_size(look);
    if (!size || size->is_zero() || !look.at_end()) return {};
    devices.type = std::string(word.substr(0, dash));
    devices.memory = *size;
    return {};
}

NodeParser::Error NodeParser::read_word_of(TextCursor& text,
                                           NodeDescription::Devices& devices) const {
    const TextCursor start = text;
    const std::string_view word = text.take_while(is_word_character);
    if (word == "nvlink" || word == "nvlink-pairs") {
        devices.linking = word == "nvlink" ? NodeDescription::Devices::Linking::all
                                           : NodeDescription::Devices::Linking::pairs;
        if (!text.accept('*')) return {};
        return store_count(text, {1, ~std::uint32_t{0}}, devices.link_strength);
    }
    if (word == "slices" && text.accept('=')) return read_slices(text, devices);
    if (word == "any") {
        devices.nearness = NodeDescription::Devices::Nearness::anywhere;
    } else if (word == "drained") {
        devices.is_drained = true;
    } else if (const auto health = enum_from_text<Health>(word)) {
        devices.health = *health;
    } else if (const auto number = number_behind("switch", word)) {
        devices.switches.push_back(*number);
    } else if (const auto cores = number_behind("reserve", word)) {
        devices.reserved_cores = *cores;
    } else if (const auto socket = number_behind("s", word);
               socket && *socket < description_.packages) {
        devices.nearness = NodeDescription::Devices::Nearness::package;
        devices.package = *socket;
    } else {
        return start.error("unknown word",
                           "nvlink, nvlink-pairs, any, a socket s0 to s" +
                               std::to_string(description_.packages - 1) +
                               ", switch0, reserve1, slices=a100-40gb, warning, failure, "
                               "unknown or drained");
    }
    return {};
}

std::optional<std::uint32_t> NodeParser::number_behind(std::string_view prefix,
                                                       std::string_view word) {
    if (!word.starts_with(prefix)) return std::nullopt;
    TextCursor digits(word.substr(prefix.size()));
    const auto number = digits.take_number();
    if (!number || !digits.at_end() || *number >= ~std::uint32_t{0}) return std::nullopt;
    return static_cast<std::uint32_t>(*number);
}

NodeParser::Error NodeParser::read_slices(TextCursor& text, NodeDescription::Devices& devices) {
    const TextCursor start = text;
    devices.slice_geometry = std::string(text.take_while(is_word_character));
    if (find_slice_geometry(devices.slice_geometry) != nullptr) return {};
    std::string names;
    for (const SliceGeometry& geometry : slice_geometries()) {
        names += (names.empty() ? "" : ", ") + geometry.name;
    }
    return start.error("unknown geometry", names);
}

}  // namespace detail

}  // namespace testing

}  // namespace trestle
