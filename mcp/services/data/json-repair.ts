import { z } from 'zod'
import { maxListedNotes } from '../../lib/json-repair/cursor.ts'
import { fixTypes } from '../../lib/json-repair/fix.ts'
import { module, type Repair, repair } from '../../lib/json-repair/repair.ts'
import { countText } from '../../lib/text/count.ts'
import { skill } from './skill.ts'

const place = {
  offset: z.number().int().describe('Where in the input, in UTF-16 code units from 0'),
  line: z.number().int().describe('Line in the input, from 1'),
  column: z.number().int().describe('Column in that line, from 1'),
}

/** Longer texts are read in a worker, so that nobody waits for them. */
const maxInlineLength = 32 * 1024

/** Fixes that are listed without `verbose`: some 2 kB, where those of a text of 4 kB can take 50. */
const maxShort = 20

const listCut = {
  code: 'list_cut',
  message: `Only the first ${maxListedNotes} fixes and warnings are listed.`,
}
const shortList = {
  code: 'list_cut',
  message: `Only the first ${maxShort} fixes are listed; verbose lists ${maxListedNotes}.`,
}

export default skill({
  id: 'json-repair',
  argument: 'json',
  price: '0.002',
  tags: ['json', 'repair', 'llm-output'],
  keywords: ['single', 'quotes', 'error', 'comments', 'invalid', 'malformed'],
  openWorld: false,
  cacheSec: 0,
  post: true,
  main: 'fixes',
  title: 'Repair JSON',
  description:
    'Repairs broken JSON (model output, Python or JavaScript literals, cut-off text, prose around it) and lists every fix with its place. Use it when JSON.parse fails. Free over A2A and MCP, else 0.002 USD.',
  input: z.object({
    json: z.string().max(1_048_576).describe('The text to repair, up to 1 MB, as it came'),
    verbose: z.boolean().default(false).describe('List up to 1,000 fixes, and not the first 20'),
  }),
  output: z.object({
    valid: z.boolean().describe('True when the input was valid JSON already; nothing is changed then'),
    repaired: z.boolean().describe('True when the input was broken and a value was found in it'),
    result: z.unknown().describe('The parsed value: any JSON. Several values in a row become an array'),
    json: z.string().nullable().describe('The result as JSON text; the input itself when that was valid'),
    fixes: z
      .array(
        z.object({
          type: z.enum(fixTypes).describe('Kind of fix'),
          message: z.string().describe('What was done'),
          ...place,
        }),
      )
      .describe('The first fixes in the order of the input'),
    fix_count: z.number().int().describe('All fixes, listed or not'),
    confidence: z.number().min(0).max(1).describe('How sure the reading is: 1 certain, 0 nothing found'),
    data_loss: z.boolean().describe('True when the result does not hold all that the text held or announced'),
    warnings: z
      .array(
        z.object({
          code: z.string().describe('Stable code of the warning'),
          message: z.string().describe('The warning in a sentence'),
          ...place,
        }),
      )
      .describe('Doubts about the data, such as duplicate keys and lost digits'),
    truncated: z.boolean().describe('True when there are more fixes or warnings than are listed'),
  }),
  needs: ['workers'],
  examples: [{ json: "{name: 'Ada', tags: ['a', 'b',], active: True" }, { json: '{"valid": [1, 2]}' }],
  summary: ({ valid, repaired, fix_count: fixCount }) => {
    if (valid) return 'The JSON is valid.'
    return repaired ? `Repaired with ${countText(fixCount, 'fix')}.` : 'There is no JSON in it.'
  },
}).run(async ({ workers }, { json, verbose }) => {
  const report =
    json.length > maxInlineLength ? await workers.run<Repair>(module, 'repair', json) : repair(json)
  const { steps, warning_count: warningCount, ...answer } = report
  const fixes = verbose ? answer.fixes : answer.fixes.slice(0, maxShort)
  const isShort = fixes.length < answer.fixes.length
  const truncated = answer.fix_count > fixes.length || warningCount > maxListedNotes
  const cut = isShort ? shortList : listCut
  return { ...answer, fixes, truncated, about: { truncated, warnings: truncated ? [cut] : [] } }
})
