import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { countText } from '../../lib/text/count.ts'
import { FileOut, idleDays, readWorkspace, toFileOut, workspaceSettings } from './workspace.ts'

export default tool({
  name: 'workspace_list',
  title: 'List the workspace',
  description:
    'Lists the files that your runs of execute left in /workspace, and what is taken of your quota. Free.',
  keywords: ['sandbox', 'code', 'write'],
  input: z.object({}),
  output: z.object({
    files: z.array(FileOut).describe('Files, in the order of their paths'),
    bytes: z.int().describe('Bytes that are taken'),
    max_bytes: z.int().describe('Bytes that may be taken'),
    idle_days: z.int().describe('Days without a run after which it is emptied'),
  }),
  needs: ['store', 'clock', workspaceSettings.workspaceMegabytes],
  price: free,
  auth: ['bearer'],
  limits: [{ perMinute: 60, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['sandbox', 'free'] },
  rest: { routes: ['GET /workspace'] },
  examples: [{}],
  needsSetup: true,
  summary: ({ files, bytes }) => `${countText(files.length, 'file')}, ${bytes} bytes.`,
}).run(async ({ store, clock, caller, workspaceMegabytes }) => {
  const { files, bytes } = await readWorkspace(store, caller.id, clock.now())
  const max_bytes = workspaceMegabytes * 1_000_000
  return { files: files.map(toFileOut), bytes, max_bytes, idle_days: idleDays }
})
