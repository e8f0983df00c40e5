import { createHash } from 'node:crypto'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { identifySigner } from '../../../mcp/services/tasks/signature.ts'
import { onBothEngines } from '../../payment/ledger-engines.ts'
import { openTestWorld } from '../../world.ts'
import { signRequest } from './signing.ts'

const key = privateKeyToAccount('0x0000000000000000000000000000000000000000000000000000000000000001')
const body = '{"hello":"world"}'
const url = 'https://api.example/items?view=full'
const created = 1_700_000_000

type Headers = Record<string, string | undefined>

const digestOf = (text: string) => createHash('sha256').update(text).digest('base64')

const ask = async (
  headers: Headers,
  {
    target = '/items?view=full',
    text = body,
    at = created + 1,
    store,
    older = true,
    host = 'api.example',
    method = 'POST',
    site = 'https://api.example',
  }: {
    target?: string
    text?: string
    at?: number
    store?: never
    older?: boolean
    host?: string
    method?: string
    site?: string
  } = {},
) => {
  const world = store ? undefined : await openTestWorld()
  const ports = {
    store: store ?? (world?.ports.store as never),
    clock: { now: () => new Date(at * 1000) },
    evm: { ask: () => Promise.reject(new Error('the chain must not be asked')) },
    contractAccounts: [],
    olderSignatures: older,
  }
  const request = {
    method,
    url: target,
    headers: { host, ...headers } as Record<string, string>,
    digest: () => digestOf(text),
    site,
  }
  try {
    return await identifySigner.run(ports as never, { value: headers.signature ?? '', request })
  } catch (error) {
    const { code, extra } = error as { code: string; extra: { reason: string; headers?: Headers } }
    return { code, reason: extra.reason, challenge: extra.headers?.['WWW-Authenticate'] }
  } finally {
    await world?.stop()
  }
}

/** The published vector of the draft, but for the chain, which is none of those served here. */
const vector = (more: object = {}) =>
  signRequest(key, url, {
    method: 'POST',
    body,
    contentType: 'application/json',
    chainId: 8453,
    created,
    nonce: 'EjRWeJCrze8BI0VniavN7w',
    ...more,
  })

test('the signature of the published vector is reproduced to the byte', async () => {
  expect((await vector({ chainId: 1 })).signature).toBe(
    'request=:/BpEToskxkMJ65uRmaNUPiBwbwwg6z3CxEDJJwEYREIx1Hwn85Z1L8XlRpILGx4q80yeiNugYzaUsVPWiPcB0Bs=:',
  )
})

test('a signed request proves its account', async () => {
  expect(await ask(await vector())).toEqual({
    id: `eip155:8453:${key.address.toLowerCase()}`,
    via: 'erc8128',
  })
})

