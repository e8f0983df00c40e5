import { execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import { packInto } from '../packed.ts'
import type { Running } from './run.ts'

/** A service of somebody else's, and an Express application that mounts it; once as told, once behind a body parser. */
const application = `import { join } from 'node:path'
import { ExactEvmScheme } from '@x402/evm/exact/server'
import { HTTPFacilitatorClient } from '@x402/core/server'
import express, { type RequestHandler } from 'express'
import {
  free,
  help,
  paidBy,
  port,
  readConfig,
  service,
  settings,
  ToolError,
  tool,
  usd,
} from 'octagent'
import { octagent, paymentMiddleware, paywall, x402ResourceServer } from 'octagent/express'
import { z } from 'zod'

export const innSettings = settings({
  word: {
    variable: 'INN_WORD',
    schema: z.string().max(20),
    description: 'What guests are greeted with.',
    default: 'Hello',
  },
})

export const sign = port({ name: 'sign_of_the_inn', needs: ['clock', innSettings.word] }).open(({ clock, word }) => ({
  greet: (name: string) => (clock.now().getTime() > 0 ? \`\${word}, \${name}.\` : ''),
}))

export const greet = tool({
  name: 'greet',
  title: 'Greet',
  description: 'Greets by name. Free.',
  input: z.object({ name: z.string().min(1).max(40).describe('Who is greeted') }),
  output: z.object({ greeting: z.string().describe('The greeting') }),
  needs: [sign],
  price: free,
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { text: ['greet <name>'] },
  examples: [{ name: 'Ada' }],
}).run(async ({ sign_of_the_inn: sign }, { name }) => {
  if (name === 'Nobody') throw new ToolError('not_found', 'Nobody is here.')
  return { greeting: sign.greet(name) }
})

export const toast = tool({
  name: 'toast',
  title: 'Toast',
  description: 'Raises a glass. Costs 0.10 USDC on Base.',
  input: z.object({ name: z.string().default('all').describe('Whom it is to') }),
  output: z.object({ toast: z.string().describe('The words'), transaction: z.string().describe('What paid them') }),
  needs: ['clock'],
  price: usd('0.10', 'base'),
  settle: 'before',
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  a2a: {},
  rest: { routes: ['POST /toasts'] },
  examples: [{}],
}).run(({ commit, receipt }, { name }) =>
  commit(async () => ({ toast: \`To \${name}!\`, transaction: paidBy(receipt).transaction })),
)

export const inn = service({
  label: 'I',
  slug: 'inn',
  name: 'The inn',
  description: 'Greets and toasts.',
  version: '1.0.0',
  interfaces: [{ binding: 'JSONRPC', path: '/a2a', version: '1.0' }],
  card: { path: '/.well-known/agent-card.json', inputModes: ['text/plain'], outputModes: ['application/json'] },
  auth: ['public'],
  tools: [help(), greet, toast],
  settings: innSettings,
  ports: [sign],
  fallback: 'help',
})

const facilitator = new HTTPFacilitatorClient({ url: process.env.FACILITATOR ?? '' })
const seller = new x402ResourceServer(facilitator).register('eip155:84532', new ExactEvmScheme())
const payTo = '0x00000000000000000000000000000000000000aA'
const routes = {
  'GET /report': { accepts: { scheme: 'exact', payTo, price: '$0.01', network: 'eip155:84532' }, description: 'A report' },
} as const
let reports = 0

const open = async (folder: string, ...before: RequestHandler[]): Promise<string> => {
  const app = express()
  for (const handler of before) app.use(handler)
  const server = app.listen(0, '127.0.0.1')
  await new Promise(listening => server.once('listening', listening))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const url = \`http://127.0.0.1:\${address.port}\`
  const config = readConfig({ OCTAGENT_DATA: folder, OCTAGENT_LOG: 'silent', ANVIL: process.env.ANVIL }, [inn])
  const agents = await octagent({ services: [inn], config, url: \`\${url}/agents\` })
  const paid = paymentMiddleware(routes, seller, { appName: 'Foreign' }, paywall, true, { config })
  app.use(paid)
  app.use(paid.operations)
  app.get('/report', (_, res) => void res.json({ report: (reports += 1) }))
  app.get('/own', (req, res) => void res.json({ path: req.path, powered: res.get('X-Powered-By') }))
  app.use('/agents', agents)
  app.post('/own', express.json(), (req, res) => void res.json(req.body))
  app.use((_, res) => void res.status(404).send('nothing of mine'))
  process.once('SIGTERM', () => void agents.close().then(paid.close).then(() => server.close()))
  return url
}

const [data = 'data'] = process.argv.slice(2)
const urls = [await open(join(data, 'first')), await open(join(data, 'second'), express.json())]
console.log(JSON.stringify(urls))
`

const settings = {
  compilerOptions: {
    target: 'es2023',
    lib: ['es2023'],
    module: 'nodenext',
    types: ['node'],
    strict: true,
    declaration: true,
    skipLibCheck: false,
    outDir: 'dist',
  },
  files: ['application.ts', 'seller.ts'],
}

/** The application that docs/express.md prints first. */
const documented = (): string => /```ts\n(.*?)```/s.exec(readFileSync('docs/express.md', 'utf8'))?.[1] ?? ''

/** What the application asks for itself, and what npm would install with this package. */
const packages = [
  ...['express', '@types', '@x402'],
  ...Object.keys(manifest.dependencies),
  ...Object.keys(manifest.optionalDependencies),
].filter(name => existsSync(join('node_modules', name)))

/** Packs this package as it would be published and unpacks it into a folder that has, besides, what somebody would install. */
export const openForeignFolder = (): string => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'octagent-foreign-')))
  const installed = join(home, 'node_modules')
  mkdirSync(join(installed, 'octagent'), { recursive: true })
  execFileSync('tar', ['-xzf', packInto(home), '-C', join(installed, 'octagent'), '--strip-components=1'], {
    cwd: home,
  })
  for (const name of packages) {
    mkdirSync(dirname(join(installed, name)), { recursive: true })
    symlinkSync(resolve('node_modules', name), join(installed, name))
  }
  writeFileSync(join(home, 'package.json'), '{ "name": "foreign", "private": true, "type": "module" }')
  writeFileSync(join(home, 'application.ts'), application)
  writeFileSync(join(home, 'seller.ts'), documented())
  writeFileSync(join(home, 'tsconfig.json'), JSON.stringify(settings))
  return home
}

/** Compiles the application against the packed declarations; what the compiler says of it and of this package. */
export const compile = (home: string): string[] => {
  const tsc = resolve('node_modules/typescript/bin/tsc')
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', '.', '--pretty', 'false'], {
    cwd: home,
    encoding: 'utf8',
  })
  return stdout.split('\n').filter(line => /^(application|seller|node_modules\/octagent\/|error)/.test(line))
}

/** The compiled application in a process of its own: the address as told, and the one behind a body parser. */
export const runForeign = (
  home: string,
  facilitator: string,
): Promise<Omit<Running, 'url'> & { urls: [string, string] }> => {
  const { PATH = '', HOME = '', ANVIL = '' } = process.env
  const child = spawn(process.execPath, ['dist/application.js', join(home, 'data')], {
    cwd: home,
    env: { PATH, HOME, ANVIL, FACILITATOR: facilitator },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const exit = new Promise<number | null>(done => child.once('exit', done))
  return new Promise((ready, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk
      const line = /^\[.*\]$/m.exec(output)?.[0]
      if (line) ready({ urls: JSON.parse(line), child, exit, output: () => output })
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    void exit.then(code => reject(new Error(`the application ended with ${code}: ${output}`)))
  })
}
