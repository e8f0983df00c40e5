// Costs: eight documents are compiled to types, and 240 schemas go through the converters of six hosts.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { services } from '../../app/services.ts'
import { compileService } from '../../mcp/server/compile.ts'
import { startApp } from '../app.ts'
import { serviceRows } from '../spec/tables.ts'
import { describeJudged, loadJudge } from './judges.ts'

const run = promisify(execFile)

// biome-ignore lint/suspicious/noExplicitAny: packages of hosts that are loaded from a folder of their own, without their types.
type Foreign = any

type Schema = { [keyword: string]: unknown }
type Listed = { name: string; description: string; inputSchema: Schema; outputSchema: Schema }

type Mcp = {
  Client: new (
    info: object,
  ) => {
    connect(transport: unknown): Promise<void>
    listTools(): Promise<{ tools: Listed[] }>
    close(): Promise<void>
  }
}

const listTools = async (url: string): Promise<Listed[]> => {
  const { Client } = await loadJudge<Mcp>('@modelcontextprotocol/sdk/client/index.js')
  const { StreamableHTTPClientTransport } = await loadJudge<{
    StreamableHTTPClientTransport: new (url: URL) => unknown
  }>('@modelcontextprotocol/sdk/client/streamableHttp.js')
  const client = new Client({ name: 'hosts', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  const { tools } = await client.listTools()
  await client.close()
  return tools
}

/** What Gemini's `Schema` has (https://ai.google.dev/api/caching#Schema); any other field refuses the whole request. */
const geminiFields = new Set(
  'type format title description nullable enum maxItems minItems properties required minProperties maxProperties minLength maxLength pattern example anyOf propertyOrdering default items minimum maximum'.split(
    ' ',
  ),
)

const findGeminiFaults = (schema: Schema, path = ''): string[] => {
  const { type, properties = {}, items, enum: words } = schema
  const kind = String(type).toLowerCase()
  const fields = Object.entries(properties as Record<string, Schema>)
  return [
    ...Object.keys(schema)
      .filter(key => !geminiFields.has(key))
      .map(key => `${path} has ${key}`),
    ...(type === undefined || Array.isArray(type) ? [`${path} has not one type`] : []),
    ...(kind === 'object' && path !== '' && fields.length === 0 ? [`${path} has no fields`] : []),
    ...(kind === 'array' && items === undefined ? [`${path} has no items`] : []),
    ...(words !== undefined && kind !== 'string' ? [`${path} enumerates no text`] : []),
    ...fields.flatMap(([name, field]) => findGeminiFaults(field, `${path}.${name}`)),
    ...(items ? findGeminiFaults(items as Schema, `${path}[]`) : []),
  ]
}

describeJudged('clients', 'every host understands every tool', () => {
  let app: Awaited<ReturnType<typeof startApp>>
  let tools: Listed[]
  /** Bodies that a client sent to the API of its model. */
  const requests: Schema[] = []
  const api = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    requests.push(JSON.parse(Buffer.concat(chunks).toString()))
    res.writeHead(200, { 'content-type': 'application/json' })
    res.end(
      JSON.stringify({
        candidates: [{ content: { role: 'model', parts: [{ text: 'a' }] }, finishReason: 'STOP' }],
        usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
      }),
    )
  })
  let apiUrl: string

  beforeAll(async () => {
    app = await startApp()
    const lists = await Promise.all(serviceRows.map(({ slug }) => listTools(`${app.url}/${slug}/mcp`)))
    tools = lists.flat()
    await once(api.listen(0, '127.0.0.1'), 'listening')
    apiUrl = `http://127.0.0.1:${(api.address() as AddressInfo).port}`
  })
  afterAll(async () => {
    api.close()
    await app.stop()
  })

  /** What stands as `parameters` in the one request that `ask` makes. */
  const declared = async (ask: () => Promise<unknown>): Promise<Schema[]> => {
    requests.length = 0
    await ask()
    const [body] = requests
    type Declarations = { functionDeclarations: { parameters?: Schema }[] }[]
    return ((body?.tools ?? []) as Declarations)
      .flatMap(({ functionDeclarations }) => functionDeclarations)
      .map(({ parameters }) => parameters ?? {})
  }
  const fetchDocument = async (slug: string): Promise<object> =>
    (await (await fetch(`${app.url}/${slug}/openapi.json`)).json()) as object
  const faultsOf = (schemas: readonly Schema[]) =>
    schemas.flatMap((schema, at) => findGeminiFaults(schema).map(fault => `${tools[at]?.name}${fault}`))
  /** Hosts leave out the schema of a tool without input. */
  const withInput = (schemas: readonly Schema[]) => schemas.filter(schema => Object.keys(schema).length > 0)

  test('OpenAI Agents: every tool is strict, none falls back', async () => {
    const { mcpToFunctionTool } = await loadJudge<{
      mcpToFunctionTool(tool: Listed, server: object, isStrict: boolean): { name: string; strict: boolean }
    }>('@openai/agents-core')
    const converted = tools.map(tool => mcpToFunctionTool(tool, { name: 'octagent' }, true))
    expect(converted.filter(({ strict }) => !strict).map(({ name }) => name)).toEqual([])
  })
  test('Google genai', async () => {
    const { GoogleGenAI } = await loadJudge<Foreign>('@google/genai')
    const client = new GoogleGenAI({ apiKey: 'a', httpOptions: { baseUrl: apiUrl } })
    const schemas = await declared(() =>
      client.models.generateContent({
        model: 'gemini-3',
        contents: 'a',
        config: {
          tools: [
            {
              functionDeclarations: tools.map(({ name, description, inputSchema }) => ({
                name,
                description,
                parameters: inputSchema,
              })),
            },
          ],
        },
      }),
    )
    expect(schemas).toHaveLength(tools.length)
    expect(faultsOf(schemas)).toEqual([])
  })
  test('AI SDK', async () => {
    const { createGoogleGenerativeAI } = await loadJudge<Foreign>('@ai-sdk/google')
    const { generateText, jsonSchema, tool } = await loadJudge<Foreign>('ai')
    const model = createGoogleGenerativeAI({ apiKey: 'a', baseURL: apiUrl })('gemini-3')
    const schemas = await declared(() =>
      generateText({
        model,
        prompt: 'a',
        tools: Object.fromEntries(
          tools.map(({ name, description, inputSchema }) => [
            name,
            tool({ description, inputSchema: jsonSchema(inputSchema) }),
          ]),
        ),
      }),
    )
    expect(schemas.length).toBeGreaterThan(200)
    expect(withInput(schemas).flatMap(schema => findGeminiFaults(schema))).toEqual([])
  })
  test('LangChain', async () => {
    const { ChatGoogleGenerativeAI } = await loadJudge<Foreign>('@langchain/google-genai')
    const { DynamicStructuredTool } = await loadJudge<Foreign>('@langchain/core/tools')
    const model = new ChatGoogleGenerativeAI({ apiKey: 'a', model: 'gemini-3', baseUrl: apiUrl })
    const schemas = await declared(() =>
      model
        .bindTools(
          tools.map(
            ({ name, description, inputSchema }) =>
              new DynamicStructuredTool({ name, description, schema: inputSchema, func: async () => 'a' }),
          ),
        )
        .invoke('a'),
    )
    expect(schemas).toHaveLength(tools.length)
    expect(withInput(schemas).flatMap(schema => findGeminiFaults(schema))).toEqual([])
  })
  test('Mastra: every tool, input and output', async () => {
    const { default: parser } = await loadJudge<Foreign>('@apidevtools/json-schema-ref-parser')
    const { convertJsonSchemaToZod } = await loadJudge<Foreign>('zod-from-json-schema')
    const lost: string[] = []
    // Whole output schemas, which a host reads as resources, and those of the lists.
    const every = [
      ...services.flatMap(service => compileService(service)).map(({ listed }) => listed),
      ...tools,
    ]
    for (const { name, inputSchema, outputSchema } of every)
      for (const schema of [inputSchema, outputSchema])
        try {
          convertJsonSchemaToZod(await parser.dereference(structuredClone(schema)))
        } catch (error) {
          lost.push(`${name}: ${(error as Error).message}`)
        }
    expect(lost).toEqual([])
  })

  test('openapi-typescript: types that compile strictly', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'octagent-types-'))
    const { default: openapiTypes, astToString } = await loadJudge<Foreign>('openapi-typescript')
    for (const { slug } of serviceRows)
      await writeFile(join(dir, `${slug}.d.ts`), astToString(await openapiTypes(await fetchDocument(slug))))
    const files = serviceRows.map(({ slug }) => `${slug}.d.ts`)
    const compiler = join(process.cwd(), 'node_modules/typescript/bin/tsc')
    const args = [compiler, '--noEmit', '--strict', '--skipLibCheck', 'false', '--types', '', ...files]
    const { stdout } = await run(process.execPath, args, { cwd: dir }).catch(error => error)
    await rm(dir, { recursive: true })
    expect(stdout).toBe('')
  })
  test.each(serviceRows)(
    'Redocly and Spectral find nothing in the description of $slug',
    async ({ slug }) => {
      const { lintFromString, createConfig } = await loadJudge<Foreign>('@redocly/openapi-core')
      const { Spectral } = (await loadJudge<Foreign>('@stoplight/spectral-core')).default
      const { oas } = (await loadJudge<Foreign>('@stoplight/spectral-rulesets')).default
      const source = JSON.stringify(await fetchDocument(slug))
      // A word that stands where an id may stand is matched first (OpenAPI 3.1, "Path Templating Matching").
      const rules = { 'no-ambiguous-paths': 'off' }
      const config = await createConfig({ extends: ['recommended'], rules })
      const spectral = new Spectral()
      spectral.setRuleset({ extends: [[oas, 'recommended']], rules: {} })
      const found = [
        ...(await lintFromString({ source, absoluteRef: `${slug}.json`, config })).map(
          (problem: Foreign) => `${problem.ruleId} ${problem.location[0]?.pointer}`,
        ),
        ...(await spectral.run(source)).map(
          (problem: Foreign) => `${problem.code} ${problem.path.join('/')}`,
        ),
      ]
      expect(found).toEqual([])
    },
  )
})
