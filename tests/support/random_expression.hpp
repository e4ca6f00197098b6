// SPDX-License-Identifier: Apache-2.0
// Scoring expressions drawn at random: the text, and what it is worth as a tree of functions, which
// share nothing with the parser or the program.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster/place/policy.hpp"
#include "trestle/alloc/cluster/place/score_expression.hpp"
#include "trestle/testing/choices.hpp"

namespace trestle {

/// What binds least first, as texts need parentheses.
enum class Binding {
    condition,
    any_of,
    all_of,
    negation,
    comparison,
    sum,
    product,
    sign,
    power,
    atom
};

struct RandomExpression {
    std::string text;
    std::function<double(const ScoreInput&)> value;
    Binding binding = Binding::atom;
};

class ExpressionMaker {
  public:
    explicit ExpressionMaker(testing::Choices& choices) : choices_(choices) {}

    [[nodiscard]] RandomExpression any(int depth) {
        if (depth == 0 || choices_.one_in(6)) return leaf();
        switch (choices_.below(9)) {
            case 0:
                return of_one(depth);
            case 1:
                return condition(depth);
            case 2:
                return folded(depth);
            case 3:
                return whole_division();
            case 4:
                return power(depth);
            default:
                return of_two(depth);
        }
    }

  private:
    using Value = std::function<double(const ScoreInput&)>;
    using Devices = std::vector<std::int64_t>;

    struct Two {
        const char* sign;
        Binding binding;
        double (*value)(double, double);
    };

    [[nodiscard]] static double memory_of(const ScoreInput& input, bool is_after) {
        std::int64_t bytes = 0;
        for (const Bytes one : input.state.free.memory) bytes += one.value();
        for (const MemoryShare& one : input.placement.memory) {
            if (is_after) bytes -= one.bytes.value();
        }
        return static_cast<double>(bytes);
    }
    [[nodiscard]] std::string blank() { return choices_.one_in(4) ? "  " : ""; }
    [[nodiscard]] std::string as(const RandomExpression& one, Binding least) {
        if (one.binding >= least && !choices_.one_in(5)) return one.text;
        return "(" + blank() + one.text + blank() + ")";
    }
    [[nodiscard]] static Binding above(Binding binding) {
        return static_cast<Binding>(static_cast<int>(binding) + 1);
    }

