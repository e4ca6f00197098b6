// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/dstack/gpu.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "../words.hpp"
#include "base/join.hpp"
#include "readers.hpp"
#include "scalars.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/dstack/quantities.hpp"

namespace trestle::dstack {
namespace {

constexpr std::string_view gpu_words = "vendor:names:memory:count, each part once";
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> vendors{
    {{"nvidia", "nvidia"},
     {"amd", "amd"},
     {"google", "google"},
     {"intel", "intel"},
     {"tenstorrent", "tenstorrent"},
     {"tpu", "google"},
     {"tt", "tenstorrent"}}};

/// The vendor's own word, or nothing.
std::string_view vendor_of(std::string_view word) {
    for (const auto& [name, own] : vendors) {
        if (words::same_word(word, name)) return own;
    }
    return {};
}

TextResult<std::string> read_name(TextCursor text) {
    while (text.accept("tpu-")) continue;
    const TextCursor name = text;
    if (text.at_end()) return text.error("empty GPU name", "a name, as in A100");
    if (!vendor_of(text.rest()).empty()) {
        return text.error("a vendor where a name belongs", "the vendor as a part of its own");
    }
    if (words::is_letter(text.peek()) || words::is_digit(text.peek())) {
        text.take_while([](char c) {
            return words::is_letter(c) || words::is_digit(c) ||
                   std::string_view("-_.+/").find(c) != std::string_view::npos;
        });
    }
    if (!text.at_end()) {
        return text.error("malformed GPU name", "letters, digits and -_.+/");
    }
    return std::string(name.rest());
}

TextResult<std::vector<std::string>> read_names(TextCursor text) {
    std::vector<std::string> names;
    do {
        const std::size_t offset = text.offset();
        auto name = read_name(TextCursor(text.take_until(","), offset));
        if (!name) return name.error();
        names.push_back(*name);
    } while (text.accept(','));
    return names;
}

/// The parts of a specification; each may be given once.
class GpuParts {
  public:
    explicit GpuParts(BareValue bare) : bare_(bare) {}

    TextResult<GpuSpec> read(TextCursor text) {
        for (const TextCursor part : split_parts(text)) {
            if (auto error = read_part(part)) return *error;
        }
        return spec_;
    }

  private:
    std::optional<TextError> read_part(TextCursor part) {
        const std::string_view word = part.rest();
        if (word.empty()) return part.error("empty part", gpu_words);
        if (!vendor_of(word).empty()) {
            spec_.vendor = vendor_of(word);
            return once(has_vendor_, part, "a second vendor");
        }
        if (words::is_letter(word.front())) {
            return set(spec_.names, read_names(part), once(has_names_, part, "a second name part"));
        }
        if (std::any_of(word.begin(), word.end(), words::is_letter)) {
            return set(spec_.memory, read_range(part, &read_size, bare_),
                       once(has_memory_, part, "a second memory part"));
        }
        return set(spec_.count, read_range(part, &read_whole, bare_),
                   once(has_count_, part, "a second count"));
    }

    static std::optional<TextError> once(bool& has_it, TextCursor part, std::string_view what) {
        if (std::exchange(has_it, true)) return part.error(what, gpu_words);
        return std::nullopt;
    }

    template <class T>
    static std::optional<TextError> set(T& field, const TextResult<T>& value,
                                        std::optional<TextError> repeated) {
        if (repeated) return repeated;
        if (!value) return value.error();
        field = *value;
        return std::nullopt;
    }

    BareValue bare_;
    GpuSpec spec_;
    bool has_vendor_ = false;
    bool has_names_ = false;
    bool has_memory_ = false;
    bool has_count_ = false;
};

/// Names that the short form takes for names: they begin with a letter.
bool has_short_names(const GpuSpec& gpu) {
    return std::all_of(gpu.names.begin(), gpu.names.end(), [&](const std::string& name) {
        return words::is_letter(name.front()) || &name != &gpu.names.front();
    });
}

std::string to_mapping(const GpuSpec& gpu) {
    std::vector<std::string> parts;
    if (!gpu.vendor.empty()) parts.push_back("vendor: " + gpu.vendor);
    if (!gpu.names.empty()) {
        std::vector<std::string> quoted;
        for (const std::string& name : gpu.names) quoted.push_back("\"" + name + "\"");
        parts.push_back("name: [" + trestle::detail::join(quoted, ", ") + "]");
    }
    parts.push_back("count: " + to_text(gpu.count));
    if (!gpu.memory.is_open()) parts.push_back("memory: " + memory_range_text(gpu.memory));
    if (!gpu.total_memory.is_open()) {
        parts.push_back("total_memory: " + memory_range_text(gpu.total_memory));
    }
    if (!gpu.compute_capability.is_open()) {
        const Range<Version>& range = gpu.compute_capability;
        // A bare value would be read as a minimum.
        const std::string text = to_text(range);
        parts.push_back("compute_capability: " + (range.is_single() ? text + ".." + text : text));
    }
    return "{" + trestle::detail::join(parts, ", ") + "}";
}

void read_names_in(SpecReader& reader, GpuSpec& gpu, const YAML::Node& node) {
    if (node.IsNull()) return;
    if (!node.IsSequence()) {
        reader.text(gpu.names.emplace_back(), node, "name", &read_gpu_name);
        return;
    }
    reader.for_each(node, "name", [&](const YAML::Node& item) {
        reader.text(gpu.names.emplace_back(), item, "name", &read_gpu_name);
    });
}

/// A bare value is a minimum, whatever bare values of other keys mean.
TextResult<Range<Version>> read_capability(std::string_view text, BareValue) {
    return read_version_range(text, BareValue::minimum);
}

/// `8.0`, `8.0..9.0`, a mapping of ends, or a list of two numbers.
void read_capability_in(SpecReader& reader, GpuSpec& gpu, const YAML::Node& node) {
    constexpr std::string_view key = "compute_capability";
    if (node.IsNull()) return;
    if (!node.IsSequence()) {
        reader.range(gpu.compute_capability, node, key, &read_capability);
        return;
    }
    if (node.size() != 2 || !node[0].IsScalar() || !node[1].IsScalar()) {
        return reader.add(node, key, "malformed version", "a version, as in 8.0 or [8, 0]");
    }
    reader.take(gpu.compute_capability, node, key,
                read_capability(node[0].Scalar() + "." + node[1].Scalar(), BareValue::minimum));
}

/// Where the mapping that opens the text ends: behind the partner of its brace, as no text in it
/// may hold a brace. Without a partner: at the end.
std::size_t end_of_mapping(std::string_view text) {
    std::size_t depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '{') ++depth;
        if (text[i] == '}' && --depth == 0) return i + 1;
    }
    return text.size();
}

