import { clauseBefore, cueBefore, firstClause, hasReach } from './cue.ts'
import type { ContactFinding } from './finding.ts'
import { type TextView, withoutMarks } from './views.ts'

const digits: Readonly<Record<string, string>> = {
  0: 'zero oh nought null nul cero zero_ ноль нуль sifir nolla nulla zéro ゼロ れい 零 〇 공 영 صفر शून्य',
  1: 'one un une uno una um uma ein eins een jeden jedna bir ett en один раз いち 一 壹 幺 일 واحد एक',
  2: 'two deux dos due dois duas zwei zwo twee dwa iki tva to два に 二 贰 两 이 اثنان दो',
  3: 'three trois tres tre três drei drie trzy uc три さん 三 叁 삼 ثلاثة तीन',
  4: 'four quatre cuatro quattro quatro vier cztery dort fyra четыре よん し 四 肆 사 اربعة चार',
  5: 'five cinq cinco cinque funf fuenf vijf piec bes fem пять ご 五 伍 오 خمسة पांच पाँच',
  6: 'six seis sei sechs zes szesc alti sex шесть ろく 六 陆 육 ستة छह',
  7: 'seven sept siete sette sete sieben zeven siedem yedi sju семь なな しち 七 柒 칠 سبعة सात',
  8: 'eight huit ocho otto oito acht osiem sekiz atta восемь はち 八 捌 팔 ثمانية आठ',
  9: 'nine niner neuf nueve nove neun negen dziewiec dokuz nio девять きゅう く 九 玖 구 تسعة नौ',
}

/** Numbers of two digits: phone numbers are read in pairs in several languages. */
const pairs =
  'ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety dix onze douze treize quatorze quinze seize vingt trente quarante cinquante soixante septante huitante nonante zehn elf zwolf dreizehn zwanzig dreissig dreißig vierzig funfzig sechzig siebzig achtzig neunzig diez once doce trece veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa dieci venti trenta quaranta cinquanta sessanta settanta ottanta novanta dez vinte quarenta cinquenta tien twintig dertig veertig vijftig zestig zeventig tachtig negentig'

const values = new Map<string, string>([
  ...Object.entries(digits).flatMap(([digit, names]) =>
    withoutMarks(names)
      .split(' ')
      .map(name => [name, digit] as const),
  ),
  ...pairs.split(' ').map(name => [name, '10'] as const),
])

const repeats: Readonly<Record<string, number>> = {
  double: 2,
  doppel: 2,
  doble: 2,
  dubbel: 2,
  triple: 3,
  treble: 3,
}

const joiners = new Set(
  'plus dash hyphen minus space then and dot slash area code + - bindestrich strich tiret guion trait et y und e плюс тире'.split(
    ' ',
  ),
)

const cjkDigits = /[零〇一二三四五六七八九壹贰叁肆伍陆柒捌玖幺]{7,20}/u

type Run = { at: number; words: number; count: number }

/** Runs of digits that are written as words, also where figures stand between them. */
const spelledRuns = (text: string): Run[] => {
  const runs: Run[] = []
  let run: Run | undefined
  let repeat = 1
  const end = () => {
    if (run) runs.push(run)
    run = undefined
    repeat = 1
  }
  for (const match of text.toLowerCase().matchAll(/[\p{L}]+|\d+|[+]|[^\p{L}\d\s+,.\-/()_]/gu)) {
    const [token] = match
    const value = values.get(token)
    if (value !== undefined || /^\d{1,4}$/.test(token)) {
      run ??= { at: match.index, words: 0, count: 0 }
      run.words += value === undefined ? 0 : 1
      run.count += (value ?? token).length * repeat
      repeat = 1
    } else if (run && token in repeats) repeat = repeats[token] ?? 1
    else if (!joiners.has(token)) end()
  }
  end()
  return runs
}

const spelledPhones = (text: string): ContactFinding[] => [
  ...spelledRuns(text)
    .filter(({ words, count }) => words >= 3 && count >= 7)
    .map(({ at, count }) => ({
      kind: 'phone' as const,
      at,
      text: text.slice(at, at + 60),
      score: count >= 8 || cueBefore(text, at) === 'reach' ? 1.2 : 0.7,
    })),
  ...(cjkDigits.test(text)
    ? [
        {
          kind: 'phone' as const,
          at: text.search(cjkDigits),
          text: cjkDigits.exec(text)?.[0] ?? '',
          score: 1.2,
        },
      ]
    : []),
]

