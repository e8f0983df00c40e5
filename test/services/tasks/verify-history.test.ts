import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { verifyHistory } from '../../../cli/verify-history.ts'
import { makeSigningKey, openSign } from '../../../mcp/ports/sign/sign.ts'
import { type Entry, hashJson } from '../../../mcp/services/tasks/history.ts'
import { arbiter, type Hall, openHall, readAnswer } from './hall.ts'

type History = {
  task_id: string
  terms: Record<string, unknown>
  entries: Entry[]
  head: string
  signature: string
}

let hall: Hall
let folder: string
let history: History
let earlier: History
let keysFile: string

const save = async (name: string, value: unknown): Promise<string> => {
  const path = join(folder, `${name.replace(/\W+/g, '-')}.json`)
  await writeFile(path, typeof value === 'string' ? value : JSON.stringify(value))
  return path
}

/** What the command prints, and the code that it ends with. */
const run = async (...args: string[]) => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => undefined)
  try {
    const code = await verifyHistory(args)
    return { code, text: log.mock.calls.join('\n') }
  } finally {
    log.mockRestore()
  }
}

const paths = {
  REST: async (task_id: string, headers: Record<string, string>) =>
    (await readAnswer(await fetch(`${hall.url}/api/v1/tasks/${task_id}/history`, { headers }))).body,
  MCP: async (task_id: string, headers: Record<string, string>) => {
    const call = { name: 'get_history', arguments: { task_id } }
    const answer = await post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }, headers)
    return (answer.result as { structuredContent: Record<string, unknown> }).structuredContent
  },
  A2A: async (task_id: string, headers: Record<string, string>) => {
    const parts = [{ kind: 'data', data: { skill: 'get_history', input: { task_id } } }]
    const message = { kind: 'message', role: 'user', messageId: 'm-1', parts }
    const answer = await post(
      '/a2a/v1',
      { jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } },
      headers,
    )
    const { parts: said } = answer.result as { parts: { data?: Record<string, unknown> }[] }
    return said.find(({ data }) => data)?.data ?? {}
  },
} as const

const post = async (path: string, body: object, headers: Record<string, string>) => {
  const accept = 'application/json, text/event-stream'
  const response = await fetch(hall.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, ...headers },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  const json = text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? '{}')
  return JSON.parse(json) as Record<string, unknown>
}

const downloads: Record<string, unknown> = {}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'octagent-history-'))
  hall = await openHall()
  const { publisher, worker, task_id } = await hall.taskUnderWay({ evidence_required: ['text_response'] })
  const evidence = [{ type: 'text_response', value: 'It is open. 😀' }]
  const { submission_id } = await worker.get('submit_work', { task_id, evidence })
  earlier = (await worker.ask('get_history', { task_id })).body as History
  const notes = { submission_id, notes: 'Ungültig: é\u2028 is another door.', severity: 'major' }
  await publisher.get('reject_submission', notes)
  const reason = 'The photo shows the door and its number.'
  const { dispute_id } = await worker.get('open_dispute', { submission_id, reason })
  const judge = await hall.person(arbiter.key)
  await judge.get('resolve_dispute', {
    dispute_id,
    verdict: 'split',
    split_percent: 40,
    reason: 'Half of it was done.',
  })
  for (const [name, download] of Object.entries(paths))
    downloads[name] = await download(task_id, worker.headers)
  history = downloads.REST as History
  keysFile = await save('keys', await (await fetch(`${hall.url}/.well-known/jwks.json`)).json())
  // From here on, nobody is there to be asked.
  await hall.stop()
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Entries whose numbers and hashes were made anew, as who forges a history would. */
const chain = (terms: object, entries: readonly Entry[]) => {
  let head = hashJson(terms)
  const linked = entries.map((entry, n) => {
    const next = { ...entry, seq: n + 1, prev: head }
    head = hashJson(next)
    return next
  })
  return { terms, entries: linked, head }
}

describe('a history that was downloaded', () => {
  test.each(['REST', 'MCP', 'A2A'])('over %s is whole, and signed by the house', async name => {
    const file = await save(name, downloads[name])
    const { code, text } = await run(file, '--keys', keysFile)
    expect([code, text]).toEqual([
      0,
      expect.stringMatching(/^WHOLE\n .*: 7 entries, completed at .*Z\n {2}Signed by the house/),
    ])
    const alone = await run(file)
    expect([alone.code, alone.text]).toEqual([0, expect.stringContaining('was not checked')])
    const json = JSON.parse((await run(file, '--keys', keysFile, '--json')).text) as object
    expect(json).toMatchObject({ valid: true, signed: true, faults: [], entries: 7, status: 'completed' })
  })

  test('an earlier one holds, and says how far it goes', async () => {
    const { code, text } = await run(await save('earlier', earlier), '--keys', keysFile)
    expect([code, text]).toEqual([0, expect.stringContaining('4 entries, submitted at')])
  })
})

const without = (n: number) => history.entries.filter((_, index) => index !== n)
const swapped = () => {
  const [first, second, third, ...rest] = history.entries as [Entry, Entry, Entry]
  return [first, third, second, ...rest]
}
const altered = (n: number, more: object) =>
  history.entries.map((entry, index) => (index === n ? ({ ...entry, ...more } as Entry) : entry))

