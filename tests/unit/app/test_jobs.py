from quorate.app.jobs import Jobs
from quorate.app.work import Task


def test_a_question_two_pages_wait_for_is_not_dropped_by_one_of_them() -> None:
    jobs = Jobs(workers=0)
    job = jobs.ask("key", Task("ask"))
    assert jobs.ask("key", Task("ask")) is job
    states: list[str] = []
    for _ in range(2):
        jobs.cancel("key", only_waiting=True)
        states.append(job.state)
    assert states == ["waiting", "cancelled"]
    assert jobs.ask("key", Task("ask")) is not job
    jobs.cancel("key")  # whoever says so stops it for all
    assert jobs.known["key"].state == "cancelled"
