import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { ToolError } from '../../../kernel/error.ts'
import { dayMs } from '../../../lib/time.ts'
import type { Ports } from '../../../ports/ports.ts'
import type { Tx } from '../../../ports/store/port.ts'
import {
  artifactsIn,
  draftMs,
  listArtifacts,
  requireArtifactRoom,
  type StoredArtifact,
  toFileOwner,
  toId,
} from './artifact.ts'

/** A file that is to become an artifact. */
export type NewFile = { bytes: Buffer; content_type: string }

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
