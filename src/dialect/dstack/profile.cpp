// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/dstack/profile.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "../words.hpp"
#include "readers.hpp"
#include "scalars.hpp"

namespace trestle::dstack {
namespace {

constexpr std::int64_t microdollars_of_one = 1'000'000;

void read_list_in(SpecReader& reader, std::vector<std::string>& list, const YAML::Node& node,
                  std::string_view key) {
    if (node.IsNull()) return;
    reader.for_each(node, key, [&](const YAML::Node& item) {
        std::string text;
        if (reader.text(text, item, key, &read_any_text)) list.push_back(std::move(text));
    });
}

void read_limit_in(SpecReader& reader, std::optional<DurationLimit>& limit, const YAML::Node& node,
                   std::string_view key) {
    if (node.IsNull()) return;
    if (!node.IsScalar()) {
        return reader.add(node, key, "no duration", "a duration, as in 2h, or off");
    }
    DurationLimit read;
    if (!reader.take(read, node, key, read_duration_limit(node.Scalar()))) return;
    // A plain word is a boolean of YAML, a quoted one is a text.
    const bool is_quoted = node.Tag() == "!";
    if (read.is_off && is_quoted && node.Scalar() != "off") {
        return reader.add(node, key, "a quoted word", "a duration, as in 2h, or off");
    }
    limit = read;
}

void read_events_in(SpecReader& reader, Retry& retry, const YAML::Node& node) {
    retry.on_events.clear();
    reader.for_each(node, "on_events", [&](const YAML::Node& item) {
        std::optional<RetryEvent> event;
        read_word_in(reader, event, item, "on_events");
        if (!event) return;
        const auto& known = retry.on_events;
        if (std::find(known.begin(), known.end(), *event) != known.end()) {
            return reader.add(item, "on_events", "an event given twice", "each event once");
        }
        retry.on_events.push_back(*event);
    });
}

void read_retry_in(SpecReader& reader, std::optional<Retry>& retry, const YAML::Node& node) {
    static constexpr std::array<SpecKey<Retry>, 2> keys{
        {{"on_events",
          [](SpecReader& r, Retry& value, const YAML::Node& v) {
              if (!v.IsNull()) read_events_in(r, value, v);
          }},
         {"duration", [](SpecReader& r, Retry& value, const YAML::Node& v) {
              if (!v.IsNull()) r.text(value.duration, v, "duration", &read_duration);
          }}}};
    if (node.IsNull()) return;
    if (node.IsMap()) {
        retry = Retry::always();
        return reader.apply(*retry, node, keys);
    }
    if (!yaml::is_boolean(node)) {
        return reader.add(node, "retry", "no answer", "true, false or {on_events, duration}");
    }
    const bool is_on = words::same_word(node.Scalar(), "true") ||
                       words::same_word(node.Scalar(), "yes") ||
                       words::same_word(node.Scalar(), "on");
    retry = is_on ? Retry::always() : Retry{};
}

}  // namespace

std::optional<bool> read_switch(const YAML::Node& node) {
    constexpr std::array<std::pair<std::string_view, bool>, 6> switches{{{"true", true},
                                                                         {"false", false},
                                                                         {"yes", true},
                                                                         {"no", false},
                                                                         {"on", true},
                                                                         {"off", false}}};
    if (!node.IsScalar()) return std::nullopt;
    for (const auto& [word, is_on] : switches) {
        if (words::same_word(node.Scalar(), word)) return is_on;
    }
    return std::nullopt;
}

void read_text_in(SpecReader& reader, std::string& target, const YAML::Node& node,
                  std::string_view key) {
    if (!node.IsNull()) reader.text(target, node, key, &read_any_text);
}

TextResult<std::string> read_any_text(std::string_view text) {
    if (text.empty()) return TextCursor(text).error("empty text", "a word");
    return std::string(text);
}

void read_idle_in(SpecReader& reader, std::optional<DurationLimit>& limit, const YAML::Node& node,
                  std::string_view key) {
    const bool is_old_off = node.IsScalar() && node.Scalar() == "-1";
    if (!is_old_off) return read_limit_in(reader, limit, node, key);
    limit = DurationLimit{true, Seconds()};
}

bool read_place_in(SpecReader& reader, Profile& profile, std::string_view key,
                   const YAML::Node& node) {
    if (key == "backends") {
        read_list_in(reader, profile.backends, node, key);
    } else if (key == "regions") {
        read_list_in(reader, profile.regions, node, key);
    } else if (key == "availability_zones") {
        read_list_in(reader, profile.availability_zones, node, key);
    } else if (key == "instance_types") {
        read_list_in(reader, profile.instance_types, node, key);
    } else if (key == "reservation") {
        read_text_in(reader, profile.reservation, node, key);
    } else if (key == "spot_policy") {
        read_word_in(reader, profile.spot_policy, node, key);
    } else if (key == "max_price") {
        if (node.IsNull()) return true;
        Microdollars price;
        if (!reader.text(price, node, key, &read_price)) return true;
        if (price.is_zero()) reader.add(node, key, "a price of 0", "more than 0");
        profile.max_price = price;
    } else if (key == "retry") {
        read_retry_in(reader, profile.retry, node);
    } else if (key == "idle_duration") {
        read_idle_in(reader, profile.idle_duration, node, key);
    } else {
        return false;
    }
    return true;
}

bool read_life_in(SpecReader& reader, Profile& profile, std::string_view key,
                  const YAML::Node& node) {
    if (key == "fleets") {
        read_list_in(reader, profile.fleets, node, key);
    } else if (key == "creation_policy") {
        read_word_in(reader, profile.creation_policy, node, key);
    } else if (key == "max_duration") {
        read_limit_in(reader, profile.max_duration, node, key);
        if (profile.max_duration == DurationLimit{}) {
            reader.add(node, key, "a duration of 0", "1s or more, or off");
        }
    } else if (key == "stop_duration") {
        read_limit_in(reader, profile.stop_duration, node, key);
    } else {
        return false;
    }
    return true;
}

TextResult<Microdollars> read_price_at(TextCursor cursor) {
    const TextCursor start = cursor;
    const auto wrong = [&] { return start.error("malformed price", "dollars, as in 2.03"); };
    const auto dollars = cursor.take_number();
    std::string decimals;
    if (cursor.accept('.')) decimals = cursor.take_while(words::is_digit);
    if (!dollars || !cursor.at_end() || decimals.size() > 6 || *dollars > 1'000'000'000) {
        return wrong();
    }
    decimals.append(6 - decimals.size(), '0');
    const auto micros = TextCursor(decimals).take_number();
    return Microdollars(static_cast<std::int64_t>(*dollars) * microdollars_of_one +
                        static_cast<std::int64_t>(*micros));
}

TextResult<Microdollars> read_price(std::string_view text) {
    return read_price_at(TextCursor(text));
}

StatusOr<Microdollars> parse_price(std::string_view text) {
    return to_status_or("price", read_price(text));
}

std::string price_text(Microdollars price) {
    std::string text = std::to_string(price.value() / microdollars_of_one);
    if (price.value() % microdollars_of_one == 0) return text;
    text += fmt::format(".{:06}", price.value() % microdollars_of_one);
    return text.substr(0, text.find_last_not_of('0') + 1);
}

}  // namespace trestle::dstack
