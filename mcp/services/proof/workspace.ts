import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { z } from 'zod'
import { collection } from '../../kernel/collection.ts'
import { ToolError } from '../../kernel/error.ts'
import { job } from '../../kernel/job.ts'
import { settings } from '../../kernel/setting.ts'
import { wholeNumber } from '../../lib/setting-texts.ts'
import { dayMs } from '../../lib/time.ts'
import type { Files } from '../../ports/files/port.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Sandbox, SandboxResult } from '../../ports/sandbox/port.ts'
import type { Store, Tx } from '../../ports/store/port.ts'

export const workspaceSettings = settings({
  workspaceMegabytes: {
    variable: 'PROOF_WORKSPACE_MB',
    schema: wholeNumber(1, 16),
    description: 'Megabytes of files that one account may keep between its runs of code.',
    default: '8',
  },
})

/** A file of a workspace, and where its bytes begin in what is kept. */
type WorkspaceFile = { path: string; bytes: number; sha256: string; offset: number }

/** Files that an account keeps between its runs. All of them are one file of the store of files. */
type Workspace = {
  /** Id of the account. */
  id: string
  /** SHA-256 of what is kept; null for an empty one. */
  archive: string | null
  /** Bytes of all files. */
  bytes: number
  files: WorkspaceFile[]
  /** The run that has it, and until when. */
  run: string | null
  lease: string | null
  used_at: string
}

/** An archive that nothing needs from a time on, or that may never have been needed. */
type Leftover = { id: string; remove_after: string }

/** Days after which a workspace that nobody used is emptied. */
export const idleDays = 30

const leaseMs = 120_000
const leaseRenewMs = 30_000

/** Beyond this an archive that was written and not taken into use is one that a process left when it died. */
const writingMs = 3_600_000

/** Time to still read an archive found just before it was replaced. */
const readingMs = 600_000

const afterReading = (now: Date): string => new Date(now.getTime() + readingMs).toISOString()

const indexes = [{ name: 'use', fields: ['used_at'] }] as const
const leftoverIndexes = [{ name: 'time', fields: ['remove_after'] }] as const

export const workspacesIn = collection<Workspace>({
  name: 'proof.workspaces',
  indexes,
  budget: {
    what: 'workspaces',
    fileBytes: ({ bytes }) => bytes,
    network: { rows: 400, bytes: 1024 << 20 },
    allBytes: 8192 * (1 << 20),
    ends: 'A workspace that nobody uses is emptied after 30 days.',
  },
})
export const leftoversIn = collection<Leftover>({
  name: 'proof.workspace_leftovers',
  indexes: leftoverIndexes,
  bounded: 'One for each archive that a run has replaced, for ten minutes to an hour.',
})

const empty = (id: string, now: Date): Workspace => ({
  id,
  archive: null,
  bytes: 0,
  files: [],
  run: null,
  lease: null,
  used_at: now.toISOString(),
})

export const readWorkspace = async (
  tx: Pick<Tx, 'collection'>,
  account: string,
  now: Date,
): Promise<Workspace> => (await workspacesIn(tx).get(account)) ?? empty(account, now)

const isTaken = ({ lease }: Workspace, now: Date): boolean => lease !== null && lease > now.toISOString()

const busy = (): ToolError =>
  new ToolError('conflict', 'Another run has your workspace.', {
    reason: 'workspace_busy',
    retryAfter: 5,
    hint: 'Repeat when it is over. Nothing was charged to a balance.',
  })

/** Throws `conflict` while a run has the workspace. */
export const checkIdle = (workspace: Workspace, now: Date): void => {
  if (isTaken(workspace, now)) throw busy()
}

const leaseFrom = (now: Date): string => new Date(now.getTime() + leaseMs).toISOString()

/** Gives the workspace to a run, which nobody else has then. Throws `conflict` where somebody has it. */
export const takeWorkspace = async (tx: Tx, account: string, run: string, now: Date): Promise<Workspace> => {
  const workspace = await readWorkspace(tx, account, now)
  checkIdle(workspace, now)
  const next = { ...workspace, run, lease: leaseFrom(now), used_at: now.toISOString() }
  await workspacesIn(tx).put(next)
  return next
}

const renewLease = async (tx: Tx, account: string, run: string, now: Date): Promise<void> => {
  await workspacesIn(tx).update(account, row => (row.run === run ? { ...row, lease: leaseFrom(now) } : row))
}

