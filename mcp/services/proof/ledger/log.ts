import { randomBytes } from 'node:crypto'
import { collection } from '../../../kernel/collection.ts'
import { ToolError } from '../../../kernel/error.ts'
import { port } from '../../../kernel/port.ts'
import { openTree } from '../../../lib/merkle-tree.ts'
import type { Ports } from '../../../ports/ports.ts'
import type { Tx } from '../../../ports/store/port.ts'
import { proofSettings } from '../config.ts'
import type { NoteKey } from '../proofs/verify/note.ts'
import {
  type Checkpoint,
  checkAgainst,
  loadLastCheckpoint,
  saveLastCheckpoint,
  settleOrigin,
  signCheckpoint,
  toLedgerKey,
} from './checkpoint.ts'
import { appendLeaf, type Leaf, ledgerTopic, parseLeaf, takeLeafHash } from './leaf.ts'
import { type GrowthPoint, openGrowth, openStatistics, type Statistics } from './statistics.ts'

/** Signers of events and checkpoints. */
type PublicKeys = { bip340: string; ed25519: string }

type Scheme = keyof PublicKeys

/** A key and the time that it was in use; a key that came back stands in the list twice. */
type KeyPeriod = {
  scheme: Scheme
  /** `bip340` x-only, `ed25519` as RFC 8032 has it; both in hexadecimal. */
  public_key: string
  valid_from: string
  /** Null while it is in use. */
  valid_until: string | null
  /** The leaf that made it known. */
  index: number
}

const loadPublicKeys = async (sign: Ports['sign']): Promise<PublicKeys> => ({
  bip340: (await sign.bip340()).publicKey,
  ed25519: Buffer.from(sign.ed25519PublicKey, 'base64url').toString('hex'),
})

type KeysInUse = PublicKeys & { id: string }

const keysIn = collection<KeysInUse>({
  name: 'proof.keys',
  bounded: 'The keys of the installation.',
})

const schemes: readonly Scheme[] = ['bip340', 'ed25519']

/** Enters the keys of this installation as leaves where they are not the ones in use: at the first start, and when they change. */
const enterKeys = async (tx: Tx, keys: PublicKeys, now: Date): Promise<void> => {
  const inUse = await keysIn(tx).get('current')
  for (const scheme of schemes)
    if (inUse?.[scheme] !== keys[scheme])
      await appendLeaf(tx, { type: 'key', scheme, public_key: keys[scheme] }, now)
  await keysIn(tx).put({ id: 'current', ...keys })
}

/** Refuses to sign with keys that another replica has replaced. */
export const requireCurrentKeys = async (tx: Pick<Tx, 'collection'>, keys: PublicKeys): Promise<void> => {
  const inUse = await keysIn(tx).get('current')
  if (schemes.every(scheme => inUse?.[scheme] === keys[scheme])) return
  throw new ToolError('unavailable', 'The signing key of this replica was replaced.', {
    hint: 'The operator starts this replica again with the OCTAGENT_SIGNING_KEY that the others have.',
    retryAfter: 30,
  })
}

/** The list of keys as the leaves tell it, oldest first. */
const openKeyList = () => {
  const periods: KeyPeriod[] = []
  return {
    add({ type, scheme, public_key, committed_at }: Leaf, index: number): void {
      if (type !== 'key' || !scheme || public_key === undefined) return
      const last = periods.findLast(period => period.scheme === scheme)
      if (last) last.valid_until = committed_at
      periods.push({ scheme, public_key, valid_from: committed_at, valid_until: null, index })
    },
    list: (): KeyPeriod[] => periods.map(period => ({ ...period })),
    isOwn: (publicKey: string): boolean => periods.some(({ public_key }) => public_key === publicKey),
  }
}

/**
 * Finds the number of a leaf by its hash: 8 bytes a leaf, where a Map of texts takes 150. `at` reads the hash of a leaf back. Of two
 * leaves with one hash the first is found.
 */
