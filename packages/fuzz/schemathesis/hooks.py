"""Every request comes from an address of its own, since wrong credentials are counted by address."""

from itertools import count

import schemathesis

addresses = count(1)


@schemathesis.hook
def before_call(context, case, kwargs):
    number = next(addresses)
    address = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
    case.headers = {**(case.headers or {}), "X-Forwarded-For": address}
