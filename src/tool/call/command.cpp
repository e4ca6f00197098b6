// SPDX-License-Identifier: Apache-2.0
#include "command.hpp"

#include <CLI/App.hpp>
#include <CLI/Formatter.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace trestle::tool {
namespace {

/// CLI11's help with a usage line of ours.
class Help : public CLI::Formatter {
  public:
    explicit Help(std::string usage) : usage_(std::move(usage)) {}
    std::string make_usage(const CLI::App* /*app*/, std::string /*name*/) const override {
        return usage_ + "\n";
    }

  private:
    std::string usage_;
};

}  // namespace

void set_usage(CLI::App& command, const std::string& usage) {
    const auto help = std::make_shared<Help>("usage: trestle " + usage);
    help->column_width(26);
    command.formatter(help);
}

void add_list(CLI::App& command, const char* name, std::vector<std::string>& list,
              const char* description, const char* type) {
    command.add_option(name, list, description)
        ->type_name(type)
        ->expected(1)
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

std::vector<std::string> words_of(const CLI::App& command, const Call& call) {
    std::vector<std::string> words = command.remaining();
    words.insert(words.end(), call.behind.begin(), call.behind.end());
    return words;
}

}  // namespace trestle::tool