export const openHashIndex = (at: (index: number) => Buffer) => {
  let slots = new Uint32Array(1024)
  let length = 0

  /** The slot where a hash is, or would be. A slot holds the number of a leaf plus one. */
  const findSlot = (table: Uint32Array, hash: Buffer): number => {
    let slot = hash.readUInt32BE(0) % table.length
    for (;;) {
      const entry = table[slot] ?? 0
      if (entry === 0 || at(entry - 1).equals(hash)) return slot
      slot = (slot + 1) % table.length
    }
  }

  return {
    add(hash: Buffer, index: number): void {
      if (length * 2 >= slots.length) {
        const larger = new Uint32Array(slots.length * 2)
        for (const entry of slots) if (entry > 0) larger[findSlot(larger, at(entry - 1))] = entry
        slots = larger
      }
      const slot = findSlot(slots, hash)
      if (slots[slot] !== 0) return
      slots[slot] = index + 1
      length++
    },
    find(hash: Buffer): number | undefined {
      const entry = slots[findSlot(slots, hash)] ?? 0
      return entry === 0 ? undefined : entry - 1
    },
  }
}

/** The log of this installation, the same on every replica: its order is that of the topic in the store. */
export type TransparencyLog = {
  readonly origin: string
  /** The key that checkpoints are signed with now. */
  readonly key: NoteKey
  /** The keys of this replica. */
  readonly publicKeys: PublicKeys
  /** Leaves that this replica has read. */
  size(): number
  /** Reads what was written since, here or on another replica. */
  sync(): Promise<void>
  /** The last checkpoint, of at least `minSize` leaves where the log has them. It is durable before anybody sees it. */
  checkpoint(minSize?: number): Promise<Checkpoint>
  /** The number of a leaf by its hash, in hexadecimal, also of one that another replica has just written. */
  find(leafHash: string): Promise<number | undefined>
  /** The exact text of leaf `index`; undefined where there is none yet. */
  leaf(index: number): Promise<string | undefined>
  /** The texts of leaves `from` to `to`, fewer at the end. */
  leaves(from: number, to: number): Promise<string[]>
  /** Proofs in hexadecimal, from the leaf upwards. Throw RangeError for what is not there. */
  inclusion(index: number, size: number): string[]
  consistency(from: number, to: number): string[]
  root(size: number): string
  /** Hashes of a tile, side by side. */
  hashes(level: number, from: number, to: number): Buffer
  statistics(): Statistics
  /** The outcome of the verdict at leaf `index`, as last reported by somebody whose reports count. */
  outcome(index: number): 'harmful' | 'harmless' | undefined
  /** The size at `count` times from the first leaf to now, told from memory. */
  growth(count: number): GrowthPoint[]
  keys(): KeyPeriod[]
  close(): void
}

/** Entries per read of the store. */
const pageSize = 1000

/** While leaves keep coming, a checkpoint is signed so often at most, but for who waits for a leaf. */
const checkpointEveryMs = 1000

type Deps = Pick<Ports, 'store' | 'clock' | 'sign'> & { ledgerOrigin: string; reporters: readonly string[] }
const toHex = (hashes: readonly Buffer[]): string[] => hashes.map(hash => hash.toString('hex'))

/**
 * Opens the log: enters the keys where they are new, reads every leaf, and compares the tree with the last checkpoint. Throws
 * `unavailable` where they differ, so that nothing starts.
 */
