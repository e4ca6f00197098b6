// SPDX-License-Identifier: Apache-2.0
// What matches what, row by row, each with its reason. The offer is a p4d of AWS with 8 A100 of
// 40GB, 96 CPUs and 1152GB but for what a row says.
#include "cases.hpp"

#include <span>
#include <string>

#include "support/catch.hpp"

namespace trestle {
namespace {

using testing::offer_with;
using testing::verdict_of;

struct CaseRow {
    const char* offer;
    const char* run;
    const char* expected;  ///< yes, or the first failed test and what the offer had
    const char* why;
};

void check_rows(std::span<const CaseRow> rows) {
    for (const CaseRow& row : rows) {
        INFO(row.offer << " | " << row.run << ": " << row.why);
        CHECK(verdict_of(offer_with(row.offer), row.run) == row.expected);
    }
}

}  // namespace

TEST_CASE("dstack matching: CPUs and memory", "[dialect][dstack]") {
    const CaseRow rows[] = {
        {"", "", "yes", "defaults: 2 CPUs, 8GB, 0.. GPUs, 100GB of disk"},
        {"cpus=2 memory=8GB cpu-only", "", "yes", "the least that the defaults take"},
        {"cpus=1 cpu-only", "", "cpus: 1", "one CPU is less than the default 2.."},
        {"memory=4GB cpu-only", "", "memory: 4GiB", "less than the default 8GB.."},
        {"memory=7.9990234375GB", "", "memory: 8191MiB", "a megabyte too little"},
        {"", "resources: {cpu: 96}", "yes", "a bare value that is met"},
        {"", "resources: {cpu: 8}", "cpus: 96", "a bare value is exact, more is not taken"},
        {"", "resources: {cpu: 8..}", "yes", "at least"},
        {"", "resources: {cpu: ..95}", "cpus: 96", "at most"},
        {"", "resources: {cpu: ..96}", "yes", "the bound belongs to the range"},
        {"", "resources: {cpu: 97..}", "cpus: 96", "one CPU too few"},
        {"", "resources: {cpu: 32..96}", "yes", "closed range, upper end"},
        {"", "resources: {memory: 1152GB}", "yes", "exactly"},
        {"", "resources: {memory: 32GB}", "memory: 1152GiB", "32GB is 32GB..32GB"},
        {"", "resources: {memory: 32GB..}", "yes", "the guide's 32GB, as it is written here"},
        {"", "resources: {memory: 1TB..}", "yes", "TB are 1024 GB"},
        {"", "resources: {memory: 2TB..}", "memory: 1152GiB", "not so much"},
        {"", "resources: {memory: ..1TB}", "memory: 1152GiB", "at most"},
        {"memory=200GB", "resources: {memory: 200GB..}", "yes", "the lower bound belongs to it"},
        {"memory=199GB", "resources: {memory: 200GB..}", "memory: 199GiB", "a GB too little"},
        {"arch=arm", "", "yes", "no architecture asked: any"},
        {"arch=arm", "resources: {cpu: x86:2..}", "architecture: arm", "another one"},
        {"arch=arm", "resources: {cpu: arm:2..}", "yes", "the same"},
        {"", "resources: {cpu: arm}", "architecture: x86", "a list without arch is of x86"},
        {"cpus=1 arch=arm", "resources: {cpu: x86:4..}", "architecture: arm",
         "architecture is looked at before CPUs"},
        {"cpus=1 memory=1GB", "resources: {cpu: 4..}", "cpus: 1", "CPUs before memory"},
        {"memory=1GB", "resources: {gpu: H100}", "memory: 1GiB", "memory before GPUs"},
    };
    check_rows(rows);
}

TEST_CASE("dstack matching: GPUs by count and name", "[dialect][dstack]") {
    const CaseRow rows[] = {
        {"", "resources: {gpu: 8}", "yes", "all eight"},
        {"", "resources: {gpu: 1}", "device_count: 8", "one GPU exactly is not eight"},
        {"", "resources: {gpu: 1..}", "yes", "one or more"},
        {"", "resources: {gpu: 4..8}", "yes", "upper end"},
        {"", "resources: {gpu: 8..16}", "yes", "lower end"},
        {"", "resources: {gpu: 9..16}", "device_count: 8", "one too few"},
        {"", "resources: {gpu: ..7}", "device_count: 8", "one too many"},
        {"", "resources: {gpu: 0}", "device_count: 8", "none wanted, eight there"},
        {"cpu-only", "resources: {gpu: 0}", "yes", "none wanted, none there"},
        {"cpu-only", "resources: {gpu: 1..}", "devices: none", "one wanted, none there"},
        {"cpu-only", "resources: {gpu: 0..}", "yes", "GPUs are welcome, not needed"},
        {"", "resources: {gpu: 0..}", "yes", "the same where they are"},
        {"cpu-only", "", "yes", "no gpu key is 0.."},
        {"", "resources: {gpu: null}", "yes", "null: GPUs are not looked at"},
        {"cpu-only", "resources: {gpu: null}", "yes", "null: nor where there are none"},
        {"cpu-only", "resources: {gpu: \"nvidia:0..\"}", "yes",
         "what is asked of GPUs leaves hosts without them in when the count may be 0"},
        {"cpu-only", "resources: {gpu: \"nvidia:..4\"}", "devices: none",
         "an open lower end is none of 0: hosts without GPUs are no host of NVIDIA's"},
        {"cpu-only", "resources: {gpu: \"nvidia:0..4\"}", "yes",
         "a 0 that is written lets them in"},
        {"cpu-only", "resources: {gpu: ..4}", "yes", "nothing is said of the GPUs"},
        {"cpu-only", "resources: {gpu: \"A100:..4\"}", "devices: none", "a name is said"},
        {"cpu-only", "resources: {gpu: \"24GB..:..4\"}", "devices: none", "no GPU has no memory"},
        {"cpu-only", "resources: {gpu: \"..24GB:..4\"}", "yes", "and that is below 24GB"},
        {"cpu-only", "resources: {gpu: {total_memory: 24GB.., count: ..4}}", "devices: none",
         "the same in all"},
        {"cpu-only", "resources: {gpu: {compute_capability: 8.0.., count: ..4}}", "devices: none",
         "nor a compute capability"},
        {"gpu_count=4", "resources: {gpu: \"nvidia:..4\"}", "yes", "four"},
        {"cpu-only", "resources: {gpu: \"nvidia:..0\"}", "yes", "none of NVIDIA's is none"},
        {"gpu_name=MI300X gpu_memory=192GB", "resources: {gpu: \"nvidia:0..\"}",
         "device_vendor: amd", "but GPUs that are there must be as asked"},
        {"", "resources: {gpu: A100}", "yes", "A100 is A100:1.., not one A100"},
        {"", "resources: {gpu: \"A100:1\"}", "device_count: 8", "one A100 is written so"},
        {"", "resources: {gpu: a100}", "yes", "names have no case"},
        {"", "resources: {gpu: \"H100,A100\"}", "yes", "any of two"},
        {"", "resources: {gpu: \"H100,H200\"}", "device_model: gpu A100", "none of two"},
        {"gpu_name=A10G gpu_memory=24GB", "resources: {gpu: A10}", "device_model: gpu A10G",
         "the whole name counts"},
        {"gpu_name=A10G gpu_memory=24GB gpu_count=4", "resources: {gpu: \"A10G,A100:4\"}", "yes",
         "the guide's g5.12xlarge"},
        {"gpu_name=A10G gpu_memory=24GB gpu_count=4", "resources: {gpu: \"40GB..80GB:4..8\"}",
         "device_memory: 24GiB", "an A10G has 24GB: the guide's first row cannot match"},
        {"gpu_count=4", "resources: {gpu: \"40GB..80GB:4..8\"}", "yes", "a2-highgpu-4g"},
        {"gpu_count=16", "resources: {gpu: \"40GB..80GB:1..8\"}", "device_count: 16",
         "an instance is taken whole"},
        {"gpu_count=9", "resources: {gpu: \"H100:8\"}", "device_count: 9",
         "the count is looked at before the name"},
        {"gpu_name=v5litepod-8 gpu_memory=0 gpu_vendor=google gpu_count=1",
         "resources: {gpu: v5litepod-8}", "yes", "a TPU is one GPU by its slice's name"},
        {"gpu_name=tpu-v3-8 gpu_memory= gpu_count=1", "resources: {gpu: tpu-v3-8}", "yes",
         "tpu- is taken off on both sides"},
        {"gpu_name=v3-8 gpu_memory= gpu_vendor=tpu gpu_count=1", "resources: {gpu: \"tpu:1\"}",
         "yes", "tpu is google"},
    };
    check_rows(rows);
}

TEST_CASE("dstack matching: GPUs by vendor, memory and compute capability", "[dialect][dstack]") {
    const CaseRow rows[] = {
        {"", "resources: {gpu: nvidia}", "yes", "a list without vendor: that of the known model"},
        {"", "resources: {gpu: amd}", "device_vendor: nvidia", "another vendor"},
        {"gpu_name=MI300X gpu_memory=192GB", "resources: {gpu: amd}", "yes",
         "the vendor of an MI300X is known"},
        {"gpu_name=X9000 gpu_memory=9GB", "resources: {gpu: nvidia}", "yes",
         "an unknown model without vendor is taken for NVIDIA's"},
        {"gpu_name=n150 gpu_memory=12GB", "resources: {gpu: \"tt:8\"}", "yes", "tt is tenstorrent"},
        {"", "resources: {gpu: \"amd:1\"}", "device_vendor: nvidia", "vendor before count"},
        {"", "resources: {gpu: 40GB}", "yes", "memory of each"},
        {"", "resources: {gpu: 80GB}", "device_memory: 40GiB", "another size"},
        {"", "resources: {gpu: 24GB}", "device_memory: 40GiB", "a bare size is exact"},
        {"", "resources: {gpu: 24GB..}", "yes", "at least"},
        {"", "resources: {gpu: \"24GB..40GB\"}", "yes", "the upper bound belongs to it"},
        {"", "resources: {gpu: ..39GB}", "device_memory: 40GiB", "at most"},
        {"", "resources: {gpu: \"A100:80GB\"}", "device_memory: 40GiB", "the other A100"},
        {"gpu_memory=80GB", "resources: {gpu: \"A100:80GB:8\"}", "yes", "all three"},
        {"", "resources: {gpu: {total_memory: 320GB}}", "yes", "8 x 40GB"},
        {"", "resources: {gpu: {total_memory: 321GB..}}", "device_total_memory: 320GiB",
         "a GB too little in all"},
        {"", "resources: {gpu: {total_memory: ..319GB}}", "device_total_memory: 320GiB",
         "a GB too much in all"},
        {"", "resources: {gpu: {memory: 80GB, total_memory: 1TB..}}", "device_memory: 40GiB",
         "the memory of each before that of all"},
        {"", "resources: {gpu: {compute_capability: 8.0..}}", "yes",
         "that of an A100 is known: 8.0"},
        {"", "resources: {gpu: {compute_capability: 9.0..}}", "compute_capability: 8.0",
         "an A100 is too old"},
        {"gpu_name=H100 gpu_memory=80GB", "resources: {gpu: {compute_capability: 9.0}}", "yes",
         "exactly an H100's"},
        {"", "resources: {gpu: {compute_capability: ..7.5}}", "compute_capability: 8.0", "too new"},
        {"compute_capability=8.10", "resources: {gpu: {compute_capability: 8.9..}}", "yes",
         "8.10 is the tenth, as versions go"},
        {"gpu_name=MI300X gpu_memory=192GB", "resources: {gpu: {compute_capability: 8.0..}}",
         "compute_capability: unknown", "only NVIDIA has one"},
        {"gpu_name=X9000 gpu_memory=9GB", "resources: {gpu: {compute_capability: 1.0..}}",
         "compute_capability: unknown", "an unknown model has none that is known"},
        {"", "resources: {gpu: {name: H100, compute_capability: 9.0..}}", "device_model: gpu A100",
         "the name before the compute capability"},
        {"", "resources: {gpu: {memory: 80GB, compute_capability: 9.0..}}",
         "compute_capability: 8.0", "compute capability before memory"},
    };
    check_rows(rows);
}

TEST_CASE("dstack matching: disk, price and spot", "[dialect][dstack]") {
    const CaseRow rows[] = {
        {"disk=100GB", "", "yes", "the default 100GB.."},
        {"disk=99GB", "", "disk: 99GiB", "a GB less"},
        {"disk=99GB", "resources: {disk: null}", "yes", "null: not looked at"},
        {"disk=99GB", "resources: {disk: 50GB..}", "yes", "a smaller one will do"},
        {"", "resources: {disk: 500GB}", "yes", "AWS makes a disk of any size"},
        {"", "resources: {disk: ..50GB}", "disk: 100GiB..16TiB", "but none below 100GB"},
        {"", "resources: {disk: 17TB..}", "disk: 100GiB..16TiB", "nor above 16TB"},
        {"", "resources: {disk: 50GB..100GB}", "yes", "the ranges touch"},
        {"backend=gcp", "resources: {disk: ..50GB}", "yes", "GCP's begin at 20GB"},
        {"backend=lambda", "resources: {disk: ..1GB}", "yes", "nothing is known of Lambda's"},
        {"backend=azure", "resources: {disk: 4096GB}", "disk: 30GiB..4095GiB", "one GB too much"},
        {"disk=50GB", "resources: {gpu: H100}", "device_model: gpu A100", "GPUs before disk"},
        {"", "max_price: 12", "yes", "the highest price is still paid"},
        {"", "max_price: 11.999999", "price: 12000000", "a millionth too dear"},
        {"price=0", "max_price: 0.01", "yes", "for nothing"},
        {"spot=true", "", "pricing: spot", "on-demand is the default"},
        {"spot=true", "spot_policy: spot", "yes", "spot wanted"},
        {"", "spot_policy: spot", "pricing: on-demand", "spot wanted, on-demand offered"},
        {"spot=true", "spot_policy: auto", "yes", "either, spot"},
        {"", "spot_policy: auto", "yes", "either, on-demand"},
        {"spot=true", "spot_policy: on-demand", "pricing: spot", "said aloud"},
        {"spot=true backend=lambda", "spot_policy: auto", "pricing: none",
         "Lambda has no spot instances"},
        {"spot=true price=13", "max_price: 12", "price: 13000000", "price before spot"},
        {"cpus=1", "{max_price: 1}", "price: 12000000", "price before CPUs"},
    };
    for (const CaseRow& row : rows) {
        INFO(row.offer << " | " << row.run << ": " << row.why);
        std::string yaml = row.run;
        if (yaml.starts_with("{")) yaml = yaml.substr(1, yaml.size() - 2);
        CHECK(verdict_of(offer_with(row.offer), yaml) == row.expected);
    }
}

TEST_CASE("dstack matching: places", "[dialect][dstack]") {
    const CaseRow rows[] = {
        {"", "backends: [aws]", "yes", "of the list"},
        {"backend=AWS", "backends: [aws, gcp]", "yes", "backends have no case"},
        {"", "backends: [gcp, azure]", "backend: aws", "not of the list"},
        {"", "regions: [us-east-1]", "yes", "of the list"},
        {"", "regions: [US-East-1]", "yes", "regions have no case"},
        {"", "regions: [us-east]", "region: us-east-1", "the whole name counts"},
        {"", "instance_types: [P4D]", "yes", "instance types have no case"},
        {"", "instance_types: [p4de]", "instance: p4d", "another type"},
        {"zones=us-east-1a;us-east-1b", "availability_zones: [us-east-1b]", "yes", "one of two"},
        {"zones=us-east-1a", "availability_zones: [us-east-1b]", "availability_zone: us-east-1a",
         "another zone"},
        {"zones=us-east-1a", "availability_zones: [US-EAST-1A]", "yes", "whatever the case"},
        {"", "availability_zones: [us-east-1a]", "availability_zone: no known zone",
         "an offer without zones is left out"},
        {"zones=us-east-1a", "", "yes", "no zone asked"},
        {"", "reservation: cr-1", "reservation: unknown", "no such reservation is known"},
        {"backend=azure", "reservation: cr-1", "reservation: none", "Azure has none"},
        {"spot=true", "reservation: cr-1\nspot_policy: auto", "reservation: unknown",
         "what is reserved is not spot"},
        {"", "backends: [gcp]\nregions: [eu]\ninstance_types: [x]", "backend: aws",
         "backend before region"},
        {"", "regions: [eu]\ninstance_types: [x]", "region: us-east-1",
         "region before instance type"},
        {"", "instance_types: [x]\navailability_zones: [a]", "instance: p4d",
         "instance type before zone"},
        {"disk=1GB", "regions: [eu]", "disk: 1GiB", "disk before region"},
    };
    check_rows(rows);
}

TEST_CASE("dstack matching: what backends can do", "[dialect][dstack]") {
    const CaseRow rows[] = {
        {"", "nodes: 2", "yes", "AWS connects its instances"},
        {"backend=lambda", "nodes: 2", "multinode: none", "Lambda does not"},
        {"backend=lambda", "nodes: 1", "yes", "one node needs no connection"},
        {"backend=remote", "nodes: 4", "yes", "hosts of an SSH fleet do"},
        {"backend=runpod", "nodes: 2", "yes", "RunPod does"},
        {"backend=vastai", "nodes: 2", "multinode: none", "Vast.ai does not"},
        {"backend=nobody", "", "yes", "of an unknown backend nothing is wanted here"},
        {"backend=nobody", "nodes: 2", "multinode: none", "an unknown backend can do nothing"},
        {"backend=AZURE", "nodes: 2", "yes", "backends have no case"},
        {"backend=lambda price=99", "nodes: 2\nmax_price: 1", "multinode: none",
         "abilities before the price"},
        {"blocks=8", "resources: {gpu: 1}", "yes", "one block has one GPU"},
        {"blocks=8", "nodes: 2\nresources: {gpu: 1}", "device_count: 8",
         "several nodes are whole instances"},
        {"blocks=8", "nodes: 2\nresources: {gpu: 8}", "yes", "all blocks of each"},
        {"blocks=8 backend=runpod", "resources: {gpu: 1}", "blocks: none",
         "containers are not cut into blocks"},
        {"blocks=8 backend=kubernetes", "resources: {gpu: 1}", "blocks: none", "nor are pods"},
        {"blocks=8 backend=remote", "resources: {gpu: 1}", "yes", "hosts are"},
        {"blocks=5", "", "blocks: what does not divide", "96 CPUs in 5 blocks"},
        {"blocks=4 gpu_count=6", "", "blocks: what does not divide", "6 GPUs in 4 blocks"},
    };
    check_rows(rows);
    dstack::MatchOptions options;
    options.is_privileged = true;
    CHECK(verdict_of(offer_with("backend=runpod"), "", options) == "privileged: none");
    CHECK(verdict_of(offer_with("backend=kubernetes"), "", options) == "yes");
    options.is_privileged = false;
    options.has_instance_volumes = true;
    CHECK(verdict_of(offer_with("backend=vastai"), "", options) == "instance_volumes: none");
    CHECK(verdict_of(offer_with("backend=lambda"), "", options) == "yes");
}

TEST_CASE("dstack matching: interconnects and reservations that are known", "[dialect][dstack]") {
    dstack::MatchOptions options;
    options.interconnects = {Offer::Interconnect::efa, Offer::Interconnect::infiniband};
    CHECK(verdict_of(offer_with("interconnect=efa"), "", options) == "yes");
    CHECK(verdict_of(offer_with("interconnect=roce"), "", options) == "interconnect: roce");
    CHECK(verdict_of(offer_with("interconnect=none"), "", options) == "interconnect: none");
    CHECK(verdict_of(offer_with(""), "", options) == "interconnect: an unknown interconnect");
    options = {};
    options.reservations = {{"cr-1", "aws", "us-east-1", "P4D"}, {"cr-2", "", "us-west-2", ""}};
    CHECK(verdict_of(offer_with(""), "reservation: cr-1", options) == "yes");
    CHECK(verdict_of(offer_with(""), "reservation: cr-2", options) ==
          "reservation: aws us-east-1 p4d");
    CHECK(verdict_of(offer_with("region=us-west-2"), "reservation: cr-2", options) == "yes");
    CHECK(verdict_of(offer_with("instance=p5"), "reservation: cr-1", options) ==
          "reservation: aws us-east-1 p5");
    CHECK(verdict_of(offer_with(""), "reservation: cr-3", options) == "reservation: unknown");
    options.has_more_reservations = true;
    CHECK(verdict_of(offer_with(""), "reservation: cr-3", options) == "yes");
    CHECK(verdict_of(offer_with("spot=true"), "reservation: cr-3\nspot_policy: auto", options) ==
          "reservation: spot");
}

}  // namespace trestle
