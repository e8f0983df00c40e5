"""Verifies a signed statement with nothing but Python: Ed25519 as RFC 8032 section 5.1.7 writes it, over the text that json writes."""
import base64
import hashlib
import json
import sys

p = 2**255 - 19
order = 2**252 + 27742317777372353535851937790883648493
d = -121665 * pow(121666, p - 2, p) % p


def recover_x(y, sign):
    x2 = (y * y - 1) * pow(d * y * y + 1, p - 2, p)
    x = pow(x2, (p + 3) // 8, p)
    if (x * x - x2) % p:
        x = x * pow(2, (p - 1) // 4, p) % p
    assert not (x * x - x2) % p, "no such point"
    return p - x if x & 1 != sign else x


def read_point(data):
    number = int.from_bytes(data, "little")
    y, sign = number & (1 << 255) - 1, number >> 255
    x = recover_x(y, sign)
    return x, y, 1, x * y % p


def add(one, other):
    a = (one[1] - one[0]) * (other[1] - other[0]) % p
    b = (one[1] + one[0]) * (other[1] + other[0]) % p
    c = 2 * one[3] * other[3] * d % p
    e = 2 * one[2] * other[2] % p
    f, g, h, i = b - a, e - c, e + c, b + a
    return f * g % p, h * i % p, g * h % p, f * i % p


def multiply(factor, point):
    result = (0, 1, 1, 0)
    while factor:
        if factor & 1:
            result = add(result, point)
        point = add(point, point)
        factor >>= 1
    return result


def verify(key, text, signature):
    base_y = 4 * pow(5, p - 2, p) % p
    base_x = recover_x(base_y, 0)
    s = int.from_bytes(signature[32:], "little")
    digest = hashlib.sha512(signature[:32] + key + text).digest()
    h = int.from_bytes(digest, "little") % order
    left = multiply(s, (base_x, base_y, 1, base_x * base_y % p))
    right = add(read_point(signature[:32]), multiply(h, read_point(key)))
    same_x = (left[0] * right[2] - right[0] * left[2]) % p == 0
    return s < order and same_x and (left[1] * right[2] - right[1] * left[2]) % p == 0


signed = json.load(sys.stdin)
key = base64.b64decode(signed["public_key"])
payload = signed.get("payload", json.loads(signed["canonical"]))
text = json.dumps(payload, sort_keys=True, separators=(",", ":"))
print(
    json.dumps(
        {
            "same_text": text == signed["canonical"],
            "holds": verify(key, text.encode(), base64.b64decode(signed["signature"])),
            "fingerprint": hashlib.sha256(key).hexdigest()[:16],
        }
    )
)
