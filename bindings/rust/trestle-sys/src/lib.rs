// SPDX-License-Identifier: Apache-2.0
//! The functions of `trestle.h` as they are. The crate `trestle` wraps them safely.
#![allow(non_camel_case_types)]

use std::os::raw::{c_char, c_int, c_void};

#[repr(C)]
#[derive(Clone, Copy)]
pub struct trestle_error {
    pub code: i32,
    pub message: [c_char; 1020],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct trestle_node {
    pub struct_size: usize,
    pub name: [c_char; 256],
    pub state: i32,
    pub cores: u32,
    pub free_cores: u32,
    pub cpus: u32,
    pub devices: u32,
    pub free_devices: u32,
    pub memory: i64,
    pub free_memory: i64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct trestle_part {
    pub struct_size: usize,
    pub node: u32,
    pub component: u32,
    pub tasks: i64,
    pub milli_cpus: i64,
    pub memory: i64,
    pub cores: u32,
    pub devices: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct trestle_device_share {
    pub device: u32,
    pub is_slice: u32,
    pub shares: i64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct trestle_start {
    pub struct_size: usize,
    pub start: i64,
    pub end: i64,
    pub is_earliest: i32,
    pub unused: i32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct trestle_queued_job {
    pub owner: u64,
    pub request: *const trestle_request,
    pub duration: i64,
    pub priority: i64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct trestle_turn {
    pub owner: u64,
    pub kind: i32,
    pub unused: i32,
    pub start: i64,
    pub end: i64,
    pub placement: *mut trestle_placement,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct trestle_outcome {
    pub struct_size: usize,
    pub is_running: i32,
    pub exit_code: i32,
    pub signal_number: i32,
    pub is_out_of_memory: i32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct trestle_usage {
    pub struct_size: usize,
    pub memory: i64,
    pub memory_peak: i64,
    pub cpu_microseconds: i64,
    pub processes: i64,
    pub oom_kills: i64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct trestle_offer {
    pub offer: u32,
    pub blocks: u32,
    pub cpus: i64,
    pub memory: i64,
    pub devices: i64,
    pub price: i64,
}

#[repr(C)]
pub struct trestle_cluster {
    opaque: [u8; 0],
}

#[repr(C)]
pub struct trestle_request {
    opaque: [u8; 0],
}

#[repr(C)]
pub struct trestle_placement {
    opaque: [u8; 0],
}

#[repr(C)]
pub struct trestle_timeline {
    opaque: [u8; 0],
}

#[repr(C)]
pub struct trestle_plan {
    opaque: [u8; 0],
}

#[repr(C)]
pub struct trestle_enforcer {
    opaque: [u8; 0],
}

#[repr(C)]
pub struct trestle_controller {
    opaque: [u8; 0],
}

#[repr(C)]
pub struct trestle_catalog {
    opaque: [u8; 0],
}

pub const TRESTLE_OK: c_int = 0;
pub const TRESTLE_REFUSED: c_int = 1;
pub const TRESTLE_GAVE_UP: c_int = 2;
pub const TRESTLE_INVALID: c_int = 3;
pub const TRESTLE_NOT_FOUND: c_int = 4;
pub const TRESTLE_CONFLICT: c_int = 5;
pub const TRESTLE_DENIED: c_int = 6;
pub const TRESTLE_TIMEOUT: c_int = 7;
pub const TRESTLE_UNSUPPORTED: c_int = 8;
pub const TRESTLE_TOO_SMALL: c_int = 9;
pub const TRESTLE_SYSTEM: c_int = 10;
pub const TRESTLE_NO_MEMORY: c_int = 11;
pub const TRESTLE_BAD_HANDLE: c_int = 12;
pub const TRESTLE_OLD_LIBRARY: c_int = 13;
pub const TRESTLE_INTERNAL: c_int = 14;

pub const TRESTLE_TEXT: c_int = 0;
pub const TRESTLE_JSON: c_int = 1;
pub const TRESTLE_NODE_TEXT: c_int = 2;
pub const TRESTLE_HWLOC_XML: c_int = 3;
pub const TRESTLE_SRUN: c_int = 4;
pub const TRESTLE_DSTACK: c_int = 5;

pub const TRESTLE_UP: c_int = 0;
pub const TRESTLE_DRAINED: c_int = 1;
pub const TRESTLE_DOWN: c_int = 2;

pub const TRESTLE_STRICT: c_int = 0;
pub const TRESTLE_EASY: c_int = 1;
pub const TRESTLE_CONSERVATIVE: c_int = 2;

pub const TRESTLE_STARTS: c_int = 1;
pub const TRESTLE_RESERVED: c_int = 2;
pub const TRESTLE_WAITS: c_int = 3;
pub const TRESTLE_CANNOT_START: c_int = 4;

pub const TRESTLE_HEADER_VERSION: u32 = 2000;
pub const TRESTLE_SOVERSION: c_int = 0;
pub const TRESTLE_NEVER: i64 = i64::MAX;
pub const TRESTLE_UNKNOWN: i64 = -1;

extern "C" {
    pub fn trestle_version() -> *const c_char;
    pub fn trestle_check_version(header_version: u32, error: *mut trestle_error) -> c_int;
    pub fn trestle_free(memory: *mut c_void);
    pub fn trestle_write(
        handle: *const c_void,
        format: c_int,
        text: *mut *mut c_char,
        error: *mut trestle_error,
    ) -> c_int;
    pub fn trestle_to_bytes(
        handle: *const c_void,
        bytes: *mut *mut u8,
        size: *mut usize,
        error: *mut trestle_error,
    ) -> c_int;
    pub fn trestle_cluster_create(
        format: c_int,
        text: *const c_char,
        result: *mut *mut trestle_cluster,
        error: *mut trestle_error,
    ) -> c_int;
    pub fn trestle_cluster_from_slurm(
        slurm_conf: *const c_char,
        gres_conf: *const c_char,
        topology_conf: *const c_char,
        result: *mut *mut trestle_cluster,
        error: *mut trestle_error,
    ) -> c_int;
    pub fn trestle_cluster_from_bytes(
        bytes: *const c_void,
        size: usize,
        result: *mut *mut trestle_cluster,
        error: *mut trestle_error,
    ) -> c_int;
    pub fn trestle_cluster_copy(
        handle: *const c_void,
        result: *mut *mut trestle_cluster,
        error: *mut trestle_error,
    ) -> c_int;
    pub fn trestle_cluster_free(cluster: *mut trestle_cluster);
    pub fn trestle_set_options(
        handle: *mut c_void,
        json: *const c_char,
        error: *mut trestle_error,
    ) -> c_int;
    pub fn trestle_node_count(
        cluster: *const trestle_cluster,
        count: *mut u32,
        error: *mut trestle_error,
    ) -> c_int;
    pub fn trestle_node_info(
        cluster: *const trestle_cluster,
        node: u32,
        info: *mut trestle_node,
        error: *mut trestle_error,
    ) -> c_int;
    pub fn trestle_find_node(
        cluster: *const trestle_cluster,
        name: *const c_char,
        node: *mut u32,
        error: *mut trestle_error,
    ) -> c_int;
    pub fn trestle_place(
        cluster: *mut trestle_cluster,
        request: *const trestle_request,
        result: *mut *mut trestle_placement,
        error: *mut trestle_error,
    ) -> c_int;
    pub fn trestle_commit(
        cluster: *mut trestle_cluster,
        owner: u64,
        request: *const trestle_request,
        placement: *const trestle_placement,
        error: *mut trestle_error,
    ) -> c_int;
    pub fn trestle_adopt(
        cluster: *mut trestle_cluster,
        owner: u64,
        placement: *const trestle_placement,
        error: *mut trestle_error,
    ) -> c_int;
    pub fn trestle_extend(
        cluster: *mut trestle_cluster,
        owner: u64,
        more: *const trestle_placement,
        error: *mut trestle_error,
    ) -> c_int;
    pub fn trestle_release(handle: *mut c_void, owner: u64, error: *mut trestle_error) -> c_int;
    pub fn trestle_allocation(
        cluster: *const trestle_cluster,
        owner: u64,
        result: *mut *mut trestle_placement,
        error: *mut trestle_error,
    ) -> c_int;
    pub fn trestle_set_node_state(
        handle: *mut c_void,
        node: u32,
        state: c_int,
        error: *mut trestle_error,
    ) -> c_int;
    pub fn trestle_explain(
        handle: *mut c_void,
        request: *const trestle_request,
        format: c_int,
        text: *mut *mut c_char,
        error: *mut trestle_error,
    ) -> c_int;
    pub fn trestle_trial_begin(cluster: *mut trestle_cluster, error: *mut trestle_error) -> c_int;
    pub fn trestle_trial_end(
        cluster: *mut trestle_cluster,
        keeps: c_int,
        error: *mut trestle_error,
    ) -> c_int;
    pub fn trestle_request_create(
        format: c_int,
        text: *const c_char,
        result: *mut *mut trestle_request,
        error: *mut trestle_error,
    ) -> c_int;
    pub fn trestle_request_free(request: *mut trestle_request);
    pub fn trestle_placement_from_json(
        json: *const c_char,
        result: *mut *mut trestle_placement,
        error: *mut trestle_error,
    ) -> c_int;
    pub fn trestle_placement_free(placement: *mut trestle_placement);
    pub fn trestle_placement_text(
        placement: *const trestle_placement,
        cluster: *const trestle_cluster,
        text: *mut *mut c_char,
        error: *mut trestle_error,
    ) -> c_int;
    pub fn trestle_part_count(
        placement: *const trestle_placement,
        count: *mut usize,
        error: *mut trestle_error,
    ) -> c_int;
    pub fn trestle_part_info(
        placement: *const trestle_placement,
        part: usize,
        info: *mut trestle_part,
        error: *mut trestle_error,
    ) -> c_int;
    pub fn trestle_part_cores(
        placement: *const trestle_placement,
        part: usize,
        cores: *mut u32,
        capacity: usize,
        count: *mut usize,
        error: *mut trestle_error,
    ) -> c_int;
    pub fn trestle_part_devices(
        placement: *const trestle_placement,
        part: usize,
        devices: *mut trestle_device_share,
        capacity: usize,
        count: *mut usize,
        error: *mut trestle_error,
    ) -> c_int;
    pub fn trestle_timeline_create(
        cluster: *const trestle_cluster,
        now: i64,
        result: *mut *mut trestle_timeline,
        error: *mut trestle_error,
    ) -> c_int;
    pub fn trestle_timeline_from_bytes(
        bytes: *const c_void,
        size: usize,
        result: *mut *mut trestle_timeline,
        error: *mut trestle_error,
    ) -> c_int;
    pub fn trestle_timeline_free(timeline: *mut trestle_timeline);
    pub fn trestle_reserve(
        timeline: *mut trestle_timeline,
        owner: u64,
        request: *const trestle_request,
        placement: *const trestle_placement,
        start: i64,
        end: i64,
        error: *mut trestle_error,
    ) -> c_int;
    pub fn trestle_set_end(
        timeline: *mut trestle_timeline,
        owner: u64,
        end: i64,
        error: *mut trestle_error,
    ) -> c_int;
    pub fn trestle_advance(
        timeline: *mut trestle_timeline,
        to: i64,
        next: *mut i64,
        error: *mut trestle_error,
    ) -> c_int;
    pub fn trestle_earliest_start(
        timeline: *mut trestle_timeline,
        request: *const trestle_request,
        after: i64,
        duration: i64,
        start: *mut trestle_start,
        result: *mut *mut trestle_placement,
        error: *mut trestle_error,
    ) -> c_int;
    pub fn trestle_schedule_pass(
        timeline: *mut trestle_timeline,
        jobs: *const trestle_queued_job,
        count: usize,
        discipline: c_int,
        turns: *mut trestle_turn,
        json: *mut *mut c_char,
        error: *mut trestle_error,
    ) -> c_int;
    pub fn trestle_plan_create(
        cluster: *const trestle_cluster,
        node: u32,
        placement: *const trestle_placement,
        request: *const trestle_request,
        owner: u64,
        group: *const c_char,
        settings: *const c_char,
        result: *mut *mut trestle_plan,
        error: *mut trestle_error,
    ) -> c_int;
    pub fn trestle_plan_from_json(
        json: *const c_char,
        result: *mut *mut trestle_plan,
        error: *mut trestle_error,
    ) -> c_int;
    pub fn trestle_plan_free(plan: *mut trestle_plan);
    pub fn trestle_enforcer_memory(
        result: *mut *mut trestle_enforcer,
        error: *mut trestle_error,
    ) -> c_int;
    pub fn trestle_enforcer_cgroup(
        directory: *const c_char,
        result: *mut *mut trestle_enforcer,
        error: *mut trestle_error,
    ) -> c_int;
    pub fn trestle_enforcer_free(enforcer: *mut trestle_enforcer);
    pub fn trestle_apply(
        enforcer: *mut trestle_enforcer,
        plan: *const trestle_plan,
        shortfalls: *mut *mut c_char,
        error: *mut trestle_error,
    ) -> c_int;
    pub fn trestle_spawn(
        enforcer: *mut trestle_enforcer,
        plan: *const trestle_plan,
        arguments: *const *const c_char,
        environment: *const *const c_char,
        pid: *mut i64,
        error: *mut trestle_error,
    ) -> c_int;
    pub fn trestle_wait(
        enforcer: *mut trestle_enforcer,
        plan: *const trestle_plan,
        pid: i64,
        waits: c_int,
        outcome: *mut trestle_outcome,
        error: *mut trestle_error,
    ) -> c_int;
    pub fn trestle_end_process(
        enforcer: *mut trestle_enforcer,
        pid: i64,
        exit_code: c_int,
        error: *mut trestle_error,
    ) -> c_int;
    pub fn trestle_observe(
        enforcer: *mut trestle_enforcer,
        group: *const c_char,
        usage: *mut trestle_usage,
        error: *mut trestle_error,
    ) -> c_int;
    pub fn trestle_remove(
        enforcer: *mut trestle_enforcer,
        group: *const c_char,
        error: *mut trestle_error,
    ) -> c_int;
    pub fn trestle_controller_create(
        slurm_conf: *const c_char,
        gres_conf: *const c_char,
        topology_conf: *const c_char,
        result: *mut *mut trestle_controller,
        error: *mut trestle_error,
    ) -> c_int;
    pub fn trestle_controller_free(controller: *mut trestle_controller);
    pub fn trestle_submit(
        controller: *mut trestle_controller,
        options: *const c_char,
        owner: *mut u64,
        result: *mut *mut trestle_placement,
        json: *mut *mut c_char,
        error: *mut trestle_error,
    ) -> c_int;
    pub fn trestle_catalog_create(
        csv: *const c_char,
        backend: *const c_char,
        result: *mut *mut trestle_catalog,
        error: *mut trestle_error,
    ) -> c_int;
    pub fn trestle_catalog_free(catalog: *mut trestle_catalog);
    pub fn trestle_match(
        catalog: *const trestle_catalog,
        request: *const trestle_request,
        offers: *mut trestle_offer,
        capacity: usize,
        count: *mut usize,
        error: *mut trestle_error,
    ) -> c_int;
    pub fn trestle_catalog_offer(
        catalog: *const trestle_catalog,
        offer: u32,
        json: *mut *mut c_char,
        error: *mut trestle_error,
    ) -> c_int;
}
