import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isDmarc, nearDmarc } from '../../../mcp/lib/mail-auth/dmarc/recognise.ts'
import { parseDmarc } from '../../../mcp/lib/mail-auth/dmarc/record.ts'
import { rewriteDmarc } from '../../../mcp/lib/mail-auth/dmarc/rewrite.ts'
import { runs } from '../../stress.ts'

const codes = (notes: readonly { code: string }[]) => notes.map(({ code }) => code)
const policies = (text: string) => {
  const { policy, subdomainPolicy, nonexistentPolicy } = parseDmarc(text)
  return [policy, subdomainPolicy, nonexistentPolicy]
}

describe('a DMARC record (RFC 9989 section 4.8)', () => {
  test.each(['v=DMARC1', 'v=DMARC1;', 'V = DMARC1 ; p=none', 'v=DMARC1;p=none', 'v\t=DMARC1\t;'])(
    'is %j',
    text => {
      expect(isDmarc(text)).toBe(true)
    },
  )

  test.each([
    ' v=DMARC1; p=none',
    'v=dmarc1; p=none',
    'v=DMARC1 p=none',
    'v=DMARC1, p=none',
    '"v=DMARC1; p=none"',
    'v=DMARC2',
  ])('is not %j, which looks like one', text => {
    expect(isDmarc(text)).toBe(false)
    expect(nearDmarc([text])).toEqual([text])
  })

  test.each(['p=none; v=DMARC1', 'v=spf1 -all', ''])('is not %j', text => {
    expect(isDmarc(text)).toBe(false)
    expect(nearDmarc([text])).toEqual([])
  })

  test('has every tag with its default', () => {
    expect(parseDmarc('v=DMARC1; p=reject')).toMatchObject({
      policy: 'reject',
      subdomainPolicy: 'reject',
      nonexistentPolicy: 'reject',
      psd: 'u',
      testMode: false,
      dkimAlignment: 'relaxed',
      spfAlignment: 'relaxed',
      failureOptions: ['0'],
      rua: [],
      ruf: [],
      removedTags: [],
      errors: [],
      warnings: [],
    })
  })

  test('has every tag read, in any case and order', () => {
    const text =
      'v=DMARC1;SP = Quarantine;np=NONE ; p= REJECT;t=Y;psd=n;adkim=S;aspf=s;fo=1:d:s;rua=mailto:A@x.test , https://x.test/r;ruf=mailto:b@y.test;'
    expect(parseDmarc(text)).toMatchObject({
      policy: 'reject',
      subdomainPolicy: 'quarantine',
      nonexistentPolicy: 'none',
      psd: 'n',
      testMode: true,
      dkimAlignment: 'strict',
      spfAlignment: 'strict',
      failureOptions: ['1', 'd', 's'],
      rua: [
        { uri: 'mailto:A@x.test', address: 'A@x.test', domain: 'x.test' },
        { uri: 'https://x.test/r', address: null, domain: null },
      ],
      ruf: [{ domain: 'y.test' }],
      errors: [],
    })
  })

  test.each([
    ['v=DMARC1; p=quarantine', ['quarantine', 'quarantine', 'quarantine']],
    ['v=DMARC1; p=reject; sp=none', ['reject', 'none', 'none']],
    ['v=DMARC1; p=none; np=reject', ['none', 'none', 'reject']],
    ['v=DMARC1; rua=mailto:a@x.test', ['none', 'none', 'none']],
    ['v=DMARC1', ['none', 'none', 'none']],
    ['v=DMARC1; p=rejct', [null, null, null]],
    ['v=DMARC1; p=rejct; rua=mailto:a@x.test', ['none', 'none', 'none']],
    ['v=DMARC1; p=rejct; rua=a@x.test', [null, null, null]],
    ['v=DMARC1; p=reject; sp=off; rua=mailto:a@x.test', ['none', 'none', 'none']],
    ['v=DMARC1; p=', [null, null, null]],
  ])('%s asks for %j', (text, expected) => {
    expect(policies(text)).toEqual(expected)
  })

  test.each([
    ['v=DMARC1; p=reject; p=none', 'repeated_policy'],
    ['v=DMARC1; p=reject; adkim=x', 'bad_value'],
    ['v=DMARC1; p=reject; t=yes', 'bad_value'],
    ['v=DMARC1; p=reject; ruf=mailto:a@x.test; fo=0:2', 'bad_value'],
    ['v=DMARC1; p=reject; ruf=mailto:a@x.test; fo=1:', 'bad_value'],
    ['v=DMARC1; p=reject; aspf=r; ASPF=s', 'repeated_tag'],
    ['v=DMARC1; p=reject; rua=mailto:a@x.test; rua=mailto:b@x.test', 'repeated_tag'],
    ['v=DMARC1; p=reject; rua', 'no_tag'],
    ['v=DMARC1; p=reject; rua=reports@x.test', 'report_address'],
    ['v=DMARC1; p=reject; rua=mailto:', 'report_address'],
    ['v=DMARC1; p=reject; rua=mailto:a@x.test,,mailto:b@x.test', 'report_address'],
  ])('%s has the error %s', (text, code) => {
    expect(codes(parseDmarc(text).errors)).toEqual([code])
  })

  test.each([
    ['v=DMARC1; rua=mailto:a@x.test', 'no_policy'],
    ['v=DMARC1; p=reject; fo=1', 'fo_without_ruf'],
    ['v=DMARC1; p=reject; x=y', 'unknown_tag'],
    ['v=DMARC1; p=reject; ruf=mailto:a@x.test; fo=0:1', 'redundant_option'],
    ['v=DMARC1; p=reject; ruf=mailto:a@x.test; fo=d:d', 'redundant_option'],
    ['v=DMARC1; p=reject; rua=mailto:a@x.test!10m', 'size_limit'],
    ['v=DMARC1; p=reject; rua=https://x.test/reports', 'report_scheme'],
  ])('%s has the warning %s', (text, code) => {
    const { errors, warnings } = parseDmarc(text)
    expect([codes(errors), codes(warnings)]).toEqual([[], [code]])
  })

  test('names the tags that RFC 9989 removed', () => {
    const { removedTags, policy } = parseDmarc('v=DMARC1; p=reject; pct=50; ri=3600; rf=afrf')
    expect(policy).toBe('reject')
    expect(removedTags.map(({ tag, value }) => [tag, value])).toEqual([
      ['pct', '50'],
      ['ri', '3600'],
      ['rf', 'afrf'],
    ])
    expect(removedTags[0]?.advice).toContain('t=y')
  })

  test('tells to write mailto: before a bare address', () => {
    expect(parseDmarc('v=DMARC1; p=none; rua=a@x.test').errors[0]?.message).toContain(
      'It needs "mailto:" in front',
    )
  })
})

