/** The digits of a text, left to right; anything else counts as NaN. */
export const toDigits = (text: string): number[] => Array.from(text, Number)

/** Sum of digits times weights, as far as there are weights. */
export const weightedSum = (text: string, weights: readonly number[]): number =>
  weights.reduce((sum, weight, nth) => sum + weight * Number(text[nth]), 0)

/** Weights from `first` down to `last`, or up. */
export const weightsFrom = (first: number, last: number): number[] =>
  Array.from({ length: Math.abs(first - last) + 1 }, (_, nth) => first + (first < last ? nth : -nth))

/** The Luhn sum modulo 10, its last digit included: 0 for a number that passes (ISO/IEC 7812-1). */
export const luhn = (text: string): number =>
  toDigits(text).reduceRight((sum, digit, at) => {
    const doubled = (text.length - at) % 2 === 0 ? digit * 2 : digit
    return (sum + (doubled > 9 ? doubled - 9 : doubled)) % 10
  }, 0)

/** ISO/IEC 7064 MOD 11,10. */
export const passesMod11And10 = (text: string): boolean => {
  const rest = toDigits(text).reduce((product, digit) => {
    const sum = ((product || 10) * 2) % 11
    return (sum + digit) % 10
  }, 5)
  return rest === 1
}

/** ISO/IEC 7064 MOD 97-10 over digits and letters (A is 10). */
export const passesMod97 = (text: string): boolean => {
  const value = Array.from(text, character => Number.parseInt(character, 36)).join('')
  return Array.from(value).reduce((rest, digit) => (rest * 10 + Number(digit)) % 97, 0) === 1
}
