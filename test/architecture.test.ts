import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'

const nouns =
  'mcp/kernel/(tool|service|job|capability|document|endpoint|setting|port|need|help|sign-in|topic-events|topic|collection|allowance|origin|page|person|inbox)\\.ts'
const ports = 'mcp/ports/(ports|[\\w-]+/port)\\.ts'
const kernel = `mcp/kernel/.*|${ports}`

/** Who may import whom. The first pattern that matches the importer decides; a file without a row is refused. */
const table: readonly [importer: RegExp, may: RegExp, because: string][] = [
  [/^store\//, /^store\//, 'the store knows nobody'],
  [/^mcp\/kernel\/error\.ts$/, /^$/, 'it stands alone'],
  [
    /^mcp\/kernel\/http\.ts$/,
    /^mcp\/(kernel\/error|lib\/json-bounds)\.ts$/,
    'it stands alone, but for the failures it throws',
  ],
  [/^mcp\/lib\//, /^mcp\/(lib\/.*|kernel\/error\.ts)$/, 'pure: same input, same output'],
  [
    new RegExp(`^${nouns}$`),
    new RegExp(`^(${nouns}|${ports}|mcp/kernel/error\\.ts)$`),
    'a declaration is types only',
  ],
  [
    /^mcp\/kernel\//,
    new RegExp(`^(${kernel}|mcp/lib/.*|mcp/payment/charge\\.ts)$`),
    'the pipeline knows tools, not which tools',
  ],
  [
    /^mcp\/payment\/methods\/([\w-]+)\//,
    new RegExp(
      `^(mcp/payment/(methods/$1/.*|ledger/.*|transfers/.*|[\\w-]+\\.ts)|mcp/(ports|lib)/.*|mcp/kernel/error\\.ts|store/index\\.ts|contracts/.*|${nouns})$`,
    ),
    'a payment method knows no other',
  ],
  [
    /^mcp\/payment\/dialects\/([\w-]+)\//,
    new RegExp(
      `^(mcp/payment/(dialects/$1/.*|[\\w-]+\\.ts)|mcp/lib/.*|mcp/kernel/(error|http)\\.ts|${nouns})$`,
    ),
    'a dialect frames offers and knows no method',
  ],
  [
    /^mcp\/(ports|payment)\//,
    new RegExp(
      `^(mcp/(ports|payment|lib)/.*|mcp/kernel/(error|http)\\.ts|store/index\\.ts|contracts/.*|${nouns})$`,
    ),
    'an edge is not a service',
  ],
  [
    /^mcp\/services\/(\w+)\//,
    new RegExp(
      `^(${nouns}|mcp/kernel/error\\.ts|${ports}|mcp/lib/.*|mcp/services/$1/.*|contracts/[\\w-]+\\.ts)$`,
    ),
    'services are strangers to each other',
  ],
  [/^app\/service-loaders\.ts$/, /^mcp\/(kernel\/service|services\/\w+\/service)\.ts$/, 'it lists the eight'],
  [/^app\/services\.ts$/, /^(app\/service-loaders|mcp\/kernel\/service)\.ts$/, 'it loads the eight'],
  [
    /^mcp\/server\//,
    new RegExp(`^(${kernel}|mcp/lib/.*|mcp/server/.*)$`),
    'an adapter translates; adapters are strangers too',
  ],
  [
    /^rest-adapter\/express\//,
    new RegExp(
      `^(${kernel}|mcp/lib/.*|rest-adapter/.*|mcp/payment/[\\w-]+\\.ts|mcp/payment/methods/x402-server/method\\.ts)$`,
    ),
    'routes of somebody else go through the gate without a tool, so they name its types',
  ],
  [
    /^(a2a-adapter|rest-adapter)\//,
    new RegExp(`^(${kernel}|mcp/lib/.*|$1/.*)$`),
    'an adapter translates; adapters are strangers too',
  ],
  [
    /^mcp\/accounts\//,
    new RegExp(`^(mcp/accounts/.*|mcp/lib/.*|${nouns}|mcp/kernel/error\\.ts|${ports})$`),
    'accounts are an edge: who signs in, and what they let clients spend',
  ],
  [
    /^web\/accounts\//,
    /^(web\/.*|mcp\/(accounts|lib)\/.*|mcp\/kernel\/(error|page)\.ts)$/,
    'pages show what accounts have, and take what people decide',
  ],
  [/^web\//, /^(web\/.*|mcp\/lib\/.*|mcp\/kernel\/page\.ts)$/, 'the console is one more client'],
  [
    /^connect\//,
    /^(connect\/.*|mcp\/lib\/.*|mcp\/kernel\/(error|setting)\.ts|mcp\/ports\/write-file\.ts)$/,
    'one more client: it knows a server by what that says',
  ],
  [/^contracts\//, /^$/, 'sources and generated artifacts'],
  [
    /^app\/config\.ts$/,
    /^(connect\/config|mcp\/(kernel\/(error|service|setting)|lib\/.*|payment\/config|accounts\/config|ports\/(\w+\/config|geo\/geo)))\.ts$/,
    'the environment, once; what may be set is declared where it is used',
  ],
  [/^(main|index|services|express|pay|testing)\.ts$|^(app|cli)\//, /./, 'composition happens once'],
]

const tops = ['app', 'mcp', 'store', 'a2a-adapter', 'rest-adapter', 'web', 'contracts', 'cli', 'connect']

const listed = (top: string): string[] => {
  try {
    return (readdirSync(top, { recursive: true }) as string[]).map(file => join(top, file))
  } catch {
    return []
  }
}

const sources = [...tops.flatMap(listed), ...readdirSync('.')].filter(
  file => /\.tsx?$/.test(file) && !file.endsWith('.d.ts') && file !== 'vitest.config.ts',
)

const importsOf = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/(?:from|import\(|import) ?'(\.[^']+)'/g)].map(([, to = '']) =>
    relative('.', join(dirname(file), to)),
  )

const refusals = (file: string, imports: readonly string[]): string[] => {
  const row = table.find(([importer]) => importer.test(file))
  if (!row) return [`${file} belongs to no layer`]
  const [importer, may, because] = row
  const allowed = new RegExp(may.source.replaceAll('$1', importer.exec(file)?.[1] ?? ''))
  return imports.filter(to => !allowed.test(to)).map(to => `${file} → ${to}: ${because}`)
}

describe('the import table', () => {
  test('every source keeps to its layer', () => {
    expect(sources.length).toBeGreaterThan(60)
    expect(sources.flatMap(file => refusals(file, importsOf(file)))).toEqual([])
  })

  test.each([
    ['mcp/services/cat/pet.ts', 'mcp/services/data/dns-lookup.ts'],
    ['mcp/services/cat/pet.ts', 'rest-adapter/index.ts'],
    ['mcp/services/cat/pet.ts', 'mcp/kernel/call.ts'],
    ['store/embedded/index.ts', 'mcp/kernel/error.ts'],
    ['a2a-adapter/index.ts', 'rest-adapter/index.ts'],
    ['mcp/kernel/call.ts', 'app/services.ts'],
    ['mcp/kernel/error.ts', 'mcp/kernel/tool.ts'],
    ['mcp/kernel/tool.ts', 'mcp/kernel/call.ts'],
    ['mcp/lib/text.ts', 'mcp/ports/ports.ts'],
    ['somewhere/new.ts', 'mcp/kernel/error.ts'],
  ])('refuses %s → %s', (file, to) => expect(refusals(file, [to])).not.toEqual([]))
})

test('every tool file carries the name of its tool', async () => {
  const { services } = await import('../app/services.ts')
  const missing = services.flatMap(({ slug, tools }) => {
    const files = listed(`mcp/services/${slug}`)
    return tools
      .filter(({ name }) => name !== 'help')
      .map(({ name }) => `mcp/services/${slug}/${name.replaceAll('_', '-')}.ts`)
      .filter(file => !files.includes(file))
  })
  expect(missing).toEqual([])
})
