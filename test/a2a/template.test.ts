import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileTemplate, readTemplate } from '../../a2a-adapter/skills/template.ts'
import { compileTexts } from '../../a2a-adapter/skills/text.ts'
import { runs } from '../stress.ts'
import { fixture } from './fixture.ts'

const read = (template: string, text: string) => readTemplate(compileTemplate(template), text)

describe('a template', () => {
  const rows: [template: string, text: string, fields: object | undefined][] = [
    ['dns-lookup <domain>', 'dns-lookup a b c', { domain: 'a b c' }],
    ['<url>', 'http://x y', { url: 'http://x y' }],
    ['move <a> to <b>', 'move x to y z', { a: 'x', b: 'y z' }],
    ['move <a> to <b>', 'move x y to z', undefined],
    ['<a>:<b>', 'one:two:three', { a: 'one', b: 'two:three' }],
    ['say <words> please', 'say good day PLEASE', { words: 'good day' }],
    ['say <words> please', 'say please', undefined],
    ['a  b', 'a b', {}],
    ['a b', 'a b c', undefined],
    ['(x+)*$ <y>', '(X+)*$ 1', { y: '1' }],
  ]
  test.each(rows)('%s reads %j', (template, text, fields) => {
    expect(read(template, text)).toEqual(fields)
  })
})

const words = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/)
const fieldName = fc.stringMatching(/^[a-z]{1,6}$/)
const template = fc
  .array(
    fc.oneof(
      words,
      fieldName.map(name => `<${name}>`),
      fc.constantFrom(':', ' says ', '(', '*'),
    ),
    {
      minLength: 1,
      maxLength: 6,
    },
  )
  .chain(pieces => fc.constantFrom(pieces.join(' '), pieces.join('')))
const nasty = fc.oneof(
  fc.string({ maxLength: 10_000 }),
  fc.string({ unit: 'binary', maxLength: 2_000 }),
  fc
    .tuple(fc.constantFrom(' ', 'a', 'a=', 'chain=', ':', '<x>', '\n', '{', 'dns-lookup '), fc.nat(3_000))
    .map(([unit, n]) => unit.repeat(n).slice(0, 10_000)),
)

test('no template throws or hangs on any text up to 10 kB', () => {
  fc.assert(
    fc.property(template, nasty, (source, text) => {
      const started = performance.now()
      const fields = read(source, text.trim())
      expect(performance.now() - started).toBeLessThan(1_000)
      if (fields) for (const value of Object.values(fields)) expect(text).toContain(value)
    }),
    { numRuns: runs(1_000), interruptAfterTimeLimit: 15_000 },
  )
})

test('a text made of a template gives its fields back', () => {
  const value = fc.stringMatching(/^[a-z0-9.]{1,12}$/)
  fc.assert(
    fc.property(words, value, value, (word, first, second) => {
      expect(read(`${word} <a> <b>`, `${word.toUpperCase()} ${first}  ${second} more`)).toEqual({
        a: first,
        b: `${second} more`,
      })
    }),
  )
})

test('the index over the templates of a service answers any text', () => {
  const texts = compileTexts(fixture.tools)
  fc.assert(
    fc.property(nasty, text => {
      texts.read(text.trim())
      texts.read(`dns-lookup ${text}`.trim())
    }),
    { numRuns: runs(500), interruptAfterTimeLimit: 15_000 },
  )
})

test('long runs of options or spaces take time that grows with their length only', () => {
  const texts = compileTexts(fixture.tools)
  const started = performance.now()
  for (const unit of [' x=1', ' chain=a', ' ', ':', 'deal ', '\t\n'])
    texts.read(`dns-lookup a${unit.repeat(Math.floor(1_000_000 / unit.length))}`.trim())
  expect(performance.now() - started).toBeLessThan(5_000)
})
