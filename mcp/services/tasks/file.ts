import { createHash, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { collection } from '../../kernel/collection.ts'
import { ToolError } from '../../kernel/error.ts'
import { job } from '../../kernel/job.ts'
import { type ImageLook, imageWorker } from '../../lib/image/look.ts'
import { fitsMediaType } from '../../lib/media-type.ts'
import { dayMs } from '../../lib/time.ts'
import type { Files } from '../../ports/files/port.ts'
import type { Keys } from '../../ports/keys/port.ts'
import type { Store, Tx } from '../../ports/store/port.ts'
import type { Workers } from '../../ports/workers/port.ts'
import type { EvidenceItem } from './evidence.ts'
import { roleIn } from './public-task.ts'
import { type Task, tasksIn } from './task.ts'

/**
 * A file that a worker uploads for a task. `pending` until its bytes were seen and fit, `stored` until a submission names it, `used`
 * from then on; the first two are dropped at `expires_at`.
 */
export type EvidenceFile = {
  /** `file_…` */
  id: string
  task: string
  worker: string
  sha256: string
  bytes: number
  content_type: string
  state: 'pending' | 'stored' | 'used'
  /** True when the task had its money when the file was announced; absent in older rows. */
  is_funded?: boolean
  /** Result of a look at an image; null for other files, and where it could not be looked at. */
  look: ImageLook | null
  created_at: string
  expires_at: string
}

export const filesIn = collection<EvidenceFile>({
  name: 'tasks.files',
  indexes: [
    { name: 'task', fields: ['task', 'created_at'] },
    { name: 'state', fields: ['state', 'expires_at'] },
  ],
  budget: {
    what: 'evidence files',
    owner: ({ worker }) => worker,
    counts: ({ state, is_funded }) => !(is_funded && state === 'used'),
    fileBytes: ({ bytes }) => bytes,
    each: { rows: 200, bytes: 512 << 20 },
    network: { rows: 800, bytes: 1024 << 20 },
    allBytes: 8192 * (1 << 20),
    ends: 'A file that no submission names is dropped after 30 days; those of funded tasks do not count once they are handed in.',
  },
})

/** The owner of its bytes in the store of files. */
export const toOwner = (id: string): string => `tasks.files/${id}`

/** How many files one task may have. */
export const maxFiles = 40

export const uploadSeconds = 900
export const downloadSeconds = 300

/** How long a file that no submission names is kept. */
const unusedMs = 30 * dayMs

/** Uploadable types. What a browser would run, such as HTML and SVG, may not. */
export const fileTypes = [
  'image/jpeg',
  'image/png',
  'image/gif',
  'image/webp',
  'image/heic',
  'image/avif',
  'video/mp4',
  'video/quicktime',
  'video/webm',
  'application/pdf',
  'application/zip',
  'application/json',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'text/plain',
  'text/csv',
] as const

const extensions: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'video/quicktime': 'mov',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'text/plain': 'txt',
}

/** The name under which a file is downloaded: nothing of it is a stranger's. */
export const toFileName = ({ id, content_type }: Pick<EvidenceFile, 'id' | 'content_type'>): string =>
  `${id}.${extensions[content_type] ?? content_type.split('/')[1] ?? 'bin'}`

type Purpose = 'upload' | 'download'

const sign = (keys: Keys, purpose: Purpose, id: string, until: number): string =>
  keys.hash(`tasks.evidence ${purpose} ${id} ${until}`)

/** Signs a link token that lets whoever has it send, or fetch, one file until a time. */
export const signLink = (keys: Keys, purpose: Purpose, id: string, until: Date): string => {
  const seconds = Math.floor(until.getTime() / 1000)
  return `${id}.${seconds}.${sign(keys, purpose, id, seconds)}`
}

/** The file that a link is for. Throws `forbidden` for one that was not made here, and `gone` for one that is over. */
export const requireFileLink = (keys: Keys, purpose: Purpose, token: string, now: Date): string => {
  const [id = '', until = '', proof = ''] = token.split('.')
  const expected = Buffer.from(sign(keys, purpose, id, Number(until)))
  const actual = Buffer.from(proof)
  if (!/^\d{10}$/.test(until) || actual.length !== expected.length || !timingSafeEqual(actual, expected))
    throw new ToolError('forbidden', 'This address was not made here.', { reason: 'bad_link' })
  if (Number(until) * 1000 >= now.getTime()) return id
  throw new ToolError('gone', 'The time of this address is over.', {
    reason: 'link_expired',
    hint: 'Ask for another one.',
  })
}

export const fileId = z.string().max(64).describe('Id of the file')

export const EvidenceFileOut = z.object({
  file_id: z.string().describe('Id of the file'),
  task_id: z.string().describe('The task'),
  state: z.enum(['pending', 'stored', 'used']).describe('pending: not uploaded; used: a submission names it'),
  sha256: z.string().describe('SHA-256, hexadecimal'),
  bytes: z.number().int().describe('Size'),
  content_type: z.string().describe('Media type'),
  claims: z
    .object({
      taken_at: z.string().nullable().describe('When, by the clock of the camera'),
      lat: z.number().nullable().describe('Latitude'),
      lng: z.number().nullable().describe('Longitude'),
      camera: z.string().nullable().describe('Camera'),
    })
    .nullable()
    .describe('What the photo says of itself (EXIF): anybody can write that'),
})

