import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { collection } from '../../kernel/collection.ts'
import { endpoint } from '../../kernel/endpoint.ts'
import { ToolError } from '../../kernel/error.ts'
import { job } from '../../kernel/job.ts'
import { settings } from '../../kernel/setting.ts'
import type { Caller } from '../../kernel/tool.ts'
import { wholeNumber } from '../../lib/setting-texts.ts'
import { dayMs } from '../../lib/time.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Store, Tx } from '../../ports/store/port.ts'

export const artifactSettings = settings({
  artifactMegabytes: {
    variable: 'PROOF_ARTIFACTS_MB',
    schema: wholeNumber(1, 100_000),
    description: 'Megabytes of artifacts, such as screenshots, that one account may keep.',
    default: '50',
  },
  artifactDays: {
    variable: 'PROOF_ARTIFACT_DAYS',
    schema: wholeNumber(1, 365),
    description: 'Days for which an artifact is kept.',
    default: '7',
  },
})

/** A file that a call made for its caller, who alone may read it. It is a draft until the call has its answer. */
type StoredArtifact = {
  /** Of its owner and its bytes: the same bytes are one artifact of one owner. A draft's is of its call, too. */
  id: string
  /** The hash of an account's id, or of the token of a call without one. */
  owner: string
  sha256: string
  bytes: number
  content_type: string
  is_draft: boolean
  created_at: string
  expires_at: string
}

export const artifactsIn = collection<StoredArtifact>({
  name: 'proof.artifacts',
  indexes: [
    { name: 'owner', fields: ['owner', 'created_at'] },
    { name: 'expiry', fields: ['expires_at'] },
  ],
  budget: {
    what: 'artifacts',
    owner: ({ owner }) => owner,
    fileBytes: ({ bytes }) => bytes,
    each: { rows: 500, bytes: 256 << 20 },
    network: { rows: 2000, bytes: 1024 << 20 },
    allBytes: 8192 * (1 << 20),
    ends: 'Each is dropped when it expires; those of paid calls do not count.',
  },
})

/** How many artifacts one owner may have. */
export const maxArtifacts = 500

/** How long a draft is kept, whose call may never have its answer. */
const draftMs = 30 * 60_000

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Whose artifacts they are: the account's whose key came, else those of the call whose token it is; undefined for nobody's. */
export const findOwner = (caller: Caller | undefined, token: string | undefined): string | undefined => {
  if (token !== undefined) return digest(`token ${token}`)
  return caller && digest(`account ${caller.id}`)
}

const toId = (owner: string, sha256: string): string => `${owner} ${sha256}`

/** The owner of the bytes in the store of files. */
export const toFileOwner = (id: string): string => `proof.artifacts/${id}`

/** The SHA-256 of an artifact in an input. */
export const artifactHash = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits')
  .describe('SHA-256 of the artifact, hexadecimal')

export const artifactToken = z
  .string()
  .max(100)
  .optional()
  .describe('The artifact_token of the call that made it, where that came without the key of an account')

/** One artifact of a caller. Throws `not_found`, the same for what is not there and what is somebody else's. */
export const loadArtifact = async (
  store: Pick<Store, 'collection'>,
  {
    caller,
    token,
    sha256,
    now,
  }: { caller: Caller | undefined; token: string | undefined; sha256: string; now: Date },
): Promise<StoredArtifact> => {
  const owner = findOwner(caller, token)
  const artifact = owner && (await artifactsIn(store).get(toId(owner, sha256)))
  if (artifact && !artifact.is_draft && artifact.expires_at > now.toISOString()) return artifact
  throw new ToolError('not_found', 'You have no such artifact.')
}

export const ArtifactFacts = z.object({
  sha256: z.string().describe('SHA-256 of its bytes, hexadecimal: what it is asked for by'),
  bytes: z.int().describe('Size'),
  content_type: z.string().describe('Media type'),
  created_at: z.string().describe('When it was made'),
  expires_at: z.string().describe('Until when it is kept'),
})

export const toArtifactFacts = ({
  sha256,
  bytes,
  content_type,
  created_at,
  expires_at,
}: StoredArtifact): z.output<typeof ArtifactFacts> => ({
  sha256,
  bytes,
  content_type,
  created_at,
  expires_at,
})

/** Artifacts of an owner, the newest first, drafts too. */
export const listArtifacts = async (
  store: Pick<Store, 'collection'>,
  owner: string,
): Promise<readonly StoredArtifact[]> => {
  const { rows } = await artifactsIn(store).find({
    index: 'owner',
    where: { owner },
    order: 'desc',
    limit: 1000,
  })
  return rows
}

/** Throws `conflict` where so many bytes more would be over what an owner may keep. */
export const requireArtifactRoom = (
  artifacts: readonly StoredArtifact[],
  bytes: number,
  maxBytes: number,
): void => {
  const used = artifacts.reduce((sum, artifact) => sum + artifact.bytes, 0)
  if (used + bytes <= maxBytes && artifacts.length <= maxArtifacts) return
  throw new ToolError('conflict', `You may keep ${maxBytes} bytes of artifacts, and have ${used}.`, {
    reason: 'artifacts_full',
    hint: 'Delete some, or wait until they expire.',
    next: ['list_artifacts', 'delete_artifact'],
  })
}

/** A file that is to become an artifact. */
type NewFile = { bytes: Buffer; content_type: string }

