// SPDX-License-Identifier: Apache-2.0
//! Allocates machines to jobs: libtrestle for Rust.
//!
//! ```
//! use trestle::{Cluster, Code, Format, Request};
//!
//! let mut cluster = Cluster::new(Format::NodeText, "(2s16c2t mem=512G gpu:a100:4)")?;
//! let request = Request::new(Format::Srun, "--gres=gpu:a100:2 -c 8 --mem=32G")?;
//! let mut jobs = 0;
//! let refusal = loop {
//!     match cluster.place(&request) {
//!         Ok(placement) => {
//!             jobs += 1;
//!             cluster.commit(jobs, &request, &placement)?;
//!         }
//!         Err(error) => break error,
//!     }
//! };
//! assert_eq!((jobs, refusal.code), (2, Code::REFUSED));
//! # Ok::<(), trestle::Error>(())
//! ```

use std::ffi::{CStr, CString};
use std::fmt;
use std::mem::size_of;
use std::os::raw::{c_char, c_int};
use std::ptr::{null, null_mut};
use trestle_sys as sys;

/// What kind of error it is: a `trestle_code`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code(pub i32);

impl Code {
    pub const REFUSED: Code = Code(sys::TRESTLE_REFUSED);
    pub const GAVE_UP: Code = Code(sys::TRESTLE_GAVE_UP);
    pub const INVALID: Code = Code(sys::TRESTLE_INVALID);
    pub const NOT_FOUND: Code = Code(sys::TRESTLE_NOT_FOUND);
    pub const CONFLICT: Code = Code(sys::TRESTLE_CONFLICT);
    pub const DENIED: Code = Code(sys::TRESTLE_DENIED);
    pub const TIMEOUT: Code = Code(sys::TRESTLE_TIMEOUT);
    pub const UNSUPPORTED: Code = Code(sys::TRESTLE_UNSUPPORTED);
    pub const TOO_SMALL: Code = Code(sys::TRESTLE_TOO_SMALL);
    pub const SYSTEM: Code = Code(sys::TRESTLE_SYSTEM);
    pub const NO_MEMORY: Code = Code(sys::TRESTLE_NO_MEMORY);
    pub const BAD_HANDLE: Code = Code(sys::TRESTLE_BAD_HANDLE);
    pub const OLD_LIBRARY: Code = Code(sys::TRESTLE_OLD_LIBRARY);
    pub const INTERNAL: Code = Code(sys::TRESTLE_INTERNAL);
}

/// What a call of libtrestle reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    pub code: Code,
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
impl std::error::Error for Error {}

pub type Result<T> = std::result::Result<T, Error>;

/// The language of a text.
#[derive(Clone, Copy, Debug)]
pub enum Format {
    Text = sys::TRESTLE_TEXT as isize,
    Json = sys::TRESTLE_JSON as isize,
    NodeText = sys::TRESTLE_NODE_TEXT as isize,
    HwlocXml = sys::TRESTLE_HWLOC_XML as isize,
    Srun = sys::TRESTLE_SRUN as isize,
    Dstack = sys::TRESTLE_DSTACK as isize,
}

fn call(body: impl FnOnce(*mut sys::trestle_error) -> c_int) -> Result<()> {
    let mut failure = sys::trestle_error {
        code: 0,
        message: [0; 1020],
    };
    let code = body(&mut failure);
    if code == sys::TRESTLE_OK {
        return Ok(());
    }
    let message = unsafe { CStr::from_ptr(failure.message.as_ptr()) };
    Err(Error {
        code: Code(code),
        message: message.to_string_lossy().into_owned(),
    })
}

/// The handle that a function makes.
fn made<T>(body: impl FnOnce(*mut *mut T, *mut sys::trestle_error) -> c_int) -> Result<*mut T> {
    let mut handle = null_mut();
    call(|failure| body(&mut handle, failure)).map(|()| handle)
}

fn c_text(text: &str) -> Result<CString> {
    CString::new(text).map_err(|_| Error {
        code: Code::INVALID,
        message: "a zero byte in the text, expected none".into(),
    })
}