describe('a record that is written anew', () => {
  test.each([
    [
      'v=DMARC1; p=none; pct=100; fo=1; rua=mailto:a@x.test!10m; adkim=s; x=y',
      { policy: 'quarantine' as const },
      'v=DMARC1; p=quarantine; adkim=s; rua=mailto:a@x.test!10m',
    ],
    ['v=DMARC1; p=reject; sp=none; np=none', { drop: ['sp', 'np'] }, 'v=DMARC1; p=reject'],
    ['v=DMARC1; p=reject; sp=none; t=y', { drop: ['t'] }, 'v=DMARC1; p=reject; sp=none'],
    ['v=DMARC1; p=none; sp=reject', { policy: 'quarantine' as const }, 'v=DMARC1; p=quarantine; sp=reject'],
    ['v=DMARC1; p=none; sp=none', { policy: 'reject' as const }, 'v=DMARC1; p=reject'],
    ['v=DMARC1; p=quarantine', { policy: 'reject' as const }, 'v=DMARC1; p=reject'],
    ['v=DMARC1; p=reject; sp=off', {}, 'v=DMARC1; p=reject'],
    ['v=DMARC1; p=reject', { rua: 'r@x.test' }, 'v=DMARC1; p=reject; rua=mailto:r@x.test'],
    [
      'v=DMARC1; p=reject; psd=n; ruf=mailto:a@x.test; fo=1:d',
      {},
      'v=DMARC1; p=reject; psd=n; fo=1:d; ruf=mailto:a@x.test',
    ],
  ])('%s becomes with %j %s', (text, changes, expected) => {
    const next = rewriteDmarc(parseDmarc(text), changes)
    expect(next).toBe(expected)
    expect(parseDmarc(next).errors).toEqual([])
  })
})

test('any text can be read', () => {
  const word = fc.constantFrom(
    'v=DMARC1',
    'p=',
    'reject',
    ';',
    '=',
    'rua=mailto:',
    'a@b.test',
    ',',
    '!',
    ' ',
    'sp',
    '%',
  )
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(word, { maxLength: 40 }).map(words => words.join('')),
  )
  fc.assert(
    fc.property(text, anything => {
      const { policy } = parseDmarc(anything)
      return policy === null || ['none', 'quarantine', 'reject'].includes(policy)
    }),
    { numRuns: runs(500) },
  )
})
