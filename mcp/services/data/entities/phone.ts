import type { CountryCode, PhoneNumber, parsePhoneNumberFromString } from 'libphonenumber-js'
import type { Cover, TextSpan } from '../../../lib/text/amount/span.ts'

export type FoundPhone = TextSpan & {
  key: string
  raw: string
  e164: string
  country: string | null
  valid: boolean
  extension: string | null
}

const international = /[+＋][ (]{0,2}\p{Nd}[\p{Nd} \u00a0().\-‐‑–/]{5,24}\p{Nd}/gu
const national =
  /(?<![\p{L}\p{N}_.,:/#@+＋-])[(]?\p{Nd}[\p{Nd} \u00a0().\-‐‑–/]{5,22}\p{Nd}(?![\p{L}\p{N}_])/gu
const extension = /^[ ,;]{0,3}(?:ext\.?|extension|x)[ .:]{0,2}(\d{1,6})(?!\d)/i

/** Readings by the phone library in one call; each takes some 60 µs. */
const maxReadings = 2000

type Budget = { remaining: number }

type Parse = typeof parsePhoneNumberFromString

/** The longest reading of a candidate that is a number: words after it may begin with digits of their own. */
const readLongest = (raw: string, country: CountryCode | undefined, parse: Parse, budget: Budget) => {
  let text = raw
  for (let tries = 0; tries < 6 && text && budget.remaining > 0; tries++) {
    budget.remaining--
    const number = parse(text, country)
    if (number?.isPossible() && (number.isValid() || text.trimStart().startsWith('+')))
      return { number, text }
    text = text.replace(/[^\p{Nd}]+\p{Nd}+[^\p{Nd}]*$/u, '')
  }
  return undefined
}

const describe = (text: string, start: number, raw: string, number: PhoneNumber): FoundPhone => {
  const tail = extension.exec(text.slice(start + raw.length, start + raw.length + 24))
  const whole = raw + (tail?.[0] ?? '')
  return {
    key: number.number + (tail?.[1] ?? ''),
    raw: whole,
    e164: number.number,
    country: number.country ?? null,
    valid: number.isValid(),
    extension: tail?.[1] ?? null,
    start,
    end: start + whole.length,
  }
}

/** A number that people dial within their country: a trunk 0 or an area code in brackets, or a word that announces it. */
const dialledNumberPattern =
  /(?<![\p{L}\p{N}_.,:/#@+＋$€£-])(?:\(?0\d{1,4}\)?[ \u00a0.\-‐‑–/]{1,2}\d[\d \u00a0.\-‐‑–/]{4,16}\d|\(\d{2,5}\)[ \u00a0.-]{0,2}\d{2,5}[ \u00a0.-]\d{2,6})(?![\p{L}\p{N}_]|[.:]\d)/gu
const announcedNumber =
  /(?<![\p{L}])(?:tel(?:efon[oe]?|eph?one|[ée]phone)?|phone|fax|call|cell|mobile|mobil|handy|gsm|t[ée]l|rufnummer|whatsapp)\b[.:]{0,2}[ \u00a0]{0,2}\(?\d[\d \u00a0().\-‐‑–/]{5,18}\d(?![\p{L}\p{N}_])/giu

const countWithoutCountry = (text: string, cover: Cover): number => {
  const places = new Set<number>()
  for (const pattern of [dialledNumberPattern, announcedNumber])
    for (const { index, 0: raw } of text.matchAll(pattern)) {
      const start = index + raw.search(/[(\d]/)
      const end = index + raw.length
      const digits = text.slice(start, end).replace(/\D/g, '').length
      if (digits >= 7 && digits <= 15 && cover.isFree({ start, end })) places.add(end)
    }
  return places.size
}

/**
 * Phone numbers: international ones, and national ones where a country is given. `cut` tells of candidates left out, and
 * `withoutCountry` counts the numbers that only a country would let read.
 */
export const findPhones = (text: string, cover: Cover, parse: Parse, country?: CountryCode) => {
  const phones: FoundPhone[] = []
  const budget: Budget = { remaining: maxReadings }
  for (const pattern of country ? [international, national] : [international])
    for (const { index, 0: raw } of text.matchAll(pattern)) {
      if (!cover.isFree({ start: index, end: index + raw.length })) continue
      if (budget.remaining <= 0) return { phones, cut: true, withoutCountry: 0 }
      const reading = readLongest(raw, country, parse, budget)
      if (!reading) continue
      const phone = describe(text, index, reading.text, reading.number)
      if (cover.take(phone)) phones.push(phone)
    }
  return { phones, cut: false, withoutCountry: country ? 0 : countWithoutCountry(text, cover) }
}
