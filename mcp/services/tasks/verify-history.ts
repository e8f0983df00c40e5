import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { findHistoryFaults, HistoryEntryOut } from './history.ts'

const terms = { task_id: 'task_0' }
const prev = '8f11a9bb3d3e8b7fa6ce0e1d2a0a8ab5a1a8f0ad4a6d9d1f2f5ac7c3e2a1b0c9'

export default tool({
  name: 'verify_history',
  title: 'Verify a history',
  keywords: ['genuine', 'tampered', 'chain', 'validate', 'audit', 'log'],
  description:
    'Checks a downloaded history of a task: each hash, each move, and whether its head was signed here. The same check works offline. Free.',
  input: z.object({
    terms: z.record(z.string(), z.unknown()).describe('terms of get_history'),
    entries: z.array(HistoryEntryOut).max(1000).describe('entries of get_history'),
    head: z.string().max(100).describe('head of get_history'),
    signature: z.string().max(5000).optional().describe('signature of get_history'),
  }),
  output: z.object({
    whole: z.boolean().describe('Nothing was changed, added or left out'),
    signed: z.boolean().nullable().describe('The house signed this head; null without a signature'),
    faults: z.array(z.string()).describe('What is wrong, in words'),
  }),
  needs: ['sign'],
  price: free,
  auth: ['erc8128', 'apiKey', 'public'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { group: 'manage-tasks' },
  rest: { routes: ['POST /api/v1/history/verify'] },
  examples: [
    {
      terms,
      entries: [
        {
          seq: 1,
          from: null,
          to: 'published',
          actor: 'eip155:8453:0x00000000000000000000000000000000000000a1',
          role: 'publisher',
          at: '2026-11-22T12:00:00.000Z',
          reason: 'published',
          prev,
        },
      ],
      head: prev,
    },
  ],
  summary: ({ whole }) => (whole ? 'The history is whole.' : 'The history is not whole.'),
}).run(async ({ sign }, { signature, ...document }) => {
  const faults = findHistoryFaults(document)
  const claims = signature === undefined ? undefined : sign.open(signature)
  const isOfHead = claims?.head === document.head && claims.task_id === document.terms.task_id
  return {
    whole: faults.length === 0,
    signed: signature === undefined ? null : isOfHead,
    faults: faults.slice(0, 100),
  }
})
