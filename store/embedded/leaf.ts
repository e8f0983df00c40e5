import { sharedBytes, type TextBytes } from './packed-keys.ts'

/**
 * A short sorted list of texts as bytes: offsets of its cells from the front, cells from the back, each its length and what
 * follows the prefix that all texts share. Every unit of a text is one byte.
 */
export type TextLeaf = {
  buffer: Buffer
  /** Start of the leaf in the buffer, and its size in bytes. */
  at: number
  size: number
  /** Cells stand at multiples of `1 << shift`, so that two bytes name their offsets. */
  shift: number
  count: number
  /** The lowest cell. */
  floor: number
  /** Bytes of cells that were removed. */
  garbage: number
  prefix: string
  /** No text here is before it, and every text of the leaf before is. */
  fence: string
}

/** Bytes of a leaf, unless one text alone needs more. */
export const leafBytes = 4096

const perSlot = 2
const longCell = 0x80
const maxShortCell = 127

const headBytes = (length: number): number => (length > maxShortCell ? 5 : 1)

const offsetOf = ({ buffer, at, shift }: TextLeaf, place: number): number => {
  const slot = at + place * perSlot
  return at + (((buffer[slot] as number) | ((buffer[slot + 1] as number) << 8)) << shift)
}

const lengthAt = (buffer: Buffer, cell: number): number => {
  const length = buffer[cell] as number
  return length === longCell ? buffer.readUInt32LE(cell + 1) : length
}

/** The longest text that both begin with. */
export const commonPrefix = (a: string, b: string): string => {
  const length = Math.min(a.length, b.length)
  let same = 0
  while (same < length && a.charCodeAt(same) === b.charCodeAt(same)) same++
  return a.slice(0, same)
}

/** Negative, zero or positive as text `place` stands before, at or behind one that has in `text`, from unit `skip`, what follows the prefix. */
export const compareRest = (leaf: TextLeaf, place: number, text: string, skip: number): number => {
  const { buffer } = leaf
  const cell = offsetOf(leaf, place)
  const length = lengthAt(buffer, cell)
  const start = cell + headBytes(length)
  const rest = text.length - skip
  const common = length < rest ? length : rest
  for (let unit = 0; unit < common; unit++) {
    const order = (buffer[start + unit] as number) - text.charCodeAt(skip + unit)
    if (order !== 0) return order
  }
  return length - rest
}

/** Negative, zero or positive as text `place` stands before, at or behind `text`. */
export const compareAt = (leaf: TextLeaf, place: number, text: string): number => {
  if (text.startsWith(leaf.prefix)) return compareRest(leaf, place, text, leaf.prefix.length)
  return leaf.prefix < text ? -1 : 1
}

/** The place of `text`, or of the first one behind it. */
export const placeIn = (leaf: TextLeaf, text: string): number => {
  if (!text.startsWith(leaf.prefix)) return leaf.prefix < text ? leaf.count : 0
  let low = 0
  let high = leaf.count
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareRest(leaf, middle, text, leaf.prefix.length) < 0) low = middle + 1
    else high = middle
  }
  return low
}

/** Part of the text at a place behind the prefix. */
const unsharedAt = (leaf: TextLeaf, place: number): string => {
  const { buffer } = leaf
  const cell = offsetOf(leaf, place)
  const length = lengthAt(buffer, cell)
  const start = cell + headBytes(length)
  return buffer.toString('latin1', start, start + length)
}

/** The text at a place. */
export const textAt = (leaf: TextLeaf, place: number): string => leaf.prefix + unsharedAt(leaf, place)

/** Part of the text at a place behind `key`; `shared` is what the prefix has behind it, undefined where it does not hold it. */
export const restAt = (leaf: TextLeaf, place: number, key: string, shared: string | undefined): string =>
  shared === undefined ? textAt(leaf, place).slice(key.length) : shared + unsharedAt(leaf, place)

/** All texts of a leaf. */
export const leafTexts = (leaf: TextLeaf): string[] => {
  const texts: string[] = []
  for (let place = 0; place < leaf.count; place++) texts.push(textAt(leaf, place))
  return texts
}

const alignTo = (bytes: number, shift: number): number => ((bytes + (1 << shift) - 1) >>> shift) << shift

/** How much a text of so many units takes in a leaf, prefix apart. */
export const cellBytes = (length: number): number => perSlot + headBytes(length) + length

const writeCell = (leaf: TextLeaf, text: string): number => {
  const { buffer, at, shift, prefix } = leaf
  const length = text.length - prefix.length
  const head = headBytes(length)
  leaf.floor -= alignTo(head + length, shift)
  const cell = at + leaf.floor
  if (head === 1) buffer[cell] = length
  else {
    buffer[cell] = longCell
    buffer.writeUInt32LE(length, cell + 1)
  }
  if (length > 64) buffer.write(text.slice(prefix.length), cell + head, length, 'latin1')
  else
    for (let unit = 0; unit < length; unit++)
      buffer[cell + head + unit] = text.charCodeAt(prefix.length + unit)
  return leaf.floor >>> shift
}

const writeSlot = ({ buffer, at }: TextLeaf, place: number, offset: number): void => {
  buffer[at + place * perSlot] = offset & 0xff
  buffer[at + place * perSlot + 1] = offset >>> 8
}

