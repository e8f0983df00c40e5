import { generateKeyPairSync } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isKeyRecord, parseKey } from '../../../mcp/lib/mail-auth/dkim/key.ts'
import { isSelector, selectorsFor } from '../../../mcp/lib/mail-auth/dkim/selectors.ts'
import { ed25519Key, rsaKey1024, rsaKey2048 } from '../../internet/mail-zone.ts'
import { runs } from '../../stress.ts'

const codes = (text: string) => parseKey(text).issues.map(({ code }) => code)

const rsa = (bits: number, type: 'spki' | 'pkcs1' = 'spki') =>
  generateKeyPairSync('rsa', { modulusLength: bits })
    .publicKey.export({ format: 'der', type })
    .toString('base64')

describe('a DKIM key (RFC 6376 section 3.6.1)', () => {
  test('is read with its size', () => {
    expect(parseKey(`v=DKIM1; k=rsa; p=${rsaKey2048}`)).toEqual({
      keyType: 'rsa',
      bits: 2048,
      valid: true,
      revoked: false,
      testing: false,
      strict: false,
      hashes: [],
      services: [],
      issues: [],
    })
    expect(parseKey(`p=${rsaKey2048}`)).toMatchObject({ keyType: 'rsa', bits: 2048, valid: true })
  })

  test('may hold spaces, and need not end', () => {
    const withSpaces = rsaKey2048.replace(/(.{60})/g, '$1 ')
    expect(parseKey(`v=DKIM1; p=${withSpaces} ;`)).toMatchObject({ bits: 2048, valid: true })
  })

  test('is read as the standard writes it, without its wrapping', () => {
    expect(parseKey(`v=DKIM1; p=${rsa(2048, 'pkcs1')}`)).toMatchObject({ bits: 2048, valid: true })
  })

  test('of 1024 bits is weak, of less is broken', () => {
    expect(parseKey(`v=DKIM1; p=${rsaKey1024}`)).toMatchObject({ bits: 1024, valid: true })
    expect(codes(`v=DKIM1; p=${rsaKey1024}`)).toEqual(['weak_key'])
    const short = `v=DKIM1; p=${rsa(768)}`
    expect(parseKey(short)).toMatchObject({ bits: 768, valid: false })
    expect(codes(short)).toEqual(['broken_key'])
  })

  test('of ed25519 has 32 bytes (RFC 8463)', () => {
    expect(parseKey(`v=DKIM1; k=ed25519; p=${ed25519Key}`)).toMatchObject({
      keyType: 'ed25519',
      bits: 256,
      valid: true,
    })
    const spki = generateKeyPairSync('ed25519')
      .publicKey.export({ format: 'der', type: 'spki' })
      .toString('base64')
    expect(codes(`v=DKIM1; k=ed25519; p=${spki}`)).toEqual(['bad_key'])
  })

  test('that is empty is revoked', () => {
    expect(parseKey('v=DKIM1; p=')).toMatchObject({ revoked: true, valid: false, bits: null })
    expect(parseKey('v=DKIM1; p= ;')).toMatchObject({ revoked: true })
  })

  test('has flags, hashes and services', () => {
    const read = parseKey(`v=DKIM1; h=sha1:SHA256; s=email; t=y:s; n=a note; p=${rsaKey2048}`)
    expect(read).toMatchObject({
      testing: true,
      strict: true,
      hashes: ['sha1', 'sha256'],
      services: ['email'],
      valid: true,
    })
    expect(read.issues.map(({ code }) => code)).toEqual(['testing'])
  })

  test.each([
    ['v=DKIM1; k=rsa', 'no_key'],
    ['v=DKIM1; p=MIIB', 'bad_key'],
    ['v=DKIM1; p=not!base64', 'bad_key'],
    [`v=DKIM1; p=${rsaKey2048.slice(0, 300)}`, 'bad_key'],
    [`v=DKIM1; k=ed25519; p=${rsaKey2048}`, 'bad_key'],
    [`v=DKIM1; k=rsa; p=${ed25519Key}`, 'bad_key'],
    [`v=DKIM1; k=dsa; p=${rsaKey2048}`, 'unknown_key_type'],
    [`v=DKIM2; p=${rsaKey2048}`, 'bad_version'],
    [`p=${rsaKey2048}; v=DKIM1`, 'bad_version'],
    [`v=DKIM1; p=${rsaKey2048}; p=${rsaKey2048}`, 'repeated_tag'],
    [`v=DKIM1; h=sha1; p=${rsaKey2048}`, 'sha1_only'],
    [`v=DKIM1; s=tlsrpt; p=${rsaKey2048}`, 'not_for_mail'],
  ])('%s cannot be used: %s', (text, code) => {
    expect(parseKey(text).valid).toBe(false)
    expect(codes(text)).toContain(code)
  })
})

test.each(['v=DKIM1', 'v=DKIM1; p=', 'k=rsa; p=abc', 'p=abc'])('%j is meant as a key', text => {
  expect(isKeyRecord(text)).toBe(true)
})
test.each(['v=spf1 -all', 'hello', 'v=DMARC1;'])('%j is not', text => expect(isKeyRecord(text)).toBe(false))

test('about sixty selectors are tried, the one that was asked for first', () => {
  const selectors = selectorsFor('firm.example', 'Mine')
  expect(selectors[0]).toBe('mine')
  expect(selectors).toContain('selector1')
  expect(selectors.at(-1)).toBe('firm')
  expect(new Set(selectors).size).toBe(selectors.length)
  expect(selectors.length).toBeGreaterThanOrEqual(55)
  expect(selectors.length).toBeLessThanOrEqual(63)
})

test.each(['google', 's1', 'a.b', '20230601', 'x_y', 'a-b'])('%s is a selector', text =>
  expect(isSelector(text)).toBe(true),
)
test.each(['', 'a b', '.a', 'a.', 'a..b', '-a', 'a/b', '*', `${'a'.repeat(64)}`])('%j is none', text =>
  expect(isSelector(text)).toBe(false),
)

test('any text can be read', () => {
  const word = fc.constantFrom(
    'v=DKIM1',
    'p=',
    'k=',
    'rsa',
    'ed25519',
    ';',
    ' ',
    'MIIB',
    '=',
    't=y',
    'h=',
    ':',
  )
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(word, { maxLength: 40 }).map(words => words.join('')),
  )
  fc.assert(
    fc.property(text, anything => typeof parseKey(anything).valid === 'boolean'),
    { numRuns: runs(500) },
  )
})
