import { type Bench, brokenLine, type Group, type Line, toLine } from './row.ts'

/** Keeps the rows whose "group name" matches the pattern, case apart, and the groups that have one left. */
export const pick = (groups: readonly Group[], only: string | undefined): Group[] => {
  if (only === undefined) return [...groups]
  const pattern = new RegExp(only, 'i')
  return groups
    .map(group => ({
      ...group,
      benches: group.benches.filter(({ name }) => pattern.test(`${group.name} ${name}`)),
    }))
    .filter(({ benches }) => benches.length > 0)
}

const lineFor = async (bench: Bench): Promise<Line> => {
  try {
    return toLine(bench, await bench.measure())
  } catch (error) {
    return brokenLine(bench, error)
  }
}

/**
 * Measures every row, one after the other, and closes each group after its last. A row that fails is reported as such
 * and stops no other.
 */
export const run = async (groups: readonly Group[], begins: (name: string) => void): Promise<Line[]> => {
  const lines: Line[] = []
  for (const group of groups) {
    try {
      for (const bench of group.benches) {
        begins(`${group.name} ${bench.name}`)
        lines.push(await lineFor(bench))
      }
    } finally {
      await group.close?.()
    }
  }
  return lines
}
