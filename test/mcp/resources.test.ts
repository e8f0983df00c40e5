import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { services } from '../../app/services.ts'
import { document, isSinglePage } from '../../mcp/kernel/document.ts'
import { ToolError } from '../../mcp/kernel/error.ts'
import { free, tool } from '../../mcp/kernel/tool.ts'
import { opened } from '../opened.ts'
import { openTestWorld, type TestWorld } from '../world.ts'
import { hints, lab, serviceOf } from './fixture.ts'
import { emptyWorld, type Served, serveMcp } from './serve.ts'
import { ask, type EraName, eras } from './wire.ts'

const page = (path: string, more: { needs?: readonly ['store'] } = {}) =>
  document({ path, title: `Title of ${path}`, description: `About ${path}.`, ...more })

const guide = page('/guide').render(({ base }) => ({ markdown: `# Guide\n\nSee ${base}/guide.` }))
const stored = page('/stored', { needs: ['store'] }).render(async () => ({ markdown: 'never' }))
const gone = page('/gone').render(() => {
  throw new ToolError('upstream', 'The printer is out of paper.')
})
const broken = page('/broken').render(() => {
  throw new Error('password=hunter2 at /srv/secret.ts')
})

const wide = (fields: number) =>
  z.object(
    Object.fromEntries(
      Array.from({ length: fields }, (_, at) => [`field${at}`, z.string().describe('x'.repeat(100))]),
    ),
  )

const named = (name: string, fields: number, mcp?: 'unlisted' | false) =>
  tool({
    name,
    title: `Tool ${name}`,
    description: 'Answers with many fields. Free.',
    input: z.object({}),
    output: wide(fields),
    needs: [],
    price: free,
    hints,
    examples: [{}],
    ...(mcp !== undefined && { mcp }),
  }).run(async () => ({}))

const desk = {
  ...serviceOf('desk', [
    named('few', 2),
    named('huge', 1500),
    named('large', 150),
    named('quiet', 1, 'unlisted'),
    named('off', 1, false),
  ]),
  documents: [guide, stored, gone, broken],
}

const world = emptyWorld()
const served = opened(() => serveMcp(world, [desk, lab]))

const read = async (path: string, era: EraName, uri: unknown, headers: Record<string, string> = {}) => {
  const { message, status } = await ask(`${served.url}${path}`, era, 'resources/read', { uri }, { headers })
  const [content] = (message.result?.contents ?? []) as { uri: string; mimeType: string; text: string }[]
  return { status, message, content, error: message.error }
}

const uris = async (url: string, era: EraName): Promise<string[]> => {
  const { result } = await ask(url, era, 'resources/list')
  return (result.resources as { uri: string }[]).map(({ uri }) => uri)
}

const documentUris = ['guide', 'stored', 'gone', 'broken'].map(name => `octagent://desk/${name}`)
const hugeUri = 'octagent://desk/tools/huge/output-schema'
const unknown = { '2025': -32002, '2026': -32602 } as const

