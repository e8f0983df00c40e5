import { createHash } from 'node:crypto'
import { z } from 'zod'
import { collection } from '../../../kernel/collection.ts'
import { ToolError } from '../../../kernel/error.ts'
import type { Caller } from '../../../kernel/tool.ts'
import type { Store } from '../../../ports/store/port.ts'

/** A file that a call made for its caller, who alone may read it. It is a draft until the call has its answer. */
export type StoredArtifact = {
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
export const draftMs = 30 * 60_000

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Whose artifacts they are: the account's whose key came, else those of the call whose token it is; undefined for nobody's. */
export const findOwner = (caller: Caller | undefined, token: string | undefined): string | undefined => {
  if (token !== undefined) return digest(`token ${token}`)
  return caller && digest(`account ${caller.id}`)
}

export const toId = (owner: string, sha256: string): string => `${owner} ${sha256}`

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