describe('what is not as it was signed', () => {
  const replaceInput = (from: string | RegExp, to: string) => async () => {
    const headers = await vector()
    return { ...headers, 'signature-input': headers['signature-input'].replace(from, to) }
  }
  const without = (name: string) => async () => ({ ...(await vector()), [name]: undefined })
  const cases: [string, () => Promise<Headers>, object, string, string?][] = [
    ['another query', vector, { target: '/items?view=x' }, 'bad_signature'],
    ['another path', vector, { target: '/others?view=full' }, 'bad_signature'],
    ['another method', vector, { method: 'PUT' }, 'bad_signature'],
    ['another host', vector, { host: 'evil.example' }, 'bad_signature'],
    ['another scheme', vector, { site: 'http://api.example' }, 'bad_signature'],
    ['another body', vector, { text: '{}' }, 'bad_content_digest'],
    ['too early', vector, { at: created - 31 }, 'request_not_yet_valid'],
    ['too late', vector, { at: created + 91 }, 'request_expired'],
    ['no digest', without('content-digest'), {}, 'content_digest_required'],
    ['no signature input', without('signature-input'), {}, 'signature_missing'],
    ['alg', replaceInput(/$/, ';alg="x"'), {}, 'unsupported_algorithm'],
    ['query not covered', replaceInput(' "@query"', ''), {}, 'insufficient_coverage'],
    ['content type not covered', replaceInput(' "content-type"', ''), {}, 'insufficient_coverage'],
    [
      'a component that is not there',
      replaceInput('"@query"', '"@query" "x-none"'),
      {},
      'insufficient_coverage',
    ],
    [
      'a component that is a number',
      replaceInput('"@query"', '"@query" 5'),
      {},
      'signature_input_invalid',
      'malformed',
    ],
    ['a chain with a leading zero', replaceInput('eip155:8453', 'eip155:08453'), {}, 'invalid_keyid'],
    ['an address in capitals', replaceInput('0x7e', '0X7E'), {}, 'invalid_keyid'],
    ['an unknown chain', () => vector({ chainId: 1 }), {}, 'unsupported_chain'],
    ['another tag', replaceInput('tag="erc8128"', 'tag="zzz"'), {}, 'no_acceptable_signature'],
    [
      'no structured field',
      async () => ({ ...(await vector()), 'signature-input': 'request=("@scheme' }),
      {},
      'signature_input_invalid',
      'malformed',
    ],
    ['a nonce that is a token', replaceInput('"EjRWeJCrze8BI0VniavN7w"', 'abc'), {}, 'invalid_nonce'],
    ['no nonce', replaceInput(';nonce="EjRWeJCrze8BI0VniavN7w"', ''), {}, 'nonce_required'],
    ['good for too long', () => vector({ seconds: 301 }), {}, 'request_validity_too_long'],
    ['expires first', () => vector({ seconds: -1 }), {}, 'invalid_time'],
    [
      'headers of 20 kB',
      async () => ({ ...(await vector()), 'signature-input': 'x'.repeat(20_000) }),
      {},
      'signature_too_large',
      'malformed',
    ],
    ['the key of somebody else', replaceInput(/0x[0-9a-f]{40}/, `0x${'11'.repeat(20)}`), {}, 'bad_signature'],
  ]
  test.each(cases)('%s', async (_, make, options, reason, code = 'unauthenticated') => {
    const answer = await ask(await make(), options)
    expect(answer).toMatchObject({ code, reason })
    if (code === 'unauthenticated')
      expect(answer).toMatchObject({ challenge: expect.stringContaining(`error="${reason}"`) })
  })

  test('the same signature with the other s', async () => {
    const headers = await vector()
    const bytes = Buffer.from(headers.signature.slice(9, -1), 'base64')
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
    const s = order - BigInt(`0x${bytes.subarray(32, 64).toString('hex')}`)
    bytes.set(Buffer.from(s.toString(16).padStart(64, '0'), 'hex'), 32)
    bytes[64] = bytes[64] === 27 ? 28 : 27
    const signature = `request=:${bytes.toString('base64')}:`
    expect(await ask({ ...headers, signature })).toMatchObject({ reason: 'bad_signature' })
  })

  test('a wrapped signature where no chain is asked', async () => {
    const headers = await vector()
    const wrapped = Buffer.concat([Buffer.alloc(128), Buffer.from('6492'.repeat(16), 'hex')])
    const signature = `request=:${wrapped.toString('base64')}:`
    expect(await ask({ ...headers, signature })).toMatchObject({ reason: 'unsupported_account' })
  })
})

test('a signature of somebody else beside it may cover what it likes', async () => {
  const headers = await vector()
  const input = `other=("a" 5 tok -1.5 @17 :YQ==: ?1 "b";x=2);p=3, ${headers['signature-input']}`
  expect(await ask({ ...headers, 'signature-input': input })).toMatchObject({ via: 'erc8128' })
})

test('a request of 60 seconds is taken 30 seconds before and after', async () => {
  expect(await ask(await vector(), { at: created - 30 })).toMatchObject({ via: 'erc8128' })
  expect(await ask(await vector(), { at: created + 90 })).toMatchObject({ via: 'erc8128' })
})

onBothEngines(engine => {
  test('of eight that send one signature at once, one wins; and none later', async () => {
    const place = await engine.place()
    const store = (await place.open()) as never as { close(): Promise<void> }
    const now = Math.floor(Date.now() / 1000)
    const headers = await vector({ created: now })
    const send = () => ask(headers, { at: now + 1, store: store as never })
    const answers = await Promise.all(Array.from({ length: 8 }, send))
    expect(answers.filter(answer => answer && 'id' in answer)).toHaveLength(1)
    expect(
      answers.filter(answer => answer && 'reason' in answer && answer.reason === 'nonce_reused'),
    ).toHaveLength(7)
    expect(await send()).toMatchObject({ reason: 'nonce_reused' })
    await store.close()
    await place.clean()
  })
})