export const openTransparencyLog = async ({
  store,
  clock,
  sign,
  ledgerOrigin,
  reporters,
}: Deps): Promise<TransparencyLog> => {
  const tree = openTree()
  const index = openHashIndex(index => tree.node({ level: 0, index }))
  const keyList = openKeyList()
  const find = (leafHash: string): number | undefined => index.find(Buffer.from(leafHash, 'hex'))
  const statistics = openStatistics(key => keyList.isOwn(key) || reporters.includes(key), find)
  const growth = openGrowth()
  /** Leaf positions in the topic: after a roll-back PostgreSQL leaves numbers out. */
  const positions: number[] = []

  const add = (leaf: string, at: number): void => {
    const number = tree.size()
    const hash = takeLeafHash(leaf)
    const facts = parseLeaf(leaf)
    tree.append(hash)
    index.add(hash, number)
    positions.push(at)
    keyList.add(facts, number)
    statistics.add(facts, number)
    growth.add(facts.committed_at)
  }

  const readAll = async (): Promise<void> => {
    for (;;) {
      const entries = await store.read(ledgerTopic, positions.at(-1) ?? 0, pageSize)
      for (const { at, payload } of entries) add(String(payload), at)
      if (entries.length < pageSize) return
    }
  }

  let reading: Promise<void> | undefined
  let next: Promise<void> | undefined
  /** Reads again for callers during a read: the one that runs may have passed what they wait for. */
  const sync = (): Promise<void> => {
    if (reading) {
      next ??= reading
        .catch(() => undefined)
        .then(() => {
          next = undefined
          return sync()
        })
      return next
    }
    reading = readAll().finally(() => {
      reading = undefined
    })
    return reading
  }

  // Before anything is written: a store that lost leaves is left as it is.
  await sync()
  let last = await loadLastCheckpoint(store)
  let lastAt = 0
  if (last) checkAgainst(tree, last)
  const publicKeys = await loadPublicKeys(sign)
  const origin = await store.transaction(async tx => {
    await enterKeys(tx, publicKeys, clock.now())
    return settleOrigin(tx, ledgerOrigin, randomBytes(8).toString('hex'))
  })
  const key = toLedgerKey(origin, publicKeys.ed25519)
  await sync()

  /** Makes the tree of now the last checkpoint, unless another replica was further. */
  const publish = async (): Promise<Checkpoint> => {
    await sync()
    const published = await store.transaction(async tx => {
      const stored = await loadLastCheckpoint(tx)
      const own = signCheckpoint(tree, key, sign)
      if (stored && stored.size > own.size) return stored
      if (stored) checkAgainst(tree, stored)
      if (stored?.note !== own.note) await saveLastCheckpoint(tx, own)
      return own
    })
    // Another replica was further: what it has read is there to be read.
    if (published.size > tree.size()) await sync()
    checkAgainst(tree, published)
    last = published
    lastAt = clock.now().getTime()
    return published
  }

  let publishing: Promise<Checkpoint> | undefined
  const publishOnce = (): Promise<Checkpoint> => {
    publishing ??= publish().finally(() => {
      publishing = undefined
    })
    return publishing
  }

  const stop = store.subscribe(ledgerTopic, ({ at, payload }) => {
    // The entry that comes next is taken as it is told; after a gap, or while a read runs, the topic is read.
    if (!reading && at === (positions.at(-1) ?? 0) + 1) add(String(payload), at)
    else void sync().catch(() => undefined)
  })

  const leaves = async (from: number, to: number): Promise<string[]> => {
    const first = positions[from]
    if (first === undefined || to <= from) return []
    const entries = await store.read(ledgerTopic, first - 1, Math.min(to, tree.size()) - from)
    return entries.map(({ payload }) => String(payload))
  }

  return {
    origin,
    key,
    publicKeys,
    size: tree.size,
    sync,
    async checkpoint(minSize = 0) {
      const isFresh = last?.size === tree.size() || clock.now().getTime() - lastAt < checkpointEveryMs
      if (last && last.size >= minSize && isFresh) return last
      let published = await publishOnce()
      // The one that was under way may have been made before what the caller waits for.
      if (published.size < minSize) published = await publishOnce()
      return published
    },
    async find(leafHash) {
      if (!/^[0-9a-f]{64}$/.test(leafHash)) return undefined
      const number = find(leafHash)
      if (number !== undefined) return number
      await sync()
      return find(leafHash)
    },
    async leaf(number) {
      const [leaf] = await leaves(number, number + 1)
      return leaf
    },
    leaves,
    inclusion: (number, size) => toHex(tree.inclusion(number, size)),
    consistency: (from, to) => toHex(tree.consistency(from, to)),
    root: size => tree.root(size).toString('hex'),
    hashes: tree.hashes,
    statistics: statistics.read,
    outcome: statistics.outcome,
    growth: count => growth.read(count, clock.now()),
    keys: keyList.list,
    close: stop,
  }
}

/** The log as a port of the service: it is open before anything is answered, or the program does not start. */
export const transparencyLog = port({
  name: 'transparencyLog',
  needs: ['store', 'clock', 'sign', proofSettings.ledgerOrigin, proofSettings.reporters],
}).open(openTransparencyLog)
