import type { Cover, TextSpan } from '../../../lib/text/amount/span.ts'
import { passesMod97 } from '../vat/digits.ts'
import { parseVat } from '../vat/read-vat.ts'

export type FoundIban = TextSpan & { key: string; raw: string; iban: string; country: string; valid: boolean }
export type FoundVat = TextSpan & {
  key: string
  raw: string
  vat: string
  country: string
  valid: boolean | null
}

/** Characters of an IBAN in each country (ISO 13616, the registry of SWIFT). */
const lengths: Readonly<Record<string, number>> = Object.fromEntries(
  'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30'
    .split(' ')
    .map(entry => [entry.slice(0, 2), Number(entry.slice(2))]),
)

const ibanLike =
  /(?<![\p{L}\p{N}])[A-Z]{2}\d{2}(?:[ \u00a0-]?[A-Z0-9]){11,30}(?![\p{L}\p{N}])|(?<![\p{L}\p{N}])[a-z]{2}\d{2}(?:[ \u00a0-]?\d){11,30}(?![\p{L}\p{N}])/gu

/** As much of the candidate as an IBAN of its country has: words after it may be in capitals too. */
const cutToLength = (raw: string, length: number): string | undefined => {
  let count = 0
  for (let at = 0; at < raw.length; at++) {
    if (/[ \u00a0-]/.test(raw.charAt(at))) continue
    if (++count === length) return /[A-Za-z0-9]/.test(raw.charAt(at + 1)) ? undefined : raw.slice(0, at + 1)
  }
  return undefined
}

/** IBANs of the countries that have them, with the verdict of their check digits (ISO/IEC 7064 MOD 97-10). */
export const findIbans = (text: string, cover: Cover): FoundIban[] => {
  const ibans: FoundIban[] = []
  for (const { index: start, 0: candidate } of text.matchAll(ibanLike)) {
    const country = candidate.slice(0, 2).toUpperCase()
    const raw = cutToLength(candidate, lengths[country] ?? 0)
    if (raw === undefined) continue
    const iban = raw.replace(/[ \u00a0-]/g, '').toUpperCase()
    const valid = passesMod97(iban.slice(4) + iban.slice(0, 4))
    const entry = { key: iban, raw, iban, country, valid, start, end: start + raw.length }
    if (cover.take(entry)) ibans.push(entry)
  }
  return ibans
}

const vatLike =
  /(?<![\p{L}\p{N}])(?:AT ?U|BE|BG|CY|CZ|DE|DK|EE|EL|GR|ES|FI|FR|GB|HR|HU|IE|IT|LT|LU|LV|MT|NL|PL|PT|RO|SE|SI|SK|XI)[ .-]?[\dA-Z](?:[ .-]?[\dA-Z]){6,13}(?![\p{L}\p{N}])/gu

/** VAT numbers of the European Union and Great Britain with their prefix, and the verdict of their check digits. */
export const findVats = (text: string, cover: Cover): FoundVat[] => {
  const vats: FoundVat[] = []
  for (const { index: start, 0: candidate } of text.matchAll(vatLike)) {
    // Words in capitals may follow the number: it is read shorter until it has the form of its country.
    for (let raw = candidate; raw.length > 8; raw = raw.replace(/[ .-][^ .-]*$/, '')) {
      const vat = parseVat(raw)
      if (vat?.country.format.test(vat.number) && (raw.match(/\d/g)?.length ?? 0) >= 7) {
        const name = vat.code + vat.number
        const valid = vat.country.check(vat.number)
        const entry = { key: name, raw, vat: name, country: vat.code, valid, start, end: start + raw.length }
        if (cover.take(entry)) vats.push(entry)
        break
      }
      if (!/[ .-]/.test(raw)) break
    }
  }
  return vats
}
