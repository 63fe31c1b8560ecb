"""The ACL of what we create, by path, as Kafka chooses it.

`zookeeper.set.acl` off: everyone may do everything. On: only we may change, the world may read, except what holds
credentials; /consumers stays open, because the old consumers write there without authentication.
"""

from ottla.coordination import paths
from ottla.coordination.acl import ALL, OPEN_ACL, READ_ACL, Acl, AclList, Id

CREATOR_ALL: AclList = (Acl(ALL, Id("auth", "")),)


def created_acl(path: str, *, secure: bool) -> AclList:
    if not secure or path == paths.CONSUMERS or path.startswith(paths.CONSUMERS + "/"):
        return OPEN_ACL
    if paths.is_sensitive(path):
        return CREATOR_ALL
    return CREATOR_ALL + READ_ACL
