"""The collector is off inside and as it was before outside, whatever happens."""

import gc

import pytest

from bucketviz.garbage import collection_paused


def test_the_collector_is_off_inside_and_on_again_afterwards() -> None:
    with collection_paused():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_an_error_does_not_leave_it_off() -> None:
    with pytest.raises(ZeroDivisionError), collection_paused():
        raise ZeroDivisionError
    assert gc.isenabled()


def test_it_stays_off_where_the_user_or_an_outer_pause_wants_it_off() -> None:
    with collection_paused():
        with collection_paused():
            pass
        assert not gc.isenabled()
    gc.disable()
    try:
        with collection_paused():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
