import type { TransparencyLog } from './log.ts'

/** Hashes, or entries, of a whole tile (C2SP tlog-tiles). */
export const tileWidth = 256

/** Levels of tiles; a tree of 2^48 leaves has six. */
const maxLevel = 6

/** Target of a tile path: hashes of a level, or entries. `width` is below 256 for a partial tile. */
export type Tile = { level: number | 'entries'; index: number; width: number }

/** The segments after `/tile/`: `0/x001/067`, `entries/000.p/12`. Undefined for anything else, and for other spellings of it. */
export const parseTilePath = (segments: readonly string[]): Tile | undefined => {
  const [first = '', ...rest] = segments
  const level = first === 'entries' ? first : /^[0-6]$/.test(first) ? Number(first) : undefined
  const [, width] = /^([1-9]\d{0,2})$/.exec(rest.at(-1) ?? '') ?? []
  const isPartial = rest.at(-2)?.endsWith('.p') === true
  const names = isPartial ? [...rest.slice(0, -2), (rest.at(-2) ?? '').slice(0, -2)] : rest
  const last = names.at(-1) ?? ''
  const isForm =
    names.length > 0 &&
    /^\d{3}$/.test(last) &&
    names.slice(0, -1).every(name => /^x\d{3}$/.test(name)) &&
    !(names.length > 1 && names[0] === 'x000')
  if (level === undefined || !isForm || (isPartial && (width === undefined || Number(width) >= tileWidth)))
    return undefined
  const index = Number(names.map(name => name.slice(-3)).join(''))
  return { level, index, width: isPartial ? Number(width) : tileWidth }
}

/** An entry bundle: each entry after its length in two bytes. */
const bundleEntries = (leaves: readonly string[]): Buffer =>
  Buffer.concat(
    leaves.flatMap(leaf => {
      const bytes = Buffer.from(leaf)
      const length = Buffer.alloc(2)
      length.writeUInt16BE(bytes.length)
      return [length, bytes]
    }),
  )

/** The bytes of a tile; undefined where the log has not so much yet. */
export const readTile = async (
  log: Pick<TransparencyLog, 'hashes' | 'leaves' | 'size'>,
  { level, index, width }: Tile,
): Promise<Buffer | undefined> => {
  const first = index * tileWidth
  if (level === 'entries') {
    if (first + width > log.size()) return undefined
    return bundleEntries(await log.leaves(first, first + width))
  }
  if (level > maxLevel) return undefined
  const hashes = log.hashes(8 * level, first, first + width)
  return hashes.length === width * 32 ? hashes : undefined
}
