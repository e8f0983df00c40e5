"""Verifies a proof with Python's standard library alone: NIP-01, BIP-340 and RFC 9162, written from their texts."""
import base64
import hashlib
import json
import sys

P = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEFFFFFC2F
N = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
G = (
    0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
    0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8,
)


def add(a, b):
    if a is None:
        return b
    if b is None:
        return a
    if a[0] == b[0] and a[1] != b[1]:
        return None
    if a == b:
        slope = 3 * a[0] * a[0] * pow(2 * a[1], P - 2, P) % P
    else:
        slope = (b[1] - a[1]) * pow(b[0] - a[0], P - 2, P) % P
    x = (slope * slope - a[0] - b[0]) % P
    return x, (slope * (a[0] - x) - a[1]) % P


def multiply(point, factor):
    result = None
    while factor:
        if factor & 1:
            result = add(result, point)
        point = add(point, point)
        factor >>= 1
    return result


def verify_bip340(message, key, signature):
    x, r, s = int.from_bytes(key, "big"), int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
    square = (pow(x, 3, P) + 7) % P
    y = pow(square, (P + 1) // 4, P)
    if x >= P or r >= P or s >= N or y * y % P != square:
        return False
    point = (x, y if y % 2 == 0 else P - y)
    tag = hashlib.sha256(b"BIP0340/challenge").digest()
    challenge = int.from_bytes(hashlib.sha256(tag + tag + signature[:32] + key + message).digest(), "big") % N
    sum_point = add(multiply(G, s), multiply(point, N - challenge))
    return sum_point is not None and sum_point[1] % 2 == 0 and sum_point[0] == r


def verify_event(event):
    fields = [0, event["pubkey"], event["created_at"], event["kind"], event["tags"], event["content"]]
    text = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
    digest = hashlib.sha256(text.encode()).digest()
    return digest.hex() == event["id"] and verify_bip340(
        digest, bytes.fromhex(event["pubkey"]), bytes.fromhex(event["sig"])
    )


def node(left, right):
    return hashlib.sha256(b"\x01" + left + right).digest()


def verify_inclusion(leaf, index, size, path, root):
    value, last = hashlib.sha256(b"\x00" + leaf).digest(), size - 1
    for sibling in path:
        if last == 0:
            return False
        if index % 2 or index == last:
            value = node(sibling, value)
            while index % 2 == 0 and index:
                index, last = index >> 1, last >> 1
        else:
            value = node(value, sibling)
        index, last = index >> 1, last >> 1
    return last == 0 and value == root



bundle = json.load(sys.stdin)
_, size, root = bundle["checkpoint"].split("\n")[:3]
path = [bytes.fromhex(item) for item in bundle["inclusion"]]
print(
    json.dumps(
        {
            "event": verify_event(bundle["event"]),
            "leaf": json.loads(bundle["leaf"])["event_id"] == bundle["event"]["id"],
            "inclusion": verify_inclusion(
                bundle["leaf"].encode(), bundle["index"], int(size), path, base64.b64decode(root)
            ),
        }
    )
)
