import { type AnyEndpoint, endpoint } from '../../../kernel/endpoint.ts'
import { ToolError } from '../../../kernel/error.ts'
import { anchorsIn } from '../anchors/anchor.ts'
import { textDigest as sha256 } from '../proofs/issue.ts'
import { listCosignatures } from './cosignature.ts'
import { transparencyLog } from './log.ts'
import { parseTilePath, readTile, tileWidth } from './tiles.ts'

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
