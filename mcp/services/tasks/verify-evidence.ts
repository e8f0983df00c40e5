import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { tasksSettings } from './config.ts'
import { EvidenceFileOut, fileId, loadFile, settleFile, toPublicFile } from './file.ts'

export default tool({
  name: 'verify_evidence',
  keywords: ['validate', 'exif'],
  title: 'Check an uploaded file',
  description:
    'Reads the bytes of an uploaded file again and says if they have the size, hash and type that were promised, and what a photo claims of its time and place. Free.',
  input: z.object({ file_id: fileId }),
  aliases: { file_id: ['id'] },
  output: EvidenceFileOut.extend({
    matches: z.boolean().describe('Whether the bytes are what was promised'),
    problems: z.array(z.string()).describe('What is wrong; empty when they match'),
  }),
  needs: ['store', 'clock', 'files', 'workers', tasksSettings.arbiters],
  price: free,
  timeoutMs: 120_000,
  limits: [{ perMinute: 30, per: 'client' }],
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  a2a: { group: 'review-submissions' },
  rest: { routes: ['POST /api/v1/evidence/verify'] },
  needsSetup: true,
  examples: [{ file_id: 'file_0' }],
  summary: ({ matches, problems }) => (matches ? 'It is what was promised.' : problems.join(' ')),
}).run(async ({ store, clock, files, workers, caller, arbiters }, { file_id }) => {
  const file = await loadFile(store, file_id, caller.id, arbiters)
  const { file: settled, problems } = await settleFile({ store, files, workers, now: clock.now() }, file)
  return { ...toPublicFile(settled), matches: problems.length === 0, problems }
})
