import { type Country, countries, greatBritain } from './countries.ts'

/** A VAT number taken apart; `code` is its prefix as VIES writes it. */
export type Vat = { code: string; country: Country; number: string }

/** Signs people put between the digits. */
const between = /[\s.\-–/_:,]/g

const intoForm: Readonly<Record<string, (number: string) => string>> = {
  BE: number => (/^\d{9}$/.test(number) ? `0${number}` : number),
  EL: number => (/^\d{8}$/.test(number) ? `0${number}` : number),
}

/**
 * Reads a VAT number with its prefix as people write it: any case, spaces, dots and hyphens, GR for EL, Belgian and Greek
 * numbers without their leading zero. Undefined when it does not begin with a country that VIES knows, or GB.
 */
export const parseVat = (text: string): Vat | undefined => {
  const plain = text.normalize('NFKC').toUpperCase().replace(between, '').replace(/^GR/, 'EL')
  const code = plain.slice(0, 2)
  const country = code === 'GB' ? greatBritain : Object.hasOwn(countries, code) && countries[code]
  const number = plain.slice(2)
  if (!country || !/^[\dA-Z+*]{2,15}$/.test(number)) return undefined
  return { code, country, number: intoForm[code]?.(number) ?? number }
}
