import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type AnyTool, free, tool, usd } from '../../mcp/kernel/tool.ts'
import { abridge } from '../../mcp/server/abridged-schema.ts'
import { listBudget, toolBudget } from '../../mcp/server/boot-check.ts'
import { buildCatalogue } from '../../mcp/server/catalogue.ts'
import { compileService } from '../../mcp/server/compile.ts'
import { describeTool } from '../../mcp/server/describe-tool.ts'
import { mcpRoutes } from '../../mcp/server/index.ts'
import { toSchema } from '../../mcp/server/schema.ts'
import { abridgedIn, toToolList } from '../../mcp/server/tool-list.ts'
import { openNames } from '../../mcp/server/tool-names.ts'
import { hints, lab, serviceOf } from './fixture.ts'
import { emptyWorld } from './serve.ts'

const facts = {
  name: 'fine',
  title: 'Fine',
  description: 'A tool without fault. Free.',
  input: z.object({ text: z.string().describe('Text') }),
  output: z.object({ text: z.string().describe('Text') }),
  needs: [],
  price: free,
  hints,
  examples: [{ text: 'a' }],
} as const

const made = (more: object = {}): AnyTool =>
  tool({
    ...facts,
    ...more,
    examples: (more as { examples?: [object] }).examples ?? [{ text: 'a' }],
  } as never).run((async () => ({ text: 'a' })) as never)

const field = (schema: z.ZodType) => ({
  input: z.object({ text: z.string().describe('Text'), more: schema.optional() }),
})

const recursive: z.ZodObject = z.object({
  text: z.string().describe('Text'),
  get self() {
    return recursive.optional().describe('Itself')
  },
})

const leaf: z.ZodObject = z.object({
  name: z.string().describe('Name'),
  get kids() {
    return z.array(leaf).describe('Below it')
  },
})

const faults: [string, object, RegExp][] = [
  ['a name with capitals', { name: 'Fine' }, /^lab\.Fine: the name does not match/],
  ['a name with a dot', { name: 'a.b' }, /the name does not match/],
  ['a name of 49 characters', { name: 'a'.repeat(49) }, /the name does not match/],
  ['a title of blanks', { title: ' ' }, /^lab\.fine: the title is empty/],
  ['no description', { description: '' }, /the description is empty/],
  ['a description of 401 characters', { description: 'a'.repeat(401) }, /has 401 characters, over 400/],
  [
    'seven keywords',
    { keywords: ['one', 'two', 'three', 'four', 'five', 'six', 'seven'] },
    /7 keywords, over 6/,
  ],
  [
    'a keyword of its description',
    { description: 'Reads a page.', keywords: ['pages'] },
    /the keyword pages repeats pages of its name, title or description/,
  ],
  ['a keyword of another language', { keywords: ['größe'] }, /is not one or two lower-case English words/],
  ['an undescribed field', field(z.string()), /input fields without a description: more/],
  [
    'an undescribed field far inside',
    field(z.array(z.object({ inner: z.object({ deep: z.string() }).describe('In') })).describe('List')),
    /without a description: more\[\]\.inner\.deep/,
  ],
  [
    'a choice of objects in the input',
    field(z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]).describe('Either')),
    /^lab\.fine: the input cannot be written as JSON Schema: more is a choice of objects or lists; make it one object with optional fields/,
  ],
  [
    'an input that contains itself',
    { input: recursive },
    /^lab\.fine: the input cannot be written .*self\.self is a schema that contains itself; take it as text/,
  ],
  [
    'a tuple in the input',
    field(z.tuple([z.string(), z.int()]).describe('Pair')),
    /more is written with prefixItems, which hosts refuse; use an object/,
  ],
  [
    'an undescribed field in the output',
    { output: z.object({ rows: z.array(z.object({ a: z.string() })).describe('Rows') }) },
    /^lab\.fine: output fields without a description: rows\[\]\.a$/,
  ],
  [
    'fields that the vocabulary calls otherwise',
    {
      output: z.object({
        maxTokens: z.int().describe('A'),
        rows: z.array(z.object({ tx_hash: z.string().describe('A') })).describe('A'),
        time: z.iso.datetime().nullable().describe('A'),
        fee_usd: z.number().describe('A'),
        typed_data: z.object({ primaryType: z.string().describe('A') }).describe('A'),
        x402Version: z.int().describe('A'),
      }),
    },
    /^lab\.fine: output fields outside of the vocabulary: maxTokens is written max_tokens; rows\[\]\.tx_hash is called transaction_hash; time is a time, and its name ends in _at; fee_usd is money, and a decimal string$/,
  ],
  [
    'an output that contains itself',
    { output: z.object({ tree: leaf.describe('Tree') }) },
    /^lab\.fine: the output contains itself/,
  ],
  [
    'a list that does not say what is in it',
    field(z.unknown().meta({ type: 'array', description: 'List' })),
    /^lab\.fine: input lists that do not say what is in them: more$/,
  ],
  [
    'such a list in the output',
    { output: z.object({ a: z.array(z.unknown().meta({ type: 'array' })).describe('A') }) },
    /^lab\.fine: output lists that do not say what is in them: a\[\]$/,
  ],
  [
    'an inner object that neither has fields nor says that any will do',
    field(z.object({}).describe('Empty')),
    /^lab\.fine: input objects without fields: more$/,
  ],
  [
    'such an object in the output',
    { output: z.object({ a: z.unknown().meta({ type: 'object', description: 'A' }) }) },
    /^lab\.fine: output objects without fields: a$/,
  ],
  [
    'a tool that is too long for a model',
    field(z.enum(Array.from({ length: 900 }, (_, at) => `v${at}`)).describe('One of many')),
    new RegExp(`^lab\\.fine: a model reads \\d+ bytes of this tool, over ${toolBudget}$`),
  ],
  ['an example that does not parse', { examples: [{ text: 5 }] }, /example 1 does not parse: text/],
  ['an example with a field too many', { examples: [{ text: 'a', other: 1 }] }, /example 1 does not parse/],
  [
    'a date in the input',
    field(z.date().describe('When')),
    /the input cannot be written as JSON Schema: .*[Dd]ate/,
  ],
  [
    'a bigint in the output',
    { output: z.object({ n: z.bigint() }) },
    /the output cannot be written as JSON Schema/,
  ],
  [
    'a transform in the output',
    { output: z.object({ n: z.string().transform(Number) }) },
    /the output cannot be written as JSON Schema/,
  ],
  [
    'a paid output that contains itself',
    { output: recursive, price: usd('1') },
    /the output contains itself/,
  ],
]