/// A mapping in a text of its own. Offsets of errors are those of the text, as near as YAML tells.
TextResult<GpuSpec> read_mapping(std::string_view text, BareValue bare) {
    TextCursor rest(text.substr(end_of_mapping(text)), end_of_mapping(text));
    rest.skip_blanks();
    if (!rest.at_end()) return rest.error("text behind the mapping", "nothing more");
    SpecReader reader(bare);
    GpuSpec gpu;
    if (const auto document = reader.load(text)) read_gpu_in(reader, gpu, *document);
    if (reader.errors().empty()) return gpu;
    const SpecError& first = reader.errors().front();
    TextError error = first.error;
    if (!first.key.empty()) error.what = first.key + ": " + error.what;
    std::size_t start = 0;
    for (std::uint32_t line = 1; line < first.line && start < text.size(); ++line) {
        start = std::min(text.find('\n', start), text.size() - 1) + 1;
    }
    if (first.column > 1) start += first.column - 1;
    error.offset = std::min(start + error.offset, text.size());
    return error;
}

}  // namespace

void read_gpu_in(SpecReader& reader, GpuSpec& gpu, const YAML::Node& node) {
    static constexpr std::array<SpecKey<GpuSpec>, 6> keys{
        {{"vendor",
          [](SpecReader& r, GpuSpec& g, const YAML::Node& v) {
              if (!v.IsNull()) r.text(g.vendor, v, "vendor", &read_vendor);
          }},
         {"name", &read_names_in},
         {"count", [](SpecReader& r, GpuSpec& g,
                      const YAML::Node& v) { r.range(g.count, v, "count", &read_count_range); }},
         {"memory",
          [](SpecReader& r, GpuSpec& g, const YAML::Node& v) {
              if (!v.IsNull()) r.range(g.memory, v, "memory", &read_memory_range);
          }},
         {"total_memory",
          [](SpecReader& r, GpuSpec& g, const YAML::Node& v) {
              if (!v.IsNull()) r.range(g.total_memory, v, "total_memory", &read_memory_range);
          }},
         {"compute_capability", &read_capability_in}}};
    if (node.IsMap()) return reader.apply(gpu, node, keys);
    reader.text(gpu, node, "gpu", [&](std::string_view t) { return read_gpu(t, reader.bare()); });
}

TextResult<GpuSpec> read_gpu(std::string_view text, BareValue bare) {
    const std::size_t first = text.find_first_not_of(' ');
    if (first != text.npos && text[first] == '{') return read_mapping(text, bare);
    return read_without_blanks(text, [bare](TextCursor t) { return GpuParts(bare).read(t); });
}

StatusOr<GpuSpec> parse_gpu(std::string_view text, BareValue bare) {
    return to_status_or("gpu", read_gpu(text, bare));
}

TextResult<std::string> read_gpu_name(std::string_view text) {
    return read_without_blanks(text, &read_name);
}

TextResult<std::string> read_vendor(std::string_view text) {
    const std::string_view vendor = vendor_of(text);
    if (!vendor.empty()) return std::string(vendor);
    return TextCursor(text).error("unknown vendor",
                                  "nvidia, amd, google (tpu), intel or tenstorrent (tt)");
}

std::string to_text(const GpuSpec& gpu) {
    TRESTLE_EXPECTS(!gpu.count.is_open(), "the count has an end");
    const bool has_short_form =
        gpu.total_memory.is_open() && gpu.compute_capability.is_open() && has_short_names(gpu);
    if (!has_short_form) return to_mapping(gpu);
    std::vector<std::string> parts;
    if (!gpu.vendor.empty()) parts.push_back(gpu.vendor);
    if (!gpu.names.empty()) parts.push_back(trestle::detail::join(gpu.names, ","));
    if (!gpu.memory.is_open()) parts.push_back(memory_range_text(gpu.memory));
    parts.push_back(to_text(gpu.count));
    return trestle::detail::join(parts, ":");
}

}  // namespace trestle::dstack
