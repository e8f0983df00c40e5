/** Beginnings of the names of the months, without accents: English and the languages feeds are written in besides. */
const beginnings: readonly (readonly string[])[] = [
  ['jan', 'ene', 'gen', 'янв', 'ιαν', 'sty'],
  ['feb', 'fev', 'фев', 'φεβ', 'lut'],
  ['mar', 'mrz', 'maa', 'mrt', 'мар', 'μαρ', 'μαω'],
  ['apr', 'avr', 'abr', 'апр', 'απρ', 'kwi'],
  ['may', 'mai', 'mei', 'maj', 'mag', 'маи', 'мая', 'μαι'],
  ['jun', 'juin', 'giu', 'июн', 'ιουν', 'ιον', 'cze'],
  ['jul', 'juil', 'lug', 'июл', 'ιουλ', 'ιολ', 'lip'],
  ['aug', 'aou', 'ago', 'авг', 'αυγ', 'sie'],
  ['sep', 'set', 'сен', 'σεπ', 'wrz'],
  ['oct', 'okt', 'ott', 'out', 'окт', 'οκτ', 'paz'],
  ['nov', 'ноя', 'νοε', 'lis'],
  ['dec', 'dez', 'dic', 'des', 'дек', 'δεκ', 'gru'],
]

/** The month from 1 that a word names; undefined for words that name none. */
export const parseMonth = (word: string): number | undefined => {
  const plain = word.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
  if (!/^\p{L}{3,12}\.?$/u.test(plain)) return undefined
  const position = beginnings.findIndex(names => names.some(name => plain.startsWith(name)))
  return position < 0 ? undefined : position + 1
}
