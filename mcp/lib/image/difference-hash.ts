import type { Luma } from './png.ts'

const grid = 72

/** The image in 72 × 72 cells, each the mean of what it covers. */
const shrink = ({ width, height, luma }: Luma): Float64Array => {
  const cells = new Float64Array(grid * grid)
  const edge = (cell: number, size: number) => Math.floor((cell * size) / grid)
  for (let row = 0; row < grid; row++)
    for (let column = 0; column < grid; column++) {
      const [top, left] = [edge(row, height), edge(column, width)]
      const bottom = Math.max(top + 1, edge(row + 1, height))
      const right = Math.max(left + 1, edge(column + 1, width))
      let sum = 0
      for (let y = top; y < bottom; y++) for (let x = left; x < right; x++) sum += luma[y * width + x] ?? 0
      cells[row * grid + column] = sum / ((bottom - top) * (right - left))
    }
  return cells
}

/** Means of so many columns and rows. */
const reduce = (cells: Float64Array, columns: number, rows: number): number[] => {
  const means = new Array<number>(columns * rows).fill(0)
  for (let y = 0; y < grid; y++)
    for (let x = 0; x < grid; x++) {
      const place = Math.floor((y * rows) / grid) * columns + Math.floor((x * columns) / grid)
      means[place] = (means[place] ?? 0) + (cells[y * grid + x] ?? 0)
    }
  return means.map(sum => (sum * columns * rows) / (grid * grid))
}

/** A step of less than this is noise, and counts as none. */
const leastStep = 1.5

const compareNeighbours = (image: Luma): boolean[] => {
  const cells = shrink(image)
  const [across, down] = [reduce(cells, 9, 8), reduce(cells, 8, 9)]
  const bits: boolean[] = []
  for (let y = 0; y < 8; y++)
    for (let x = 0; x < 8; x++) bits.push((across[y * 9 + x + 1] ?? 0) - (across[y * 9 + x] ?? 0) > leastStep)
  for (let y = 0; y < 8; y++)
    for (let x = 0; x < 8; x++) bits.push((down[(y + 1) * 8 + x] ?? 0) - (down[y * 8 + x] ?? 0) > leastStep)
  return bits
}

/**
 * What an image looks like, in 128 bits as 32 hexadecimal digits: where it gets brighter from left to right and from top to bottom.
 * Undefined for one that shows too little to be told from others, such as a wall.
 */
export const differenceHash = (image: Luma): string | undefined => {
  const bits = compareNeighbours(image)
  const ones = bits.filter(bit => bit).length
  if (ones < 12) return undefined
  let text = ''
  for (let at = 0; at < bits.length; at += 4)
    text += bits
      .slice(at, at + 4)
      .reduce((digit, bit) => digit * 2 + (bit ? 1 : 0), 0)
      .toString(16)
  return text
}

const ones = (digit: number): number => [0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4][digit] ?? 0

/** In how many of their 128 bits two hashes differ. */
export const hashDistance = (one: string, other: string): number =>
  Array.from(one, (digit, at) =>
    ones(Number.parseInt(digit, 16) ^ Number.parseInt(other[at] ?? '0', 16)),
  ).reduce((sum, count) => sum + count, 0)