describe.each(eras)('in the era of %s', era => {
  test('lists the documents and the output schemas that the list of tools abridges', async () => {
    const { result } = await ask(`${served.url}/desk/mcp`, era, 'resources/list')
    expect(await uris(`${served.url}/desk/mcp`, era)).toEqual([...documentUris, hugeUri])
    expect((result.resources as object[])[0]).toEqual({
      uri: 'octagent://desk/guide',
      name: 'desk/guide',
      title: 'Title of /guide',
      description: 'About /guide.',
      mimeType: 'text/markdown',
    })
    const { result: list } = await ask(`${served.url}/desk/mcp`, era, 'tools/list')
    expect(
      list.tools.map(one => [one.name, (one.outputSchema as { description?: string }).description]),
    ).toEqual([
      ['few', undefined],
      ['huge', `Abridged; the whole schema is ${hugeUri}`],
      ['large', undefined],
    ])
  })

  test('tells the template of all output schemas', async () => {
    const template = async (path: string) => {
      const { result } = await ask(served.url + path, era, 'resources/templates/list')
      return (result.resourceTemplates as { uriTemplate: string }[]).map(({ uriTemplate }) => uriTemplate)
    }
    expect(await template('/desk/mcp')).toEqual(['octagent://desk/tools/{tool}/output-schema'])
    expect(await template('/mcp')).toEqual(['octagent://{service}/tools/{tool}/output-schema'])
    expect(await template('/mcp?services=lab')).toEqual(['octagent://lab/tools/{tool}/output-schema'])
  })

  test('reads a document as Markdown', async () => {
    expect((await read('/desk/mcp', era, 'octagent://desk/guide')).content).toEqual({
      uri: 'octagent://desk/guide',
      mimeType: 'text/markdown',
      text: '# Guide\n\nSee http://127.0.0.1:8402/desk/guide.',
    })
  })

  test.each(['few', 'huge', 'quiet'])('reads the whole output schema of %s', async name => {
    const uri = `octagent://desk/tools/${name}/output-schema`
    const { content } = await read('/desk/mcp', era, uri)
    expect(content).toMatchObject({ uri, mimeType: 'application/schema+json' })
    expect(Object.keys(JSON.parse(content?.text ?? '').properties)).toHaveLength(
      { few: 2, huge: 1500, quiet: 1 }[name] ?? 0,
    )
  })

  test('reads of every service at the bundle, and of the chosen ones at a choice', async () => {
    const schema = 'octagent://lab/tools/paid/output-schema'
    for (const path of ['/mcp', '/mcp?services=lab']) {
      const { content } = await read(path, era, schema)
      expect(JSON.parse(content?.text ?? '')).toMatchObject({ anyOf: [{ required: ['text'] }, {}] })
    }
    expect((await read('/mcp?services=lab', era, 'octagent://desk/guide')).error?.code).toBe(unknown[era])
    expect(await uris(`${served.url}/mcp?services=desk,lab`, era)).toEqual([...documentUris, hugeUri])
    expect(await uris(`${served.url}/mcp`, era)).toEqual(documentUris)
  })

  test.each([
    'octagent://desk/none',
    'octagent://desk/tools/off/output-schema',
    'octagent://desk/tools/{tool}/output-schema',
    'octagent://lab/tools/echo/output-schema',
    'octagent://desk/../lab/guide',
    'file:///etc/passwd',
    'http://127.0.0.1:8402/desk/guide',
    '__proto__',
    '',
  ])('answers the unknown URI "%s" with the code of its era and a sentence', async uri => {
    const { error } = await read('/desk/mcp', era, uri)
    expect(error).toEqual({
      code: unknown[era],
      message: `There is no resource "${uri}"; resources/list and resources/templates/list tell which there are.`,
      data: { uri },
    })
  })

  test('repeats no long URI whole, and nothing that controls a terminal', async () => {
    const { error } = await read('/desk/mcp', era, `x\u001b${'y'.repeat(5000)}`)
    expect(error?.code).toBe(unknown[era])
    expect(JSON.stringify(error).length).toBeLessThan(3000)
    expect(error?.message).not.toContain('\u001b')
  })

  test('says why a document cannot be read, without -32603', async () => {
    expect((await read('/desk/mcp', era, 'octagent://desk/stored')).error).toMatchObject({
      code: -31503,
      data: {
        code: 'unavailable',
        detail: '"Title of /stored" needs "store", which is not configured here.',
      },
    })
    expect((await read('/desk/mcp', era, 'octagent://desk/gone')).error).toMatchObject({
      code: -31502,
      message: 'The printer is out of paper.',
    })
  })

  test('keeps the message of a bug to itself and the log', async () => {
    const { error } = await read('/desk/mcp', era, 'octagent://desk/broken')
    expect(JSON.stringify(error)).not.toContain('hunter2')
    const record = world.records.at(-1)
    expect(record).toMatchObject({ service: 'desk', tool: 'resources/read', code: 'internal' })
    expect(record?.ref).toBe(error?.data?.ref)
  })
})

test('one client reads 120 documents in a minute, and schemas all the same', async () => {
  const strict = await serveMcp(emptyWorld(), [desk])
  const ask2 = (uri: string) => ask(`${strict.url}/desk/mcp`, '2025', 'resources/read', { uri })
  const batch = async (count: number) =>
    Promise.all(Array.from({ length: count }, () => ask2('octagent://desk/guide')))
  const answers = [...(await batch(60)), ...(await batch(60)), ...(await batch(1))]
  const refused = answers.filter(({ message }) => message.error)
  expect(refused.map(({ message }) => message.error?.code)).toEqual([-31429])
  expect((await ask2(hugeUri)).message.error).toBeUndefined()
  await strict.stop()
})

describe('the eight services', () => {
  let real: Served
  let store: TestWorld
  beforeAll(async () => {
    store = await openTestWorld()
    real = await serveMcp(store, services)
  })
  afterAll(async () => {
    await real.stop()
    await store.stop()
  })

  test.each(eras)('have documents and schemas that all can be read in the era of %s', async era => {
    const url = `${real.url}/mcp`
    const listed = await uris(url, era)
    expect(listed).toHaveLength(
      services.flatMap(({ documents = [] }) => documents.filter(isSinglePage)).length,
    )
    const schemas = services.flatMap(({ slug, tools }) =>
      tools
        .filter(({ mcp }) => mcp !== false)
        .map(({ name }) => `octagent://${slug}/tools/${name}/output-schema`),
    )
    expect(schemas.length).toBeGreaterThan(60)
    // This world has no ports of the services' own.
    const poor = services.flatMap(({ slug, documents = [] }) =>
      documents
        .filter(({ needs = [] }) => needs.some((need: unknown) => typeof need === 'object'))
        .map(({ path }) => `octagent://${slug}${path}`),
    )
    for (const uri of [...listed, ...schemas].filter(uri => !poor.includes(uri))) {
      const { message } = await ask(url, era, 'resources/read', { uri })
      const [content] = (message.result?.contents ?? []) as { text: string }[]
      expect(content?.text.length, uri).toBeGreaterThan(20)
    }
  })
})
