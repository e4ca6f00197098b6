// SPDX-License-Identifier: Apache-2.0
use std::panic::{catch_unwind, AssertUnwindSafe};

use trestle::{check_version, Cluster, Code, Enforcer, Error, Format, Part, Plan, Request};

fn world() -> (Cluster, Request) {
    let cluster = Cluster::new(Format::NodeText, "(2s16c2t mem=512G gpu:a100:4)").unwrap();
    let request = Request::new(Format::Srun, "--gres=gpu:a100:2 -c 8 --mem=32G").unwrap();
    (cluster, request)
}

#[test]
fn places_until_refused() -> Result<(), Error> {
    check_version()?;
    let (mut cluster, request) = world();
    for job in 1..=2 {
        let placement = cluster.place(&request)?;
        cluster.commit(job, &request, &placement)?;
    }
    let refusal = cluster.place(&request).err().unwrap();
    assert_eq!(refusal.code, Code::REFUSED);
    assert!(refusal.message.starts_with("devices: "));
    assert!(cluster
        .explain(&request, Format::Text)?
        .contains("owner 1 ends"));
    assert_eq!(cluster.release(9).err().unwrap().code, Code::NOT_FOUND);
    cluster.release(1)
}

#[test]
fn a_placement_has_parts() -> Result<(), Error> {
    let (mut cluster, request) = world();
    let placement = cluster.place(&request)?;
    let expected = Part {
        node: 0,
        tasks: 1,
        memory: 32 << 30,
        cores: vec![0, 1, 2, 3],
        devices: vec![0, 1],
    };
    assert_eq!(placement.parts()?, [expected]);
    assert_eq!(
        placement.text(&cluster)?,
        "n0 cores=0-3 memory=0:32GiB devices=gpu:0,gpu:1"
    );
    Ok(())
}

#[test]
fn a_trial_is_undone_and_bytes_come_back() -> Result<(), Error> {
    let (mut cluster, request) = world();
    let placement = cluster.place(&request)?;
    let before = cluster.bytes()?;
    cluster.attempt(|inside| inside.commit(1, &request, &placement).is_err())?;
    assert_eq!(cluster.bytes()?, before);
    Cluster::from_bytes(&before)?;
    assert_eq!(
        Cluster::from_bytes(&before[..9]).err().unwrap().code,
        Code::INVALID
    );
    Ok(())
}

#[test]
fn a_trial_whose_body_panics_is_undone() -> Result<(), Error> {
    let (mut cluster, request) = world();
    let placement = cluster.place(&request)?;
    let before = cluster.bytes()?;
    let ended = catch_unwind(AssertUnwindSafe(|| {
        cluster.attempt(|inside| {
            inside.commit(1, &request, &placement).unwrap();
            panic!("in the body")
        })
    }));
    assert!(ended.is_err());
    assert_eq!(cluster.bytes()?, before);
    // What is committed from here on is part of no trial.
    cluster.attempt(|inside| inside.commit(2, &request, &placement).is_ok())?;
    assert_ne!(cluster.bytes()?, before);
    cluster.release(2)
}

#[test]
fn a_trial_ends_on_the_cluster_that_it_began_on() -> Result<(), Error> {
    let (mut cluster, request) = world();
    let (mut other, _) = world();
    let placement = cluster.place(&request)?;
    let before = cluster.bytes()?;
    cluster.attempt(|inside| {
        inside.commit(1, &request, &placement).unwrap();
        std::mem::swap(inside, &mut other);
        false
    })?;
    assert_eq!(other.bytes()?, before);
    Ok(())
}

#[test]
fn enforces_in_memory() -> Result<(), Error> {
    let (mut cluster, request) = world();
    let placement = cluster.place(&request)?;
    let plan = Plan::new(&cluster, 0, &placement, &request, 1, "job_1")?;
    assert!(plan.text()?.contains("memory.max"));
    let mut enforcer = Enforcer::in_memory()?;
    assert_eq!(enforcer.apply(&plan)?, "");
    assert_eq!(enforcer.apply(&plan).err().unwrap().code, Code::CONFLICT);
    enforcer.remove("job_1")
}

#[test]
fn bad_text_is_an_error() {
    assert_eq!(
        Cluster::new(Format::NodeText, "3 x (").err().unwrap().code,
        Code::INVALID
    );
    assert_eq!(
        Request::new(Format::Srun, "a\0b").err().unwrap().code,
        Code::INVALID
    );
    assert!(Enforcer::open_cgroup("/no/such/folder").is_err());
}
