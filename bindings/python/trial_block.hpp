// SPDX-License-Identifier: Apache-2.0
#pragma once

// `with value.trial() as trial:`, the same for all that can be tried.

#include <nanobind/nanobind.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "bind_struct.hpp"
#include "trestle/alloc/cluster/trial_mark.hpp"
#include "trestle/base/contract.hpp"

namespace trestle::python {

/// Begins and ends with the block.
template <class Value, class Trial>
class TrialBlock {
  public:
    explicit TrialBlock(nb::handle value) : value_(nb::borrow(value)) {}
    TrialBlock(const TrialBlock&) = delete;
    TrialBlock& operator=(const TrialBlock&) = delete;
    ~TrialBlock() { end(); }

    void enter() {
        TRESTLE_EXPECTS(!trial_, "a trial begins once");
        trial_.emplace(nb::cast<Value&>(value_));
        open().push_back(this);
    }
    void exit() {
        expect_innermost();
        end();
    }
    void expect_innermost() const {
        TRESTLE_EXPECTS(!trial_ || is_innermost(),
                        "trials end in the order opposite to that in which they began");
    }
    [[nodiscard]] Trial& trial() {
        TRESTLE_EXPECTS(trial_.has_value(), "the trial is open: it begins with its block");
        return *trial_;
    }

  private:
    /// All that are open, in the order in which they began; guarded by the GIL.
    [[nodiscard]] static std::vector<TrialBlock*>& open() {
        static std::vector<TrialBlock*> all;
        return all;
    }
    [[nodiscard]] bool is_innermost() const {
        const auto last = std::find_if(open().rbegin(), open().rend(), [&](const TrialBlock* one) {
            return one->value_.is(value_);
        });
        return last != open().rend() && *last == this;
    }
    void end() {
        std::erase(open(), this);
        trial_.reset();
    }

    nb::object value_;
    std::optional<Trial> trial_;
};

/// The class `name`, and the method trial() of `value` that makes one. Goes before what returns
/// one. The comments of the header stand there above `documented_as`.
template <class Trial, class Value>
void bind_trial(nb::module_& module, nb::class_<Value>& value, const std::string& name,
                const std::string& documented_as) {
    using Block = TrialBlock<Value, Trial>;
    nb::class_<Block>(module, name.c_str(), doc(documented_as))
        .def(
            "__enter__",
            [](nb::handle self) {
                nb::cast<Block&>(self).enter();
                return nb::borrow(self);
            },
            nb::sig("def __enter__(self) -> typing_extensions.Self"))
        .def(
            "__exit__", [](Block& self, nb::args) { self.exit(); },
            nb::sig("def __exit__(self, *error: object) -> None"))
        .def(
            "undo",
            [](Block& self) {
                self.expect_innermost();
                self.trial().undo();
            },
            doc(documented_as + ".undo"))
        .def(
            "keep", [](Block& self) { self.trial().keep(); }, doc(documented_as + ".keep"))
        .def(
            "mark", [](Block& self) { return self.trial().mark(); }, doc(documented_as + ".mark"))
        .def(
            "rollback",
            [](Block& self, TrialMark mark) {
                self.expect_innermost();
                self.trial().rollback(mark);
            },
            nb::arg("mark"), doc(documented_as + ".rollback"));
    const std::string signature = "def trial(self) -> " + name;
    value.def(
        "trial", [](nb::handle self) { return new Block(self); }, nb::rv_policy::take_ownership,
        nb::sig(signature.c_str()),
        "`with x.trial() as trial:` undoes at the end of the block what happened to x in it, "
        "unless "
        "trial.keep() was called. Without a `with` nothing begins, and nothing is undone.");
}

}  // namespace trestle::python
