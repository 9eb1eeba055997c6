"""Remedies for unknown words."""

from humanoid_description.errors import did_you_mean


def test_the_nearest_word_and_all_of_them_are_named() -> None:
    assert did_you_mean("left_kne", ["left_knee", "torso"]) == "Did you mean 'left_knee'? Known: left_knee, torso."
    assert did_you_mean("xyz", ["left_knee", "torso"]) == "Known: left_knee, torso."
    assert did_you_mean("xyz", []) == "None are known here."