describe('the boot check refuses', () => {
  test.each(faults)('%s', (_, more, fault) => {
    expect(() => compileService(serviceOf('lab', [made(more)]))).toThrow(fault)
  })

  test.each(['oneOf', 'anyOf', 'allOf'])('an input with %s at its root', keyword => {
    const base = z.object({ text: z.string().describe('Text') })
    const { strict } = base
    const input = Object.assign(base, {
      strict: () => Object.assign(strict.call(base).meta({ [keyword]: [{ required: ['text'] }] })),
    })
    expect(() => compileService(serviceOf('lab', [made({ input })]))).toThrow(
      `lab.fine: the root of the input has ${keyword}`,
    )
  })

  test('an input whose root is no object', () => {
    const listed = { ...made(), input: z.array(z.string()) } as unknown as AnyTool
    expect(() => compileService(serviceOf('lab', [listed]))).toThrow(
      'the root of the input is not a plain object',
    )
  })

  test('a name that is used twice', () => {
    expect(() => compileService(serviceOf('lab', [made(), made()]))).toThrow(
      'lab.fine: the name is used twice',
    )
  })

  test('a list over its budget', () => {
    const many = Array.from({ length: 100 }, (_, at) =>
      made({ name: `t${at}`, description: 'a'.repeat(at === 70 ? 399 : 390) }),
    )
    expect(() => compileService(serviceOf('lab', many))).toThrow(
      new RegExp(
        `^lab: a model reads \\d+ bytes of the tool list, over its budget of ${listBudget}; the longest tool is t70 with \\d+$`,
      ),
    )
  })

  test('at the moment the routes are made, not at the first list', () => {
    const options = { shim: true, onClient: () => {} }
    expect(() => mcpRoutes(emptyWorld(), serviceOf('lab', [made({ name: 'Bad' })]), options)).toThrow(
      'lab.Bad',
    )
  })
})

test('a tool that is not on MCP is not checked and not listed', () => {
  expect(compileService(serviceOf('lab', [made({ name: 'Bad Name', mcp: false })]))).toEqual([])
})

test('lists are frozen all the way down', () => {
  const [entry] = compileService(lab)
  const properties = entry?.listed.inputSchema.properties
  expect([entry?.listed, entry?.listed.annotations, properties].every(Object.isFrozen)).toBe(true)
})

const text = (schema: z.ZodType, side: 'input' | 'output') =>
  (toSchema(z.object({ it: schema }), side).properties as Record<string, object>).it

