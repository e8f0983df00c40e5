import { createPublicKey, verify } from 'node:crypto'
import { compactVerify, createLocalJWKSet, importJWK } from 'jose'
import { expect, test } from 'vitest'
import { makeSigningKey, openSign } from '../../mcp/ports/sign/sign.ts'

const key = makeSigningKey()
const sign = openSign(key)

test('a stock library verifies a signed claim against the published keys', async () => {
  const jws = sign.jws({ deal: 'd1', fee: '2000' }, 'deal-receipt+jws')
  const keys = createLocalJWKSet((await sign.jwks()) as never)
  const { payload, protectedHeader } = await compactVerify(jws, keys)
  expect(JSON.parse(new TextDecoder().decode(payload))).toEqual({ deal: 'd1', fee: '2000' })
  expect(protectedHeader).toEqual({ alg: 'EdDSA', typ: 'deal-receipt+jws', kid: sign.ed25519Kid })
})

test('the signature over a text verifies with Node alone', async () => {
  const { keys } = (await sign.jwks()) as { keys: { kid: string }[] }
  const jwk = keys.find(({ kid }) => kid === sign.ed25519Kid)
  const signature = Buffer.from(sign.ed25519('a text'), 'base64url')
  const publicKey = createPublicKey({ key: jwk as never, format: 'jwk' })
  expect(verify(null, Buffer.from('a text'), publicKey, signature)).toBe(true)
  expect(verify(null, Buffer.from('another'), publicKey, signature)).toBe(false)
  expect(await importJWK(jwk as never, 'EdDSA')).toBeDefined()
})

test('what we signed opens, and what was changed does not', () => {
  const jws = sign.jws({ a: 1 }, 't')
  expect(sign.open(jws)).toEqual({ a: 1 })
  const [header, , signature] = jws.split('.')
  const token = `${header}.${Buffer.from('{"a":2}').toString('base64url')}.${signature}`
  expect(sign.open(token)).toBeUndefined()
  expect(sign.open('nonsense')).toBeUndefined()
  expect(openSign(makeSigningKey()).open(jws)).toBeUndefined()
})

test('one signature has one spelling: padding, white space and bits left over are refused', () => {
  const jws = sign.jws({ a: 1 }, 't')
  const [header = '', claims = '', signature = ''] = jws.split('.')
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  // 64 bytes end in a letter of which four bits are not used.
  const last = alphabet.indexOf(signature.at(-1) ?? '')
  const others = [1, 2, 15].map(bits => `${signature.slice(0, -1)}${alphabet[last | bits]}`)
  for (const spelling of [
    `${signature}=`,
    `${signature}==`,
    `${signature}\n`,
    ` ${signature}`,
    `${signature.slice(0, 9)} ${signature.slice(9)}`,
    `${signature}A`,
    signature.replaceAll('-', '+').replaceAll('_', '/').padEnd(88, '='),
    ...others,
  ]) {
    expect(Buffer.from(spelling.trim(), 'base64url').subarray(0, 64).toString('base64url')).toBe(signature)
    expect(sign.open(`${header}.${claims}.${spelling}`)).toBeUndefined()
  }
  for (const variant of [
    `${header}=.${claims}.${signature}`,
    `${header}.${claims}=.${signature}`,
    `${jws}.`,
    `${jws}.A`,
  ])
    expect(sign.open(variant)).toBeUndefined()
  expect(sign.open(jws)).toEqual({ a: 1 })
})

test('replicas with one signing key publish the same keys', async () => {
  expect(await openSign(key).jwks()).toEqual(await sign.jwks())
})

test('what the key before signed is still ours while keys are rotated, and its public keys are published', async () => {
  const before = makeSigningKey()
  const old = openSign(before)
  const rotated = openSign(makeSigningKey(), before)
  const jws = old.jws({ said: 'purr' }, 'test')
  expect(rotated.open(jws)).toEqual({ said: 'purr' })
  const texts = [old, rotated, openSign(makeSigningKey())].map(each => each.ed25519('a verdict'))
  expect(texts.map(signature => rotated.isOurs('a verdict', signature))).toEqual([true, true, false])
  expect(rotated.isOurs('another verdict', texts[0] ?? '')).toBe(false)
  expect(rotated.ed25519Kid).not.toBe(old.ed25519Kid)
  const kids = (keys: object[]) => keys.map(each => (each as { kid: string }).kid)
  expect(kids((await rotated.jwks()).keys)).toEqual(expect.arrayContaining(kids((await old.jwks()).keys)))
})
