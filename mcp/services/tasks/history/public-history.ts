import { z } from 'zod'
import { untrustedMark } from '../../../lib/untrusted.ts'
import { roles, statuses } from '../task/status.ts'

export const HistoryEntryOut = z.object({
  seq: z.number().int().describe('1, 2, 3 …'),
  from: z.enum(statuses).nullable().describe('State before; null for the first'),
  to: z.enum(statuses).describe('State after'),
  actor: z.string().describe('Account that moved it; system for the clock'),
  role: z.enum(roles).describe('What the actor is to the task'),
  at: z.string().describe('When'),
  reason: z.string().describe('Why'),
  prev: z.string().describe('SHA-256 of the entry before as canonical JSON; of the terms for the first'),
})

export const HistoryOut = z.object({
  task_id: z.string().describe('Id of the task'),
  terms: z.record(z.string(), z.unknown()).describe('What the first entry holds the hash of'),
  entries: z.array(HistoryEntryOut).describe('Every move, the first one first'),
  head: z.string().describe('SHA-256 of the last entry as canonical JSON (RFC 8785), hexadecimal'),
  signature: z
    .string()
    .describe(
      'Compact JWS (EdDSA) over task, number and head; keys at /.well-known/jwks.json of the service',
    ),
  untrusted: untrustedMark,
})
