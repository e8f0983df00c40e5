/** A photo's word on itself. Anybody can write it: a claim, never a fact. */
export type Exif = {
  /** As the camera wrote it: `2026-11-22T10:15:00`, with an offset where it tells one. */
  taken_at: string | null
  lat: number | null
  lng: number | null
  camera: string | null
}

type Entry = { type: number; count: number; at: number }
type Ifd = ReadonlyMap<number, Entry>
type Reader = { view: DataView; little: boolean }

const maxEntries = 256
const sizes: Readonly<Record<number, number>> = { 1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 7: 1, 9: 4, 10: 8 }

const readIfd = ({ view, little }: Reader, at: number): Ifd => {
  const count = view.getUint16(at, little)
  const entries = new Map<number, Entry>()
  if (count > maxEntries) return entries
  for (let n = 0; n < count; n++) {
    const place = at + 2 + n * 12
    const type = view.getUint16(place + 2, little)
    const length = view.getUint32(place + 4, little)
    const isInline = (sizes[type] ?? 8) * length <= 4
    const value = isInline ? place + 8 : view.getUint32(place + 8, little)
    entries.set(view.getUint16(place, little), { type, count: length, at: value })
  }
  return entries
}

const readText = ({ view }: Reader, entry: Entry | undefined): string | null => {
  if (entry?.type !== 2 || entry.count > 256) return null
  let text = ''
  for (let n = 0; n < entry.count; n++) {
    const code = view.getUint8(entry.at + n)
    if (code === 0) break
    text += code >= 32 && code < 127 ? String.fromCharCode(code) : ' '
  }
  return text.trim().slice(0, 60) || null
}

const readOffset = ({ view, little }: Reader, entry: Entry | undefined): number | undefined =>
  entry?.type === 4 ? view.getUint32(entry.at, little) : undefined

/** Degrees, minutes and seconds as rationals. */
const readDegrees = ({ view, little }: Reader, entry: Entry | undefined): number | null => {
  if (entry?.type !== 5 || entry.count < 1 || entry.count > 3) return null
  let degrees = 0
  for (let n = 0; n < entry.count; n++) {
    const over = view.getUint32(entry.at + n * 8, little)
    const under = view.getUint32(entry.at + n * 8 + 4, little)
    degrees += (under === 0 ? 0 : over / under) / 60 ** n
  }
  return degrees
}

const toSigned = (degrees: number | null, reference: string | null, max: number): number | null => {
  if (degrees === null || degrees > max) return null
  const signed = reference === 'S' || reference === 'W' ? -degrees : degrees
  return Math.round(signed * 1e6) / 1e6
}

const toTime = (text: string | null, offset: string | null): string | null => {
  const [, year, month, day, time] = /^(\d{4}):(\d\d):(\d\d) (\d\d:\d\d:\d\d)$/.exec(text ?? '') ?? []
  if (year === undefined || Number.isNaN(Date.parse(`${year}-${month}-${day}T${time}Z`))) return null
  return `${year}-${month}-${day}T${time}${/^[+-]\d\d:\d\d$/.test(offset ?? '') ? offset : ''}`
}

const readTiff = (bytes: Uint8Array): Exif => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const reader: Reader = { view, little: view.getUint16(0) === 0x4949 }
  const main = readIfd(reader, view.getUint32(4, reader.little))
  const [exifAt, placeAt] = [readOffset(reader, main.get(0x8769)), readOffset(reader, main.get(0x8825))]
  const exif: Ifd = exifAt === undefined ? new Map() : readIfd(reader, exifAt)
  const place: Ifd = placeAt === undefined ? new Map() : readIfd(reader, placeAt)
  const lat = toSigned(readDegrees(reader, place.get(2)), readText(reader, place.get(1)), 90)
  const lng = toSigned(readDegrees(reader, place.get(4)), readText(reader, place.get(3)), 180)
  const makers = [readText(reader, main.get(0x010f)), readText(reader, main.get(0x0110))]
  return {
    taken_at: toTime(readText(reader, exif.get(0x9003)), readText(reader, exif.get(0x9011))),
    lat: lng === null ? null : lat,
    lng: lat === null ? null : lng,
    camera: makers.filter(part => part !== null).join(' ') || null,
  }
}

/** The TIFF block in a JPEG (APP1) or PNG (eXIf). */
const findTiff = (bytes: Uint8Array): Uint8Array | undefined => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (view.getUint16(0) === 0xffd8) {
    for (let at = 2; at + 4 <= bytes.length && bytes[at] === 0xff; ) {
      const [marker, length] = [bytes[at + 1], view.getUint16(at + 2)]
      if (marker === 0xda || length < 2) return undefined
      const isExif = marker === 0xe1 && view.getUint32(at + 4) === 0x45786966
      if (isExif) return bytes.subarray(at + 10, at + 2 + length)
      at += 2 + length
    }
    return undefined
  }
  if (view.getUint32(0) !== 0x89504e47) return undefined
  for (let at = 8; at + 8 <= bytes.length; at += 12 + view.getUint32(at))
    if (view.getUint32(at + 4) === 0x65584966)
      return bytes.subarray(at + 8, at + 8 + Math.min(view.getUint32(at), bytes.length - at - 8))
  return undefined
}

/** Reads what a JPEG or PNG says of when, where and with what it was made; null where it says nothing that can be read. */
export const readExif = (bytes: Uint8Array): Exif | null => {
  try {
    const tiff = findTiff(bytes)
    if (!tiff) return null
    const exif = readTiff(tiff)
    return Object.values(exif).every(value => value === null) ? null : exif
  } catch (error) {
    // The bytes point beyond their end.
    if (error instanceof RangeError) return null
    throw error
  }
}
