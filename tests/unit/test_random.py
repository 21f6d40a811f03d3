"""The stream of a task depends on its seed and key alone."""

from quorate._random import generator


def test_the_same_seed_and_key_give_the_same_stream() -> None:
    first, other_key, again, other_seed = (
        generator(seed, "bootstrap", block).random(4).tolist() for seed, block in ((0, 3), (0, 4), (0, 3), (1, 3))
    )
    assert first == again
    assert first not in (other_key, other_seed)