/** Puts a text at its place; false, and nothing is done, where it does not share the prefix or finds no room. */
export const insertAt = (leaf: TextLeaf, place: number, text: string): boolean => {
  const { buffer, at, prefix, shift } = leaf
  if (!text.startsWith(prefix)) return false
  const length = text.length - prefix.length
  const bytes = alignTo(headBytes(length) + length, shift)
  const slots = leaf.count * perSlot
  if (leaf.floor - slots - perSlot < bytes) return false
  buffer.copyWithin(at + (place + 1) * perSlot, at + place * perSlot, at + slots)
  writeSlot(leaf, place, writeCell(leaf, text))
  leaf.count++
  return true
}

/** Takes the text at a place out. */
export const removeAt = (leaf: TextLeaf, place: number): void => {
  const { buffer, at, shift } = leaf
  const length = lengthAt(buffer, offsetOf(leaf, place))
  leaf.garbage += alignTo(headBytes(length) + length, shift)
  buffer.copyWithin(at + place * perSlot, at + (place + 1) * perSlot, at + leaf.count * perSlot)
  leaf.count--
}

const scratch = Buffer.allocUnsafeSlow(leafBytes)

/** Closes the holes between cells, where they are worth it. Returns whether it did. */
export const compactLeaf = (leaf: TextLeaf): boolean => {
  const { buffer, at, size, shift, count } = leaf
  if (leaf.garbage < leafBytes / 8 || size > leafBytes) return false
  buffer.copy(scratch, 0, at, at + size)
  let floor = size
  for (let place = 0; place < count; place++) {
    const slot = place * perSlot
    const cell = ((scratch[slot] as number) | ((scratch[slot + 1] as number) << 8)) << shift
    const length = lengthAt(scratch, cell)
    const bytes = headBytes(length) + length
    floor -= bytes
    for (let byte = 0; byte < bytes; byte++) buffer[at + floor + byte] = scratch[cell + byte] as number
    writeSlot(leaf, place, floor)
  }
  leaf.floor = floor
  leaf.garbage = 0
  return true
}

/** Bytes that the texts of a leaf take in it. */
export const bytesIn = (leaf: TextLeaf): number =>
  leaf.size - leaf.floor - leaf.garbage + leaf.count * perSlot

const emptyLeaf = (
  { buffer, at, size }: { buffer: Buffer; at: number; size: number },
  prefix: string,
  fence: string,
): TextLeaf => {
  let shift = 0
  while (size >>> shift > 0x10000) shift++
  const floor = Math.min(size, 0xffff << shift)
  return { buffer, at, size: floor, shift, count: 0, floor, garbage: 0, prefix, fence }
}

/** Writes sorted texts into an empty piece of a buffer, which `cellBytes` of them and `size` must allow. */
export const writeLeaf = (
  piece: { buffer: Buffer; at: number; size: number },
  texts: readonly string[],
  fence: string,
): TextLeaf => {
  const prefix = texts.length > 1 ? commonPrefix(texts[0] as string, texts.at(-1) as string) : ''
  const leaf = emptyLeaf(piece, prefix, fence)
  for (const text of texts) writeSlot(leaf, leaf.count++, writeCell(leaf, text))
  return leaf
}

const writeBytesCell = (leaf: TextLeaf, { bytes, start, end }: TextBytes): number => {
  const { buffer, at, shift, prefix } = leaf
  const from = start + prefix.length
  const length = end - from
  const head = headBytes(length)
  leaf.floor -= alignTo(head + length, shift)
  const cell = at + leaf.floor
  if (head === 1) buffer[cell] = length
  else {
    buffer[cell] = longCell
    buffer.writeUInt32LE(length, cell + 1)
  }
  if (length > 64) bytes.copy(buffer, cell + head, from, end)
  else for (let unit = 0; unit < length; unit++) buffer[cell + head + unit] = bytes[from + unit] as number
  return leaf.floor >>> shift
}

const sharedByAll = (texts: readonly TextBytes[]): number =>
  texts.length > 1 ? sharedBytes(texts[0] as TextBytes, texts.at(-1) as TextBytes) : 0

/** As `writeLeaf`, of texts that are bytes already. */
export const writeBytesLeaf = (
  piece: { buffer: Buffer; at: number; size: number },
  texts: readonly TextBytes[],
  fence: string,
): TextLeaf => {
  const { bytes, start } = texts[0] as TextBytes
  const prefix = bytes.toString('latin1', start, start + sharedByAll(texts))
  const leaf = emptyLeaf(piece, prefix, fence)
  for (const text of texts) writeSlot(leaf, leaf.count++, writeBytesCell(leaf, text))
  return leaf
}

/** As `neededBytes`, of texts that are bytes already. */
export const neededForBytes = (texts: readonly TextBytes[]): number => {
  const prefix = sharedByAll(texts)
  let bytes = 0
  for (const { start, end } of texts) bytes += cellBytes(end - start - prefix)
  return bytes
}

/** Bytes of a leaf that these sorted texts need. */
export const neededBytes = (texts: readonly string[]): number => {
  const prefix = texts.length > 1 ? commonPrefix(texts[0] as string, texts.at(-1) as string).length : 0
  let bytes = 0
  for (const text of texts) bytes += cellBytes(text.length - prefix)
  return bytes
}
