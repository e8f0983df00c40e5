import type { Language } from './language.ts'

type Kind = 'add' | 'hundred' | 'scale'
type Meaning = { language: Language; kind: Kind; value: number }

const lexicon = new Map<string, Meaning[]>()

const enter = (language: Language, kind: Kind, word: string, value: number): void => {
  for (const spelling of new Set([word, word.normalize('NFD').replace(/\p{M}/gu, '')])) {
    const meanings = lexicon.get(spelling) ?? []
    if (!meanings.some(meaning => meaning.language === language)) meanings.push({ language, kind, value })
    lexicon.set(spelling, meanings)
  }
}

const enterList = (language: Language, from: number, words: string, step = 1): void => {
  for (const [nth, spellings] of words.split(' ').entries())
    for (const word of spellings.split('/')) if (word !== '-') enter(language, 'add', word, from + nth * step)
}

enterList(
  'en',
  0,
  'zero one/a/an two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen',
)
enterList('en', 20, 'twenty thirty forty/fourty fifty sixty seventy eighty ninety', 10)
enter('en', 'hundred', 'hundred', 100)
enterList(
  'fr',
  0,
  'zéro un/une deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize',
)
enterList('fr', 20, 'vingt/vingts trente quarante cinquante soixante septante huitante/octante nonante', 10)
enter('fr', 'hundred', 'cent', 100)
enter('fr', 'hundred', 'cents', 100)
enterList(
  'es',
  0,
  'cero un/uno/una dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve veinte veintiuno/veintiún/veintiuna veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve',
)
enterList('es', 30, 'treinta cuarenta cincuenta sesenta setenta ochenta noventa cien/ciento', 10)
enterList(
  'es',
  200,
  'doscientos/doscientas trescientos/trescientas cuatrocientos/cuatrocientas quinientos/quinientas seiscientos/seiscientas setecientos/setecientas ochocientos/ochocientas novecientos/novecientas',
  100,
)
enterList(
  'pt',
  0,
  'zero um/uma dois/duas três quatro cinco seis sete oito nove dez onze doze treze catorze/quatorze quinze dezesseis/dezasseis dezessete/dezassete dezoito dezenove/dezanove',
)
enterList('pt', 20, 'vinte trinta quarenta cinquenta sessenta setenta oitenta noventa cem/cento', 10)
enterList(
  'pt',
  200,
  'duzentos/duzentas trezentos/trezentas quatrocentos/quatrocentas quinhentos/quinhentas seiscentos/seiscentas setecentos/setecentas oitocentos/oitocentas novecentos/novecentas',
  100,
)

const germanUnits = 'ein zwei drei vier fünf sechs sieben acht neun'.split(' ')
const germanTens = 'zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig'.split(' ')
const dutchUnits = 'een twee drie vier vijf zes zeven acht negen'.split(' ')
const dutchTens = 'twintig dertig veertig vijftig zestig zeventig tachtig negentig'.split(' ')
const italianUnits = 'uno due tre quattro cinque sei sette otto nove'.split(' ')
const italianTens = 'venti trenta quaranta cinquanta sessanta settanta ottanta novanta'.split(' ')

enterList(
  'de',
  0,
  'null ein/eins/eine/einen/einem/einer zwei/zwo drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn',
)
enterList(
  'nl',
  0,
  'nul een/één twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien achttien negentien',
)
enterList(
  'it',
  0,
  'zero uno/un/una due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici diciassette diciotto diciannove',
)

/** Italian drops the last vowel of a ten before uno and otto. */
const italianCompound = (ten: string, unit: string): string =>
  (/^[uo]/.test(unit) ? ten.slice(0, -1) : ten) + unit

for (const [nth, ten] of germanTens.entries()) {
  for (const spelling of [ten, ten.replace('ß', 'ss')]) {
    enter('de', 'add', spelling, 20 + nth * 10)
    for (const [unit, word] of germanUnits.entries())
      enter('de', 'add', `${word}und${spelling}`, 21 + nth * 10 + unit)
  }
}
for (const [nth, ten] of dutchTens.entries()) {
  enter('nl', 'add', ten, 20 + nth * 10)
  for (const [unit, word] of dutchUnits.entries())
    for (const joint of ['en', 'ën']) enter('nl', 'add', word + joint + ten, 21 + nth * 10 + unit)
}
for (const [nth, ten] of italianTens.entries()) {
  enter('it', 'add', ten, 20 + nth * 10)
  for (const [unit, word] of italianUnits.entries()) {
    const value = 21 + nth * 10 + unit
    enter('it', 'add', italianCompound(ten, word), value)
    if (word === 'uno') enter('it', 'add', italianCompound(ten, 'un'), value)
    if (word === 'tre') enter('it', 'add', `${ten}tré`, value)
  }
}