    [[nodiscard]] RandomExpression column() {
        static const std::vector<std::pair<std::string, double (*)(const ScoreInput&)>> columns{
            {"milli_cpus_before",
             [](const ScoreInput& i) { return static_cast<double>(i.before.milli_cpus); }},
            {"milli_cpus_after",
             [](const ScoreInput& i) { return static_cast<double>(i.after.milli_cpus); }},
            {"memory_before", [](const ScoreInput& i) { return memory_of(i, false); }},
            {"memory_after", [](const ScoreInput& i) { return memory_of(i, true); }},
            {"devices_before",
             [](const ScoreInput& i) { return static_cast<double>(i.before.all_devices); }},
            {"devices_after",
             [](const ScoreInput& i) { return static_cast<double>(i.after.all_devices); }},
            {"is_idle", [](const ScoreInput& i) { return i.state.free.is_idle ? 1.0 : 0.0; }}};
        const auto& one = columns[choices_.below(columns.size())];
        return {one.first, one.second};
    }
    [[nodiscard]] RandomExpression leaf() {
        static const std::vector<std::pair<std::string, double>> numbers{
            {"0", 0},      {"1", 1},       {"2.5", 2.5}, {".5", 0.5},
            {"1e3", 1000}, {"1000", 1000}, {"3.", 3}};
        if (choices_.one_in(4)) {
            const auto& one = numbers[choices_.below(numbers.size())];
            const double number = one.second;
            return {one.first, [number](const ScoreInput&) { return number; }};
        }
        return choices_.one_in(3) ? table() : column();
    }
    [[nodiscard]] RandomExpression table() {
        const bool is_after = choices_.one_in(2);
        const std::string names =
            std::string(is_after ? "each_device_after" : "each_device_before");
        const auto devices = [is_after](const ScoreInput& i) {
            const auto& left = is_after ? i.after.devices : i.before.devices;
            return Devices(left.begin(), left.end());
        };
        switch (choices_.below(3)) {
            case 0:
                return {"min(" + names + ")", [devices](const ScoreInput& i) {
                            double least = std::numeric_limits<double>::infinity();
                            for (const auto one : devices(i))
                                least = std::min(least, static_cast<double>(one));
                            return least;
                        }};
            case 1:
                return {"max( " + names + " )", [devices](const ScoreInput& i) {
                            double most = 0;
                            for (const auto one : devices(i))
                                most = std::max(most, static_cast<double>(one));
                            return most;
                        }};
            default:
                return {"sum(" + names + ")", [devices](const ScoreInput& i) {
                            double sum = 0;
                            for (const auto one : devices(i)) sum += static_cast<double>(one);
                            return sum;
                        }};
        }
    }
    [[nodiscard]] RandomExpression of_one(int depth) {
        static const std::vector<std::pair<std::string, double (*)(double)>> functions{
            {"abs", [](double a) { return std::abs(a); }},
            {"sqrt", [](double a) { return std::sqrt(a); }},
            {"log", [](double a) { return std::log(a); }},
            {"exp", [](double a) { return std::exp(a); }},
            {"floor", [](double a) { return std::floor(a); }}};
        const RandomExpression a = any(depth - 1);
        const Value value = a.value;
        if (choices_.one_in(3)) {
            return {"-" + as(a, Binding::sign), [value](const ScoreInput& i) { return -value(i); },
                    Binding::sign};
        }
        if (choices_.one_in(4)) {
            return {"not " + as(a, Binding::negation),
                    [value](const ScoreInput& i) { return value(i) == 0 ? 1.0 : 0.0; },
                    Binding::negation};
        }
        const auto& one = functions[choices_.below(functions.size())];
        const auto function = one.second;
        return {one.first + blank() + "(" + a.text + ")",
                [function, value](const ScoreInput& i) { return function(value(i)); }};
    }
    [[nodiscard]] RandomExpression of_two(int depth) {
        static const std::vector<Two> all{
            {"+", Binding::sum, [](double a, double b) { return a + b; }},
            {"-", Binding::sum, [](double a, double b) { return a - b; }},
            {"+", Binding::sum, [](double a, double b) { return a + b; }},
            {"-", Binding::sum, [](double a, double b) { return a - b; }},
            {"*", Binding::product, [](double a, double b) { return a * b; }},
            {"/", Binding::product, [](double a, double b) { return a / b; }},
            {"<", Binding::comparison, [](double a, double b) { return a < b ? 1.0 : 0.0; }},
            {"<=", Binding::comparison, [](double a, double b) { return a <= b ? 1.0 : 0.0; }},
            {">", Binding::comparison, [](double a, double b) { return a > b ? 1.0 : 0.0; }},
            {">=", Binding::comparison, [](double a, double b) { return a >= b ? 1.0 : 0.0; }},
            {"==", Binding::comparison, [](double a, double b) { return a == b ? 1.0 : 0.0; }},
            {"!=", Binding::comparison, [](double a, double b) { return a != b ? 1.0 : 0.0; }},
            {" and ", Binding::all_of,
             [](double a, double b) { return a != 0 && b != 0 ? 1.0 : 0.0; }},
            {" or ", Binding::any_of,
             [](double a, double b) { return a != 0 || b != 0 ? 1.0 : 0.0; }}};
        const Two& one = all[choices_.below(all.size())];
        const RandomExpression a = any(depth - 1);
        const RandomExpression b = any(depth - 1);
        const bool chains = one.binding != Binding::comparison;
        const auto value = [f = one.value, x = a.value, y = b.value](const ScoreInput& i) {
            return f(x(i), y(i));
        };
        return {as(a, chains ? one.binding : Binding::sum) + blank() + one.sign + blank() +
                    as(b, above(one.binding)),
                value, one.binding};
    }
    /// Of whole numbers, so that it is exact.
    [[nodiscard]] RandomExpression whole_division() {
        const RandomExpression a = column();
        const std::int64_t divisor = choices_.of(std::vector<std::int64_t>{1, 3, 1000, -7});
        const bool is_rest = choices_.one_in(2);
        const auto value = [divisor, is_rest, x = a.value](const ScoreInput& i) {
            const auto whole = static_cast<std::int64_t>(x(i));
            const std::int64_t rest = ((whole % divisor) + divisor) % divisor;
            return static_cast<double>(is_rest ? rest : (whole - rest) / divisor);
        };
        return {a.text + (is_rest ? " % " : "//") + std::to_string(divisor), value,
                Binding::product};
    }
    [[nodiscard]] RandomExpression power(int depth) {
        const RandomExpression a = any(depth - 1);
        const RandomExpression b = choices_.one_in(3) ? any(depth - 1) : leaf();
        const auto value = [x = a.value, y = b.value](const ScoreInput& i) {
            return std::pow(x(i), y(i));
        };
        return {as(a, Binding::atom) + "**" + as(b, Binding::sign), value, Binding::power};
    }
    [[nodiscard]] RandomExpression condition(int depth) {
        const RandomExpression a = any(depth - 1);
        const RandomExpression test = any(depth - 1);
        const RandomExpression b = any(depth - 1);
        const auto value = [x = a.value, t = test.value, y = b.value](const ScoreInput& i) {
            return t(i) == 0 ? y(i) : x(i);
        };
        return {as(a, Binding::any_of) + " if " + as(test, Binding::any_of) + "\n else " +
                    as(b, Binding::condition),
                value, Binding::condition};
    }
    [[nodiscard]] RandomExpression folded(int depth) {
        std::vector<Value> values;
        std::string list;
        for (std::uint64_t left = 2 + choices_.below(2); left > 0; --left) {
            const RandomExpression one = any(depth - 1);
            list += (list.empty() ? "" : ", ") + one.text;
            values.push_back(one.value);
        }
        const std::string name = choices_.of(std::vector<std::string>{"min", "max", "sum"});
        const auto value = [values, name](const ScoreInput& i) {
            double result = values.front()(i);
            for (std::size_t n = 1; n < values.size(); ++n) {
                const double next = values[n](i);
                if (name == "sum") {
                    result += next;
                } else if (!std::isnan(result)) {
                    const bool is_better = name == "min" ? !(next >= result) : !(next <= result);
                    if (is_better) result = next;
                }
            }
            return result;
        };
        return {name + "(" + list + ")", value};
    }

    testing::Choices& choices_;
};

/// One whose value differs between states, mostly.
[[nodiscard]] inline RandomExpression any_score(testing::Choices& choices) {
    return ExpressionMaker(choices).any(1 + static_cast<int>(choices.below(4)));
}

[[nodiscard]] inline ScoreExpression any_score_expression(testing::Choices& choices) {
    return *ScoreExpression::parse(any_score(choices).text);
}

}  // namespace trestle
