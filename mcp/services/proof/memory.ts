import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'
import { z } from 'zod'
import { collection } from '../../kernel/collection.ts'
import { ToolError } from '../../kernel/error.ts'
import { settings } from '../../kernel/setting.ts'
import type { Caller } from '../../kernel/tool.ts'
import { canonicalAddress } from '../../lib/chain-address.ts'
import { wholeNumber } from '../../lib/setting-texts.ts'
import type { Tx } from '../../ports/store/port.ts'

export const memorySettings = settings({
  memoryMegabytes: {
    variable: 'PROOF_MEMORY_MB',
    schema: wholeNumber(1, 10_000),
    description: 'Megabytes that one account or paying address may keep in its memory.',
    default: '10',
  },
  memoryEntries: {
    variable: 'PROOF_MEMORY_ENTRIES',
    schema: wholeNumber(1, 1_000_000),
    description: 'Keys that one account or paying address may keep in its memory.',
    default: '1000',
  },
})

/** Stored form of an encrypted value; all base64. Without the key of the caller nobody reads it, nor we. */
type Sealed = { salt: string; nonce: string; tag: string; data: string }

const toKey = (secret: string, salt: Buffer): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, 'octagent memory 1', 32))

/** Encrypts a text by AES-256-GCM. It opens under the same secret and `place` only. */
export const sealText = (text: string, secret: string, place: string): Sealed => {
  const salt = randomBytes(16)
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', toKey(secret, salt), nonce).setAAD(Buffer.from(place))
  const data = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return {
    salt: salt.toString('base64'),
    nonce: nonce.toString('base64'),
    tag: cipher.getAuthTag().toString('base64'),
    data: data.toString('base64'),
  }
}

/** The text again. Throws `forbidden` for another secret. */
export const openText = ({ salt, nonce, tag, data }: Sealed, secret: string, place: string): string => {
  const key = toKey(secret, Buffer.from(salt, 'base64'))
  const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(nonce, 'base64'), { authTagLength: 16 })
    .setAAD(Buffer.from(place))
    .setAuthTag(Buffer.from(tag, 'base64'))
  try {
    return Buffer.concat([decipher.update(Buffer.from(data, 'base64')), decipher.final()]).toString('utf8')
  } catch {
    throw new ToolError('forbidden', 'encryption_key does not open this value.', {
      reason: 'wrong_key',
      hint: 'Send the key that it was stored with. Nobody else has it.',
    })
  }
}

/** A value that somebody keeps here. */
export type Entry = {
  id: string
  namespace: string
  key: string
  /** Null where it is encrypted. */
  value: string | null
  sealed: Sealed | null
  /** Bytes of the value in UTF-8, before encryption. */
  bytes: number
  version: number
  agent_id: string | null
  created_at: string
  updated_at: string
}

/** Usage of a namespace. `sequence` counts its writes, so that no version comes twice. */
type Usage = { id: string; keys: number; bytes: number; sequence: number }

export const maxValueBytes = 200_000

export const memoryEntriesIn = collection<Entry>({
  name: 'proof.memory',
  indexes: [{ name: 'namespace', fields: ['namespace', 'key'], unique: true }],
  budget: {
    what: 'values of memory',
    owner: ({ namespace }) => namespace,
    each: { rows: 1000, bytes: 4 << 20 },
    network: { rows: 2000, bytes: 8 << 20 },
    allBytes: 64 << 20,
    ends: 'Delete one; what a paid call stored does not count.',
  },
})
const usagesIn = collection<Usage>({
  name: 'proof.memory_use',
  bounded: 'One for each namespace, which is one for each account or payer.',
})

const entryId = (namespace: string, key: string): string =>
  createHash('sha256').update(`${namespace} ${key}`).digest('hex')

const controlCharacter = /\p{Cc}/u

export const keyField = z
  .string()
  .min(1)
  .max(256)
  .refine(key => !controlCharacter.test(key), 'must hold no control character')
  .describe('Name of the value, up to 256 characters')

export const encryptionKey = z
  .string()
  .min(32, 'must have at least 32 characters')
  .max(256)
  .describe(
    'Secret that the value is encrypted with, 32 characters at least. It is kept nowhere: lose it, and the value is lost',
  )

export const versionField = z
  .number()
  .int()
  .min(0)
  .max(Number.MAX_SAFE_INTEGER)
  .optional()
  .describe('Go on only if this is the version now; 0 for only if there is none')

export const findEntry = (
  tx: Pick<Tx, 'collection'>,
  namespace: string,
  key: string,
): Promise<Entry | undefined> => memoryEntriesIn(tx).get(entryId(namespace, key))

export const readUsage = async (tx: Pick<Tx, 'collection'>, namespace: string): Promise<Usage> =>
  (await usagesIn(tx).get(namespace)) ?? { id: namespace, keys: 0, bytes: 0, sequence: 0 }

/** Throws `conflict` where the version is another one. */
export const requireVersion = (
  entry: Pick<Entry, 'version'> | undefined,
  expected: number | undefined,
): void => {
  const version = entry?.version ?? 0
  if (expected === undefined || expected === version) return
  throw new ToolError('conflict', `It is at version ${version}, not ${expected}.`, {
    reason: 'version',
    params: { version },
    hint: 'Read it again, and repeat with the version that it has then.',
  })
}

type NamespaceQuota = { bytes: number; keys: number }

