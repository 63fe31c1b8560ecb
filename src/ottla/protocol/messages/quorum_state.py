"""The `quorum-state` file of a KRaft node."""

from ottla.protocol.schema import Data, Struct, int32, int64, nullable_array, string, uuid_


class Voter(Struct):
    voter_id = int32("0")


class QuorumStateData(Data, versions="0-1", flexible="0+"):
    cluster_id = string("0")
    leader_id = int32(default=-1)
    leader_epoch = int32(default=-1)
    voted_id = int32(default=-1)
    voted_directory_id = uuid_("1+")
    applied_offset = int64("0")
    current_voters = nullable_array(Voter, "0")
