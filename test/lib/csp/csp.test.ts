import { describe, expect, test } from 'vitest'
import { type CspInput, judgeCsp } from '../../../mcp/lib/csp/judge.ts'
import { parsePolicies } from '../../../mcp/lib/csp/parse.ts'
import { effective } from '../../../mcp/lib/csp/sources.ts'

const judge = (lines: string[], more: Partial<CspInput> = {}) =>
  judgeCsp({ lines, reportOnly: [], meta: [], again: [], ...more })

const score = (...lines: string[]) => judge(lines).test.result

const codes = (...lines: string[]) => judge(lines).problems.map(({ code }) => code)

const rest = "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'"
const digest = `'sha256-${'A'.repeat(43)}='`
const nonce = "'nonce-4AEemGb0xJptoIGFP3Nd12'"

describe('a policy is read', () => {
  test('in any case, with any space, and the first of two directives counts', () => {
    const [policy] = parsePolicies(
      ["  SCRIPT-SRC\t 'self'  a.example ;;; img-src *; script-src b.example;"],
      'header',
    )
    expect(policy?.directives).toEqual({ 'script-src': ["'self'", 'a.example'], 'img-src': ['*'] })
    expect(policy?.repeated).toEqual(['script-src'])
  })

  test('from every line and from both sides of a comma', () => {
    const policies = parsePolicies(["default-src 'self', img-src *", "script-src 'none'"], 'header')
    expect(policies.map(({ directives }) => Object.keys(directives))).toEqual([
      ['default-src'],
      ['img-src'],
      ['script-src'],
    ])
  })

  test('without harm from odd names', () => {
    expect(parsePolicies(['__proto__ x; constructor y'], 'header')).toEqual([])
    const [policy] = parsePolicies(["__proto__ x; toString y; default-src 'self'"], 'header')
    expect(effective(policy?.directives ?? {}, 'script-src')).toEqual(["'self'"])
  })

  test.each([
    ['script-src-elem', ["'self'"]],
    ['script-src-attr', ["'self'"]],
    ['worker-src', ['a.example']],
    ['frame-src', ['a.example']],
    ['style-src-elem', ["'none'"]],
    ['img-src', ["'none'"]],
    ['base-uri', null],
    ['form-action', null],
    ['frame-ancestors', null],
  ])('with the fallback of %s', (name, list) => {
    const [policy] = parsePolicies(["default-src 'none'; script-src 'self'; child-src a.example"], 'header')
    expect(effective(policy?.directives ?? {}, name)).toEqual(list)
  })
})

describe('the score', () => {
  test.each([
    ['safe', `script-src 'self'; style-src 'self'; ${rest}`],
    ['safe', `script-src ${nonce} 'unsafe-inline' 'strict-dynamic' https: http:; style-src 'self'; ${rest}`],
    ['safe', `script-src ${digest} 'unsafe-inline'; style-src 'self'; ${rest}`],
    ['safe', "default-src 'self'"],
    ['default_none', "default-src 'none'"],
    ['default_none', "default-src 'none'; script-src 'self'; img-src https:"],
    ['unsafe_inline_style', "default-src 'self'; style-src 'self' 'unsafe-inline'"],
    ['unsafe_inline_style', "default-src 'self'; style-src 'unsafe-inline' 'strict-dynamic'"],
    ['unsafe_eval', "default-src 'self'; script-src 'self' 'UNSAFE-EVAL'"],
    ['unsafe_sources', "default-src 'self'; script-src 'self' 'unsafe-inline'"],
    ['unsafe_sources', "default-src 'self'; script-src-attr 'unsafe-inline'"],
    ['unsafe_sources', "default-src 'self'; script-src-elem *"],
    ['unsafe_sources', "default-src 'self'; script-src 'self' data:"],
    ['unsafe_sources', "script-src 'self'"],
    ['unsafe_sources', "img-src 'self'"],
    ['unsafe_sources', "default-src 'self'; object-src *"],
    ['insecure_active', "default-src 'self'; script-src http://cdn.example"],
    ['insecure_active', "default-src 'self'; connect-src ws://a.example"],
    ['insecure_passive', "default-src 'self'; img-src http:"],
    ['invalid', "default-src 'self'; default-src *"],
    ['invalid', "default-src 'self'; script-src 'strict-dynamic'"],
    ['invalid', 'nonsense here'],
    ['invalid', ' ; ; '],
  ])('is %s for %s', (result, line) => expect(score(line)).toBe(result))

  test('is of all policies together: what one forbids is forbidden', () => {
    expect(score("default-src 'self'; script-src 'unsafe-inline'", "script-src 'self'")).toBe('safe')
    expect(score("frame-ancestors 'none'", "default-src 'self'")).toBe('safe')
    expect(
      score("script-src 'unsafe-inline'; object-src 'none'", "script-src 'unsafe-inline' a.example"),
    ).toBe('unsafe_sources')
    expect(score("default-src 'self'; img-src http:", "default-src 'self'")).toBe('safe')
    expect(score("default-src 'self' 'unsafe-eval'", "default-src 'self'")).toBe('safe')
  })

  test('takes a policy in the page as one more', () => {
    expect(judge(["script-src 'self'"], { meta: ["object-src 'none'; style-src 'self'"] }).test.result).toBe(
      'safe',
    )
    expect(judge([], { meta: ["default-src 'none'"] }).test.result).toBe('default_none')
  })

  test('takes Report-Only for no protection', () => {
    const report = judge([], { reportOnly: ["default-src 'none'"] })
    expect(report.test).toMatchObject({ result: 'report_only', modifier: -25 })
    expect(report.problems).toMatchObject([{ code: 'report_only', fix: expect.any(String) }])
    expect(report.further).toMatchObject([{ reportOnly: true }])
    expect(judge([]).test.result).toBe('missing')
  })
})

