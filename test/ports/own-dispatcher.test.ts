import { expect, test } from 'vitest'

const sharedKey = Symbol.for('undici.globalDispatcher.1')

test('loading the fetch port leaves the dispatcher of Node’s own fetch alone', async () => {
  new Headers()
  const before = (globalThis as Record<symbol, unknown>)[sharedKey]
  await import('../../mcp/ports/fetch/transport.ts')
  await import('../../mcp/ports/evm/post.ts')
  expect((globalThis as Record<symbol, unknown>)[sharedKey]).toBe(before)
})

test('it is Node’s, whichever is asked for first', async () => {
  const { execFile } = await import('node:child_process')
  const { promisify } = await import('node:util')
  const script = `await import('./dist/mcp/ports/fetch/transport.js'); const { Agent } = await import('undici');
    process.stdout.write(String(globalThis[Symbol.for('undici.globalDispatcher.1')] instanceof Agent))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script])
  expect(stdout).toBe('false')
})