fn written(
    body: impl FnOnce(*mut *mut c_char, *mut sys::trestle_error) -> c_int,
) -> Result<String> {
    let text = made(body)?;
    let copy = unsafe { CStr::from_ptr(text) }
        .to_string_lossy()
        .into_owned();
    unsafe { sys::trestle_free(text.cast()) };
    Ok(copy)
}

/// Ok when the library is as new as the header that this crate follows.
pub fn check_version() -> Result<()> {
    call(|failure| unsafe { sys::trestle_check_version(sys::TRESTLE_HEADER_VERSION, failure) })
}

/// Declares a handle that is freed when it is dropped. It may go to another thread, as no function of
/// libtrestle depends on the thread.
macro_rules! handle {
    ($(#[$doc:meta])* $name:ident, $raw:ident, $free:ident) => {
        $(#[$doc])*
        pub struct $name(*mut sys::$raw);
        unsafe impl Send for $name {}
        impl Drop for $name {
            fn drop(&mut self) {
                unsafe { sys::$free(self.0) }
            }
        }
    };
}

handle!(
    /// Nodes and allocations.
    Cluster, trestle_cluster, trestle_cluster_free
);
handle!(
    /// What a job asks for.
    Request, trestle_request, trestle_request_free
);
handle!(
    /// What each node gives to a job.
    Placement, trestle_placement, trestle_placement_free
);
handle!(
    /// What will be done to make a placement hold on one node.
    Plan, trestle_plan, trestle_plan_free
);
handle!(
    /// Makes plans hold.
    Enforcer, trestle_enforcer, trestle_enforcer_free
);

impl Cluster {
    /// An idle cluster from `NodeText`, `HwlocXml` or `Json`.
    pub fn new(format: Format, text: &str) -> Result<Self> {
        let text = c_text(text)?;
        made(|result, failure| unsafe {
            sys::trestle_cluster_create(format as c_int, text.as_ptr(), result, failure)
        })
        .map(Self)
    }
    /// What `bytes()` made.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        made(|result, failure| unsafe {
            sys::trestle_cluster_from_bytes(bytes.as_ptr().cast(), bytes.len(), result, failure)
        })
        .map(Self)
    }
    /// A snapshot; equal clusters give equal bytes.
    pub fn bytes(&self) -> Result<Vec<u8>> {
        let mut size = 0;
        let bytes = made(|result, failure| unsafe {
            sys::trestle_to_bytes(self.0.cast(), result, &mut size, failure)
        })?;
        let copy = unsafe { std::slice::from_raw_parts(bytes, size) }.to_vec();
        unsafe { sys::trestle_free(bytes.cast()) };
        Ok(copy)
    }
    /// The best placement. The cluster does not change, but its memory of decisions does.
    pub fn place(&mut self, request: &Request) -> Result<Placement> {
        made(|result, failure| unsafe { sys::trestle_place(self.0, request.0, result, failure) })
            .map(Placement)
    }
    pub fn commit(&mut self, owner: u64, request: &Request, placement: &Placement) -> Result<()> {
        call(|failure| unsafe {
            sys::trestle_commit(self.0, owner, request.0, placement.0, failure)
        })
    }
    /// Takes everything back.
    pub fn release(&mut self, owner: u64) -> Result<()> {
        call(|failure| unsafe { sys::trestle_release(self.0.cast(), owner, failure) })
    }
    /// Why the request does not fit, and what would: as `Text` or `Json`.
    pub fn explain(&self, request: &Request, format: Format) -> Result<String> {
        written(|text, failure| unsafe {
            sys::trestle_explain(self.0.cast(), request.0, format as c_int, text, failure)
        })
    }
    /// Runs the body, and undoes what it changed unless it returns true. A panic in the body undoes it, too.
    pub fn attempt(&mut self, body: impl FnOnce(&mut Cluster) -> bool) -> Result<()> {
        let handle = self.0; // the body may swap the cluster for another one
        call(|failure| unsafe { sys::trestle_trial_begin(handle, failure) })?;
        let open = OpenTrial(handle);
        let keeps = body(self);
        std::mem::forget(open);
        call(|failure| unsafe { sys::trestle_trial_end(handle, keeps.into(), failure) })
    }
}

/// Undoes the innermost trial when it is dropped.
struct OpenTrial(*mut sys::trestle_cluster);

