// SPDX-License-Identifier: Apache-2.0
// The program `trestle`.
#include "call/command.hpp"

int main(int argc, char** argv) { return trestle::tool::run_program({argv + 1, argv + argc}); }
