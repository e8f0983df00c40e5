import { randomUUID } from 'node:crypto'
import type { Ports } from '../../../ports/ports.ts'
import type { Sandbox, SandboxResult } from '../../../ports/sandbox/port.ts'
import type { Tx } from '../../../ports/store/port.ts'
import {
  leaseRenewMs,
  loadFiles,
  packArchive,
  releaseWorkspace,
  renewLease,
  replaceArchive,
  storeArchive,
  takeWorkspace,
  type WorkspaceArchive,
} from './workspace.ts'

type Deps = Pick<Ports, 'store' | 'clock' | 'files'> & { maxBytes: number }

type Job = Parameters<Sandbox['run']>[0]

/** Outcome of a workspace: kept as the run left it, or left as it was. */
export type WorkspaceState = 'saved' | 'unchanged' | 'over_quota'

export type WorkspaceRun = {
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
