import { stripAllInvisible, textInTags } from '../invisible.ts'
import { toLatin } from '../skeleton.ts'
import { decodePieces } from './encoded.ts'

const entities: Readonly<Record<string, string>> = {
  commat: '@',
  period: '.',
  lpar: '(',
  rpar: ')',
  plus: '+',
  colon: ':',
  sol: '/',
  num: '#',
  lowbar: '_',
  nbsp: ' ',
}

const toChar = (code: number): string =>
  code > 0 && code < 0x110000 && !(code >= 0xd800 && code < 0xe000) ? String.fromCodePoint(code) : ' '

/** Character references of HTML, percent signs of URLs and escapes of programs, as what they stand for. */
const unescapeText = (text: string): string =>
  /[&%\\=]|U\+/i.test(text)
    ? text
        .replace(/&#x([0-9a-f]{1,6});?/gi, (_, code: string) => toChar(Number.parseInt(code, 16)))
        .replace(/&#(\d{1,7});?/g, (_, code: string) => toChar(Number(code)))
        .replace(/&(\w{2,8});/g, (whole, name: string) => entities[name.toLowerCase()] ?? whole)
        .replace(/(?:\\u\{?|U\+)(00[0-9a-f]{2})\}?/gi, (_, code: string) => toChar(Number.parseInt(code, 16)))
        .replace(/(?:%|\\x)([2-7][0-9a-f])/gi, (_, code: string) => toChar(Number.parseInt(code, 16)))
    : text

/**
 * A text as its reader takes it: what is not seen and all accents out, full-width and stylised letters to plain ones, digits of
 * other scripts to 0 to 9, the dots of other scripts to full stops, runs of blanks to one.
 */
export const toPlain = (text: string): string =>
  unescapeText(
    stripAllInvisible(text.normalize('NFKD'))
      .replace(/[\p{Mn}\p{Me}]/gu, '')
      .normalize('NFKC')
      .replace(/[\u3002\uff61\u2024\u2e31\u06d4]/g, '.')
      .replace(/(?<=[\p{L}\p{N}])[\u00b7\u2022\u2219\u22c5\u25cf\u30fb](?=[\p{L}\p{N}])/gu, '.')
      .replace(/[\u2800\u3164]/g, ' ')
      .replace(/(?=[^\0-\x7f])\p{Nd}/gu, toAsciiDigit),
  )
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n\s*/g, '\n')

/** A decimal digit of any script: each script has its ten in a row. */
const toAsciiDigit = (digit: string): string => {
  const code = digit.codePointAt(0) ?? 0
  let value = 0
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++
  return String(value % 10)
}

/** `@` and `.` as they are spelled, in the languages of traders. */
export const atWords =
  'at|arroba|arobase|arobas|chiocciola|klammeraffe|klammeraff|apenstaartje|apestaartje|snabel-?a|snabela|zavinac|malpa|kukac|собака|собачка|эт|ät|aett|аt|艾特|アットマーク|アット|골뱅이|আট|एट|آت|at sign|at-sign|at symbol'
export const dotWords =
  'dot|d0t|punto|punkt|point|punt|ponto|period|full ?stop|kropka|tecka|bodka|pont|nokta|точка|тчк|ドット|点|點|점|डॉट|نقطة|دوت'

const bracketed = (words: string, sign: string): RegExp =>
  new RegExp(
    String.raw`\s?(?:[([{<«‹|*~_^"'\u2018\u201c\u3010\uff3b/\\=+-]{1,3}\s?(?:${words}|${sign})\s?[)\]}>»›|*~_^"'\u2019\u201d\u3011\uff3d/\\=+-]{1,3})\s?`,
    'giu',
  )

const bracketedAt = bracketed(atWords, '[@a]')
const bracketedDot = bracketed(dotWords, String.raw`\.`)

/** Words that are put between to be taken out by whoever reads. */
const filler =
  /[-_.([{<\s]{0,2}(?:remove[-_ ]?this|no[-_]?spam|remove[-_ ]?me|delete[-_ ]?this|nospam)[-_.)\]}>\s]{0,2}/gi

/** A text with what stands in brackets, capitals or defanged for `@`, `.` and `http` as those. */
const unbracket = (text: string): string =>
  text
    .replace(/(?<=[\p{L}\p{N}])(?:\s?[([{<]\s?(?:a|ä)\s?[)\]}>]\s?)(?=[\p{L}\p{N}])/giu, '@')
    .replace(bracketedAt, match => (/[([{<«|*~_]|-/.test(match) ? '@' : match))
    .replace(bracketedDot, match => (/[([{<«|*~_]|-/.test(match) ? '.' : match))
    .replace(/(?<=[a-z0-9])(?:AT|At)(?=[a-z0-9-]{2,40}(?:DOT|Dot|\.)[a-z])/g, '@')
    .replace(/(?<=[a-z0-9])(?:DOT|Dot)(?=[a-z]{2,})/g, '.')
    .replace(/\bh(?:xx|tt|\*\*)ps?\s?(?:\[?:\]?)\s?\/\s?\//gi, 'https://')
    .replace(filler, '')
    .replace(/@{2,}/g, '@')
    .replace(/(?<=[\p{L}\p{N}])\.{2}(?=[\p{L}\p{N}])/gu, '.')

const letterRun = /(?<![\p{L}\p{N}])[\p{L}\p{N}@](?:[ ._*|~-]{1,3}[\p{L}\p{N}@.]){3,80}(?![\p{L}\p{N}])/gu

/** A text whose single letters in a row, `t e l e g r a m`, are words again; undefined where there are none. */
const joinLetters = (text: string): string | undefined => {
  let isJoined = false
  const joined = text.replace(letterRun, run => {
    isJoined = true
    // Where letters are a blank apart, a wider gap or a mark of its own stands for itself.
    return / /.test(run) ? run.replace(/ (?! )/g, '') : run.replace(/[._*|~-]/g, '')
  })
  return isJoined ? joined : undefined
}

const rot13 = (text: string): string =>
  text.replace(/[a-z]/gi, letter => {
    const base = letter <= 'Z' ? 65 : 97
    return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base)
  })

const reverse = (text: string): string => Array.from(text).reverse().join('')

/** One reading of a text; a `turned` one shows what is hidden only where it is plain, since chance makes words too. */
export type View = { text: string; turned: boolean }

/** All readings of a text in which contact details are looked for; the first is as a reader takes it. */
export const readings = (text: string): readonly View[] => {
  const plain = toPlain(text)
  const views = new Map<string, boolean>()
  const add = (view: string | undefined, turned = false) => {
    if (view !== undefined && !views.has(view)) views.set(view, turned)
  }
  const unbracketed = unbracket(plain)
  add(plain)
  add(unbracketed)
  add(toLatin(unbracketed), /[^\0-\x7f]/.test(unbracketed))
  add(joinLetters(unbracketed))
  const inTags = textInTags(text)
  if (inTags !== '') add(inTags)
  for (const piece of decodePieces(plain)) add(unbracket(toPlain(piece)))
  add(rot13(plain), true)
  add(reverse(plain), true)
  return Array.from(views, ([view, turned]) => ({ text: view, turned }))
}
