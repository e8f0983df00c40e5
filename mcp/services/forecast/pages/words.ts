/** Words of strangers as Markdown shows them, on one line: no mark, no link, no cell of a table. */
export const plainWords = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[!-/:-@[-`{-~]/g, '\\$&')

/** A number, or a dash where there is none. */
export const formatNumber = (value: number | null | undefined): string =>
  value === null || value === undefined ? '–' : String(value)

/** A range in words. */
export const formatRange = (pair: readonly number[] | null): string =>
  pair ? `${pair[0]} to ${pair[1]}` : '–'
