# SPDX-License-Identifier: Apache-2.0
"""Hosts in blocks, and who has which."""

import json

import pytest
import trestle
from trestle import dstack, testing

GIB = 1 << 30


def shape_of(text):
    return testing.node_from_text(text).shape


def instance_of(text, blocks):
    return trestle.look_at(trestle.Instance(name="a"), shape_of(text), blocks)


def test_a_host_splits_into_equal_blocks_and_says_what_is_left():
    shape = shape_of("2s16c mem=512G gpu:a100-80G:8 nic:cx7:2")
    assert trestle.even_blocks(shape) == 8
    parts = trestle.split(shape)
    assert len(parts.blocks) == 8
    assert [len(block.cores) for block in parts.blocks] == [4] * 8
    assert all(block.total_memory() == 64 * GIB for block in parts.blocks)
    assert list(parts.rest.device_set()) == [8, 9]
    refusal = trestle.split(shape, 3)
    assert not refusal and "8 gpu a100 do not divide into 3 blocks" in refusal.reason


def test_blocks_have_owners():
    free = instance_of("2s64c mem=2T gpu:a100-80G:8", 8)
    assert str(trestle.choose_blocks(free, 2)) == "0-1"
    taken = trestle.take_blocks(free, trestle.BlockSet("0-1"), 7)
    assert free.blocks.is_idle() and not taken.blocks.is_idle()
    assert list(taken.blocks.blocks_of(7)) == [0, 1] and len(taken.blocks.free()) == 6
    with pytest.raises(trestle.Error, match="block 1 belongs to owner 7"):
        trestle.take_blocks(taken, trestle.BlockSet([1]), 8)
    with pytest.raises(trestle.Error, match="block 0 belongs to owner 7, not to 8"):
        trestle.give_back_blocks(taken, trestle.BlockSet([0]), 8)
    back = trestle.give_back_blocks(taken, trestle.BlockSet("0-1"), 7)
    assert back == free
    with pytest.raises(trestle.Error, match="block 0 is free"):
        trestle.give_back_blocks(back, trestle.BlockSet([0]), 7)


def test_a_share_is_exact():
    instance = instance_of("2s8c2t mem=64G arch=arm gpu:2", 2)
    half = trestle.share_of(instance, trestle.BlockSet([1]))
    assert (half.cpus, half.memory, half.is_whole()) == (16, 32 * GIB, False)
    assert half.architecture == trestle.Architecture.arm and len(half.threads) == 16
    assert list(half.placement.device_set()) == [1]
    assert trestle.share_of(instance, instance.blocks.all()).is_whole()
    with pytest.raises(ValueError, match="blocks 2, expected some of 0-1"):
        trestle.share_of(instance, trestle.BlockSet([2]))


def test_offers_and_hosts_have_the_same_shares():
    shape = shape_of("2s8c mem=65G gpu:4")
    offer = trestle.offer_of(shape).replace(blocks=4)
    assert trestle.even_blocks(offer) == 4
    assert trestle.with_blocks(offer, trestle.BlockCount(is_auto=True)) == offer
    assert trestle.with_blocks(offer, trestle.BlockCount(count=2)).blocks == 2
    assert trestle.share_of(offer, 1).memory == trestle.split(shape, 4).blocks[0].total_memory()


def test_what_is_inconsistent_is_an_error():
    instance = instance_of("4c mem=4G", 4)
    broken = instance.replace(blocks=trestle.HostBlocks.unseen(3))
    with pytest.raises(ValueError, match="3 blocks have owners or none, its offer has 4"):
        trestle.usable_blocks(broken)
    with pytest.raises(trestle.ContractViolation, match="a block is wanted"):
        trestle.choose_blocks(instance, 0)
    assert not trestle.choose_blocks(instance, 5)


def test_instances_are_values():
    instance = instance_of("4c mem=4G", 2)
    assert trestle.Instance.from_json(instance.to_json()) == instance
    assert json.loads(instance.to_json())["blocks"]["owners"] == [None, None]


def test_an_instance_is_an_offer_with_what_is_taken_of_it():
    instance = instance_of("4c mem=4G", 4)
    assert trestle.takes_work(instance)
    assert trestle.offer_of(instance).availability == trestle.Availability.idle
    taken = trestle.take_blocks(instance, trestle.BlockSet([0, 2, 3]), 7)
    assert trestle.offer_of(taken).availability == trestle.Availability.idle
    taken = trestle.take_blocks(taken, trestle.BlockSet([1]), 8)
    assert trestle.offer_of(taken).availability == trestle.Availability.busy
    assert dstack.to_table([instance, taken]).splitlines()[1].endswith("idle")
    assert dstack.to_table([instance, taken]).splitlines()[2].endswith("4/4 busy")
    gone = instance.replace(is_reachable=False)
    assert not trestle.takes_work(gone)
    assert trestle.offer_of(gone).availability == trestle.Availability.not_available
