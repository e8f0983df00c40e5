import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { countText } from '../../lib/text/count.ts'
import { toLedgerKey } from './ledger/checkpoint.ts'
import { transparencyLog } from './ledger/log.ts'
import { formatNoteKey } from './proofs/verify/note.ts'

export default tool({
  name: 'list_verifier_keys',
  title: 'List the keys of proofs',
  description:
    'Lists the keys that sign proofs and checkpoints, those that did so before, and the time of each. Use it once, over a channel you trust, and keep it: proofs then verify offline. Free.',
  keywords: ['public', 'rotation', 'pin', 'jwks'],
  input: z.object({}),
  output: z.object({
    origin: z.string().describe('Name of the ledger in its checkpoints'),
    keys: z
      .array(
        z.object({
          scheme: z.enum(['bip340', 'ed25519']).describe('bip340 signs proofs, ed25519 signs checkpoints'),
          public_key: z.string().describe('Hexadecimal'),
          verifier_key: z
            .string()
            .nullable()
            .describe('The same as C2SP signed-note has it; null for bip340'),
          valid_from: z.string().describe('First use, ISO 8601'),
          valid_until: z
            .string()
            .nullable()
            .describe('When another one replaced it; null while it is in use'),
          index: z.number().int().describe('The entry of the ledger that made it known'),
        }),
      )
      .describe('Oldest first'),
  }),
  needs: [transparencyLog],
  price: free,
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['proof', 'keys', 'free'] },
  rest: { routes: ['GET /.well-known/verifier-keys.json'] },
  examples: [{}],
  summary: ({ keys }) => `${countText(keys.length, 'key')}.`,
}).run(async ({ transparencyLog: log }) => {
  await log.sync()
  return {
    origin: log.origin,
    keys: log.keys().map(key => ({
      ...key,
      verifier_key: key.scheme === 'ed25519' ? formatNoteKey(toLedgerKey(log.origin, key.public_key)) : null,
    })),
  }
})
