import { type AnyEndpoint, endpoint } from '../../../kernel/endpoint.ts'
import { ToolError } from '../../../kernel/error.ts'
import { anchorsIn } from '../anchors/anchor.ts'
import { textDigest as sha256 } from '../proofs/issue.ts'
import { type TransparencyLog, transparencyLog } from './log.ts'
import { listCosignatures } from './witnesses.ts'

/** Hashes, or entries, of a whole tile (C2SP tlog-tiles). */
const tileWidth = 256

/** Levels of tiles; a tree of 2^48 leaves has six. */
const maxLevel = 6

/** Target of a tile path: hashes of a level, or entries. `width` is below 256 for a partial tile. */
type Tile = { level: number | 'entries'; index: number; width: number }

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
const readTile = async (
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

const immutable = 'public, max-age=31536000, immutable'
const readLimits = [{ perMinute: 1200, per: 'client' as const }]

/** The checkpoint as C2SP tlog-tiles names it, under both prefixes that the log is read by. */
const checkpointAt = (name: string, path: string): AnyEndpoint =>
  endpoint({
    name,
    title: 'Read the checkpoint',
    description:
      'The last signed checkpoint of the ledger (C2SP tlog-checkpoint), with the cosignatures that witnesses gave. ?cosigned=1: the last one that a witness cosigned.',
    method: 'GET',
    path,
    body: 'none',
    answers: ['text/plain'],
    needs: ['store', transparencyLog],
    limits: readLimits,
  }).run(async ({ store, transparencyLog: log }, { query }) => {
    await log.sync()
    const latest = await log.checkpoint(query.cosigned === undefined ? log.size() : 0)
    const cosigned = await listCosignatures(store, query.cosigned === undefined ? latest.note : undefined)
    if (query.cosigned !== undefined && !cosigned)
      throw new ToolError('not_found', 'No witness has cosigned a checkpoint of this ledger.')
    const note = (cosigned?.note ?? latest.note) + (cosigned?.lines ?? []).map(line => `${line}\n`).join('')
    return { kind: 'bytes', type: 'text/plain; charset=utf-8', bytes: Buffer.from(note), cache: 'no-cache' }
  })

const tileFields = ['a', 'b', 'c', 'd', 'e'] as const

/** Tiles of one depth of path; the number of a tile is written in groups of three digits. */
const tilesAt = (name: string, prefix: string, depth: number): AnyEndpoint => {
  const fields = tileFields.slice(0, depth)
  return endpoint({
    name: `${name}-${depth}`,
    title: 'Read a tile',
    description:
      'A tile of hashes, /tile/<level>/<number>[.p/<width>], or of entries, /tile/entries/<number>[.p/<width>] (C2SP tlog-tiles).',
    method: 'GET',
    path: `${prefix}/:level/${fields.map(field => `:${field}`).join('/')}`,
    body: 'none',
    answers: ['application/octet-stream'],
    needs: [transparencyLog],
    limits: readLimits,
  }).run(async ({ transparencyLog: log }, { params }) => {
    const tile = parseTilePath([params.level ?? '', ...fields.map(field => params[field] ?? '')])
    if (!tile)
      throw new ToolError('not_found', 'This is no path of a tile.', {
        hint: 'Numbers are written as 067 or x001/067, partial tiles as 067.p/12; levels are 0 to 6, or entries.',
      })
    const bytes = (await readTile(log, tile)) ?? (await log.sync().then(() => readTile(log, tile)))
    if (!bytes)
      throw new ToolError('not_found', `The ledger has ${log.size()} entries, too few for this tile.`)
    return {
      kind: 'bytes',
      type: 'application/octet-stream',
      bytes,
      cache: tile.width === tileWidth ? immutable : 'public, max-age=86400',
    }
  })
}

/** -1 for what is no number of an entry. */
const readIndex = (text = ''): number => (/^(0|[1-9]\d{0,14})$/.test(text) ? Number(text) : -1)

const canonical = endpoint({
  name: 'canonical-entry',
  title: 'Read the bytes of an entry',
  description: 'The exact bytes of an entry of the ledger, and their SHA-256 in X-Expected-Sha256.',
  method: 'GET',
  path: '/ledger/:index/canonical',
  body: 'none',
  answers: ['application/json'],
  needs: [transparencyLog],
  limits: readLimits,
}).run(async ({ transparencyLog: log }, { params }) => {
  const index = readIndex(params.index)
  if (index >= log.size()) await log.sync()
  const leaf = index < 0 ? undefined : await log.leaf(index)
  if (leaf === undefined)
    throw new ToolError('not_found', `index: The ledger has entries 0 to ${log.size() - 1}.`)
  return {
    kind: 'bytes',
    type: 'application/json',
    bytes: Buffer.from(leaf),
    cache: immutable,
    headers: { 'X-Expected-Sha256': sha256(leaf) },
  }
})

/** The stamp of the first checkpoint that counts an entry. */
const stamp = endpoint({
  name: 'entry-stamp',
  title: 'Read the stamp of an entry',
  description:
    'How an entry is anchored in Bitcoin: its inclusion proof to a checkpoint, that checkpoint, and the OpenTimestamps proof over its SHA-256. The state is pending until the proof names a block.',
  method: 'GET',
  path: '/ledger/:index/ots',
  body: 'none',
  answers: ['application/json'],
  needs: ['store', transparencyLog],
  limits: readLimits,
}).run(async ({ store, transparencyLog: log }, { params }) => {
  const index = readIndex(params.index)
  const where = { kind: 'opentimestamps', size: { gt: index } }
  const { rows } = await anchorsIn(store).find({ index: 'size', where, limit: 1 })
  const [anchor] = index < 0 ? [] : rows
  const leaf = await log.leaf(index)
  if (!anchor || leaf === undefined)
    throw new ToolError('not_found', 'index: No checkpoint that counts this entry was stamped yet.')
  if (anchor.size > log.size()) await log.sync()
  const { size, checkpoint, state, bitcoin, ots } = anchor
  return {
    kind: 'json',
    body: { leaf, index, inclusion: log.inclusion(index, size), checkpoint, state, bitcoin, ots },
  }
})

const depths = tileFields.map((_, n) => n + 1)

/** Endpoints for static monitors: checkpoint and tiles, under the service and `/ledger`, and entries byte for byte. */
export const ledgerEndpoints: readonly AnyEndpoint[] = [
  checkpointAt('checkpoint', '/checkpoint'),
  checkpointAt('ledger-checkpoint', '/ledger/checkpoint'),
  ...depths.map(depth => tilesAt('tile', '/tile', depth)),
  ...depths.map(depth => tilesAt('ledger-tile', '/ledger/tile', depth)),
  canonical,
  stamp,
]