describe('problems', () => {
  test('are none in a strict policy', () => {
    expect(codes(`script-src ${nonce} 'strict-dynamic'; style-src 'self'; ${rest}`)).toEqual([])
  })

  test.each([
    ['unsafe_inline', "default-src 'self' 'unsafe-inline'"],
    ['inline_ignored', `default-src 'self'; script-src ${nonce} 'unsafe-inline'`],
    ['unsafe_eval', "default-src 'self' 'unsafe-eval'"],
    ['unsafe_hashes', `default-src 'self'; script-src 'unsafe-hashes' ${digest}`],
    ['broad_source', "default-src 'self'; script-src https:"],
    ['strict_dynamic_alone', "default-src 'self'; script-src 'strict-dynamic'"],
    ['open_host', "default-src 'self'; script-src https://cdn.jsdelivr.net/npm/"],
    ['open_host', "default-src 'self'; script-src *.googleapis.com"],
    ['ip_source', "default-src 'self'; script-src http://93.184.216.34"],
    ['insecure_source', "default-src 'self'; font-src http://fonts.example"],
    ['no_script_rule', "object-src 'none'"],
    ['no_object_rule', "script-src 'self'"],
    ['no_base_rule', "default-src 'self'"],
    ['no_form_rule', "default-src 'self'"],
    ['no_frame_rule', "default-src 'self'"],
    ['inline_style', "default-src 'self'; style-src 'unsafe-inline'"],
    ['unknown_directive', "default-src 'self'; scirpt-src 'self'"],
    ['dead_directive', "default-src 'self'; block-all-mixed-content"],
    ['dead_directive', "default-src 'self'; plugin-types application/pdf"],
    ['repeated_directive', "default-src 'self'; img-src a.example; img-src b.example"],
    ['unquoted_keyword', 'default-src self'],
    ['unquoted_keyword', "default-src 'self'; script-src unsafe-inline"],
    ['missing_semicolon', "default-src 'self' script-src a.example"],
    ['bad_nonce', "default-src 'self'; script-src 'nonce-{random}'"],
    ['short_nonce', "default-src 'self'; script-src 'nonce-abc'"],
    ['bad_hash', "default-src 'self'; script-src 'sha256-äö'"],
    ['unknown_keyword', "default-src 'self' 'unsafe-inlin'"],
    ['none_with_others', "default-src 'none' a.example"],
  ])('%s is found in %s', (code, line) => {
    const problem = judge([line]).problems.find(problem => problem.code === code)
    expect(problem).toMatchObject({
      severity: expect.stringMatching(/high|medium|low|info/),
      message: expect.any(String),
    })
  })

  test('name what a misspelt directive may mean', () => {
    const problem = judge(["default-src 'self'; frame-ancestor 'none'"]).problems.find(
      ({ code }) => code === 'unknown_directive',
    )
    expect(problem?.fix).toBe('frame-ancestors')
  })

  test.each([
    ['wasm-unsafe-eval', `script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; ${rest}`],
    [
      'a reporting address',
      `default-src 'self'; report-uri https://report.example/csp; report-to default; ${rest}`,
    ],
    [
      'trusted types',
      `default-src 'self'; require-trusted-types-for 'script'; trusted-types one 'allow-duplicates'; ${rest}`,
    ],
    ['a sandbox', `default-src 'self'; sandbox allow-forms; ${rest}`],
    [
      'hosts beside strict-dynamic',
      `default-src 'self'; script-src ${nonce} 'strict-dynamic' cdn.jsdelivr.net https:; ${rest}`,
    ],
    ['a wildcard under a site', `default-src 'self' *.example.com; ${rest}`],
  ])('are none for %s', (_, line) => expect(codes(line)).toEqual([]))

  test('of one policy are none where another closes them', () => {
    expect(
      codes(
        `script-src 'unsafe-inline' 'unsafe-eval' * cdn.jsdelivr.net; ${rest}`,
        "script-src 'self'; style-src 'self'",
      ),
    ).toEqual([])
    expect(codes(`script-src 'unsafe-inline'; ${rest}`, "img-src 'self'")).toContain('unsafe_inline')
  })

  test('in the page are told: there some directives do nothing', () => {
    const { problems } = judge([], { meta: [`default-src 'self'; ${rest}`] })
    expect(problems.map(({ code }) => code)).toEqual(['ignored_in_meta', 'no_frame_rule'])
  })

  test('come worst first and once', () => {
    const { problems } = judge(["default-src 'self' 'unsafe-inline' self self"])
    expect(problems.map(({ severity }) => severity)[0]).toBe('high')
    expect(problems.filter(({ code }) => code === 'unquoted_keyword')).toHaveLength(1)
  })

  test('of a hostile header are bounded', () => {
    const words = Array.from({ length: 5000 }, (_, i) => `'x${i}'`).join(' ')
    expect(judge([`script-src ${words}`]).problems).toHaveLength(100)
    const names = Array.from({ length: 5000 }, (_, i) => `n${i} self`).join(';')
    expect(judge([`default-src 'self';${names}`]).problems.length).toBeLessThanOrEqual(100)
  })
})
