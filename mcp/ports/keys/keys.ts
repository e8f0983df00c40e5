import { createHmac, randomBytes } from 'node:crypto'
import { collection } from '../../kernel/collection.ts'
import { ToolError } from '../../kernel/error.ts'
import { apiKeysIn, isFrozen, profilesIn } from '../../kernel/person.ts'
import { dayMs } from '../../lib/time.ts'
import type { Store, Tx } from '../store/port.ts'
import type { ApiKey, KeyHolder, Keys, NewKey } from './port.ts'

const toProfileId = (prefix: string, person: string): string => `${prefix} ${person}`

const maxOwn = 1000

/** The first characters of a key. */
const toPreview = (key: string): string => `${key.slice(0, 8)}…`

/** Rotations of one holder within 24 hours. */
const rotationsADay = 10

const takeRotation = async (tx: Tx, { prefix, holder }: KeyHolder, now: Date): Promise<void> => {
  const until = new Date(now.getTime() + dayMs)
  for (let nth = 0; nth < rotationsADay; nth++)
    if (await tx.claim(`${prefix} rotation ${holder} ${nth}`, until)) return
  throw new ToolError(
    'too_many_requests',
    `A key is rotated ${rotationsADay} times within 24 hours at most.`,
    {
      reason: 'rotations_of_the_day',
      retryAfter: 3600,
      hint: 'The key you have still works.',
    },
  )
}

/**
 * Keys hashed with HMAC-SHA256 under a pepper of at least 32 bytes; replicas must share it. While the pepper is rotated, a key that is
 * hashed under the previous one works as well, and is hashed anew when it is used.
 */
export const openKeys = (pepper: Buffer, previous?: Buffer): Keys => {
  const make = (prefix: string) => `${prefix}_${randomBytes(32).toString('base64url')}`
  const hashUnder = (secret: Buffer, key: string) =>
    createHmac('sha256', secret).update(key).digest('base64url')
  const hash = (key: string) => hashUnder(pepper, key)
  const hashes = (key: string) => [hash(key), ...(previous ? [hashUnder(previous, key)] : [])]

  /** The row of a key under today's pepper, moved there where it was under the previous one. */
  const load = async (tx: Tx | Store, value: string): Promise<ApiKey | undefined> => {
    const key = await apiKeysIn(tx).get(hash(value))
    if (key || !previous) return key
    const old = hashUnder(previous, value)
    if (!(await apiKeysIn(tx).get(old))) return undefined
    const move = async (inside: Tx): Promise<ApiKey | undefined> => {
      const row = await apiKeysIn(inside).get(old)
      if (!row) return apiKeysIn(inside).get(hash(value))
      const moved = { ...row, id: hash(value) }
      await apiKeysIn(inside).delete(old)
      await apiKeysIn(inside).put(moved)
      return moved
    }
    return 'transaction' in tx ? tx.transaction(move) : move(tx)
  }

  const list = async (tx: Tx, { prefix, holder }: KeyHolder): Promise<ApiKey[]> =>
    (await apiKeysIn(tx).find({ index: 'holder', where: { prefix, holder }, order: 'desc' })).rows

  const issue = async (
    tx: Tx,
    { prefix, holder, now, person }: KeyHolder & { now: Date; person?: string | undefined },
    used_on: string | null = null,
  ): Promise<NewKey> => {
    const api_key = make(prefix)
    const preview = toPreview(api_key)
    const created_at = now.toISOString()
    const key = { id: hash(api_key), prefix, holder, preview, created_at, used_on, ends_at: null }
    if (!(await apiKeysIn(tx).insert({ ...key, ...(person !== undefined && { person }) })))
      throw new Error('a key came up twice')
    return { api_key, key_preview: preview }
  }

  const listOf: Keys['listOf'] = async (tx, person) => {
    const claimed = await apiKeysIn(tx).find({ index: 'person', where: { person }, limit: maxOwn })
    const { rows: profiles } = await profilesIn(tx).find({
      index: 'person',
      where: { person },
      limit: maxOwn,
    })
    const own = await Promise.all(profiles.map(profile => list(tx, profile)))
    const all = new Map([...claimed.rows, ...own.flat()].map(key => [key.id, key]))
    return {
      keys: [...all.values()],
      profiles: profiles.map(({ prefix, holder }) => ({ prefix, holder })),
    }
  }

  return {
    make,
    hash,
    hashes,
    list,
    issue: (tx, holder) => issue(tx, holder),
    async find({ store, clock }, prefix, value) {
      if (!value.startsWith(`${prefix}_`)) return undefined
      const key = await load(store, value)
      const now = clock.now().toISOString()
      if (key?.prefix !== prefix || (key.ends_at !== null && key.ends_at <= now)) return undefined
      if (key.is_held) throw isFrozen()
      const today = now.slice(0, 10)
      // Undefined where it was revoked just now.
      return key.used_on === today
        ? key
        : apiKeysIn(store).update(key.id, row => ({ ...row, used_on: today }))
    },
    preview: async (tx, holder) => (await list(tx, holder))[0]?.preview ?? '',
    async rotate(tx, { now, overlapMinutes = 0, ...holder }) {
      await takeRotation(tx, holder, now)
      const end = new Date(now.getTime() + overlapMinutes * 60_000).toISOString()
      const before = await list(tx, holder)
      for (const key of before) {
        const ends_at = key.ends_at !== null && key.ends_at < end ? key.ends_at : end
        if (ends_at > now.toISOString()) await apiKeysIn(tx).put({ ...key, ends_at })
        else await apiKeysIn(tx).delete(key.id)
      }
      return issue(tx, { ...holder, now, person: before[0]?.person }, before[0]?.used_on)
    },
    listUnused: (tx, { prefix, until, ...page }) =>
      apiKeysIn(tx).find({
        index: 'unused',
        where: { prefix, used_on: null, created_at: { lte: until } },
        ...page,
      }),
    async revoke(tx, holder) {
      for (const { id } of await list(tx, holder)) await apiKeysIn(tx).delete(id)
    },
    async ensureProfile(store, { prefix, person }, { has, create }) {
      const id = toProfileId(prefix, person)
      const findHolder = async (tx: Tx): Promise<string | undefined> => {
        const profile = await profilesIn(tx).get(id)
        return profile && (await has(tx, profile.holder)) ? profile.holder : undefined
      }
      const known = await findHolder(store)
      if (known !== undefined) return known
      return store.transaction(async tx => {
        const before = await findHolder(tx)
        if (before !== undefined) return before
        const holder = await create(tx)
        await profilesIn(tx).put({ id, person, prefix, holder })
        return holder
      })
    },
    async claim(tx, { key, person, now }) {
      const [prefix = ''] = key.split('_', 1)
      const found = await load(tx, key)
      if (!found || (found.ends_at !== null && found.ends_at <= now.toISOString()))
        throw new ToolError('not_found', 'No service here knows this key.', {
          hint: 'Paste the whole key as it was shown, such as brk_…; one that was replaced cannot be claimed.',
        })
      const { holder, preview } = found
      const [taken] = (await profilesIn(tx).find({ index: 'holder', where: { prefix, holder } })).rows
      const keys = await list(tx, { prefix, holder })
      const owner = taken?.person ?? keys.find(row => row.person !== undefined)?.person
      if (owner !== undefined && owner !== person)
        throw new ToolError('conflict', 'This key belongs to the account of somebody else.', {
          reason: 'key_claimed',
        })
      for (const row of keys) await apiKeysIn(tx).put({ ...row, person })
      const id = toProfileId(prefix, person)
      const profile = await profilesIn(tx).get(id)
      if (!profile) await profilesIn(tx).put({ id, person, prefix, holder })
      const acts = (profile?.holder ?? holder) === holder
      return { prefix, holder, preview, acts, isNew: owner === undefined }
    },
    listOf,
    async hold(tx, person, isHeld) {
      for (const { is_held: _, ...key } of (await listOf(tx, person)).keys)
        await apiKeysIn(tx).put(isHeld ? { ...key, is_held: true } : key)
    },
    async release(tx, person) {
      const { rows } = await apiKeysIn(tx).find({ index: 'person', where: { person }, limit: maxOwn })
      for (const { person: _, ...key } of rows) await apiKeysIn(tx).put(key)
      const profiles = await profilesIn(tx).find({ index: 'person', where: { person }, limit: maxOwn })
      for (const { id } of profiles.rows) await profilesIn(tx).delete(id)
    },
  }
}

