import { toAsciiDigit } from '../digits.ts'
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

/** Letters in black boxes, and coloured circles for dots, which no normal form takes apart. */
const unbox = (text: string): string =>
  text
    .replace(/[\u{1f150}-\u{1f169}\u{1f170}-\u{1f189}]\ufe0f?/gu, letter => {
      const code = letter.codePointAt(0) ?? 0
      return String.fromCharCode(65 + code - (code < 0x1f170 ? 0x1f150 : 0x1f170))
    })
    .replace(
      /(?<=[\p{L}\p{N}]) ?[\u{1f534}\u{1f535}\u{1f7e0}-\u{1f7e4}\u{1f518}\u26aa\u26ab\u23fa\u25c9\u2b24]\ufe0f? ?(?=[\p{L}\p{N}])/gu,
      '.',
    )

/**
 * A text as its reader takes it: what is not seen and all accents out, full-width and stylised letters to plain ones, digits of
 * other scripts to 0 to 9, the dots of other scripts to full stops, runs of blanks to one.
 */
const toPlain = (text: string): string =>
  unescapeText(
    stripAllInvisible(unbox(text).normalize('NFKD'))
      .replace(/[\p{Mn}\p{Me}]/gu, '')
      .normalize('NFKC')
      .replace(/[\u3002\uff61\u2024\u2e31\u06d4]/g, '.')
      .replace(/(?<=[\p{L}\p{N}])[\u00b7\u2022\u2219\u22c5\u25cf\u30fb](?=[\p{L}\p{N}])/gu, '.')
      .replace(/[\u2800\u3164]/g, ' ')
      .replace(/(?=[^\0-\x7f])\p{Nd}/gu, toAsciiDigit),
  )
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n\s*/g, '\n')

/** Words as they stand in a plain text: without marks. */
export const withoutMarks = (words: string): string =>
  words
    .normalize('NFKD')
    .replace(/[\p{Mn}\p{Me}]/gu, '')
    .normalize('NFKC')

/** `@` and `.` as they are spelled, in the languages of traders. */
export const atWords = withoutMarks(
  'at|arroba|arobase|arobas|chiocciola|klammeraffe|klammeraff|apenstaartje|apestaartje|snabel-?a|snabela|zavinac|malpa|kukac|собака|собачка|эт|ät|aett|аt|艾特|アットマーク|アット|골뱅이|আট|एट|آت|at sign|at-sign|at symbol',
)
export const dotWords = withoutMarks(
  'dot|d0t|punktum|punto|punkt|point|punt|ponto|period|full ?stop|kropka|tecka|bodka|pont|nokta|точка|тчк|ドット|点|點|점|डॉट|نقطة|دوت',
)

const bracketedWordPattern = (words: string, sign: string): RegExp =>
  new RegExp(
    String.raw`\s?(?:[([{<«‹|*~_^"'\u2018\u201c\u3010\uff3b/\\=+-]{1,3}\s?(?:${words}|${sign})\s?[)\]}>»›|*~_^"'\u2019\u201d\u3011\uff3d/\\=+-]{1,3})\s?`,
    'giu',
  )

const bracketedAt = bracketedWordPattern(atWords, '[@a]')
const bracketedDot = bracketedWordPattern(dotWords, String.raw`\.`)

/** Words that are put between to be taken out by whoever reads. */
const filler =
  /[-_.([{<\s]{0,2}(?:remove[-_ ]?this|no[-_]?spam|remove[-_ ]?me|delete[-_ ]?this|nospam)[-_.)\]}>\s]{0,2}/gi

/** Suffixes with digits for letters. */
const leetSuffix: Readonly<Record<string, string>> = {
  c0m: 'com',
  n3t: 'net',
  '0rg': 'org',
  d3v: 'dev',
  'd€v': 'dev',
  '1o': 'io',
  i0: 'io',
  '4i': 'ai',
  a1: 'ai',
}

const betweenDigits =
  /(?<=\d)(?: ?,)? (?:and )?(?:then|next|after that|followed by|puis|ensuite|dann|danach|luego|despues|poi|dan|daarna|depois) (?=\d)/giu

