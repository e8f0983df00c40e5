import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { record } from './record/log.ts'

export default tool({
  name: 'prove_consistency',
  title: 'Prove that nothing was changed',
  keywords: ['old', 'forecasts', 'not', 'tampered', 'append', 'transparency'],
  description:
    'Proves that the record of one size is the beginning of that of another: that nothing was changed or removed since a root you kept. Free.',
  input: z.object({
    first: z.number().int().min(0).max(1e12).describe('The size you know'),
    second: z.number().int().min(0).max(1e12).optional().describe('A later size; without it the size now'),
  }),
  output: z.object({
    first: z.number().int().describe('The earlier size'),
    second: z.number().int().describe('The later size'),
    first_root: z.string().describe('Root of the earlier tree'),
    second_root: z.string().describe('Root of the later tree'),
    path: z.array(z.string().describe('Hash of a node')).describe('Consistency proof (RFC 9162)'),
  }),
  needs: [record],
  price: free,
  limits: [{ perMinute: 120, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  rest: { routes: ['GET /expertise/record/consistency'] },
  examples: [{ first: 0 }],
  summary: ({ first, second }) => `${first} entries are the beginning of ${second}.`,
}).run(async ({ record }, { first, second }) => {
  const size = await record.size()
  const end = second ?? size
  const refuse = (path: string, message: string) =>
    new ToolError('invalid_input', `${path}: ${message}.`, { issues: [{ path, message }] })
  if (end > size) throw refuse('second', `the record has ${size} entries`)
  if (first > end) throw refuse('first', `must not be above ${end}`)
  return {
    first,
    second: end,
    first_root: await record.root(first),
    second_root: await record.root(end),
    path: await record.consistency(first, end),
  }
})