const number =
  /(?<![\p{L}\p{N}$€£¥#]|[\p{N}][.,\-/_])[+(]?\(?\d(?:[\s().\-/_*~|]{0,3}\d){6,16}(?![\p{L}\p{N}])/giu

/** Letters that are written for digits, within a number. */
const lookalike = /(?<![\p{L}\p{N}])[+(]?[\dOoIlSBZ](?:[\s().-]{0,2}[\dOoIlSBZ]){7,15}(?![\p{L}\p{N}])/gu

const dates =
  /(?<![\d.\-/])(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d{2}))(?![.\-/]?\d)(?:[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?|\d{1,2}:\d{2}(?::\d{2})?/g

/** Dates and times out of the way, at the same length. */
const withoutDates = (text: string): string => text.replace(dates, date => '§'.repeat(date.length))

const otherNumbers =
  /(?<![\p{L}])(?:isbn|issn|doi|ean|gtin|upc|asin|sku|orders?|invoices?|po|p\.o\.|purchase|ref(?:erence|\.)?|tickets?|case|tracking|serial|s\/n|part|model|ids?|iban|bic|vat|vies|tva|btw|kvk|siret|siren|ein|tax|account|version|v|build|blocks?|nonce|chain|ports?|epoch|timestamps?|unix|rfc|iso|iec|en|din|ieee|nist|patent|batch|lot|pmid|pmc|arxiv|orcid|cas|naics|nace|coordinates?|lat|lon|seed|rows?|lines?|hash|pages?|commande|facture|bestellung|bestellnummer|rechnung|rechnungsnummer|auftrag|pedido|factura|ordine|fattura|fatura|encomenda|bestelling|factuur|zam[oó]wienie|faktura|заказ\p{L}*|счет\p{L}*|счёт\p{L}*|артикул|订单|訂單|订单号|发票|注文|product|item|article|artikel|article|code|gene|accession|docket|matter|policy|contract|tx|transaction|customer|client|member|user|licen[cs]e|cpu|sha|md5|crc|range|between|from|up to|over|under|about|approx\p{L}*|around|roughly|nearly|almost|than|total(?:ing)?|max(?:imum)?|min(?:imum)?|usd|eur|gbp|price|budget|cost|fee|worth|budget of|cusip|isin|lei|figi|cik|duns|npi|ndc|mmsi|imo|icao|vin|imei|usc|cfr|§)(?:[\s:#.=/-]|n[o°º]\.?|nos?\.|num(?:ber|[eé]ro|mer|ero)?s?|is|of|号|:){0,6}$/iu

const units =
  /^[\s]?(?:rows?|records?|items?|tokens?|usd|eur|gbp|chf|usdc|€|\$|£|%|users?|words?|samples?|lines?|pages?|k\b|m\b|km|kg|bytes|[kmgt]i?b\b|requests?|calls(?!\p{L})|views?|points?|entries|images?|transactions?|people|companies|documents?|events?|parameters?|cells?|sats?|wei|gwei|credits?|iterations|steps|files?|urls?|domains?|zeilen|lignes|filas|righe|linhas|строк|条|行|件|per )/iu

const isIsbn = (figures: string): boolean =>
  figures.length === 13 && /^97[789]/.test(figures)
    ? Array.from(figures).reduce((sum, digit, at) => sum + Number(digit) * (at % 2 === 0 ? 1 : 3), 0) % 10 ===
      0
    : false

/** Shapes in which phone numbers are written, by how sure they are. */
const shapeScore = (whole: string, figures: string): number => {
  const groups = whole.match(/\d+/g) ?? []
  const lengths = groups.map(group => group.length).join('-')
  const isPlain = groups.length === 1
  const isThousands =
    / /.test(whole) &&
    !/[().\-/_*~|+]/.test(whole) &&
    /^\d{1,3}(?:-3)*$/.test(lengths) &&
    !figures.startsWith('0')
  if (whole.includes('+')) return /^\+\d{1,3}(?: 000)+$/.test(whole) ? 0.3 : 1.2
  if (/^00[1-9]/.test(figures) && figures.length >= 10) return 1.1
  if (isPlain) {
    if (/^0[1-9]\d{8,9}$/.test(figures)) return 1
    if (/^1[3-9]\d{9}$/.test(figures)) return 0.7
    return figures.length >= 9 && figures.length <= 12 ? 0.5 : 0.3
  }
  if (isThousands) return figures.length === 9 ? 0.55 : 0.1
  if (/^\(?\d{3}\)?[\s.\-_*~|/]{1,2}\d{3}[\s.\-_*~|]\d{4}$/.test(whole)) return 1.1
  if (/^1-3-3-4$/.test(lengths)) return 1.1
  if (figures.startsWith('0') && figures.length >= 9 && figures.length <= 12) return 1.1
  if (/\(0?\d{1,4}\)/.test(whole)) return 1
  if (/^[5-9]-2-2-2|^2-2-2-2(?:-2)?$/.test(lengths)) return 0.8
  if (/^(?:3-3-3|5-5|3-4-4|4-4|2-4-4|4-3-3|2-5-4|3-2-2-2|5-6|2-5-5)$/.test(lengths))
    return figures.length >= 9 ? 0.75 : 0.5
  return figures.length >= 9 && figures.length <= 13 && /[().-]/.test(whole) ? 0.7 : 0.4
}

/** Messengers that go by the number of a phone. */
const messengers = new RegExp(
  `(?:what'?s? ?app|viber|signal number|telegram|imessage|zalo|${withoutMarks('व्हाट्सएप|व्हाट्सऐप|واتساب|واتس|ватсап|вотсап|вайбер')})`,
  'iu',
)

const writtenPhones = (text: string): ContactFinding[] => {
  const dateless = withoutDates(text)
  return [...dateless.matchAll(number)].flatMap(match => {
    const [whole] = match
    const figures = whole.replace(/\D/g, '')
    if (figures.length < 7 || figures.length > 15 || isIsbn(figures)) return []
    if (/^(?:\d{4}[-–]\d{4}[\s,/]*)+$/.test(whole) || /^(?:\d{1,3}\.){3}\d{1,3}$/.test(whole)) return []
    const end = match.index + whole.length
    const cue =
      cueBefore(text, match.index, 50) === 'reach' ||
      messengers.test(text.slice(Math.max(0, match.index - 30), match.index)) ||
      hasReach(firstClause(text.slice(end, end + 28)))
        ? 'reach'
        : undefined
    const before = clauseBefore(text, match.index, 40)
    const after = text.slice(end, end + 14)
    const isOther = cue !== 'reach' && (otherNumbers.test(before) || units.test(after))
    // `1Z 999 AA1 01 2345 6784`: the end of a longer number of letters and digits.
    const isTail = /(?:^|\s)(?=\S*\p{Lu})(?=\S*\d)[\p{Lu}\d-]{2,} ?$/u.test(before)
    const isCounted = units.test(after) && !whole.includes('+')
    // A message that is a number and nothing else.
    const isAlone = figures.length >= 9 && text.trim().length === whole.trim().length
    const score =
      shapeScore(whole, figures) +
      (isAlone ? 0.5 : 0) +
      (cue === 'reach' ? 0.6 : 0) -
      (isOther || isCounted || (isTail && cue !== 'reach') ? 1 : 0)
    return [
      {
        kind: 'phone' as const,
        at: match.index,
        text: whole,
        score: figures.length < 8 && cue !== 'reach' ? score - 0.5 : score,
      },
    ]
  })
}

const lookalikePhones = (text: string): ContactFinding[] =>
  [...text.matchAll(lookalike)].flatMap(match => {
    const [whole] = match
    const figures = whole.match(/\d/g)?.length ?? 0
    if (figures < 4 || !/[OoIlSBZ]/.test(whole)) return []
    const end = match.index + whole.length
    const isInternational = /^\+[1-9OoIlSBZ]/.test(whole)
    if (
      !isInternational &&
      cueBefore(text, match.index, 50) !== 'reach' &&
      !hasReach(firstClause(text.slice(end, end + 28)))
    )
      return []
    return [{ kind: 'phone' as const, at: match.index, text: whole, score: 1.1 }]
  })

/** Phone numbers in one reading of a text. */
export const findContactPhones = ({ text, turned }: TextView): ContactFinding[] =>
  turned ? [] : [...writtenPhones(text), ...lookalikePhones(text), ...spelledPhones(text)]