export const toPublicFile = (file: EvidenceFile): z.output<typeof EvidenceFileOut> => ({
  file_id: file.id,
  task_id: file.task,
  state: file.state,
  sha256: file.sha256,
  bytes: file.bytes,
  content_type: file.content_type,
  claims: file.look?.exif ?? null,
})

/** A file of a task, for its parties and for who may decide its dispute; anybody else's is as unknown as none. */
export const loadFile = async (
  tx: Tx,
  id: string,
  account: string,
  arbiters: readonly string[],
): Promise<EvidenceFile> => {
  const file = await filesIn(tx).get(id)
  const task = file && (await tasksIn(tx).get(file.task))
  const role = task && roleIn(task, account, arbiters)
  // A publisher sees what was handed in, not what the worker has not decided on.
  const isVisible =
    (role === 'assigned' && file?.worker === account) ||
    (role === 'publisher' && file?.state === 'used') ||
    (role === 'arbiter' && file?.state === 'used' && task?.dispute !== null)
  if (file && isVisible) return file
  throw new ToolError('not_found', 'You have no such file.')
}

type Issue = { path: string; message: string }

const findFileIssue = (
  item: EvidenceItem,
  file: EvidenceFile | undefined,
  task: Task,
): string | undefined => {
  if (!file || file.task !== task.id || file.worker !== task.worker) return 'no file of yours for this task'
  if (file.state === 'pending') return 'its bytes have not come yet'
  if (item.sha256 !== undefined && item.sha256 !== file.sha256) return 'the file has another sha256'
  return undefined
}

/** The evidence with what is known of the files that it names, those files, and what is wrong with the naming. */
export const attachFiles = async (
  tx: Tx,
  items: readonly EvidenceItem[],
  task: Task,
): Promise<{ items: EvidenceItem[]; files: Map<string, EvidenceFile>; issues: Issue[] }> => {
  const files = new Map<string, EvidenceFile>()
  const issues: Issue[] = []
  const attached: EvidenceItem[] = []
  for (const [at, item] of items.entries()) {
    if (item.file_id === undefined) {
      attached.push(item)
      continue
    }
    const file = await filesIn(tx).get(item.file_id)
    const issue = findFileIssue(item, file, task)
    if (issue !== undefined || !file) {
      issues.push({ path: `evidence.${at}.file_id`, message: `${item.type}: ${issue}` })
      continue
    }
    files.set(file.id, file)
    const { sha256, content_type, bytes } = file
    attached.push({ ...item, url: undefined, sha256, content_type, bytes })
  }
  return { items: attached, files, issues }
}

/** Notes that a submission names these files, so that they are kept. */
export const markUsed = async (tx: Tx, files: ReadonlyMap<string, EvidenceFile>): Promise<void> => {
  for (const file of files.values()) await filesIn(tx).put({ ...file, state: 'used' })
}

/** Files of a worker for a task, by id. Throws `invalid_input` that names the first one that is none, or whose bytes have not come. */
export const loadOwnFiles = async (
  tx: Tx,
  ids: readonly string[],
  owner: { task: string; worker: string },
): Promise<Map<string, EvidenceFile>> => {
  const files = new Map<string, EvidenceFile>()
  for (const [at, id] of ids.entries()) {
    const file = await filesIn(tx).get(id)
    const isOwn = file?.task === owner.task && file.worker === owner.worker
    const message = isOwn ? 'its bytes have not come yet' : 'no file of yours for this task'
    if (!file || !isOwn || file.state === 'pending')
      throw new ToolError('invalid_input', `file_ids.${at}: ${message}`, {
        issues: [{ path: `file_ids.${at}`, message }],
      })
    files.set(id, file)
  }
  return files
}

/** Drops files that were never sent, or that no submission named in time; the bytes stay while anybody else has the same. */
export const sweepFiles = job({ name: 'sweep-files', every: 600, needs: ['store', 'clock', 'files'] }).run(
  async ({ store, clock, files, signal }) => {
    for (const state of ['pending', 'stored'] as const)
      while (!signal.aborted) {
        const where = { state, expires_at: { lte: clock.now().toISOString() } }
        const { rows } = await filesIn(store).find({ index: 'state', where, limit: 100 })
        if (rows.length === 0) break
        for (const { id, sha256 } of rows) {
          await store.transaction(async tx => {
            const file = await filesIn(tx).get(id)
            if (file?.state !== state) return
            await filesIn(tx).delete(id)
            await files.release(tx, sha256, toOwner(id))
          })
          if (state === 'pending') await files.direct?.discard(id)
        }
      }
    await files.sweep(signal)
  },
)

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
