/** Advance widths of Arial in thousandths of the font size, by the characters that have them. */
const widths: readonly (readonly [number, string])[] = [
  [191, "'‘’"],
  [222, 'ijl'],
  [260, '|'],
  [278, ' !,./:;I[\\]ft·'],
  [333, '()-`r"“”«»'],
  [334, '{}'],
  [350, '•'],
  [355, '"'],
  [389, '*'],
  [469, '^'],
  [500, 'Jcksvxyz'],
  [556, '#$0123456789?L_abdeghnopqu–€£'],
  [584, '+<=>~×'],
  [611, 'FTZ'],
  [667, '&ABEKPSVXY'],
  [722, 'CDHNRUw'],
  [778, 'GOQ'],
  [833, 'Mm'],
  [889, '%'],
  [944, 'W'],
  [1000, '—…™'],
  [1015, '@'],
]

const widthByCharacter = new Map(
  widths.flatMap(([width, characters]) => [...characters].map(one => [one, width])),
)

/** Characters as wide as they are high: East Asian ones, full-width forms, emoji. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}|[\u{20000}-\u{3fffd}]/u

const usual = 556
const usualCapital = 667

const thousandths = (character: string): number => {
  if (wide.test(character)) return 1000
  if (/\p{M}|\p{Cf}/u.test(character)) return 0
  const width = widthByCharacter.get(character) ?? widthByCharacter.get(character.normalize('NFD')[0] ?? '')
  return width ?? (/\p{Lu}/u.test(character) ? usualCapital : usual)
}

/** About how many pixels a line of text takes in Arial of a size; accents take no room, East Asian characters a full square. */
export const measurePixels = (text: string, size: number): number => {
  let sum = 0
  for (const character of text.slice(0, 5000).normalize('NFC')) sum += thousandths(character)
  return Math.round((sum * size) / 1000)
}
