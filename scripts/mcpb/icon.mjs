import { crc32, deflateSync } from 'node:zlib'

const size = 256
const violet = [76, 61, 196, 255]
const white = [255, 255, 255, 255]
const clear = [0, 0, 0, 0]

/** How far a point lies from the middle, measured so that points at the same distance form an octagon. */
const octagonal = (x, y) => {
  const [dx, dy] = [Math.abs(x - size / 2 + 0.5), Math.abs(y - size / 2 + 0.5)]
  return Math.max(dx, dy, (dx + dy) / Math.SQRT2)
}

const colour = distance => {
  if (distance > 124) return clear
  return distance > 60 && distance < 84 ? white : violet
}

const chunk = (type, data) => {
  const body = Buffer.concat([Buffer.from(type), data])
  const edges = Buffer.alloc(8)
  edges.writeUInt32BE(data.length, 0)
  edges.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([edges.subarray(0, 4), body, edges.subarray(4)])
}

/** The icon of the bundle, a ring of eight sides, as PNG (RFC 2083). */
export const icon = () => {
  const rows = Array.from({ length: size }, (_, y) =>
    Buffer.from([0, ...Array.from({ length: size }, (_, x) => colour(octagonal(x, y))).flat()]),
  )
  const header = Buffer.alloc(13)
  header.writeUInt32BE(size, 0)
  header.writeUInt32BE(size, 4)
  header.set([8, 6, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows), { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}
