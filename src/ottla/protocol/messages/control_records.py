"""The payloads of KRaft's control records."""

from ottla.protocol.schema import Data, Struct, array, int16, int32, int64, string, struct_, uint16, uuid_


class LeaderChangeMessageVoter(Struct):
    voter_id = int32()
    voter_directory_id = uuid_("1+")


class LeaderChangeMessage(Data, versions="0-1", flexible="0+"):
    version = int16()
    leader_id = int32()
    voters = array(LeaderChangeMessageVoter)
    granting_voters = array(LeaderChangeMessageVoter)


class SnapshotHeaderRecord(Data, versions="0", flexible="0+"):
    version = int16()
    last_contained_log_timestamp = int64()


class SnapshotFooterRecord(Data, versions="0", flexible="0+"):
    version = int16()


class KRaftVersionRecord(Data, versions="0", flexible="0+"):
    version = int16()
    kraft_version = int16()


class Endpoint(Struct):
    name = string()
    host = string()
    port = uint16()


class KRaftVersionFeature(Struct):
    min_supported_version = int16()
    max_supported_version = int16()


class VotersRecordVoter(Struct):
    voter_id = int32()
    voter_directory_id = uuid_()
    endpoints = array(Endpoint)
    kraft_version_feature = struct_(KRaftVersionFeature)


class VotersRecord(Data, versions="0", flexible="0+"):
    version = int16()
    voters = array(VotersRecordVoter)
