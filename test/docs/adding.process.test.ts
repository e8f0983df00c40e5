import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Block, isShell, readBlocks } from './document.ts'
import { failureIn, runShell } from './shell.ts'
import { copyTree } from './tree.ts'

/**
 * All are followed word for word in one copy of the sources: blocks under a line that names a file are written or, as diffs,
 * applied; then the program is built and served once, and the shell blocks are run. A JSON block after one is its last answer.
 * The endpoint comes first, because the diff of the tool changes a line that stands beside its own.
 */
const documents = ['docs/adding-an-endpoint.md', 'docs/adding-a-tool.md', 'docs/adding-a-service.md']

const closing: (() => unknown)[] = []
afterAll(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** `npm run check` and `npm test -- …` for what the document wrote: the whole would be this very run again. */
const npm = `case "$*" in
  'run check') "$NODE" node_modules/@biomejs/biome/bin/biome check $CHANGED >&2 ;;
  'test -- '*) shift 2; "$NODE" node_modules/vitest/vitest.mjs run --maxWorkers=1 --reporter=default --reporter=json --outputFile.json="$RESULT" "$@" >&2 ;;
  test | start) ;;
  *) echo "npm $*: the test does not know this command" >&2; return 1 ;;
esac`

const serveTree = async (dir: string, data: string) => {
  const child = spawn(process.execPath, ['dist/main.js', 'serve'], {
    cwd: dir,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', PORT: '0', OCTAGENT_DATA: data },
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

const isStep = (block: Block): block is Block & { path: string } =>
  block.path !== undefined && !isShell(block)

let tree: ReturnType<typeof copyTree>
let data: string
let url: string
beforeAll(async () => {
  tree = copyTree()
  closing.push(tree.remove)
  for (const step of documents.flatMap(readBlocks).filter(isStep)) tree.apply(step)
  await tree.build()
  data = mkdtempSync(join(tmpdir(), 'octagent-docs-data-'))
  closing.push(() => rmSync(data, { recursive: true, force: true }))
  url = await serveTree(tree.dir, data)
})

describe.each(documents)('%s', document => {
  test('works word for word', async () => {
    const blocks = readBlocks(document)
    const changed = new Set(blocks.filter(isStep).map(({ path }) => path))
    expect(changed.size).toBeGreaterThan(1)
    const result = join(data, `${basename(document)}.json`)
    const environment = {
      NODE: process.execPath,
      PORT: new URL(url).port,
      OCTAGENT_DATA: data,
      RESULT: result,
      CHANGED: [...changed].join(' '),
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
    expect(existsSync(result), 'the document runs tests of what it adds').toBe(true)
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(result, 'utf8'))
    expect(numFailedTests).toBe(0)
    expect(numPassedTests).toBeGreaterThan(0)
  })
})
