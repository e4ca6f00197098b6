// SPDX-License-Identifier: Apache-2.0
use trestle::{Cluster, Code, Error, Format, Request};

fn main() -> Result<(), Error> {
    let mut cluster = Cluster::new(Format::NodeText, "(2s16c2t mem=512G gpu:a100:4)")?;
    let request = Request::new(Format::Srun, "--gres=gpu:a100:2 -c 8 --mem=32G")?;
    for job in 1.. {
        let placement = match cluster.place(&request) {
            Ok(placement) => placement,
            Err(error) if error.code == Code::REFUSED => {
                println!("job {job}: {error}");
                break;
            }
            Err(error) => return Err(error),
        };
        cluster.commit(job, &request, &placement)?;
        println!("job {job}: {}", placement.text(&cluster)?);
    }
    Ok(())
}
