import { describe, expect, test } from 'vitest'
import {
  decodeCredential,
  decodeParameter,
  encodeParameter,
  findCredentials,
  readPaymentCredential,
  toBoundParameters,
  toBoundText,
  toChallengeHeader,
  toReceiptHeader,
} from '../../mcp/lib/payment-auth.ts'

const challenge = {
  id: 'an-id',
  realm: 'api.example',
  method: 'evm',
  intent: 'session',
  request: { b: 1, a: 'two' },
  expires: '2026-11-22T12:00:00Z',
}

describe('the Payment scheme', () => {
  test('writes the request canonically, and a challenge without what it has not', () => {
    expect(Buffer.from(encodeParameter(challenge.request), 'base64url').toString()).toBe('{"a":"two","b":1}')
    expect(toChallengeHeader(challenge)).toBe(
      `Payment id="an-id", realm="api.example", method="evm", intent="session", request="${encodeParameter(challenge.request)}", expires="2026-11-22T12:00:00Z"`,
    )
    expect(toChallengeHeader({ ...challenge, description: 'a "unit"' })).toContain(
      'description="a \\"unit\\""',
    )
  })

  test('makes an id over seven parts, empty ones included', () => {
    expect(toBoundText(toBoundParameters(challenge))).toBe(
      `api.example|evm|session|${encodeParameter(challenge.request)}|2026-11-22T12:00:00Z||`,
    )
  })

  test('reads a credential as HTTP and as MCP carry it', () => {
    const payload = { action: 'open' }
    const wire = { challenge: { ...challenge, request: encodeParameter(challenge.request) }, payload }
    const text = Buffer.from(JSON.stringify(wire)).toString('base64url')
    const [first = ''] = findCredentials(`Bearer abc, Payment ${text}`)
    const read = readPaymentCredential(decodeCredential(first))
    expect(read).toEqual({ id: 'an-id', bound: toBoundParameters(challenge), payload })
    expect(readPaymentCredential({ challenge, payload })).toEqual(read)
    expect(decodeParameter(read?.bound.request ?? '')).toEqual(challenge.request)
  })

  test('takes nothing else for one', () => {
    for (const value of [
      null,
      'text',
      [],
      {},
      { challenge, payload: 'text' },
      { challenge: { ...challenge, id: 7 }, payload: {} },
    ])
      expect(readPaymentCredential(value)).toBeUndefined()
    expect(decodeCredential('%%%')).toBeUndefined()
    expect(decodeParameter('%%%')).toBeUndefined()
    expect(findCredentials('Bearer payment')).toEqual([])
  })

  test('writes a receipt', () => {
    const receipt = { method: 'evm', status: 'success' }
    expect(JSON.parse(Buffer.from(toReceiptHeader(receipt), 'base64url').toString())).toEqual(receipt)
  })
})
