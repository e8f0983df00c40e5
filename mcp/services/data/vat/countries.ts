import * as mixed from './mixed-checks.ts'
import * as plain from './plain-checks.ts'

/** A country whose numbers VIES knows, by the prefix of its numbers. */
export type Country = {
  name: string
  /** The number without its prefix. Wide rather than narrow: what does not fit is not asked about. */
  format: RegExp
  /** The format in words. */
  looks: string
  check: plain.Check
}

const country = (name: string, format: RegExp, looks: string, check: plain.Check): Country => ({
  name,
  format,
  looks,
  check,
})

/** Refuses numbers that begin with 0. */
const notFromZero =
  (check: plain.Check): plain.Check =>
  number =>
    !number.startsWith('0') && check(number)

/** The 27 member states and Northern Ireland, as VIES names them: Greece is EL (Commission, VIES FAQ, question 11). */
export const countries: Readonly<Record<string, Country>> = {
  AT: country('Austria', /^U\d{8}$/, 'ATU and 8 digits', plain.austria),
  BE: country('Belgium', /^[01]\d{9}$/, 'BE and 10 digits, the first 0 or 1', plain.belgium),
  BG: country('Bulgaria', /^\d{9,10}$/, 'BG and 9 or 10 digits', mixed.bulgaria),
  CY: country('Cyprus', /^\d{8}[A-Z]$/, 'CY, 8 digits and a letter', plain.cyprus),
  CZ: country('Czechia', /^\d{8,10}$/, 'CZ and 8 to 10 digits', mixed.czechia),
  DE: country('Germany', /^\d{9}$/, 'DE and 9 digits', notFromZero(plain.germany)),
  DK: country('Denmark', /^\d{8}$/, 'DK and 8 digits', notFromZero(plain.denmark)),
  EE: country('Estonia', /^\d{9}$/, 'EE and 9 digits', plain.estonia),
  EL: country('Greece', /^\d{9}$/, 'EL and 9 digits', plain.greece),
  ES: country(
    'Spain',
    /^(?:[A-HJ-NP-SUVWXYZ]\d{7}[\dA-Z]|\d{8}[A-Z])$/,
    'ES and 9 digits or letters, the first or last of them a letter',
    mixed.spain,
  ),
  FI: country('Finland', /^\d{8}$/, 'FI and 8 digits', plain.finland),
  FR: country(
    'France',
    /^[\dA-HJ-NP-Z]{2}\d{9}$/,
    'FR, a key of 2 digits or letters and 9 digits',
    mixed.france,
  ),
  HR: country('Croatia', /^\d{11}$/, 'HR and 11 digits', plain.croatia),
  HU: country('Hungary', /^\d{8}$/, 'HU and 8 digits', plain.hungary),
  IE: country(
    'Ireland',
    /^(?:\d{7}[A-W][A-IW]?|\d[A-Z+*]\d{5}[A-W])$/,
    'IE, 7 digits and 1 or 2 letters',
    mixed.ireland,
  ),
  IT: country('Italy', /^\d{11}$/, 'IT and 11 digits', plain.italy),
  LT: country('Lithuania', /^(?:\d{9}|\d{12})$/, 'LT and 9 or 12 digits', plain.lithuania),
  LU: country('Luxembourg', /^\d{8}$/, 'LU and 8 digits', plain.luxembourg),
  LV: country('Latvia', /^\d{11}$/, 'LV and 11 digits', mixed.latvia),
  MT: country('Malta', /^\d{8}$/, 'MT and 8 digits', notFromZero(plain.malta)),
  NL: country(
    'Netherlands',
    /^\d{9}B(?!00)\d{2}$/,
    'NL, 9 digits, B and 2 digits that are not 00',
    plain.netherlands,
  ),
  PL: country('Poland', /^\d{10}$/, 'PL and 10 digits', plain.poland),
  PT: country('Portugal', /^\d{9}$/, 'PT and 9 digits', notFromZero(plain.portugal)),
  RO: country('Romania', /^\d{2,10}$/, 'RO and 2 to 10 digits', notFromZero(plain.romania)),
  SE: country('Sweden', /^\d{10}(?:0[1-9]|[1-9]\d)$/, 'SE and 12 digits, the last two not 00', plain.sweden),
  SI: country('Slovenia', /^\d{8}$/, 'SI and 8 digits', notFromZero(plain.slovenia)),
  SK: country('Slovakia', /^\d{10}$/, 'SK and 10 digits', plain.slovakia),
  XI: country(
    'Northern Ireland',
    /^(?:\d{9}|\d{12}|(?:GD|HA)\d{3})$/,
    'XI and 9 or 12 digits, or GD or HA and 3 digits',
    plain.unitedKingdom,
  ),
}

/** Great Britain left VIES on 1 January 2021; its numbers keep their form. */
export const greatBritain: Country = country(
  'Great Britain',
  /^(?:\d{9}|\d{12}|(?:GD|HA)\d{3})$/,
  'GB and 9 or 12 digits, or GD or HA and 3 digits',
  plain.unitedKingdom,
)