describe('a schema is lean and portable', () => {
  test.each<[string, z.ZodType, 'input' | 'output', object]>([
    ['a format needs no pattern', z.iso.datetime(), 'input', { type: 'string', format: 'date-time' }],
    [
      'a time without date keeps its short pattern',
      z.iso.time(),
      'output',
      expect.not.objectContaining({ format: 'time' }),
    ],
    ['a local time loses its endless pattern', z.iso.datetime({ local: true }), 'output', { type: 'string' }],
    [
      'a short pattern of our own stays',
      z.string().regex(/^0x/),
      'input',
      { type: 'string', pattern: '^0x' },
    ],
    ['an integer has no machine bounds', z.int(), 'output', { type: 'integer' }],
    ['an integer keeps its own bounds', z.int().min(-3), 'input', { type: 'integer', minimum: -3 }],
    [
      'nullable text is two branches',
      z.string().min(2).nullable(),
      'output',
      { anyOf: [{ type: 'string', minLength: 2 }, { type: 'null' }] },
    ],
    [
      'a union of two types is two branches',
      z.union([z.string(), z.number()]),
      'output',
      { anyOf: [{ type: 'string' }, { type: 'number' }] },
    ],
    [
      'a record is an open object',
      z.record(z.string(), z.unknown()),
      'output',
      { type: 'object', additionalProperties: true },
    ],
    [
      'a list of anything says so',
      z.array(z.unknown()),
      'output',
      {
        type: 'array',
        items: {
          anyOf: [
            { type: 'object', additionalProperties: true },
            { type: 'array', items: {} },
            ...['string', 'number', 'boolean', 'null'].map(type => ({ type })),
          ],
        },
      },
    ],
    ['a URL is text in an input', z.url(), 'input', { type: 'string' }],
    [
      'classes of a pattern are spelled',
      z.string().regex(/^\d{2}[\w-]$/),
      'input',
      { type: 'string', pattern: '^[0-9]{2}[0-9A-Za-z_-]$' },
    ],
    [
      'a pattern that engines read differently is left to the tool',
      z.string().regex(/^(?=a)\P{Cc}*$/u),
      'input',
      { type: 'string' },
    ],
    [
      'a bound that is excluded is the next integer',
      z.int().positive().lt(9),
      'input',
      { type: 'integer', minimum: 1, maximum: 8 },
    ],
    [
      'a bound that is excluded is included for numbers',
      z.number().gt(0),
      'input',
      { type: 'number', minimum: 0 },
    ],
    ['a constant is an enumeration of one', z.literal('a'), 'input', { type: 'string', enum: ['a'] }],
    ['true is a boolean', z.literal(true), 'input', { type: 'boolean' }],
    [
      'numbers to choose from are a range',
      z.literal([0, 1, 3]),
      'input',
      { type: 'integer', minimum: 0, maximum: 3 },
    ],
    ['null is left to the tool', z.string().nullable(), 'input', { type: 'string' }],
    [
      'an amount is text',
      z.union([z.number(), z.string().max(24)]),
      'input',
      { type: 'string', maxLength: 24 },
    ],
    [
      'words of two enumerations are one',
      z.union([z.enum(['a']), z.enum(['b'])]),
      'input',
      { type: 'string', enum: ['a', 'b'] },
    ],
    [
      'an open object is JSON as text',
      z.record(z.string(), z.int()).describe('Counts'),
      'input',
      { type: 'string', description: 'Counts (as JSON text)' },
    ],
    ['any JSON is text', z.json().describe('What'), 'input', { type: 'string', description: 'What' }],
    [
      'an object with more fields than it names is closed',
      z.looseObject({ a: z.string() }),
      'input',
      { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false },
    ],
    ['a URL that a client might read otherwise is text in an output', z.url(), 'output', { type: 'string' }],
    [
      'an output may grow',
      z.object({ a: z.string() }),
      'output',
      { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
    ],
  ])('%s', (_, schema, side, expected) => {
    expect(text(schema, side)).toEqual(expected)
  })

  test('a field named like a keyword is a field', () => {
    const schema = z.object({
      pattern: z.string().nullable(),
      format: z.iso.datetime(),
      items: z.unknown(),
      type: z.int(),
    })
    expect(Object.keys((toSchema(schema, 'output') as { properties: object }).properties)).toEqual([
      'pattern',
      'format',
      'items',
      'type',
    ])
  })

  test('anything JSON is said in words that a validator takes', () => {
    const validate = new Ajv2020({ strict: false }).compile(toSchema(z.object({ it: z.unknown() }), 'output'))
    for (const it of [1, 'a', null, true, [1], [[1], [{}]], { a: [1] }]) expect(validate({ it })).toBe(true)
  })

  test('no $schema, which some clients take for an unknown dialect', () => {
    expect(JSON.stringify(compileService(lab))).not.toContain('$schema')
  })

  test('the output of a paid tool is the answer or the price', () => {
    const paid = compileService(lab).find(({ listed }) => listed.name === 'paid')
    const validate = new Ajv2020({ strict: false }).compile(paid?.listed.outputSchema ?? false)
    expect(validate({ text: 'a' })).toBe(true)
    expect(validate({ x402Version: 2, accepts: [{ scheme: 'exact' }], error: 'Payment required' })).toBe(true)
    expect(validate({ other: 1 })).toBe(false)
  })
})

describe('output schemas', () => {
  const wide = (fields: number) =>
    z.object(
      Object.fromEntries(
        Array.from({ length: fields }, (_, at) => [`field${at}`, z.string().describe('x'.repeat(100))]),
      ),
    )
  const small = compileService(serviceOf('small', [made({ name: 'a' }), made({ name: 'b' })]))
  const large = compileService(
    serviceOf('large', [
      made({ name: 'few', output: wide(10) }),
      made({ name: 'many', output: wide(1500) }),
      made({ name: 'more', output: wide(900) }),
    ]),
  )

  test('are listed whole as long as there is room', () => {
    expect(toToolList(small)).toEqual(small.map(({ listed }) => listed))
    expect(toToolList(small)[0]?.outputSchema).toEqual(toSchema(facts.output, 'output'))
  })

  test('are abridged in a list that they make too long, the largest first, until they fit', () => {
    const outputs = (limit: number) => toToolList(large, limit).map(({ outputSchema }) => outputSchema)
    const [few, many, more] = outputs(215_000)
    expect([few, more]).toEqual([wide(10), wide(900)].map(output => toSchema(output, 'output')))
    expect(many).toMatchObject({
      description: 'Abridged; the whole schema is octagent://large/tools/many/output-schema',
      properties: { field0: { type: 'string' } },
      required: expect.arrayContaining(['field1499']),
    })
    expect(Buffer.byteLength(JSON.stringify(outputs(215_000)))).toBeLessThanOrEqual(215_000 + 4)
    // Names alone that are too long: each tool still has a schema that is true.
    expect(outputs(400).map(schema => ({ ...schema, description: '' }))).toEqual(
      Array(3).fill({ description: '', type: 'object', additionalProperties: true }),
    )
  })

  test.each([0, 1])(
    'fit to the byte: schemas of the length of the limit are whole, one byte less and they are not',
    less => {
      const bytes = small.reduce(
        (sum, { listed }) => sum + Buffer.byteLength(JSON.stringify(listed.outputSchema)),
        0,
      )
      const tools = toToolList(small, bytes - less)
      expect(abridgedIn(small, tools).length > 0).toBe(less > 0)
    },
  )

  test('in a shorter form keep names that are words of schemas, and a choice of one becomes one of any', () => {
    const schema = {
      type: 'object',
      properties: {
        description: { type: 'string', description: 'Words', maxLength: 3 },
        choice: {
          oneOf: [
            { const: 'a', title: 'A' },
            { type: 'object', properties: { b: { type: 'null' } } },
          ],
        },
      },
      required: ['description'],
    }
    expect(abridge(schema, 1)).toEqual({
      type: 'object',
      properties: {
        description: { type: 'string', maxLength: 3 },
        choice: { oneOf: [{ const: 'a' }, { type: 'object', properties: { b: { type: 'null' } } }] },
      },
      required: ['description'],
    })
    expect(abridge(schema, 3)).toEqual({
      type: 'object',
      properties: {
        description: { type: 'string' },
        choice: { anyOf: [{ const: 'a' }, { type: 'object', additionalProperties: true }] },
      },
      required: ['description'],
    })
  })

  test('do not count for what a model reads', () => {
    const output = wide(900)
    const many = Array.from({ length: 20 }, (_, at) => made({ name: `t${at}`, output }))
    expect(() => compileService(serviceOf('lab', many))).not.toThrow()
  })

  test('are told by describe_tool when they are asked for', async () => {
    const output = wide(3000)
    const catalogue = buildCatalogue([serviceOf('lab', [made({ output })])])
    const { run } = describeTool(
      catalogue,
      openNames(catalogue.entries, () => []),
      true,
    )
    const facts = await run({} as never, { name: 'lab_fine', output_schema: false })
    expect(facts).not.toHaveProperty('outputSchema')
    expect(facts).toHaveProperty('inputSchema')
    const whole = await run({} as never, { name: 'lab_fine', output_schema: true })
    expect(whole.outputSchema).toEqual(toSchema(output, 'output'))
  })
})

test('a declaration in plain JavaScript needs nothing unless it says so, and is told what it lacks', () => {
  const { needs: _, ...plain } = facts
  const declare = (declaration: object) => tool(declaration as never).run((async () => ({})) as never)
  expect(declare(plain).needs).toEqual([])
  expect(() => declare({ name: 'plain', title: 'Plain' })).toThrow(
    'the tool "plain" lacks description, input, output, hints, examples',
  )
})