const id = 'fingerprint'
type Fingerprint = { id: string; hash: string }

const fingerprintsIn = collection<Fingerprint>({ name: 'installation.pepper', bounded: 'One.' })

const computeFingerprint = (pepper: string): string =>
  createHmac('sha256', pepper).update('octagent: fingerprint of the pepper').digest('base64url')

const refusePepper = (detail: string, hint: string): ToolError =>
  new ToolError('unavailable', detail, { hint })

/** The pepper of an installation, and the one before it while keys are moved. */
export type Peppers = { pepper: string; previousPepper?: string | undefined }

/**
 * Refuses a pepper other than the one under which the store holds keys, and none where it holds some: with another one
 * every key that callers hold would be worthless, without a word. `file` is where the pepper of this folder is kept.
 */
export const checkPepper = async (
  store: Store,
  { pepper, previousPepper }: Partial<Peppers>,
  file: string,
): Promise<void> => {
  const storedFingerprint = await fingerprintsIn(store).get(id)
  if (!storedFingerprint) return
  if (pepper === undefined)
    throw refusePepper(
      `${file} is missing, empty or has no pepper, but the store holds keys of callers that are hashed under one.`,
      `Restore ${file} from a backup, or set OCTAGENT_PEPPER to the pepper that it held. Nothing was changed.`,
    )
  const isKnown = (secret: string | undefined) =>
    secret !== undefined && storedFingerprint.hash === computeFingerprint(secret)
  if (isKnown(pepper) || isKnown(previousPepper)) return
  throw refusePepper(
    'The store holds keys of callers that are hashed under another pepper.',
    `Set OCTAGENT_PEPPER to the one that was used before, the same on every replica; or, where it is not set, restore ${file} from a backup. To replace it, set OCTAGENT_PEPPER_PREVIOUS to the one that was used before. Nothing was changed.`,
  )
}

/** Notes under which pepper the store holds keys. Of two replicas with different ones, the second is refused. */
export const rememberPepper = async (store: Store, peppers: Peppers, file: string): Promise<void> => {
  const hash = computeFingerprint(peppers.pepper)
  if (await fingerprintsIn(store).insert({ id, hash })) return
  await checkPepper(store, peppers, file)
  if ((await fingerprintsIn(store).get(id))?.hash !== hash) await fingerprintsIn(store).put({ id, hash })
}
