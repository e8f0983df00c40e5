import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { type Block, isShell, readBlocks } from './document.ts'
import { failureIn, runShell } from './shell.ts'
import { copyTree } from './tree.ts'

/**
 * Each is followed word for word in a copy of the sources: blocks under a line that names a file are written or, as diffs,
 * applied; then the program is built and served, and the shell blocks are run. A JSON block after one is its last answer.
 */
const documents = ['docs/adding-a-tool.md', 'docs/adding-a-service.md', 'docs/adding-an-endpoint.md']

const closing: (() => unknown)[] = []
afterEach(async () => {
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

describe.each(documents)('%s', document => {
  test('works word for word', { timeout: 600_000 }, async () => {
    const blocks = readBlocks(document)
    const tree = copyTree()
    closing.push(tree.remove)
    for (const step of blocks.filter(isStep)) tree.apply(step)
    expect(tree.changed.size).toBeGreaterThan(1)
    await tree.build()

    const data = mkdtempSync(join(tmpdir(), 'octagent-docs-data-'))
    closing.push(() => rmSync(data, { recursive: true, force: true }))
    const url = await serveTree(tree.dir, data)
    const result = join(data, 'result.json')
    const environment = {
      NODE: process.execPath,
      PORT: new URL(url).port,
      OCTAGENT_DATA: data,
      RESULT: result,
      CHANGED: [...tree.changed].join(' '),
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
