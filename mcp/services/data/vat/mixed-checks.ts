import { luhn, weightedSum, weightsFrom } from './digits.ts'
import type { Check } from './plain-checks.ts'

/** True when YYMMDD of a personal number is a day, months counted with any of `shifts` added. */
const isBirthday = (digits: string, shifts: readonly number[]): boolean => {
  const [year = 0, month = 0, day = 0] = [0, 2, 4].map(at => Number(digits.slice(at, at + 2)))
  return shifts.some(shift => {
    const date = new Date(Date.UTC(2000 + (year % 4), month - shift - 1, day))
    return month - shift >= 1 && month - shift <= 12 && date.getUTCDate() === day
  })
}

const bulgarianCompany = (number: string): boolean => {
  const first = weightedSum(number, weightsFrom(1, 8)) % 11
  const check = first === 10 ? (weightedSum(number, weightsFrom(3, 10)) % 11) % 10 : first
  return check === Number(number[8])
}

/** Companies have nine digits; ten are a citizen, a foreigner or anybody else, each with check digits of its own. */
export const bulgaria: Check = number => {
  if (number.length === 9) return bulgarianCompany(number)
  const last = Number(number[9])
  const citizen = (weightedSum(number, [2, 4, 8, 5, 10, 9, 7, 3, 6]) % 11) % 10 === last
  const foreigner = weightedSum(number, [21, 19, 17, 13, 11, 9, 7, 3, 1]) % 10 === last
  const other = (11 - (weightedSum(number, [4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11)) % 11 === last
  return (citizen && isBirthday(number, [0, 20, 40])) || foreigner || other
}

const czechCompany = (number: string): boolean => {
  if (number.startsWith('9')) return false
  const check = (11 - (weightedSum(number, weightsFrom(8, 2)) % 11)) % 11
  return (check === 0 ? 1 : check % 10) === Number(number[7])
}

/** Eight digits are a company, nine that begin with 6 a person without a birth number, else it is a birth number. */
export const czechia: Check = number => {
  if (number.length === 8) return czechCompany(number)
  if (number.length === 10) {
    const rest = Number(number.slice(0, 9)) % 11
    return isBirthday(number, [0, 20, 50, 70]) && rest % 10 === Number(number[9])
  }
  if (!number.startsWith('6')) return null
  const rest = weightedSum(number.slice(1), weightsFrom(8, 2)) % 11
  return (8 - ((10 - rest + 11) % 11) + 10) % 10 === Number(number[8])
}

const spanishLetters = 'TRWAGMYFPDXBNJZSQVHLCKE'
const companyLetters = 'JABCDEFGHI'

const spanishPerson = (digits: string, letter: string | undefined): boolean =>
  spanishLetters[Number(digits) % 23] === letter

/** Which companies have a digit and which a letter is told differently, so either counts. */
const spanishCompany = (number: string): boolean => {
  const digit = (10 - luhn(`${number.slice(1, 8)}0`)) % 10
  return [companyLetters[digit], String(digit)].includes(number[8])
}

/** A citizen, a resident foreigner (X, Y, Z), a person of another kind (K, L, M) or a company. */
export const spain: Check = number => {
  const first = number.charAt(0)
  const letter = number[8]
  if (/\d/.test(first)) return spanishPerson(number.slice(0, 8), letter)
  if ('XYZ'.includes(first)) return spanishPerson('XYZ'.indexOf(first) + number.slice(1, 8), letter)
  return 'KLM'.includes(first) ? spanishPerson(number.slice(1, 8), letter) : spanishCompany(number)
}

const frenchSigns = '0123456789ABCDEFGHJKLMNPQRSTUVWXYZ'

/** The key of two digits, or the newer one with a letter; the SIREN after it has a Luhn digit, but in Monaco. */
export const france: Check = number => {
  const siren = number.slice(2)
  if (!siren.startsWith('000') && luhn(siren) !== 0) return false
  if (/^\d\d/.test(number)) return (Number(siren) * 100 + 12) % 97 === Number(number.slice(0, 2))
  const [one = 0, two = 0] = [0, 1].map(at => frenchSigns.indexOf(number.charAt(at)))
  const key = /^\d/.test(number) ? one * 24 + two - 10 : one * 34 + two - 100
  return (Number(siren) + 1 + Math.floor(key / 11)) % 11 === key % 11
}

const irishLetters = 'WABCDEFGHIJKLMNOPQRSTUV'

/** Seven digits and a letter, since 2013 a second letter; old numbers carry a letter or mark in the second place. */
export const ireland: Check = number => {
  const isOld = !/^\d{7}/.test(number)
  const digits = isOld ? `0${number.slice(2, 7)}${number[0]}` : number.slice(0, 7)
  const second = isOld ? 0 : Math.max(0, irishLetters.indexOf(number[8] ?? 'W'))
  return irishLetters[(weightedSum(digits, weightsFrom(8, 2)) + 9 * second) % 23] === number[7]
}

/** A company, or a person by day of birth; personal numbers since 2017 begin with 32 and have no check digit. */
export const latvia: Check = number => {
  if (number.startsWith('32')) return null
  if (Number(number[0]) > 3) return weightedSum(number, [9, 1, 4, 8, 3, 10, 2, 5, 7, 6, 1]) % 11 === 3
  const sum = 1 + weightedSum(number, [10, 5, 8, 4, 2, 1, 6, 3, 7, 9])
  const birthday = `${number.slice(4, 6)}${number.slice(2, 4)}${number.slice(0, 2)}`
  return isBirthday(birthday, [0]) && (sum % 11) % 10 === Number(number[10])
}
