import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import {
  checkIdle,
  dropWorkspace,
  loadFiles,
  packArchive,
  readWorkspace,
  releaseWorkspace,
  replaceArchive,
  storeArchive,
  takeWorkspace,
} from './workspace.ts'

const missing = () =>
  new ToolError('not_found', 'Your workspace has no such file.', { next: ['workspace_list'] })

export default tool({
  name: 'workspace_delete',
  title: 'Delete from the workspace',
  description:
    'Deletes a file of your workspace, or all of them where none is named, for good. Refused while a run has it. Free.',
  keywords: ['remove', 'clear', 'sandbox', 'space', 'empty', 'up'],
  input: z.object({
    path: z.string().min(1).max(240).optional().describe('Path below /workspace; all files without it'),
  }),
  output: z.object({
    deleted: z.int().describe('Files that are gone'),
    files: z.int().describe('Files that are left'),
    bytes: z.int().describe('Bytes that are left'),
  }),
  needs: ['store', 'clock', 'files'],
  price: free,
  auth: ['bearer'],
  limits: [{ perMinute: 30, per: 'client' }],
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  a2a: { tags: ['sandbox', 'free'] },
  rest: { routes: ['POST /workspace/delete'] },
  examples: [{ path: 'result.csv' }],
  needsSetup: true,
  summary: ({ deleted }) => `Deleted ${deleted} files.`,
}).run(async ({ store, commit, clock, files, caller }, { path }) => {
  const owner = caller.id
  if (path === undefined)
    return commit(async tx => {
      const workspace = await readWorkspace(tx, owner, clock.now())
      checkIdle(workspace, clock.now())
      await dropWorkspace(tx, owner, clock.now())
      return { deleted: workspace.files.length, files: 0, bytes: 0 }
    })
  const stored = await readWorkspace(store, owner, clock.now())
  if (!stored.files.some(file => file.path === path)) throw missing()
  const run = randomUUID()
  const before = await store.transaction(tx => takeWorkspace(tx, owner, run, clock.now()))
  try {
    const rest = await loadFiles(files, before)
    if (!rest.delete(path)) throw missing()
    const archive = packArchive(rest)
    await storeArchive(store, files, archive, clock.now())
    return await commit(async tx => {
      if (!(await replaceArchive(tx, owner, run, archive, clock.now())))
        throw new ToolError('conflict', 'The workspace was changed meanwhile.', { retryable: true })
      return { deleted: 1, files: archive.files.length, bytes: archive.bytes }
    })
  } catch (error) {
    await releaseWorkspace(store, owner, run)
    throw error
  }
})
