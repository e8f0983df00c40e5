import { describe, expect, test } from 'vitest'
import { readSecurityTxt } from '../../mcp/lib/security-txt.ts'

const now = new Date('2026-06-01T00:00:00Z')
const url = 'https://example.com/.well-known/security.txt'
const read = (...lines: string[]) => readSecurityTxt(lines.join('\r\n'), url, now)
const codes = (notes: { code: string }[] | undefined) => notes?.map(({ code }) => code)

const contact = 'Contact: mailto:security@example.com'
const expires = 'Expires: 2027-01-01T00:00:00Z'

describe('security.txt (RFC 9116)', () => {
  test('is read with every field, in any case, between comments', () => {
    const file = read(
      '# Our file',
      contact,
      'CONTACT : https://example.com/report',
      'expires: 2027-01-01T01:00:00+01:00',
      `Canonical: ${url}`,
      'Policy: https://example.com/policy',
      'Encryption: https://example.com/key.asc',
      'Preferred-Languages: en, nl',
      'Acknowledgments: https://example.com/thanks',
      'Hiring: https://example.com/jobs',
      'Other: x',
    )
    expect(file).toEqual({
      contacts: ['mailto:security@example.com', 'https://example.com/report'],
      expires: '2027-01-01T00:00:00.000Z',
      canonical: [url],
      policies: ['https://example.com/policy'],
      encryption: ['https://example.com/key.asc'],
      acknowledgments: ['https://example.com/thanks'],
      hiring: ['https://example.com/jobs'],
      languages: ['en', 'nl'],
      signed: false,
      errors: [],
      warnings: [],
    })
  })

  test.each([
    ['no_contact', [expires]],
    ['bad_contact', ['Contact: security@example.com', expires]],
    ['bad_contact', ['Contact: http://example.com/', expires]],
    ['no_expiry', [contact]],
    ['several_expiries', [contact, expires, expires]],
    ['bad_expiry', [contact, 'Expires: next year']],
    ['expired', [contact, 'Expires: 2026-05-31T23:59:59Z']],
    ['several_languages', [contact, expires, 'Preferred-Languages: en', 'Preferred-Languages: de']],
  ])('has the error %s', (code, lines) => expect(codes(read(...lines)?.errors)).toEqual([code]))

  test.each([
    ['late_expiry', [contact, 'Expires: 2030-01-01T00:00:00Z']],
    ['not_canonical', [contact, expires, 'Canonical: https://example.org/.well-known/security.txt']],
  ])('has the warning %s', (code, lines) => expect(codes(read(...lines)?.warnings)).toEqual([code]))

  test('of a signed file is what the signature covers', () => {
    const file = read(
      '-----BEGIN PGP SIGNED MESSAGE-----',
      'Hash: SHA256',
      '',
      contact,
      '- # dashed',
      expires,
      '-----BEGIN PGP SIGNATURE-----',
      'Contact: mailto:evil@example.org',
      '-----END PGP SIGNATURE-----',
    )
    expect(file).toMatchObject({ signed: true, contacts: ['mailto:security@example.com'], errors: [] })
  })

  test.each(['', '<!doctype html><p>Contact: us</p>', 'User-agent: *', 'nothing here'])('is none: %j', text =>
    expect(readSecurityTxt(text, url, now)).toBeUndefined(),
  )
})
