import { createHash } from 'node:crypto'
import { ToolError } from '../../../kernel/error.ts'
import { type ImageLook, imageWorker } from '../../../lib/image/look.ts'
import { fitsMediaType } from '../../../lib/media-type.ts'
import type { Files } from '../../../ports/files/port.ts'
import type { Store } from '../../../ports/store/port.ts'
import type { Workers } from '../../../ports/workers/port.ts'
import { type EvidenceFile, filesIn, unusedMs } from './file.ts'

const maxLookBytes = 25_000_000
const lookMs = 10_000

const otherType = (type: string) =>
  new ToolError('invalid_input', `content_type: these bytes are no ${type}.`, {
    reason: 'type_mismatch',
    issues: [{ path: 'content_type', message: `the first bytes are not those of ${type}` }],
  })

/** Refuses a file whose first bytes are not of the type that it was promised to be. */
const checkHead = (head: Uint8Array, type: string): void => {
  if (!fitsMediaType(head, type)) throw otherType(type)
}

/** Reads a photo's facts and looks; null for what is none, or cannot be looked at now. */
const lookAtFile = async (
  { files, workers }: { files: Files; workers: Workers },
  { sha256, bytes, content_type }: EvidenceFile,
): Promise<ImageLook | null> => {
  if (!/^image\/(?:jpeg|png)$/.test(content_type) || bytes > maxLookBytes) return null
  const chunks: Uint8Array[] = []
  for await (const chunk of files.read(sha256)) chunks.push(chunk)
  try {
    return await workers.run<ImageLook>(imageWorker, 'lookAtImage', Buffer.concat(chunks), lookMs)
  } catch (error) {
    // Findings decide nothing: a photo that takes too long to look at is taken all the same.
    if (error instanceof ToolError) return null
    throw error
  }
}

/** Notes that the bytes of a file are there and fit. */
const markStored = (
  store: Pick<Store, 'transaction'>,
  id: string,
  look: ImageLook | null,
  now: Date,
): Promise<EvidenceFile | undefined> =>
  store.transaction(async tx => {
    const row = await filesIn(tx).get(id)
    if (row?.state !== 'pending') return row
    const expires_at = new Date(now.getTime() + unusedMs).toISOString()
    const stored: EvidenceFile = { ...row, state: 'stored', look, expires_at }
    await filesIn(tx).put(stored)
    return stored
  })

/** Finds faults in the bytes that lie where a file should; empty when they fit. Reads all of them. */
const findStoredProblems = async (
  files: Files,
  { sha256, bytes, content_type }: EvidenceFile,
): Promise<string[]> => {
  const stored = await files.stat(sha256)
  if (!stored) return ['The bytes are gone.']
  if (stored.bytes !== bytes) return [`It has ${stored.bytes} bytes; ${bytes} were promised.`]
  const hash = createHash('sha256')
  let head: Buffer = Buffer.alloc(0)
  for await (const chunk of files.read(sha256)) {
    hash.update(chunk)
    if (head.length < 4096) head = Buffer.concat([head, chunk.subarray(0, 4096 - head.length)])
  }
  const problems: string[] = []
  if (hash.digest('hex') !== sha256) problems.push('The bytes have another hash.')
  if (!fitsMediaType(head, content_type)) problems.push(`The bytes are no ${content_type}.`)
  return problems
}

/** Limits of a file as it comes in. */
const toReceiving = ({ bytes, sha256, content_type }: EvidenceFile) => ({
  maxBytes: bytes,
  sha256,
  check: (head: Buffer) => checkHead(head, content_type),
})

/** Takes the bytes of a file that is expected; undefined where it was dropped meanwhile. Throws where they are other bytes. */
export const receiveFile = async (
  { store, files, workers, now }: { store: Store; files: Files; workers: Workers; now: Date },
  file: EvidenceFile,
  chunks: AsyncIterable<Uint8Array>,
): Promise<EvidenceFile | undefined> => {
  await files.put(chunks, toReceiving(file))
  return markStored(store, file.id, await lookAtFile({ files, workers }, file), now)
}

/**
 * A file once its bytes are there, and what is wrong with them. Where they go to a store of their own they are collected from there
 * now: somebody who only knows the hash of a file has not sent it.
 */
export const settleFile = async (
  { store, files, workers, now }: { store: Store; files: Files; workers: Workers; now: Date },
  file: EvidenceFile,
): Promise<{ file: EvidenceFile; problems: string[] }> => {
  if (file.state !== 'pending') return { file, problems: await findStoredProblems(files, file) }
  try {
    const collected = await files.direct?.collect(file.id, toReceiving(file))
    if (!collected) return { file, problems: ['Nothing was uploaded.'] }
  } catch (error) {
    if (!(error instanceof ToolError) || (error.code !== 'invalid_input' && error.code !== 'too_large'))
      throw error
    return { file, problems: [error.message] }
  }
  const stored = await markStored(store, file.id, await lookAtFile({ files, workers }, file), now)
  return { file: stored ?? file, problems: [] }
}

/** Collects the files of a worker that went to a store of their own and were not seen yet, before a call names them. */
export const settleFiles = async (
  deps: { store: Store; files: Files; workers: Workers; now: Date },
  ids: readonly (string | undefined)[],
  worker: string | undefined,
): Promise<void> => {
  for (const id of deps.files.direct ? ids : []) {
    const file = id === undefined ? undefined : await filesIn(deps.store).get(id)
    if (file?.state === 'pending' && file.worker === worker) await settleFile(deps, file)
  }
}
