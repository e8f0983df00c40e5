import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { countText } from '../../lib/text/count.ts'
import { evidenceSchemas, evidenceTypes } from './evidence.ts'

export default tool({
  name: 'evidence_types',
  title: 'List the types of evidence',
  keywords: ['proof', 'ask', 'photo', 'accepted', 'required', 'sort'],
  description: 'The 18 types of evidence and what each of them needs, as a JSON Schema. Free.',
  input: z.object({ type: z.enum(evidenceTypes).optional().describe('Only this one') }),
  output: z.object({
    types: z
      .array(
        z.object({
          type: z.enum(evidenceTypes).describe('Type'),
          needs: z.record(z.string(), z.unknown()).describe('JSON Schema of what it needs'),
        }),
      )
      .describe('Types'),
  }),
  needs: [],
  price: free,
  auth: ['erc8128', 'apiKey', 'public'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { group: 'publish-task' },
  rest: { routes: ['GET /api/v1/evidence/types'] },
  examples: [{ type: 'photo_geo' }],
  summary: ({ types }) => `${countText(types.length, 'type')}.`,
}).run(async (_, { type }) => ({
  types: evidenceTypes
    .filter(name => type === undefined || name === type)
    .map(name => ({
      type: name,
      needs: z.toJSONSchema(evidenceSchemas[name], { io: 'input' }) as Record<string, unknown>,
    })),
}))
