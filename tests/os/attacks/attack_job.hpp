// SPDX-License-Identifier: Apache-2.0
// Jobs that try to get out. A test names acts, one system call each; a process that is one of four
// kinds of job does them inside a group, and the test gets the kernel's answers. attack_job.cpp
// lists the acts.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "os/kernel_support.hpp"
#include "support/catch.hpp"

namespace trestle {

/// Whom the threat model tells apart (enforce/enforcer.hpp).
enum class Attacker {
    user,       ///< uid 1000, while the enforcer is root
    user_root,  ///< uid 1000, root in a user namespace that it made, with mounts and cgroups of its
                ///< own
    root,       ///< root in the first user namespace
    own_user,   ///< whoever the enforcer is
};

/// A folder that everybody may write, gone with the test.
class OpenFolder {
  public:
    OpenFolder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "trestle-XXXXXX").string();
        REQUIRE(::mkdtemp(pattern.data()) != nullptr);
        folder_ = pattern;
        std::filesystem::permissions(folder_, std::filesystem::perms::all);
    }
    OpenFolder(const OpenFolder&) = delete;
    OpenFolder& operator=(const OpenFolder&) = delete;
    ~OpenFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    [[nodiscard]] std::string path(const std::string& name) const { return folder_ + "/" + name; }

  private:
    std::string folder_;
};

/// A process that does acts inside the group `group.enforcer()` has for the plan, one after the
/// other, each in a child of its own, so that one that gets out does not take the others along.
class AttackJob {
  public:
    AttackJob(KernelGroup& group, const std::string& name, Attacker attacker,
              const std::vector<std::string>& acts);
    AttackJob(AttackJob&& other) noexcept;
    AttackJob& operator=(AttackJob&&) = delete;
    ~AttackJob();

    /// One for each act: `done`, or the name of the errno. Waits for the last.
    [[nodiscard]] std::vector<std::string> answers();

  private:
    pid_t pid_ = -1;
    std::size_t acts_ = 0;
    int answers_ = -1;
};

[[nodiscard]] inline std::vector<std::string> answers_to(KernelGroup& group, Attacker attacker,
                                                         const std::vector<std::string>& acts) {
    auto answers = AttackJob(group, "job", attacker, acts).answers();
    REQUIRE(answers.size() == acts.size());
    return answers;
}

/// One act and what each kind of job is answered.
struct AttackRow {
    std::string act;
    const char* user;
    const char* user_root;
    const char* root;
    const char* why;
};

/// Does all acts as each kind of job, in the group `job`.
inline void check_attacks(KernelGroup& group, const std::vector<AttackRow>& rows) {
    std::vector<std::string> acts;
    for (const AttackRow& row : rows) acts.push_back(row.act);
    for (const Attacker attacker : {Attacker::user, Attacker::user_root, Attacker::root}) {
        const auto answers = answers_to(group, attacker, acts);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const AttackRow& row = rows[i];
            const bool is_user = attacker == Attacker::user;
            const bool is_root = attacker == Attacker::root;
            INFO((is_user   ? "user"
                  : is_root ? "root"
                            : "root in a user namespace")
                 << ": " << row.act << " (" << row.why << ")");
            CHECK(answers[i] == (is_user ? row.user : is_root ? row.root : row.user_root));
        }
    }
}

}  // namespace trestle
