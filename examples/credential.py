# SPDX-License-Identifier: Apache-2.0
"""From the scheduler to a node: a signed credential, the plan that its agent makes of it, and what
the agent reports when a GPU is gone."""

import hashlib
import hmac

import trestle
from trestle import slurm

KEY = b"both sides know this"


def sign(content: bytes) -> bytes:
    return hmac.new(KEY, content, hashlib.sha256).digest()


def verify(content: bytes, signature: bytes) -> bool:
    return hmac.compare_digest(sign(content), signature)


# The scheduler decides, and sends a text to each node.
cluster = trestle.Cluster.from_text("4 x (2s8c mem=64G gpu:a100:4)")
request = slurm.parse_options(["-N2", "--gres=gpu:2", "-c4", "--mem=16G"]).request
placement = trestle.place(cluster, request)
assert isinstance(placement, trestle.Placement)
cluster.commit(trestle.Allocation(42, request, placement))
allocation = cluster.find_allocation(42)
assert allocation is not None
text = trestle.write_credential(trestle.credential_of(allocation, cluster), sign)

# The agent of n1 knows its own machine and the key.
node = cluster.node(1)
credential = trestle.read_credential(text, verify)
options = trestle.PlanOptions(group=f"job_{credential.allocation.owner}")
print(trestle.plan_of(credential, node, trestle.LimitPolicy(), options))

# Without the key a credential cannot be forged.
forged = trestle.write_credential(credential, lambda content: b"a guess")
try:
    trestle.read_credential(forged, verify)
except PermissionError as error:
    print(error)

# A GPU falls off the bus of n1 while the job has it.
reported = node.shape.replace(devices=node.shape.devices[1:])
for finding in trestle.check_registration(node.shape, reported, cluster.ledger(1)):
    print(finding)