/** Who forges without the house's key: what the chain itself shows. */
const broken = (): [name: string, document: object, words: RegExp][] => [
  ['an altered reason', { entries: altered(4, { reason: 'well done' }) }, /Entry 6 does not hold the hash/],
  ['an altered last entry', { entries: altered(6, { actor: 'me' }) }, /head is not the hash/],
  ['a field more', { entries: altered(2, { note: 'paid' }) }, /Entry 4 does not hold the hash/],
  ['a dropped entry', { entries: without(3) }, /Entry 5 does not follow in number/],
  ['a dropped end', { entries: without(6) }, /head is not the hash/],
  ['a dropped beginning', { entries: without(0) }, /Entry 2 does not follow in number/],
  ['entries in another order', { entries: swapped() }, /Entry 3 does not follow in number/],
  [
    'an entry twice',
    { entries: [...history.entries, ...history.entries.slice(-1)] },
    /Entry 7 does not follow/,
  ],
  ['other terms', { terms: { ...history.terms, bounty_usd: '50.00' } }, /Entry 1 does not hold the hash/],
  ['another task', { task_id: 'task_1' }, /those of another task/],
  ['no entries', { entries: [] }, /There is no entry/],
  ['a move that is none', chain(history.terms, without(3)), /does not begin where the one before ended/],
  ['states there are not', chain(history.terms, altered(3, { to: 'toString' })), /names no state/],
  [
    'a state there is not, twice',
    chain(history.terms, [
      ...altered(6, { to: '__proto__' }),
      { ...(history.entries[6] as Entry), from: '__proto__' as never },
    ]),
    /Entry 8 does not begin where/,
  ],
  [
    'a time that steers terminals',
    chain(history.terms, altered(0, { at: '\u001b[2J' })),
    /Entry 1 names no time/,
  ],
  [
    'an older time',
    chain(history.terms, altered(5, { at: '2020-01-01T00:00:00.000Z' })),
    /is older than the one before/,
  ],
]

describe('what was done to a history shows, without keys too', () => {
  test('in each of these ways', async () => {
    for (const [name, change, words] of broken()) {
      const file = await save(name, { ...history, ...change })
      for (const keys of [[], ['--keys', keysFile]]) {
        const { code, text } = await run(file, ...keys)
        expect([name, code, text]).toEqual([name, 1, expect.stringMatching(/^NOT WHOLE\n/)])
        expect(text).toMatch(words)
        expect(text).not.toContain('\u001b')
      }
    }
  })

  test('also a number beyond all bounds, which no hash is of', async () => {
    const text = JSON.stringify(history).replace('"terms":{', '"terms":{"x":1e999,')
    expect((await run(await save('bounds', text))).code).toBe(1)
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    const nested = JSON.stringify(history).replace('"terms":{', `"terms":{"x":${deep},`)
    expect((await run(await save('deep', nested))).code).toBe(1)
  })
})

describe('a history that was forged whole', () => {
  const forge = () => ({
    ...history,
    ...chain(history.terms, altered(6, { reason: 'All of it was done.', actor: 'eip155:8453:0x0' })),
  })

  test('is told by the keys of the house', async () => {
    const file = await save('forged', forge())
    expect((await run(file)).text).toContain('was not checked')
    const { code, text } = await run(file, '--keys', keysFile)
    expect([code, text]).toEqual([1, expect.stringContaining('that of another history')])
  })

  test('also where somebody else signed it, or nobody, or no algorithm did', async () => {
    const forged = forge()
    const claims = { iss: 'https://elsewhere.example', task_id: history.task_id, seq: 7, head: forged.head }
    const other = openSign(makeSigningKey())
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const [header = ''] = history.signature.split('.')
    const signatures = [
      other.jws(claims, 'task-history+jwt'),
      `${header}.${part(claims)}.${history.signature.split('.')[2]}`,
      `${part({ alg: 'none', typ: 'task-history+jwt' })}.${part(claims)}.`,
      `${history.signature}A`,
      'nonsense',
      undefined,
      7,
    ]
    for (const signature of signatures) {
      const { code, text } = await run(await save('signed', { ...forged, signature }), '--keys', keysFile)
      expect([signature, code, text]).toEqual([
        signature,
        1,
        expect.stringMatching(/by none of the keys|There is no signature/),
      ])
    }
    // An own signature of the house for something else, or for an earlier head, is none for this.
    const stale = await save('stale', { ...history, signature: earlier.signature })
    expect((await run(stale, '--keys', keysFile)).code).toBe(1)
    const foreign = await save('foreign-keys', await other.jwks())
    expect((await run(await save('genuine', history), '--keys', foreign)).code).toBe(1)
  })
})

test('what is no history is refused, in words', async () => {
  const refusal = async (...args: string[]) => {
    try {
      await run(...args)
    } catch (error) {
      return (error as { code: string }).code
    }
    return 'answered'
  }
  const file = await save('genuine', history)
  expect(await refusal()).toBe('invalid_input')
  expect(await refusal(file, file)).toBe('invalid_input')
  expect(await refusal(file, '--key', keysFile)).toBe('invalid_input')
  expect(await refusal(join(folder, 'none.json'))).toBe('not_found')
  expect(await refusal(file, '--keys', join(folder, 'none.json'))).toBe('not_found')
  expect(await refusal(file, '--keys', file)).toBe('invalid_input')
  for (const [n, value] of ['', '[]', '{}', { ...history, entries: [1] }, { ...history, head: 1 }].entries())
    expect(await refusal(await save(`no-history-${n}`, value))).toBe('invalid_input')
  expect(await refusal(await save('huge', ' '.repeat(5_000_001)))).toBe('too_large')
})
