// Costs: follows five guides in a copy of the sources, compiled and served, and runs what they add.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Block, isShell, readBlocks } from './document.ts'
import { failureIn, runShell } from './shell.ts'
import { copyTree, type TestResult } from './tree.ts'

/**
 * All are followed word for word in one copy of the sources: blocks under a line that names a file are written or, as diffs,
 * applied; then the program is built and served once, and the shell blocks are run. A JSON block after one is its last answer.
 * The endpoint comes first, because the diff of the tool changes a line that stands beside its own.
 */
const documents = ['an-endpoint', 'a-tool', 'a-service', 'a-port', 'a-payment-method'].map(
  name => `docs/adding-${name}.md`,
)

/** The key that the guide to payment methods signs its voucher with. */
const OCTAGENT_VOUCHER_KEY = 'a-key-of-32-characters-for-trials'

const closing: (() => unknown)[] = []
afterAll(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** What the documents wrote was checked, and its tests ran, before, all at once: here the tests are named. */
const npm = `case "$*" in
  'test -- '*) shift 2; printf '%s ' "$@" >> "$NAMED"; printf '\\n' >> "$NAMED" ;;
  'run check' | test | start) ;;
  *) echo "npm $*: the test does not know this command" >&2; return 1 ;;
esac`

const serveTree = async (dir: string, data: string) => {
  const child = spawn(process.execPath, ['dist/main.js', 'serve'], {
    cwd: dir,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? '',
      PORT: '0',
      OCTAGENT_DATA: data,
      OCTAGENT_VOUCHER_KEY,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'exit')
  closing.push(async () => {
    child.kill('SIGKILL')
    await ended
  })
  let output = ''
  return new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0]
      if (url) resolve(url)
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.once('error', reject)
    void ended.then(() => reject(new Error(`the program of the document does not start: ${output}`)))
  })
}

/** The files and the pattern of names of `npm test -- <files> [-t <pattern>]`. */
const parseTestCommand = (line: string) => {
  const [files = '', pattern] = line.trim().split(/ -t /)
  return { files: files.split(' '), pattern: pattern?.replace(/^'(.*)'$/, '$1') }
}

const isStep = (block: Block): block is Block & { path: string } =>
  block.path !== undefined && !isShell(block)

let tree: ReturnType<typeof copyTree>
let data: string
let url: string
let results: TestResult[]
beforeAll(async () => {
  tree = copyTree()
  closing.push(tree.remove)
  const steps = documents.flatMap(readBlocks).filter(isStep)
  for (const step of steps) tree.apply(step)
  const written = [...new Set(steps.map(({ path }) => path))].filter(path => path.endsWith('.ts'))
  await tree.build(written)
  await tree.lint([...new Set(steps.map(({ path }) => path))])
  data = mkdtempSync(join(tmpdir(), 'octagent-docs-data-'))
  closing.push(() => rmSync(data, { recursive: true, force: true }))
  const commands = documents
    .flatMap(readBlocks)
    .filter(isShell)
    .flatMap(({ text }) =>
      [...text.matchAll(/^ *npm test -- (.+)$/gm)].map(([, line = '']) => parseTestCommand(line)),
    )
  const whole = commands.filter(({ pattern }) => pattern === undefined)
  const parts = commands.filter(({ pattern }) => pattern !== undefined)
  const filesOf = (some: typeof commands) => [...new Set(some.flatMap(({ files }) => files))]
  results = [
    ...(await tree.test(filesOf(whole), join(data, 'whole.json'))),
    ...(await tree.test(
      filesOf(parts),
      join(data, 'parts.json'),
      parts.map(({ pattern }) => pattern).join('|'),
    )),
  ]
  url = await serveTree(tree.dir, data)
})

describe.each(documents)('%s', document => {
  test('works word for word', async () => {
    const blocks = readBlocks(document)
    const changed = new Set(blocks.filter(isStep).map(({ path }) => path))
    expect(changed.size).toBeGreaterThan(1)
    const named = join(data, `${basename(document)}.txt`)
    const environment = {
      PORT: new URL(url).port,
      OCTAGENT_DATA: data,
      NAMED: named,
    }
    let calls = 0
    for (const [n, block] of blocks.entries()) {
      if (!isShell(block)) continue
      const answers = await runShell(block.text, { url, dir: tree.dir, environment, instead: { npm } })
      for (const answer of answers) expect(failureIn(answer), `${block.place}: ${answer}`).toBeUndefined()
      calls += answers.length
      const next = blocks[n + 1]
      if (next?.language === 'json' && next.path === undefined)
        expect(JSON.parse(answers.at(-1) ?? 'null'), next.place).toMatchObject(JSON.parse(next.text))
    }
    expect(calls).toBeGreaterThan(0)
    const commands = existsSync(named) ? readFileSync(named, 'utf8').trim().split('\n') : []
    const tests = commands.map(parseTestCommand).flatMap(({ files, pattern = '' }) =>
      results
        .filter(({ name }) => files.some(file => name.includes(file)))
        .flatMap(({ assertionResults }) => assertionResults)
        .filter(({ fullName, status }) => status !== 'skipped' && new RegExp(pattern).test(fullName)),
    )
    expect(tests.length, 'the document runs tests of what it adds').toBeGreaterThan(0)
    expect(tests.filter(({ status }) => status !== 'passed')).toEqual([])
  })
})
