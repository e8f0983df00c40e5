import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { tasksSettings } from './config.ts'
import {
  downloadSeconds,
  EvidenceFileOut,
  fileId,
  loadFile,
  signLink,
  toFileName,
  toPublicFile,
} from './file.ts'

export default tool({
  name: 'presign_download',
  title: 'Download a file',
  description:
    'Returns an address, good for 5 minutes, of a file that was handed in for a task of yours. It is sent as an attachment. Free.',
  keywords: ['evidence', 'link', 'fetch', 'open', 'photo'],
  input: z.object({ file_id: fileId }),
  aliases: { file_id: ['id'] },
  output: EvidenceFileOut.extend({
    url: z.string().describe('Where to fetch it'),
    expires_at: z.iso.datetime().describe('Until when'),
  }),
  needs: ['store', 'clock', 'keys', 'files', tasksSettings.arbiters],
  price: free,
  limits: [{ perMinute: 120, per: 'client' }],
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { group: 'review-submissions' },
  rest: { routes: ['POST /api/v1/evidence/presign-download', 'GET /api/v1/evidence/presign-download'] },
  needsSetup: true,
  examples: [{ file_id: 'file_0' }],
  summary: ({ url }) => `Fetch it from ${url}.`,
}).run(async ({ store, base, clock, keys, files, caller, arbiters }, { file_id }) => {
  const file = await loadFile(store, file_id, caller.id, arbiters)
  if (file.state === 'pending')
    throw new ToolError('conflict', 'Its bytes have not come yet.', { reason: 'not_uploaded' })
  const expires = new Date(clock.now().getTime() + downloadSeconds * 1000)
  const { sha256, bytes, content_type: type } = file
  const direct = files.direct?.download({ sha256, bytes, type, name: toFileName(file) }, downloadSeconds)
  const token = signLink(keys, 'download', file.id, expires)
  return {
    ...toPublicFile(file),
    url: direct?.url ?? `${base}/api/v1/evidence/files/${token}`,
    expires_at: expires.toISOString(),
  }
})
