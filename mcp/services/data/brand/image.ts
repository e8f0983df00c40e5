/** Facts in the first bytes of a file: its format, and its size where they tell it. */
export type Image = { type: string; width: number | null; height: number | null; sizes: string[] }

const starts = (bytes: Buffer, text: string, at = 0) =>
  bytes.subarray(at, at + text.length).toString('latin1') === text

const sizedImage = (type: string, width: number, height: number): Image => ({
  type,
  width,
  height,
  sizes: [`${width}x${height}`],
})

const unsizedImage = (type: string): Image => ({ type, width: null, height: null, sizes: [] })

/** An icon file holds several images; a side of 0 stands for 256. */
const readIco = (bytes: Buffer): Image | undefined => {
  const count = bytes.readUInt16LE(4)
  if (count === 0 || count > 256 || bytes.length < 22) return undefined
  const sides: (readonly [number, number])[] = []
  for (let at = 6; at + 16 <= bytes.length && sides.length < count; at += 16)
    sides.push([bytes[at] || 256, bytes[at + 1] || 256])
  const [width = 0, height = 0] = [...sides].sort((a, b) => b[0] - a[0])[0] ?? []
  const sizes = [...new Set(sides.map(([w, h]) => `${w}x${h}`))]
  return { type: 'image/x-icon', width, height, sizes }
}

/** Looks for the frame header among the segments of a JPEG. */
const readJpeg = (bytes: Buffer): Image => {
  for (let at = 2; at + 9 < bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1] ?? 0
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return sizedImage('image/jpeg', bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5))
    at += 2 + Math.max(2, bytes.readUInt16BE(at + 2))
  }
  return unsizedImage('image/jpeg')
}

const readWebp = (bytes: Buffer): Image => {
  if (starts(bytes, 'VP8X', 12) && bytes.length >= 30)
    return sizedImage('image/webp', bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1)
  if (starts(bytes, 'VP8L', 12) && bytes.length >= 25) {
    const bits = bytes.readUInt32LE(21)
    return sizedImage('image/webp', (bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1)
  }
  if (starts(bytes, 'VP8 ', 12) && bytes.length >= 30)
    return sizedImage('image/webp', bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff)
  return unsizedImage('image/webp')
}

const readSvg = (bytes: Buffer): Image | undefined => {
  const text = bytes.subarray(0, 4096).toString('utf8')
  const at = text.search(/<svg[\s>]/i)
  return at < 0 || /<html|<body|<!doctype\s+html/i.test(text.slice(0, at))
    ? undefined
    : unsizedImage('image/svg+xml')
}

/** Reads an image by its bytes, whatever its name or media type; undefined for what is none, such as a page of HTML. */
export const parseImage = (bytes: Buffer): Image | undefined => {
  if (bytes.length < 8) return undefined
  if (bytes.readUInt32BE(0) === 0x00000100) return readIco(bytes)
  if (starts(bytes, '\x89PNG\r\n\x1a\n'))
    return bytes.length < 24
      ? unsizedImage('image/png')
      : sizedImage('image/png', bytes.readUInt32BE(16), bytes.readUInt32BE(20))
  if (starts(bytes, 'GIF87a') || starts(bytes, 'GIF89a'))
    return bytes.length < 10
      ? unsizedImage('image/gif')
      : sizedImage('image/gif', bytes.readUInt16LE(6), bytes.readUInt16LE(8))
  if (bytes.readUIntBE(0, 3) === 0xffd8ff) return readJpeg(bytes)
  if (starts(bytes, 'RIFF') && starts(bytes, 'WEBP', 8)) return readWebp(bytes)
  if (starts(bytes, 'ftypavi', 4)) return unsizedImage('image/avif')
  if (starts(bytes, 'BM')) return unsizedImage('image/bmp')
  return readSvg(bytes)
}
