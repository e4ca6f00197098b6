// SPDX-License-Identifier: Apache-2.0
//! Asks pkg-config where libtrestle is (PKG_CONFIG_PATH).
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-env-changed=PKG_CONFIG_PATH");
    let asked = Command::new("pkg-config")
        .args(["--variable=libdir", "trestle"])
        .output()
        .expect("pkg-config runs");
    assert!(
        asked.status.success(),
        "no trestle.pc: {}",
        String::from_utf8_lossy(&asked.stderr)
    );
    let folder = String::from_utf8(asked.stdout).expect("a path in UTF-8");
    println!("cargo:rustc-link-search=native={}", folder.trim());
    println!("cargo:rustc-link-lib=dylib=trestle");
}
