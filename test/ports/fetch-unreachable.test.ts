import { spawnSync } from 'node:child_process'
import tls from 'node:tls'
import { getSystemErrorMap } from 'node:util'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { ToolError } from '../../mcp/kernel/error.ts'
import { openFetch } from '../../mcp/ports/fetch/fetch.ts'
import type { HostAddress } from '../../mcp/ports/fetch/guard.ts'

/** The kernel's side of a socket, which is where a connect fails at once. */
type Handle = { connect: (...args: unknown[]) => number; connect6: (...args: unknown[]) => number }
const { TCP } = (process as unknown as { binding(name: string): { TCP: { prototype: Handle } } }).binding(
  'tcp_wrap',
)
const numbers = new Map([...getSystemErrorMap()].map(([number, [name]]) => [name, number]))

const v4: HostAddress = { address: '93.184.216.34', family: 4 }
const other: HostAddress = { address: '93.184.216.35', family: 4 }
const v6: HostAddress = { address: '2606:2800:220:1::1', family: 6 }

const uncaught: unknown[] = []
const hear = (error: unknown) => uncaught.push(error)
beforeEach(() => {
  uncaught.length = 0
  process.on('uncaughtException', hear).on('unhandledRejection', hear)
})
afterEach(() => {
  vi.restoreAllMocks()
  process.off('uncaughtException', hear).off('unhandledRejection', hear)
})

/** What a fetch says, after everything that its socket still had to say. */
const catchFailure = async (url: string, addresses: HostAddress[]): Promise<Partial<ToolError> | string> => {
  const fetch = openFetch({ userAgent: 'Octagent/test', resolve: async () => addresses })
  const failure = await fetch(url).then(
    () => 'an answer',
    error => error as ToolError,
  )
  await new Promise(done => setTimeout(done, 20))
  await fetch.close()
  return failure
}

const sites: [string, HostAddress[]][] = [
  ['A', [v4]],
  ['AAAA', [v6]],
  ['A and AAAA', [v4, v6]],
  ['two A', [v4, other]],
]

const expected: [string, RegExp][] = [
  ['ENETUNREACH', /cannot be reached/],
  ['EHOSTUNREACH', /cannot be reached/],
  ['EADDRNOTAVAIL', /cannot be reached/],
  ['EMFILE', /could not be reached: this server has too many connections open/],
  ['EACCES', /cannot be reached/],
  ['ECONNREFUSED', /refused the connection/],
]

describe.each(expected)('a connect that fails at once with %s', (code, sentence) => {
  test.each(
    sites.flatMap(([what, addresses]) => ['http', 'https'].map(scheme => ({ scheme, what, addresses }))),
  )('is a failure of the call: $scheme to a name with $what', async ({ scheme, addresses }) => {
    const fail = () => numbers.get(code) ?? 0
    vi.spyOn(TCP.prototype, 'connect').mockImplementation(fail)
    vi.spyOn(TCP.prototype, 'connect6').mockImplementation(fail)
    expect(await catchFailure(`${scheme}://example.com/`, addresses)).toMatchObject({
      code: 'upstream',
      message: expect.stringMatching(sentence),
    })
    expect(uncaught).toEqual([])
  })
})

test('a connect that throws is a failure of the call', async () => {
  vi.spyOn(tls, 'connect').mockImplementation(() => {
    throw new RangeError('no')
  })
  expect(await catchFailure('https://example.com/', [v6])).toMatchObject({ code: 'upstream' })
  expect(uncaught).toEqual([])
})

/** A process of its own in a namespace without any network: every connect fails in the kernel, none of it is played. */
const runIsolated = (script: string) =>
  spawnSync('unshare', ['-rn', process.execPath, '--input-type=module', '-e', script], {
    encoding: 'utf8',
    timeout: 20_000,
  })

const script = (url: string, addresses: HostAddress[]) => `
  const { openFetch } = await import('./dist/mcp/ports/fetch/fetch.js')
  const fetch = openFetch({ userAgent: 'test', resolve: async () => ${JSON.stringify(addresses)} })
  const code = await fetch('${url}').then(() => 'answer', thrown => thrown.code)
  await new Promise(done => setTimeout(done, 50))
  process.stdout.write(code)`

describe.skipIf(runIsolated('').status !== 0)('where there is no network at all', () => {
  test.each(
    sites.flatMap(([what, addresses]) => ['http', 'https'].map(scheme => ({ scheme, what, addresses }))),
  )('$scheme to a name with $what ends the call and nothing else', ({ scheme, addresses }) => {
    const { status, stdout, stderr } = runIsolated(script(`${scheme}://example.com/`, addresses))
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: 'upstream', stderr: '' })
  })
})
