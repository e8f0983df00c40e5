import { z } from 'zod'
import { countText } from '../../lib/text/count.ts'
import { AddressInput, parseAddress, toHostname } from './address.ts'
import { visit } from './page/fetch-page.ts'
import { skill } from './skill.ts'
import { formats } from './structured/item.ts'
import { structuredExtractor as extractor } from './structured/structured.ts'

const count = (what: string) => z.number().int().describe(what)

const cutNote = {
  code: 'items_cut',
  message: 'The page says more than what is given; items or values are missing.',
}

const brokenNote = {
  code: 'broken_jsonld',
  message: 'JSON-LD on the page is broken; errors tells where and whether it could be repaired.',
}

export default skill({
  id: 'structured-data',
  argument: 'url',
  price: '0.003',
  tags: ['web', 'json-ld', 'schema.org'],
  keywords: ['markup', 'marked', 'rich', 'information', 'extract', 'semantic'],
  openWorld: true,
  cacheSec: 60,
  key: ({ url }) => parseAddress(url),
  target: ({ url }) => toHostname(url),
  main: 'items',
  title: 'Read the structured data of a page',
  description:
    'Fetches a web page and returns its JSON-LD, microdata, RDFa, OpenGraph and Dublin Core as objects, with the schema.org types that occur; broken JSON-LD is repaired and reported. Use it for products, events and articles. Free over A2A and MCP, else 0.003 USD.',
  input: z.object({ url: AddressInput }),
  output: z.object({
    url: z.string().describe('The address that was asked for, absolute'),
    final_url: z.string().describe('Where the last redirect led'),
    status: count('HTTP status of the page'),
    formats: z
      .object({
        jsonld: count('Items in JSON-LD'),
        microdata: count('Items in microdata'),
        rdfa: count('Things said in RDFa'),
        opengraph: count('1 with OpenGraph tags'),
        dublincore: count('1 with Dublin Core'),
      })
      .describe('Number of items in each format'),
    types: z
      .array(z.string())
      .describe(
        'Types in JSON-LD, microdata and RDFa, nested ones too, frequent first; Product for schema.org',
      ),
    type_counts: z.record(z.string(), z.number().int()).describe('How often each type occurs'),
    items: z
      .array(
        z.object({
          format: z.enum(formats).describe('Format'),
          type: z.string().nullable().describe('First type'),
          types: z.array(z.string()).describe('All its types'),
          id: z.string().nullable().describe('Its identifier'),
          data: z.record(z.string(), z.unknown()).describe('What is said, as the format has it'),
        }),
      )
      .describe('The items; nodes of a JSON-LD graph are items'),
    errors: z
      .array(
        z.object({
          format: z.literal('jsonld').describe('Format'),
          where: z.string().describe('Which script, from 0'),
          message: z.string().describe('What is wrong'),
          repaired: z.boolean().describe('True when it was read all the same'),
        }),
      )
      .describe('Blocks that are not valid'),
    count: count('Number of items'),
    truncated: z.boolean().describe('True when anything was cut'),
  }),
  needs: ['fetch', 'workers'],
  examples: [{ url: 'http://example.com/product' }],
  summary: ({ count, types }) =>
    count === 0
      ? 'The page has no structured data.'
      : `${countText(count, 'item')}: ${types.slice(0, 8).join(', ')}.`,
}).run(async ({ signal, ...ports }, { url: input }) => {
  const url = parseAddress(input) ?? input
  const pageVisit = await visit(ports, url, extractor, { options: {}, signal })
  const { fetched, result, warnings } = pageVisit
  const truncated = result.truncated || pageVisit.truncated
  return {
    url,
    final_url: fetched.url,
    status: fetched.status,
    ...result,
    count: result.items.length,
    truncated,
    about: {
      sources: [fetched.url],
      truncated,
      warnings: [
        ...warnings,
        ...(result.truncated ? [cutNote] : []),
        ...(result.errors.length > 0 ? [brokenNote] : []),
      ],
    },
  }
})
