import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { newId } from '../../lib/new-id.ts'
import { tasksSettings } from './config.ts'
import { type EvidenceFile, filesIn, fileTypes, maxFiles, signLink, toOwner, uploadSeconds } from './file.ts'
import { loadTaskAs, taskId } from './public-task.ts'

const tooMuch = (detail: string, reason: string) => new ToolError('too_large', detail, { reason })

export default tool({
  name: 'presign_upload',
  title: 'Upload a file',
  description:
    'Returns an address, good for 15 minutes, to which you PUT one file of evidence for a task of yours: these bytes, by their SHA-256, and no others. Name its file_id in submit_work, or after a rejection in open_dispute. Free.',
  keywords: ['attach', 'send', 'photo', 'url'],
  input: z.object({
    task_id: taskId,
    sha256: z
      .string()
      .regex(/^[0-9a-fA-F]{64}$/, 'a SHA-256 in 64 hexadecimal digits')
      .transform(text => text.toLowerCase())
      .describe('SHA-256 of the file, hexadecimal'),
    bytes: z.number().int().min(1).describe('Size of the file in bytes'),
    content_type: z.enum(fileTypes).describe('Media type of the file; its bytes are checked'),
  }),
  output: z.object({
    file_id: z.string().describe('What submit_work names it by'),
    state: z.enum(['pending', 'stored', 'used']).describe('stored: it is there already'),
    method: z.literal('PUT').describe('How to send it'),
    upload_url: z.string().describe('Where to send it'),
    headers: z.record(z.string(), z.string()).describe('Headers to send with it'),
    expires_at: z.iso.datetime().describe('Until when'),
  }),
  needs: ['store', 'clock', 'keys', 'files', tasksSettings.fileMaxMb, tasksSettings.taskFilesMb],
  price: free,
  limits: [{ perMinute: 60, per: 'client' }],
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  a2a: { group: 'worker-management' },
  rest: { routes: ['POST /api/v1/evidence/presign-upload'], status: 201 },
  needsSetup: true,
  examples: [{ task_id: 'task_0', sha256: 'a'.repeat(64), bytes: 1000, content_type: 'image/jpeg' }],
  summary: ({ file_id }) => `Send the bytes of ${file_id}.`,
}).run(
  async (
    { commit, base, clock, keys, files, caller, fileMaxMb, taskFilesMb },
    { task_id, sha256, bytes, content_type },
  ) =>
    commit(async tx => {
      const now = clock.now()
      const worker = caller.id
      const task = await loadTaskAs(tx, task_id, worker, 'assigned')
      if (task.status !== 'accepted' && task.status !== 'in_progress' && task.status !== 'verifying')
        throw new ToolError('conflict', `A task that is ${task.status} takes no files.`, {
          reason: 'not_in_progress',
        })
      if (bytes > fileMaxMb * 1_000_000)
        throw tooMuch(`bytes: a file may have ${fileMaxMb} megabytes.`, 'file_too_large')
      const { rows } = await filesIn(tx).find({ index: 'task', where: { task: task_id }, limit: maxFiles })
      const others = rows.filter(row => row.sha256 !== sha256 || row.worker !== worker)
      const before = rows.find(row => !others.includes(row))
      if (others.length >= maxFiles) throw tooMuch(`A task may have ${maxFiles} files.`, 'too_many_files')
      if (others.reduce((sum, row) => sum + row.bytes, bytes) > taskFilesMb * 1_000_000)
        throw tooMuch(`The files of a task may have ${taskFilesMb} megabytes together.`, 'task_files_full')
      const expires = new Date(now.getTime() + uploadSeconds * 1000)
      const isThere = before !== undefined && before.state !== 'pending'
      const file: EvidenceFile = isThere
        ? before
        : {
            id: before?.id ?? newId('file', now),
            task: task_id,
            worker,
            sha256,
            bytes,
            content_type,
            is_funded: task.funded,
            state: 'pending',
            look: null,
            created_at: before?.created_at ?? now.toISOString(),
            expires_at: new Date(expires.getTime() + 3_600_000).toISOString(),
          }
      if (!isThere) {
        await filesIn(tx).put(file)
        // Bytes that went to a store of their own lie there until the file is dropped.
        const until = files.direct ? new Date(file.expires_at) : expires
        await files.keep(tx, { sha256, bytes }, toOwner(file.id), { until, account: worker })
      }
      const direct = files.direct?.upload(file.id, { sha256, bytes, type: content_type }, uploadSeconds)
      const token = signLink(keys, 'upload', file.id, expires)
      return {
        file_id: file.id,
        state: file.state,
        method: 'PUT' as const,
        upload_url: direct?.url ?? `${base}/api/v1/evidence/uploads/${token}`,
        headers: { ...(direct?.headers ?? { 'content-type': content_type }) },
        expires_at: expires.toISOString(),
      }
    }),
)