/** A text with what stands in brackets, capitals or defanged for `@`, `.` and `http` as those. */
const unbracket = (text: string): string =>
  text
    .replace(/(?<=[([{<*|~] ?)(a) (t)(?= ?[)\]}>*|~])/gi, '$1$2')
    .replace(/(?<=[([{<*|~] ?)(d) (o) (t)(?= ?[)\]}>*|~])/gi, '$1$2$3')
    .replace(
      /(?<=[\p{L}\p{N}]) ?[·•∙⋅●・] ?(?=(?:com|net|org|io|dev|ai|app|de|eu|fr|xyz)(?![\p{L}\p{N}]))/giu,
      '.',
    )
    .replace(/(?<=[\p{L}\p{N}])(?:\s?[([{<]\s?(?:a|ä)\s?[)\]}>]\s?)(?=[\p{L}\p{N}])/giu, '@')
    .replace(bracketedAt, match => (/[([{<«‹【|*~_]|-/.test(match) ? '@' : match))
    .replace(bracketedDot, match => (/[([{<«‹【|*~_]|-/.test(match) ? '.' : match))
    .replace(/(?<=[a-z0-9])(?:AT|At)(?=[a-z0-9-]{2,40}(?:DOT|Dot|\.)[a-z])/g, '@')
    .replace(/(?<=[a-z0-9])(?:DOT|Dot)(?=[a-z]{2,})/g, '.')
    .replace(/\bh(?:xx|tt|\*\*)ps?\s?(?:\[?:\]?)\s?\/\s?\//gi, 'https://')
    .replace(filler, '')
    .replace(
      /(?<=[\p{L}\p{N}] ?\. ?)(?:c0m|n3t|0rg|d3v|d€v|1o|i0|4i|a1)(?![\p{L}\p{N}])/giu,
      suffix => leetSuffix[suffix.toLowerCase()] ?? suffix,
    )
    .replace(betweenDigits, ' ')
    .replace(
      /(?<=[\p{L}\p{N}]), ?(at|dot|arroba|arobase|punkt|punto|point|ponto|chiocciola), ?(?=[\p{L}\p{N}])/giu,
      ' $1 ',
    )
    .replace(/@{2,}/g, '@')
    .replace(/(?<=[\p{L}\p{N}])\.{2}(?=[\p{L}\p{N}])/gu, '.')

const letterRun = /(?<![\p{L}\p{N}])[\p{L}\p{N}@](?:[ ._*|~-]{1,3}[\p{L}\p{N}@.]){3,80}(?![\p{L}\p{N}])/gu

/** A text whose single letters in a row, `t e l e g r a m`, are words again; undefined where there are none. */
const joinLetters = (text: string): string | undefined => {
  let isJoined = false
  const joined = text.replace(letterRun, run => {
    isJoined = true
    // Where letters are a blank apart, a wider gap or a mark of its own stands for itself.
    if (/ /.test(run)) return run.replace(/ (?! )/g, '')
    return run.replace(/([._*|~-])(\1\1)?/g, (_, _sign, wide?: string) => (wide === undefined ? '' : '.'))
  })
  return isJoined ? joined : undefined
}

/** The letters of a suffix one by one: `agents dot d e v`. */
const letteredSuffix = new RegExp(
  String.raw`(?<=[\p{L}\p{N}]{2}(?: ?\.| (?:${dotWords})) ?)(\p{L})[ -](\p{L})(?:[ -](\p{L}))?(?![\p{L}\p{N}]| \p{L}(?!\p{L}))`,
  'giu',
)

const joinSuffix = (text: string): string =>
  text.replace(letteredSuffix, (_, one: string, two: string, three = '') => `${one}${two}${three}`)

/** Pieces of text that a program puts together, `"ada" + "@"`, as the whole. */
const concatenate = (text: string): string | undefined => {
  const whole = text.replace(/["'`]\s?(?:\+|\.{1,2}|&|\|\||~|,)\s?["'`]/g, '')
  return whole === text ? undefined : whole.replace(/["'`]/g, ' ')
}

const shortLines = /(?<=^|\n)\S{1,24}(?:\n\S{1,24}){2,12}(?=\n|$)/g

/** Lines of one word each as one word, where a sign of an address stands among them. */
const joinLines = (text: string): string | undefined => {
  let isJoined = false
  const whole = text.replace(shortLines, lines => {
    if (!/@|(?:^|\n)\.|\.(?:\n|$)|\n(?:at|dot)\n/i.test(lines)) return lines
    isJoined = true
    return lines
      .replace(/\n(?:at)\n/i, '@')
      .replace(/\n(?:dot)\n/gi, '.')
      .replaceAll('\n', '')
  })
  return isJoined ? whole : undefined
}

const slashes =
  /(?<=[\p{L}\p{N}]) (?:forward )?(?:slash|schragstrich|barra|barre oblique|schuine streep) (?=[\p{L}\p{N}])/giu

/** `t dot me slash ada`. */
const speakPath = (text: string): string | undefined => {
  const path = text.replace(slashes, '/')
  return path === text ? undefined : path.replace(new RegExp(` (?:${dotWords}) `, 'giu'), '.')
}

const leetLetters: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '€': 'e',
  $: 's',
}

/** An address whose suffix has digits for letters, with letters throughout. */
const unleetAddress = (text: string): string | undefined => {
  const plain = text.replace(/\S{1,64}@\S{2,64}\.(?=\w*\d)\w{2,4}(?!\w)/g, address =>
    address.replace(/[013457€$]/g, sign => leetLetters[sign] ?? sign),
  )
  return plain === text ? undefined : plain
}

const nato =
  'alfa|alpha bravo charlie delta echo foxtrot golf hotel india juliett|juliet kilo lima mike november oscar papa quebec romeo sierra tango uniform victor whiskey|whisky x-?ray yankee zulu'
    .split(' ')
    .map(words => new RegExp(`^(?:${words})$`, 'i'))

const natoRun =
  /(?<![\p{L}])(?:(?:alfa|alpha|bravo|charlie|delta|echo|foxtrot|golf|hotel|india|juliett?|kilo|lima|mike|november|oscar|papa|quebec|romeo|sierra|tango|uniform|victor|whiske?y|x-?ray|yankee|zulu)[ ,-]{1,2}){2,40}(?:alfa|alpha|bravo|charlie|delta|echo|foxtrot|golf|hotel|india|juliett?|kilo|lima|mike|november|oscar|papa|quebec|romeo|sierra|tango|uniform|victor|whiske?y|x-?ray|yankee|zulu)(?![\p{L}])/giu

/** Letters by the words of the radio alphabet. */
const fromNato = (text: string): string | undefined => {
  const letters = text.replace(natoRun, run =>
    run
      .split(/[ ,]+|-(?!ray)/i)
      .map(word => {
        const nth = nato.findIndex(pattern => pattern.test(word))
        return nth < 0 ? '' : String.fromCharCode(97 + nth)
      })
      .join(''),
  )
  return letters === text ? undefined : letters
}

const rot13 = (text: string): string =>
  text.replace(/[a-z]/gi, letter => {
    const base = letter <= 'Z' ? 65 : 97
    return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base)
  })

const reverse = (text: string): string => Array.from(text).reverse().join('')

/** One reading of a text; a `turned` one shows what is hidden only where it is plain, since chance makes words too. */
export type TextView = { text: string; turned: boolean }

/** All readings of a text in which contact details are looked for; the first is as a reader takes it. */
export const readings = (text: string): readonly TextView[] => {
  const plain = toPlain(text)
  const views = new Map<string, boolean>()
  const add = (view: string | undefined, turned = false) => {
    if (view !== undefined && !views.has(view)) views.set(view, turned)
  }
  const unbracketed = joinSuffix(unbracket(plain))
  add(plain)
  add(unbracketed)
  add(toLatin(unbracketed), /[^\0-\x7f]/.test(unbracketed))
  add(joinLetters(unbracketed))
  const whole = concatenate(plain)
  if (whole !== undefined) add(unbracket(whole))
  add(joinLines(unbracketed))
  add(unleetAddress(unbracketed))
  add(speakPath(unbracketed))
  const spelledOut = fromNato(unbracketed)
  if (spelledOut !== undefined) add(unbracket(spelledOut))
  const inTags = textInTags(text)
  if (inTags !== '') add(inTags)
  for (const piece of decodePieces(plain)) add(unbracket(toPlain(piece)))
  add(rot13(plain), true)
  add(reverse(plain), true)
  return Array.from(views, ([view, turned]) => ({ text: view, turned }))
}
