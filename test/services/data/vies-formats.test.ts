import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { countries } from '../../../mcp/services/data/vat/countries.ts'
import { parseVat } from '../../../mcp/services/data/vat/read-vat.ts'
import { runs } from '../../stress.ts'

/** Numbers with right check digits: examples of authorities, and of companies' own imprints. */
const right: Readonly<Record<string, readonly string[]>> = {
  AT: ['U13585627', 'U10223006', 'U38516405'],
  BE: ['0428759497', '0403170701', '0776091951'],
  BG: ['175074752', '7523169263', '8032056031', '7542011030', '131202360'],
  CY: ['10259033P', '00532445O'],
  CZ: ['25123891', '7103192745', '640903926', '46505334'],
  DE: ['136695976', '129274202', '811569869'],
  DK: ['13585628', '61126228'],
  EE: ['100931558', '100594102'],
  EL: ['094259216', '040127797'],
  ES: [
    '54362315K',
    'X2482300W',
    'X5253868R',
    'M1234567L',
    'J99216582',
    'B58378431',
    'B64717838',
    'A13585625',
  ],
  FI: ['20774740'],
  FR: ['40303265045', '23334175221', 'K7399859412', '83404833048'],
  HR: ['33392005961', '38192148118'],
  HU: ['12892312', '21376414'],
  IE: ['6433435F', '6433435OA', '8D79739I', '8473625E', '3628739UA', '1234567FA'],
  IT: ['00743110157', '07643520567'],
  LT: ['119511515', '100001919017', '100004801610', '213179412'],
  LU: ['15027442', '10000356'],
  LV: ['40003521600', '16117519997', '40003032949'],
  MT: ['11679112', '15121333'],
  NL: ['004495445B01', '123456782B90', '010000446B01', '002455799B11'],
  PL: ['8567346215', '5260001246'],
  PT: ['501964843', '500697256'],
  RO: ['18547290', '24736200', '11198699'],
  SE: ['123456789701', '556188840401', '556680144401'],
  SI: ['50223054', '15012557'],
  SK: ['2022749619', '2021853504'],
  XI: ['980780684', '802311782', 'GD123', 'HA567'],
}

const pairs = Object.entries(right).flatMap(([code, numbers]) =>
  numbers.map(number => [code, number] as const),
)
const verdict = (code: string, number: string) => {
  const country = countries[code]
  return country?.format.test(number) ? country.check(number) : undefined
}

test('there are right numbers for each of the 28 prefixes', () => {
  expect(Object.keys(right).sort()).toEqual(Object.keys(countries).sort())
})

test.each(pairs)('%s%s is right', (code, number) => {
  expect(verdict(code, number)).toBe(true)
})

describe.each(Object.keys(right))('a slip in a number of %s', code => {
  test('in one digit is nearly always noticed', () => {
    let slips = 0
    let noticed = 0
    for (const number of (right[code] ?? []).filter(number => /\d{7}/.test(number)))
      for (const [at, digit] of Array.from(number).entries()) {
        if (!/\d/.test(digit) || (code === 'SE' && at > 9) || (code === 'NL' && at > 9)) continue
        for (const other of '0123456789')
          if (other !== digit) {
            slips++
            if (verdict(code, number.slice(0, at) + other + number.slice(at + 1)) !== true) noticed++
          }
      }
    expect(noticed / slips).toBeGreaterThan(0.85)
  })
})

describe('check digits that are their own case', () => {
  test.each<[code: string, number: string, expected: boolean | null, why: string]>([
    ['CY', '12000139V', false, 'nothing begins with 12'],
    ['CZ', '912345678', null, 'a birth number of nine digits has none'],
    ['LV', '32123412345', null, 'a personal number that begins with 32 has none'],
    ['IT', '00000000000', false, 'no company is number 0'],
    ['NL', '000000000B01', false, 'no company is number 0'],
    ['XI', 'GD500', false, 'departments end at 499'],
    ['XI', 'HA499', false, 'health authorities begin at 500'],
    ['XI', '802311782001', true, 'three digits more name a branch'],
    ['DE', '045585026', false, 'none begins with 0'],
  ])('%s%s is %s: %s', (code, number, expected, _why) => {
    expect(verdict(code, number)).toBe(expected)
  })

  test('Monaco’s key counts, whatever Luhn says', () => {
    const key = (12 + 100 * 56) % 97
    expect(verdict('FR', `${String(key).padStart(2, '0')}000000056`)).toBe(true)
  })
})

describe('a format', () => {
  test.each([
    'DE12345678',
    'DE1234567890',
    'BE2403170701',
    'ATU1234567',
    'AT12345678',
    'NL123456789B00',
    'SE123456789700',
    'FROO123456789',
    'CYAAAAAAAAA',
    'IE12345678',
    'LT1234567890',
    'ES123456789',
  ])('is wrong in %s', text => {
    const vat = parseVat(text)
    expect(vat?.country.format.test(vat.number)).toBe(false)
  })
})

test('any text is a number with a known prefix or none', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[A-Z]{2}[\dA-Z .]{0,16}$/)),
      text => {
        const vat = parseVat(text)
        if (!vat) return
        expect(vat.code === 'GB' || Object.hasOwn(countries, vat.code)).toBe(true)
        expect(vat.number).toMatch(/^[\dA-Z+*]{2,15}$/)
        if (vat.country.format.test(vat.number))
          expect([true, false, null]).toContain(vat.country.check(vat.number))
      },
    ),
    { numRuns: runs(2000) },
  )
})
