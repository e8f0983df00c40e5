// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these strings are code.
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { spellRawTemplates, toAscii } from '../../scripts/ascii.mjs'

const rewrite = (code: string): string => toAscii(spellRawTemplates(code, 'lab.js'))

test.each([
  ['a string', `'naïve — “quoted” 😀'`],
  ['an escape that stands before it', `'\\\\é'`],
  ['an escape of it', `'\\é'`],
  ['an escape of more than one', `'\\éà\\😀'`],
  ['a template', '`a ${`ö${1}`} b\\\\ü`'],
  ['a raw template', 'String.raw`\\p{L}é\\d`'],
  ['a raw template with values', 'String.raw`«${1}\\n${`»`}${(2, 3)}`'],
  ['a raw template in a raw template', 'String.raw`ä${String.raw`\\u00e4 ${"ö"}ß`}\\w`'],
  ['a raw template of ASCII beside others', '[String.raw`\\u0041${"é"}`, String.raw`\\é`]'],
  ['a regular expression', `'x—é'.match(/[—-―]\\é/).index`],
  ['a class of pairs', `'😀😁'.match(/[😀-😂]{2}/u)[0]`],
  ['a name', '(() => { const größe = { été: 3 }; return größe.été })()'],
])('%s means the same in ASCII', (_, code) => {
  const text = rewrite(code)
  expect(text).toMatch(/^\p{ASCII}+$/u)
  expect(runInNewContext(text)).toEqual(runInNewContext(code))
})

test('a raw template of ASCII is left as it is', () => {
  const code = 'String.raw`\\d+` + "é"'
  expect(spellRawTemplates(code, 'lab.js')).toBe(code)
})