/** Throws `conflict` where a value of that size does not fit beside what is there. */
export const checkQuota = (
  usage: Usage,
  entry: Pick<Entry, 'bytes'> | undefined,
  bytes: number,
  quota: NamespaceQuota,
): void => {
  const keys = usage.keys + (entry ? 0 : 1)
  const total = usage.bytes - (entry?.bytes ?? 0) + bytes
  if (keys <= quota.keys && total <= quota.bytes) return
  throw new ToolError(
    'conflict',
    keys > quota.keys
      ? `All ${quota.keys} keys are taken.`
      : `It does not fit: ${usage.bytes} of ${quota.bytes} bytes are taken.`,
    {
      reason: 'quota',
      params: { keys: usage.keys, bytes: usage.bytes, max_keys: quota.keys, max_bytes: quota.bytes },
      hint: 'Delete what is not needed any more.',
    },
  )
}

type Write = {
  namespace: string
  key: string
  value: string
  secret?: string | undefined
  agentId?: string | undefined
  ifVersion?: number | undefined
  quota: NamespaceQuota
  now: Date
}

/** Writes a value, in the transaction of the call. Throws `conflict` for another version, or without room. */
export const writeEntry = async (tx: Tx, write: Write): Promise<{ entry: Entry; isNew: boolean }> => {
  const { namespace, key, value, secret, now } = write
  const entry = await findEntry(tx, namespace, key)
  const usage = await readUsage(tx, namespace)
  const bytes = Buffer.byteLength(value)
  requireVersion(entry, write.ifVersion)
  checkQuota(usage, entry, bytes, write.quota)
  const at = now.toISOString()
  const id = entryId(namespace, key)
  const version = usage.sequence + 1
  const next: Entry = {
    id,
    namespace,
    key,
    value: secret === undefined ? value : null,
    sealed: secret === undefined ? null : sealText(value, secret, id),
    bytes,
    version,
    agent_id: write.agentId ?? null,
    created_at: entry?.created_at ?? at,
    updated_at: at,
  }
  await memoryEntriesIn(tx).put(next)
  await usagesIn(tx).put({
    id: namespace,
    keys: usage.keys + (entry ? 0 : 1),
    bytes: usage.bytes - (entry?.bytes ?? 0) + bytes,
    sequence: version,
  })
  return { entry: next, isNew: entry === undefined }
}

/** Deletes a value; false where there was none. Throws `conflict` for another version. */
export const deleteEntry = async (
  tx: Tx,
  { namespace, key, ifVersion }: { namespace: string; key: string; ifVersion?: number | undefined },
): Promise<boolean> => {
  const entry = await findEntry(tx, namespace, key)
  if (!entry) return false
  requireVersion(entry, ifVersion)
  const usage = await readUsage(tx, namespace)
  await memoryEntriesIn(tx).delete(entry.id)
  await usagesIn(tx).put({ ...usage, keys: usage.keys - 1, bytes: usage.bytes - entry.bytes })
  return true
}

/** Facts of a value in lists; never the value. */
export const EntryFacts = z
  .object({
    key: z.string().describe('Name of the value'),
    bytes: z.int().describe('Size of the value in bytes'),
    version: z.int().describe('Its version: higher with each write, never the same twice'),
    encrypted: z.boolean().describe('It is encrypted with a key that you keep'),
    agent_id: z.string().nullable().describe('What was noted of who wrote it'),
    created_at: z.string().describe('When it was first stored'),
    updated_at: z.string().describe('When it was stored last'),
  })
  .describe('A value')

export const toEntryFacts = ({ key, bytes, version, sealed, agent_id, created_at, updated_at }: Entry) => ({
  key,
  bytes,
  version,
  encrypted: sealed !== null,
  agent_id,
  created_at,
  updated_at,
})

const authenticationError = () =>
  new ToolError('unauthenticated', 'Memory belongs to an account, or to an address that pays by x402.', {
    hint: 'Register and send the key as Authorization: Bearer <key> or X-API-Key, or pay from an address of your own.',
    next: ['register'],
  })

/** Addresses of chains are somebody's for good; the hash of an invoice is new with each payment. */
const chainAddress = ({ network, payer }: { network: string; payer: string }): string | undefined =>
  /^(?:eip155|solana):/.test(network) ? canonicalAddress(payer) : undefined

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32)

/**
 * Whose memory it is: the account's, where its key came, else the address's that pays on a chain. Never what the input says of itself.
 * Throws `unauthenticated` where neither is known.
 */
export const findNamespace = ({
  caller,
  payer,
}: {
  caller: Caller | undefined
  payer?: { network: string; payer: string } | undefined
}): string => {
  if (caller) return digest(`account ${caller.id}`)
  const address = payer && chainAddress(payer)
  if (address === undefined) throw authenticationError()
  return digest(`address ${address}`)
}

/**
 * The namespace that has an entry, else that of the caller. Who is known by the wallet that pays has the memory of their account, and what
 * the bare address stored before it was theirs.
 */
export const locateNamespace = async (
  store: Pick<Tx, 'collection'>,
  { caller, payer }: { caller: Caller | undefined; payer: { network: string; payer: string } | undefined },
  key: string,
): Promise<string> => {
  const namespace = findNamespace({ caller, payer })
  if (!caller?.isPayer || !payer || (await findEntry(store, namespace, key))) return namespace
  const former = findNamespace({ caller: undefined, payer })
  return (await findEntry(store, former, key)) ? former : namespace
}