/** Whole hundreds and what follows them in one word: "zweihundertfünfzig", "tweehonderdvijftig", "duecentocinquanta". */
const enterHundreds = (
  language: Language,
  hundred: string,
  units: readonly string[],
  joints: readonly string[],
) => {
  const small = [...lexicon].flatMap(([word, meanings]) =>
    meanings
      .filter(meaning => meaning.language === language && meaning.value > 0)
      .map(({ value }) => ({ word, value })),
  )
  for (const [nth, unit] of ['', ...units].entries()) {
    const value = Math.max(nth, 1) * 100
    enter(language, 'add', unit + hundred, value)
    for (const rest of small)
      for (const joint of joints)
        enter(language, 'add', unit + hundred + joint + rest.word, value + rest.value)
  }
}
enterHundreds('de', 'hundert', germanUnits, ['', 'und'])
enterHundreds('nl', 'honderd', dutchUnits, ['', 'en'])
enterHundreds('it', 'cento', italianUnits, [''])

/** Thousands that are one word with what they count: "zweitausend", "tweeduizend", "duemila". */
for (const [word, meanings] of [...lexicon])
  for (const { language, value } of meanings) {
    if (value < 1 || value > 999) continue
    if (language === 'de') enter('de', 'add', `${word}tausend`, value * 1000)
    if (language === 'nl') enter('nl', 'add', `${word}duizend`, value * 1000)
    if (language === 'it' && value > 1) enter('it', 'add', `${word}mila`, value * 1000)
  }

const scaleWords: Readonly<Record<Language, Readonly<Record<string, number>>>> = {
  en: {
    thousand: 3,
    thousands: 3,
    million: 6,
    millions: 6,
    billion: 9,
    billions: 9,
    trillion: 12,
    trillions: 12,
    lakh: 5,
    lakhs: 5,
    crore: 7,
    crores: 7,
  },
  fr: {
    mille: 3,
    millier: 3,
    milliers: 3,
    million: 6,
    millions: 6,
    milliard: 9,
    milliards: 9,
    billion: 12,
    billions: 12,
  },
  de: {
    tausend: 3,
    tsd: 3,
    million: 6,
    millionen: 6,
    mio: 6,
    milliarde: 9,
    milliarden: 9,
    mrd: 9,
    billion: 12,
    billionen: 12,
    bio: 12,
  },
  es: { mil: 3, miles: 3, millón: 6, millones: 6, millardo: 9, millardos: 9, billón: 12, billones: 12 },
  it: { mille: 3, mila: 3, milione: 6, milioni: 6, miliardo: 9, miliardi: 9, bilione: 12, bilioni: 12 },
  nl: { duizend: 3, miljoen: 6, miljoenen: 6, miljard: 9, miljarden: 9, biljoen: 12 },
  pt: {
    mil: 3,
    milhar: 3,
    milhares: 3,
    milhão: 6,
    milhões: 6,
    bilhão: 9,
    bilhões: 9,
    bilião: 12,
    biliões: 12,
    trilhão: 12,
    trilhões: 12,
  },
}
for (const [language, words] of Object.entries(scaleWords) as [Language, Record<string, number>][])
  for (const [word, zeros] of Object.entries(words)) enter(language, 'scale', word, 10 ** zeros)

/** What a scale word may mean in the language of the text; in all of them when it is unknown, the English one first. */
export const scaleZeros = (word: string, language: Language | undefined): number[] => {
  const plain = word.toLowerCase().replace(/\.$/, '')
  const all = (Object.entries(scaleWords) as [Language, Record<string, number>][]).flatMap(([of, words]) => {
    const zeros =
      words[plain] ??
      Object.entries(words).find(([key]) => key.normalize('NFD').replace(/\p{M}/gu, '') === plain)?.[1]
    return zeros === undefined ? [] : [{ of, zeros }]
  })
  const own = all.find(({ of }) => of === language)
  return own ? [own.zeros] : [...new Set(all.map(({ zeros }) => zeros))]
}

const joints = new Set(['and', 'et', 'y', 'e', 'und', 'en'])