impl Drop for OpenTrial {
    fn drop(&mut self) {
        unsafe { sys::trestle_trial_end(self.0, 0, null_mut()) };
    }
}

impl Request {
    /// From `Srun`, `Dstack` or `Json`.
    pub fn new(format: Format, text: &str) -> Result<Self> {
        let text = c_text(text)?;
        made(|result, failure| unsafe {
            sys::trestle_request_create(format as c_int, text.as_ptr(), result, failure)
        })
        .map(Self)
    }
}

/// What one node gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub node: u32,
    pub tasks: i64,
    /// In bytes.
    pub memory: i64,
    pub cores: Vec<u32>,
    pub devices: Vec<u32>,
}

impl Placement {
    /// One line a node, with the names of nodes and devices.
    pub fn text(&self, cluster: &Cluster) -> Result<String> {
        written(|text, failure| unsafe {
            sys::trestle_placement_text(self.0, cluster.0, text, failure)
        })
    }
    pub fn parts(&self) -> Result<Vec<Part>> {
        let mut count = 0;
        call(|failure| unsafe { sys::trestle_part_count(self.0, &mut count, failure) })?;
        (0..count).map(|at| self.part(at)).collect()
    }
    fn part(&self, at: usize) -> Result<Part> {
        let mut info = sys::trestle_part {
            struct_size: size_of::<sys::trestle_part>(),
            node: 0,
            component: 0,
            tasks: 0,
            milli_cpus: 0,
            memory: 0,
            cores: 0,
            devices: 0,
        };
        call(|failure| unsafe { sys::trestle_part_info(self.0, at, &mut info, failure) })?;
        let mut count = 0;
        let mut cores = vec![0; info.cores as usize];
        call(|failure| unsafe {
            let (to, size) = (cores.as_mut_ptr(), cores.len());
            sys::trestle_part_cores(self.0, at, to, size, &mut count, failure)
        })?;
        let none = sys::trestle_device_share {
            device: 0,
            is_slice: 0,
            shares: 0,
        };
        let mut devices = vec![none; info.devices as usize];
        call(|failure| unsafe {
            let (to, size) = (devices.as_mut_ptr(), devices.len());
            sys::trestle_part_devices(self.0, at, to, size, &mut count, failure)
        })?;
        let devices = devices.iter().map(|share| share.device).collect();
        Ok(Part {
            node: info.node,
            tasks: info.tasks,
            memory: info.memory,
            cores,
            devices,
        })
    }
}

impl Plan {
    /// The plan of `group`, a name below an enforcer's root.
    pub fn new(
        cluster: &Cluster,
        node: u32,
        placement: &Placement,
        request: &Request,
        owner: u64,
        group: &str,
    ) -> Result<Self> {
        let group = c_text(group)?;
        made(|result, failure| unsafe {
            sys::trestle_plan_create(
                cluster.0,
                node,
                placement.0,
                request.0,
                owner,
                group.as_ptr(),
                null(),
                result,
                failure,
            )
        })
        .map(Self)
    }
    /// One line a step.
    pub fn text(&self) -> Result<String> {
        written(|text, failure| unsafe {
            sys::trestle_write(self.0.cast(), sys::TRESTLE_TEXT, text, failure)
        })
    }
}

impl Enforcer {
    /// One without a machine, for tests.
    pub fn in_memory() -> Result<Self> {
        made(|result, failure| unsafe { sys::trestle_enforcer_memory(result, failure) }).map(Self)
    }
    /// Below a directory of cgroup v2 that was delegated to the caller.
    pub fn open_cgroup(directory: &str) -> Result<Self> {
        let directory = c_text(directory)?;
        made(|result, failure| unsafe {
            sys::trestle_enforcer_cgroup(directory.as_ptr(), result, failure)
        })
        .map(Self)
    }
    /// Runs all steps. Returns one line of what best-effort steps did not do.
    pub fn apply(&mut self, plan: &Plan) -> Result<String> {
        written(|text, failure| unsafe { sys::trestle_apply(self.0, plan.0, text, failure) })
    }
    /// Kills all that runs in the group and removes it.
    pub fn remove(&mut self, group: &str) -> Result<()> {
        let group = c_text(group)?;
        call(|failure| unsafe { sys::trestle_remove(self.0, group.as_ptr(), failure) })
    }
}
