# put first on PYTHONPATH of debate only: from 2 s after start, time.time() and datetime.now() are shifted
import os, time, datetime as _d

_t, _m, _s = time.time, time.monotonic, float(os.environ.get("SHIFT", "86400"))
_t0 = _m()


def _time():
    return _t() + (_s if _m() - _t0 > 2 else 0)


time.time = _time


class _DT(_d.datetime):
    @classmethod
    def now(cls, tz=None):
        return cls.fromtimestamp(_time(), tz)


_d.datetime = _DT
