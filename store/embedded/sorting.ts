import type { Slices } from './slices.ts'

const maxRun = 2048
/** A comparison in a run costs about this many characters read, a text that is merged a few more. */
const comparison = 6
const mergeFanIn = 16

const sortRun = (texts: readonly string[], from: number): string[] => texts.slice(from, from + maxRun).sort()

const merge = async (a: readonly string[], b: readonly string[], slices: Slices): Promise<string[]> => {
  const sorted: string[] = []
  let leftIndex = 0
  let rightIndex = 0
  while (leftIndex < a.length || rightIndex < b.length) {
    const one = a[leftIndex]
    const other = b[rightIndex]
    const isLeft = other === undefined || (one !== undefined && one <= other)
    sorted.push((isLeft ? one : other) as string)
    if (isLeft) leftIndex++
    else rightIndex++
    const turn = slices.spend(mergeFanIn)
    if (turn) await turn
  }
  return sorted
}

/** The texts in the order of their UTF-16 units: short runs are sorted, then merged two by two, all of it in slices. */
export const sortInSlices = async (texts: readonly string[], slices: Slices): Promise<string[]> => {
  let runs: string[][] = []
  for (let from = 0; from < texts.length; from += maxRun) {
    const run = sortRun(texts, from)
    runs.push(run)
    const turn = slices.spend(run.length * comparison * Math.ceil(Math.log2(run.length + 1)))
    if (turn) await turn
  }
  while (runs.length > 1) {
    const pairs: string[][] = []
    for (let at = 0; at < runs.length; at += 2) {
      const [one = [], other] = runs.slice(at, at + 2)
      pairs.push(other ? await merge(one, other, slices) : one)
    }
    runs = pairs
  }
  return runs[0] ?? []
}