type World = Pick<Ports, 'store' | 'files' | 'clock'>

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}

/** How often bytes are asked for again that are being removed just now. */
const tries = 100
const pauseMs = 100

/** Notes drafts and that they have their bytes, where there is room; waits for bytes that are being removed. */
const noteDrafts = async (
  { store, files }: World,
  owner: string,
  drafts: readonly StoredArtifact[],
  maxBytes: number,
): Promise<void> => {
  for (let left = tries; ; left--) {
    try {
      return await store.transaction(async tx => {
        const added = drafts.reduce((sum, { bytes }) => sum + bytes, 0)
        requireArtifactRoom(await listArtifacts(tx, owner), added, maxBytes)
        for (const draft of drafts) {
          await artifactsIn(tx).put(draft)
          await files.keep(tx, draft, toFileOwner(draft.id))
        }
      })
    } catch (error) {
      const isRemoved = error instanceof ToolError && error.extra.reason === 'file_being_removed'
      if (!isRemoved || left <= 1) throw error
      await wait(pauseMs)
    }
  }
}

type Keeping = { owner: string /** Of the call. */; actionId: string; days: number; maxBytes: number }

/**
 * Keeps files as drafts of an owner, which are gone after a while unless `confirm` makes artifacts of them, in the transaction of the
 * answer. Throws `conflict` where they are more than an owner may keep.
 */
export const keepArtifacts = async (
  world: World,
  newFiles: readonly NewFile[],
  { owner, actionId, days, maxBytes }: Keeping,
): Promise<{ hashes: readonly string[]; confirm(tx: Tx): Promise<StoredArtifact[]> }> => {
  const { files, clock } = world
  const now = clock.now()
  const hashed = newFiles.map(file => ({
    ...file,
    sha256: createHash('sha256').update(file.bytes).digest('hex'),
  }))
  const drafts = hashed.map(
    ({ bytes, content_type, sha256 }): StoredArtifact => ({
      id: `${toId(owner, sha256)} ${actionId}`,
      owner,
      sha256,
      bytes: bytes.length,
      content_type,
      is_draft: true,
      created_at: now.toISOString(),
      expires_at: new Date(now.getTime() + draftMs).toISOString(),
    }),
  )
  const different = [...new Map(drafts.map(draft => [draft.id, draft])).values()]
  if (different.length > 0) await noteDrafts(world, owner, different, maxBytes)
  for (const { bytes, sha256 } of hashed) await files.put(once(bytes), { maxBytes: bytes.length, sha256 })
  return {
    hashes: drafts.map(({ sha256 }) => sha256),
    async confirm(tx) {
      const expires_at = new Date(clock.now().getTime() + days * dayMs).toISOString()
      const artifacts: StoredArtifact[] = []
      for (const draft of different) {
        const artifact = { ...draft, id: toId(owner, draft.sha256), is_draft: false, expires_at }
        await artifactsIn(tx).put(artifact)
        // The draft has the bytes until the artifact has them.
        await files.keep(tx, artifact, toFileOwner(artifact.id))
        await artifactsIn(tx).delete(draft.id)
        await files.release(tx, draft.sha256, toFileOwner(draft.id))
        artifacts.push(artifact)
      }
      return artifacts
    },
  }
}

export const downloadArtifact = endpoint({
  name: 'download_artifact',
  title: 'Give the bytes of an artifact',
  description:
    'Gives what a call made for you, such as a screenshot, by its SHA-256, to the key of the account that made it or to the X-Artifact-Token of the call. Free.',
  method: 'GET',
  path: '/artifacts/:sha256',
  body: 'none',
  answers: ['image/png'],
  needs: ['store', 'clock', 'files'],
  limits: [{ perMinute: 120, per: 'client' }],
}).run(async ({ store, clock, files, caller }, { params, headers }) => {
  const artifact = await loadArtifact(store, {
    caller,
    token: headers['x-artifact-token'],
    sha256: params.sha256 ?? '',
    now: clock.now(),
  })
  const { sha256, bytes, content_type } = artifact
  if (!(await files.stat(sha256))) throw new ToolError('gone', 'This artifact is not kept any more.')
  return {
    kind: 'file',
    type: content_type,
    size: bytes,
    etag: sha256,
    read: range => files.read(sha256, range),
    headers: {
      'Content-Disposition': `inline; filename="${sha256.slice(0, 16)}.png"`,
      'Content-Security-Policy': "sandbox; default-src 'none'",
      'X-Content-Type-Options': 'nosniff',
      'Cross-Origin-Resource-Policy': 'same-origin',
    },
  }
})

/** Drops artifacts and drafts whose time is over, and the bytes that nobody else has. */
export const sweepArtifacts = job({
  name: 'sweep-artifacts',
  every: 600,
  needs: ['store', 'clock', 'files'],
}).run(async ({ store, clock, files, signal }) => {
  while (!signal.aborted) {
    const now = clock.now().toISOString()
    const where = { expires_at: { lte: now } }
    const { rows } = await artifactsIn(store).find({ index: 'expiry', where, limit: 100 })
    if (rows.length === 0) break
    for (const { id } of rows)
      await store.transaction(async tx => {
        const artifact = await artifactsIn(tx).get(id)
        if (!artifact || artifact.expires_at > now) return
        await artifactsIn(tx).delete(id)
        await files.release(tx, artifact.sha256, toFileOwner(id))
      })
  }
  await files.sweep(signal)
})
