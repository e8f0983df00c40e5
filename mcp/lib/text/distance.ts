/**
 * Edits between two words: insertions, deletions, replacements and swaps of neighbours (Damerau–Levenshtein, optimal string
 * alignment). Counts no further than `most`; then it gives `most + 1`.
 */
export const distance = (from: string, to: string, max: number): number => {
  if (Math.abs(from.length - to.length) > max) return max + 1
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, i) => i)
  for (let i = 1; i <= from.length; i++) {
    const row = [i]
    for (let j = 1; j <= to.length; j++) {
      const same = from[i - 1] === to[j - 1]
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      row[j] = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (beforeLast[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    if (Math.min(...row) > max) return max + 1
    beforeLast = last
    last = row
  }
  return last[to.length] ?? max + 1
}
