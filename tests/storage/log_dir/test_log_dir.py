"""The files of a log directory when the loop and the background both write them."""

import threading
from pathlib import Path

from ottla.disk.handle_cache import HandleCache
from ottla.disk.system_disk import SYSTEM_DISK
from ottla.model import TopicPartition
from ottla.storage.background import Background, ThreadBackground
from ottla.storage.log_dir.checkpoints import RECOVERY_POINT
from ottla.storage.log_dir.log_dir import LogDir
from support.replicas import HeldBackground

PARTITION = TopicPartition("t", 0)


def open_log_dir(path: Path, background: Background) -> LogDir:
    log_dir = LogDir(str(path), SYSTEM_DISK, HandleCache(), background, lambda log_dir, error: None)
    log_dir.open()
    return log_dir


def test_late_checkpoint_does_not_undo_a_newer_one(tmp_path: Path) -> None:
    background = HeldBackground()
    background.held = True
    log_dir = open_log_dir(tmp_path, background)
    log_dir.write_checkpoint(RECOVERY_POINT, {PARTITION: 100})
    log_dir.write_checkpoint_now(RECOVERY_POINT, {PARTITION: 7})
    background.run()
    assert log_dir.read_checkpoint(RECOVERY_POINT) == {PARTITION: 7}
    log_dir.release()


def test_checkpoints_of_two_threads_do_not_meet_in_one_file(tmp_path: Path) -> None:
    errors: list[Exception] = []
    background = ThreadBackground("test", lambda call: call())
    log_dir = open_log_dir(tmp_path, background)
    submitted = threading.Event()

    def submit() -> None:
        for offset in range(50):
            log_dir.background.submit(
                lambda: log_dir._write_newest(log_dir.own_view(), RECOVERY_POINT),
                lambda error: errors.append(error) if error else None,
            )
            if offset == 10:
                submitted.set()

    log_dir.write_checkpoint_now(RECOVERY_POINT, {PARTITION: 0})
    submitter = threading.Thread(target=submit)
    submitter.start()
    submitted.wait()
    for offset in range(50):
        log_dir.write_checkpoint_now(RECOVERY_POINT, {PARTITION: offset})
    submitter.join()
    log_dir.release()
    assert not errors
    assert log_dir.read_checkpoint(RECOVERY_POINT) == {PARTITION: 49}
