import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { executorKinds } from './account.ts'
import { categories } from './category.ts'
import { tasksSettings } from './config.ts'
import { evidenceTypes } from './evidence.ts'
import { fileTypes, maxFiles } from './file.ts'
import { signatureChains } from './signature.ts'
import { autoAcceptMs, escrowKinds, maxRounds, placeModes } from './task.ts'

const hourMs = 3_600_000

export default tool({
  name: 'read_config',
  title: 'Read the rules',
  description:
    'What holds here for every task: categories, types of evidence, limits, the fee, how long things take. Free.',
  keywords: ['marketplace', 'configuration', 'settings', 'terms'],
  input: z.object({}),
  output: z.object({
    categories: z.array(z.enum(categories)).describe('Kinds of work'),
    evidence_types: z.array(z.enum(evidenceTypes)).describe('Types of evidence'),
    executors: z.array(z.enum(executorKinds)).describe('What may work'),
    location_modes: z.array(z.enum(placeModes)).describe('How near to its place a task is done'),
    bounty_usd: z
      .object({ min: z.string().describe('Least'), max: z.string().describe('Most') })
      .describe('Bounty'),
    deadline_hours: z
      .object({ min: z.number().describe('Least'), max: z.number().describe('Most') })
      .describe('Deadline'),
    fee_percent: z.number().describe('Fee on top of a bounty'),
    escrow_kinds: z
      .array(z.enum(escrowKinds))
      .describe('Where the money of a task may wait; onchain where it is set up'),
    auto_accept_hours: z.number().describe('After so long an unreviewed submission counts as accepted'),
    max_rounds: z.int().describe('How often work may be sent back'),
    files: z
      .object({
        content_types: z.array(z.string()).describe('Media types that may be uploaded'),
        max_bytes: z.int().describe('Of one file'),
        max_task_bytes: z.int().describe('Of all files of a task'),
        max_count: z.int().describe('Files of a task'),
      })
      .describe('Uploads'),
    currency: z.literal('USDC').describe('What is paid'),
    chains: z.array(z.string()).describe('Chains whose accounts may sign, CAIP-2'),
  }),
  needs: [tasksSettings.feeBps, tasksSettings.fileMaxMb, tasksSettings.taskFilesMb],
  price: free,
  auth: ['erc8128', 'apiKey', 'public'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { group: 'manage-tasks' },
  rest: { routes: ['GET /api/v1/config', 'GET /api/v1/escrow/config'] },
  examples: [{}],
  summary: ({ fee_percent }) => `Fee ${fee_percent} %.`,
}).run(async ({ feeBps, fileMaxMb, taskFilesMb }) => ({
  categories: [...categories],
  evidence_types: [...evidenceTypes],
  executors: [...executorKinds],
  location_modes: [...placeModes],
  bounty_usd: { min: '0.01', max: '10000' },
  deadline_hours: { min: 1, max: 720 },
  fee_percent: feeBps / 100,
  escrow_kinds: [...escrowKinds],
  auto_accept_hours: autoAcceptMs / hourMs,
  max_rounds: maxRounds,
  files: {
    content_types: [...fileTypes],
    max_bytes: fileMaxMb * 1_000_000,
    max_task_bytes: taskFilesMb * 1_000_000,
    max_count: maxFiles,
  },
  currency: 'USDC' as const,
  chains: Object.keys(signatureChains).map(id => `eip155:${id}`),
}))
