/** The plural of an English noun: "fix" is "fixes", "entry" is "entries". */
const toPlural = (noun: string): string => {
  if (/(?:s|x|ch|sh)$/.test(noun)) return `${noun}es`
  return /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`
}

/** A number with what it counts: "1 task", "2 tasks", "0 entries". Of several words the last one is counted. */
export const countText = (count: number, noun: string): string =>
  `${count} ${count === 1 ? noun : toPlural(noun)}`
