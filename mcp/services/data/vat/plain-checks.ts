import { luhn, passesMod11And10, passesMod97, toDigits, weightedSum, weightsFrom } from './digits.ts'

/** True when the check digits of a number fit; its format does already. Null where the number has none. */
export type Check = (number: string) => boolean | null

const last = (number: string): number => Number(number.at(-1))

export const austria: Check = number => {
  const digits = toDigits(number.slice(1))
  const sum = digits
    .slice(0, 7)
    .map((digit, nth) => (nth % 2 === 0 ? digit : Math.floor(digit / 5) + ((digit * 2) % 10)))
    .reduce((total, part) => total + part, 4)
  return (10 - (sum % 10)) % 10 === digits[7]
}

export const belgium: Check = number => 97 - (Number(number.slice(0, 8)) % 97) === Number(number.slice(8))

const odd = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21]

/** No number begins with 12. */
export const cyprus: Check = number => {
  if (number.startsWith('12')) return false
  const sum = toDigits(number.slice(0, 8)).reduce(
    (total, digit, nth) => total + (nth % 2 === 0 ? (odd[digit] ?? 0) : digit),
    0,
  )
  return String.fromCharCode(65 + (sum % 26)) === number[8]
}

export const germany: Check = passesMod11And10
export const croatia: Check = passesMod11And10

export const denmark: Check = number => weightedSum(number, [2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0

export const estonia: Check = number => weightedSum(number, [3, 7, 1, 3, 7, 1, 3, 7, 1]) % 10 === 0

export const greece: Check = number =>
  (weightedSum(number, [256, 128, 64, 32, 16, 8, 4, 2]) % 11) % 10 === last(number)

export const finland: Check = number => weightedSum(number, [7, 9, 10, 5, 8, 4, 2, 1]) % 11 === 0

export const hungary: Check = number => weightedSum(number, [9, 7, 3, 1, 9, 7, 3, 1]) % 10 === 0

/** Luhn, and digits 8 to 10 name the tax office of a province. */
export const italy: Check = number => {
  const office = Number(number.slice(7, 10))
  const exists = (office >= 1 && office <= 100) || [120, 121, 888, 999].includes(office)
  return exists && Number(number.slice(0, 7)) > 0 && luhn(number) === 0
}

export const lithuania: Check = number => {
  const digits = toDigits(number.slice(0, -1))
  const sum = (shift: number) =>
    digits.reduce((total, digit, nth) => total + digit * (1 + ((nth + shift) % 9)), 0) % 11
  const first = sum(0)
  return number.at(-2) === '1' && (first === 10 ? sum(2) % 10 : first) === last(number)
}

export const luxembourg: Check = number => Number(number.slice(0, 6)) % 89 === Number(number.slice(6))

export const malta: Check = number => weightedSum(number, [3, 4, 6, 7, 8, 9, 10, 1]) % 37 === 0

/** The eleven test of the citizen service number, or since 2020 modulo 97 over the whole. */
export const netherlands: Check = number =>
  (weightedSum(number, [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0 && Number(number.slice(0, 9)) > 0) ||
  passesMod97(`NL${number}`)

export const poland: Check = number => weightedSum(number, [6, 5, 7, 2, 3, 4, 5, 6, 7]) % 11 === last(number)

export const portugal: Check = number =>
  ((11 - (weightedSum(number, weightsFrom(9, 2)) % 11)) % 11) % 10 === last(number)

export const romania: Check = number => {
  const padded = number.padStart(10, '0')
  return ((weightedSum(padded, [7, 5, 3, 2, 1, 7, 5, 3, 2]) * 10) % 11) % 10 === last(padded)
}

export const sweden: Check = number => luhn(number.slice(0, 10)) === 0

export const slovenia: Check = number => {
  const check = 11 - (weightedSum(number, weightsFrom(8, 2)) % 11)
  return check !== 11 && check % 10 === last(number)
}

export const slovakia: Check = number => Number(number) % 11 === 0

/** Modulo 97, since 2010 also 55 less; government and health numbers have no check digits but a range. */
export const unitedKingdom: Check = number => {
  if (number.startsWith('GD')) return Number(number.slice(2)) < 500
  if (number.startsWith('HA')) return Number(number.slice(2)) >= 500
  const rest = weightedSum(number, [8, 7, 6, 5, 4, 3, 2, 10, 1]) % 97
  return rest === 0 || (Number(number.slice(0, 3)) >= 100 && (rest === 42 || rest === 55))
}