/** The value of number words in one language; undefined when they make no number. */
const evaluate = (words: readonly string[], language: Language): number | undefined => {
  let total = 0
  let current = 0
  let last: Kind | undefined
  let lastValue = 0
  for (const word of words) {
    if (joints.has(word) && last !== undefined) continue
    const meaning = lexicon.get(word)?.find(each => each.language === language)
    if (!meaning) return undefined
    if (meaning.kind === 'add') {
      const four = language === 'fr' && meaning.value === 20 && lastValue === 4
      const teen = language === 'fr' && lastValue === 10 && meaning.value >= 7 && meaning.value <= 9
      const isJoint = four || teen
      // "five six" is two numbers; "vingt-deux", "cento e dois" and "quatre-vingt-dix" are one.
      if (
        last === 'add' &&
        !isJoint &&
        (lastValue < 20 || meaning.value >= lastValue || lastValue % 10 !== 0)
      )
        return undefined
      if (
        last === 'add' &&
        !isJoint &&
        lastValue < 100 &&
        lastValue >= 20 &&
        meaning.value > (language === 'fr' ? 19 : 9)
      )
        return undefined
      current = four ? current - 4 + 80 : current + meaning.value
      lastValue = four ? 80 : meaning.value
    } else if (meaning.kind === 'hundred') {
      if (current > 19) return undefined
      current = Math.max(current, 1) * 100
      lastValue = 100
    } else {
      const isLarger = last === 'scale' && current === 0
      if (isLarger) total *= meaning.value
      else total += Math.max(current, 1) * meaning.value
      current = 0
      lastValue = meaning.value
    }
    last = meaning.kind
  }
  return last === undefined ? undefined : total + current
}

const token = /[\p{L}\p{M}]+/gu
const maxTokens = 9

type Token = { word: string; start: number; end: number }

const tokenize = (text: string): Token[] =>
  Array.from(text.matchAll(token), ({ 0: word, index }) => ({
    word: word.toLowerCase(),
    start: index,
    end: index + word.length,
  }))

const isJoined = (text: string, left: Token, right: Token): boolean =>
  /^(?:[ \u00a0\u202f]{1,2}|[-‐‑])$/.test(text.slice(left.end, right.start))

const readTokens = (tokens: readonly Token[], language: Language | undefined): number | undefined => {
  const words = tokens.map(({ word }) => word)
  const [first, last] = [words[0] ?? '', words.at(-1) ?? '']
  if (joints.has(first) && !lexicon.has(first)) return undefined
  if (joints.has(last) && !lexicon.has(last)) return undefined
  const languages = [...new Set((lexicon.get(first) ?? []).map(each => each.language))]
  if (language && languages.includes(language)) {
    const value = evaluate(words, language)
    if (value !== undefined) return value
  }
  for (const each of languages) {
    const value = evaluate(words, each)
    if (value !== undefined) return value
  }
  return undefined
}

/** The longest number in words that ends at the end of `text`. */
export const readNumberBefore = (
  text: string,
  language?: Language,
): { value: number; start: number; words: number } | undefined => {
  const last = /[\p{L}\p{M}]{1,48}(?=\s{0,2}$)/u.exec(text.slice(-50))?.[0].toLowerCase()
  if (last === undefined || !lexicon.has(last)) return undefined
  const tokens = tokenize(text)
  let reading: { value: number; start: number; words: number } | undefined
  for (let from = tokens.length - 1; from >= 0 && tokens.length - from <= maxTokens; from--) {
    const here = tokens[from]
    const next = tokens[from + 1]
    if (!here || (next && !isJoined(text, here, next))) break
    if (!lexicon.has(here.word) && !joints.has(here.word)) break
    const value = readTokens(tokens.slice(from), language)
    if (value !== undefined) reading = { value, start: here.start, words: tokens.length - from }
  }
  return reading
}

/** The longest number in words that begins at the start of `text`. */
export const readNumberAfter = (
  text: string,
  language?: Language,
): { value: number; end: number } | undefined => {
  const first = /^[\p{L}\p{M}]{1,48}/u.exec(text)?.[0].toLowerCase()
  if (first === undefined || !lexicon.has(first)) return undefined
  const tokens = tokenize(text)
  let reading: { value: number; end: number } | undefined
  if (tokens[0]?.start !== 0) return undefined
  for (let to = 0; to < Math.min(tokens.length, maxTokens); to++) {
    const here = tokens[to]
    const before = tokens[to - 1]
    if (!here || (before && !isJoined(text, before, here))) break
    if (!lexicon.has(here.word) && !joints.has(here.word)) break
    const value = readTokens(tokens.slice(0, to + 1), language)
    if (value !== undefined) reading = { value, end: here.end }
  }
  return reading
}
