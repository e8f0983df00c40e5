// Costs: every shell block of the documents, run as printed.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startDnsServer } from '../internet/dns-server.ts'
import { openZone } from '../internet/zone.ts'
import { canPay } from '../payment/evm-chain.ts'
import { type Running, serve } from '../program/run.ts'
import { isShell, readBlocks } from './document.ts'
import { failureIn, runShell } from './shell.ts'

/** Followed step by step in adding.process.test.ts and going-live.process.test.ts. */
const followed = /^(adding-|going-live)/

const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...readdirSync('docs')
    .filter(name => name.endsWith('.md') && !followed.test(name))
    .map(name => `docs/${name}`),
  // Of the services' own, those whose commands need neither money nor the world outside.
  ...['marketplace', 'memory', 'messages', 'residence'].map(name => `docs/proof/${name}.md`),
]

/** What is not run here: the command must be one that exists. */
const npm = `case "$1" in
  start | test | ci) return ;;
  run) shift ;;
  *) echo "npm $*: no such command" >&2; return 1 ;;
esac
[[ $1 == --silent ]] && shift
command "$NODE" -e 'process.exit(process.argv[1] in require("./package.json").scripts ? 0 : 1)' "$1" ||
  { echo "package.json has no script $1" >&2; return 1; }`

/** Why a command is printed and not run. Everything else in a shell block is. */
const exempt = {
  claude: 'is a program of its own',
  code: 'is a program of its own',
  npx: 'fetches a program; test/interop runs the Inspector',
  git: 'would change this repository',
  bash: 'is this run',
}

/**
 * `demo` starts chains and a second program, `migrate` needs a database and ends what a folder is for, `backup` and `restore` name folders of
 * the operator: money, migrate and backup.test.ts in test/program run them.
 */
const node = `case "$*" in
  *' demo') ;;
  *' migrate --from '*) command "$NODE" "$1" migrate --help > /dev/null ;;
  *' backup --to '*) command "$NODE" "$1" backup --help > /dev/null ;;
  *' restore --from '*) command "$NODE" "$1" restore --help > /dev/null ;;
  examples/*) command "$NODE" "$@" "$URL" ;;
  *) command "$NODE" "$@" ;;
esac`

const instead = { npm, node, ...Object.fromEntries(Object.keys(exempt).map(name => [name, ':'])) }

const dir = mkdtempSync(join(tmpdir(), 'octagent-readme-'))
let names: Awaited<ReturnType<typeof startDnsServer>>
let server: Running
let environment: Record<string, string>
beforeAll(async () => {
  // Addresses of RFC 5737: they can be looked up, and nothing is dialled, because the guard refuses them.
  const zone = { A: ['192.0.2.1'] }
  names = await startDnsServer(openZone({ 'example.com': zone, 'example.org': zone }))
  const nowhere = 'http://registry.invalid'
  environment = {
    OCTAGENT_DATA: dir,
    OCTAGENT_WALLET_DIR: join(dir, 'wallet'),
    DNS_SERVERS: `127.0.0.1:${names.port}`,
    GATEWAY_A2A_REGISTRY: nowhere,
    GATEWAY_MCP_REGISTRY: nowhere,
    GATEWAY_X402_BAZAAR: nowhere,
    GATEWAY_RELEASES: nowhere,
  }
  server = await serve(environment)
})
afterAll(async () => {
  server?.child.kill('SIGKILL')
  await server?.exit
  names?.stop()
  rmSync(dir, { recursive: true, force: true })
})

/** A block of nothing but settings, with the names of the variables. */
const settingsIn = (text: string): string[] | undefined => {
  const lines = text.split('\n').filter(line => line !== '')
  const settings = lines.map(line => /^([A-Z][A-Z0-9_]*)=\S+(?: +#.*)?$/.exec(line)?.[1])
  return settings.every(name => name !== undefined) ? (settings as string[]) : undefined
}

const blocks = documents.flatMap(readBlocks).filter(isShell)

describe.each(blocks)('the shell block at $place', ({ text }) => {
  const settings = settingsIn(text)
  if (settings)
    test('sets variables that exist', () => {
      const known = readFileSync('docs/configuration.md', 'utf8')
      for (const name of settings) expect(known).toContain(`| \`${name}\` |`)
    })
  else
    test.skipIf(!canPay && /examples\/pay| --pay /.test(text))('works as printed', async () => {
      const { port, origin } = new URL(server.url)
      const more = { ...environment, NODE: process.execPath, PORT: port, URL: origin }
      const answers = await runShell(text.replaceAll('.octagent/', `${dir}/`), {
        url: server.url,
        dir: '.',
        environment: more,
        instead,
      })
      for (const answer of answers) expect(failureIn(answer), answer).toBeUndefined()
      expect(answers).toHaveLength([...text.matchAll(/^curl /gm)].length)
    })
})

test('every page of the program that the documents link to is there', async () => {
  const pages = documents.flatMap(file =>
    [...readFileSync(file, 'utf8').matchAll(/\]\(http:\/\/127\.0\.0\.1:8402(\/[^)]*)\)/g)].map(
      ([, path]) => path,
    ),
  )
  expect(pages.length).toBeGreaterThan(1)
  for (const path of pages) expect((await fetch(server.url + path)).status, path).toBe(200)
})

test('what a newcomer reads first is full of commands that are run', () => {
  for (const [file, atLeast] of [
    ['README.md', 4],
    ['docs/call.md', 6],
    ['docs/pay.md', 2],
    ['docs/tour.md', 6],
  ] as const)
    expect(blocks.filter(({ place }) => place.startsWith(file)).length, file).toBeGreaterThanOrEqual(atLeast)
})