/** Lets go of it, as it is. */
export const releaseWorkspace = async (tx: Tx, account: string, run: string): Promise<void> => {
  await workspacesIn(tx).update(account, row => (row.run === run ? { ...row, run: null, lease: null } : row))
}

/** Kept content, and the row's fields that locate each file. */
type WorkspaceArchive = Pick<Workspace, 'archive' | 'bytes' | 'files'> & { content: Buffer }

/** The owner of an archive in the store of files. */
const toArchiveOwner = (archive: string): string => `proof workspace ${archive}`

const saltBytes = 16

const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

/** Puts files one after the other. A salt makes each archive one of its own: none is ever shared, so none is missed when another goes. */
export const packArchive = (files: ReadonlyMap<string, Buffer>): WorkspaceArchive => {
  const salt = randomBytes(saltBytes)
  let offset = saltBytes
  const listed = [...files].map(([path, content]) => {
    const file = { path, bytes: content.length, sha256: digest(content), offset }
    offset += content.length
    return file
  })
  const content = Buffer.concat([salt, ...files.values()])
  return {
    archive: files.size === 0 ? null : digest(content),
    bytes: offset - saltBytes,
    files: listed,
    content,
  }
}

const readAll = async (chunks: AsyncIterable<Uint8Array>): Promise<Buffer> => {
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(chunk)
  return Buffer.concat(parts)
}

/** The files of a workspace by their path. */
export const loadFiles = async (
  files: Files,
  { archive, files: listed }: Workspace,
): Promise<Map<string, Buffer>> => {
  if (archive === null) return new Map()
  const content = await readAll(files.read(archive))
  return new Map(listed.map(({ path, offset, bytes }) => [path, content.subarray(offset, offset + bytes)]))
}

/** Some bytes of one file. */
export const readPart = (
  files: Files,
  archive: string,
  { offset, bytes }: WorkspaceFile,
  { start, length }: { start: number; length: number },
): Promise<Buffer> => {
  const end = Math.min(bytes, start + length)
  if (end <= start) return Promise.resolve(Buffer.alloc(0))
  return readAll(files.read(archive, { start: offset + start, end: offset + end - 1 }))
}

/** Writes an archive, noted first as what is to be removed: it is there for good once a workspace has it. */
export const storeArchive = async (
  store: Pick<Store, 'transaction'>,
  files: Files,
  { archive, content }: WorkspaceArchive,
  now: Date,
): Promise<void> => {
  if (archive === null) return
  const remove_after = new Date(now.getTime() + writingMs).toISOString()
  await store.transaction(async tx => {
    await leftoversIn(tx).put({ id: archive, remove_after })
    await files.keep(tx, { sha256: archive, bytes: content.length }, toArchiveOwner(archive))
  })
  const chunks = (async function* () {
    yield content
  })()
  await files.put(chunks, { maxBytes: content.length, sha256: archive })
}

/** Makes an archive what the workspace is, in the transaction of the run that has it. False where the run has lost it. */
export const replaceArchive = async (
  tx: Tx,
  account: string,
  run: string,
  { archive, bytes, files }: Omit<WorkspaceArchive, 'content'>,
  now: Date,
): Promise<boolean> => {
  const workspace = await workspacesIn(tx).get(account)
  if (workspace?.run !== run) return false
  if (archive !== null) await leftoversIn(tx).delete(archive)
  if (workspace.archive !== null)
    await leftoversIn(tx).put({ id: workspace.archive, remove_after: afterReading(now) })
  await workspacesIn(tx).put({
    ...workspace,
    archive,
    bytes,
    files: [...files],
    run: null,
    lease: null,
    used_at: now.toISOString(),
  })
  return true
}

/** Forgets a workspace and what is in it. */
export const dropWorkspace = async (tx: Tx, account: string, now: Date): Promise<void> => {
  const workspace = await workspacesIn(tx).get(account)
  if (!workspace) return
  if (workspace.archive !== null)
    await leftoversIn(tx).put({ id: workspace.archive, remove_after: afterReading(now) })
  await workspacesIn(tx).delete(account)
}

export const FileOut = z
  .object({
    path: z.string().describe('Path below /workspace'),
    bytes: z.int().describe('Size'),
    sha256: z.string().describe('SHA-256 of its bytes, hexadecimal'),
  })
  .describe('A file')

