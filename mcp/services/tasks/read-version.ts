import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'

/** Version of the marketplace, as its card and its API tell it. */
export const version = '0.1.0'

export default tool({
  name: 'read_version',
  keywords: ['release', 'info', 'api'],
  title: 'Read the version',
  description: 'Version of the marketplace and of what it speaks. Free.',
  input: z.object({}),
  output: z.object({
    version: z.string().describe('Version of the marketplace'),
    api: z.literal('v1').describe('Version of the REST paths'),
    a2a: z.string().describe('Version of A2A'),
    erc8128: z.string().describe('Draft of ERC-8128'),
  }),
  needs: [],
  price: free,
  auth: ['erc8128', 'apiKey', 'public'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { group: 'manage-tasks' },
  rest: { routes: ['GET /api/v1/version'] },
  examples: [{}],
  summary: ({ version: number }) => number,
}).run(async () => ({ version, api: 'v1' as const, a2a: '0.3.0', erc8128: '2026-08' }))
