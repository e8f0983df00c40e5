export type TextPlace = { offset: number; line: number; column: number }

/** Lines and columns, both from 1, of offsets in ascending order, in one pass over the text. */
export const toPlaces = (text: string, offsets: readonly number[]): TextPlace[] => {
  let line = 1
  let begin = 0
  let next = text.indexOf('\n')
  return offsets.map(offset => {
    while (next >= 0 && next < offset) {
      line++
      begin = next + 1
      next = text.indexOf('\n', begin)
    }
    return { offset, line, column: offset - begin + 1 }
  })
}