export const toFileOut = ({ path, bytes, sha256 }: WorkspaceFile) => ({ path, bytes, sha256 })

type Deps = Pick<Ports, 'store' | 'clock' | 'files'> & { maxBytes: number }

type Job = Parameters<Sandbox['run']>[0]

/** Outcome of a workspace: kept as the run left it, or left as it was. */
type WorkspaceState = 'saved' | 'unchanged' | 'over_quota'

type WorkspaceRun = {
  result: SandboxResult
  /** Bytes of its files, before and after. */
  bytes: number
  /** Ends the use of the workspace, in the transaction of the call; to be called once the run is over. */
  seal(tx: Tx): Promise<{ state: WorkspaceState; bytes: number; files: number }>
  /** Lets go of the workspace where the call came to nothing. */
  release(): Promise<void>
}

const decide = (result: SandboxResult, maxBytes: number): WorkspaceArchive | 'unchanged' | 'over_quota' => {
  if (result.status !== 'ok') return 'unchanged'
  if (!result.workspace) return 'over_quota'
  const archive = packArchive(result.workspace)
  return archive.bytes > maxBytes ? 'over_quota' : archive
}

/** Runs a job in the workspace of an account, which no other run has meanwhile. Throws `conflict` where one has it. */
export const runInWorkspace = async (
  { store, clock, files, maxBytes }: Deps,
  sandbox: Sandbox,
  account: string,
  job: Job,
): Promise<WorkspaceRun> => {
  const run = randomUUID()
  const before = await store.transaction(tx => takeWorkspace(tx, account, run, clock.now()))
  // A run may wait for others, and takes as long as its tier lets it.
  const timer = setInterval(() => {
    renewLease(store, account, run, clock.now()).catch(() => undefined)
  }, leaseRenewMs)
  timer.unref()
  const release = async () => {
    clearInterval(timer)
    await releaseWorkspace(store, account, run)
  }
  try {
    const workspace = await loadFiles(files, before)
    const result = await sandbox.run({ ...job, workspace })
    const decision = decide(result, maxBytes)
    if (typeof decision !== 'string') await storeArchive(store, files, decision, clock.now())
    const after = [...(result.workspace?.values() ?? [])].reduce((sum, { length }) => sum + length, 0)
    return {
      result,
      bytes: before.bytes + after,
      release,
      async seal(tx) {
        const unchanged = { bytes: before.bytes, files: before.files.length }
        if (typeof decision === 'string') {
          await releaseWorkspace(tx, account, run)
          clearInterval(timer)
          return { state: decision, ...unchanged }
        }
        const isOurs = await replaceArchive(tx, account, run, decision, clock.now())
        clearInterval(timer)
        if (!isOurs) return { state: 'unchanged', ...unchanged }
        return { state: 'saved', bytes: decision.bytes, files: decision.files.length }
      },
    }
  } catch (error) {
    await release().catch(() => undefined)
    throw error
  }
}

const maxRows = 100

/** Empties workspaces that nobody used for 30 days, and removes what no workspace needs any more. */
export const sweepWorkspaces = job({
  name: 'sweep-workspaces',
  every: 600,
  needs: ['store', 'clock', 'files'],
}).run(async ({ store, clock, files, signal }) => {
  const lte = new Date(clock.now().getTime() - idleDays * dayMs).toISOString()
  while (!signal.aborted) {
    const { rows } = await workspacesIn(store).find({
      index: 'use',
      where: { used_at: { lte } },
      limit: maxRows,
    })
    if (rows.length === 0) break
    for (const { id } of rows)
      await store.transaction(async tx => {
        const workspace = await workspacesIn(tx).get(id)
        if (workspace && workspace.used_at <= lte) await dropWorkspace(tx, id, clock.now())
      })
  }
  while (!signal.aborted) {
    const where = { remove_after: { lte: clock.now().toISOString() } }
    const { rows } = await leftoversIn(store).find({ index: 'time', where, limit: maxRows })
    if (rows.length === 0) break
    for (const { id } of rows)
      await store.transaction(async tx => {
        await files.release(tx, id, toArchiveOwner(id))
        await leftoversIn(tx).delete(id)
      })
  }
  await files.sweep(signal)
})
