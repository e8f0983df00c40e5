/** A value at a time, with its interval where there is one. */
export type TrendPoint = { at: string; value: number; interval: readonly [number, number] | null }

const [width, height] = [416, 200]
const [left, right, top, bottom] = [48, 12, 12, 32]

const scale = (from: number, to: number, start: number, end: number) => (value: number) =>
  to === from ? (start + end) / 2 : start + ((value - from) / (to - from)) * (end - start)

const nice = (value: number): string => String(Math.round(value * 1000) / 1000)

/**
 * A line over time with the band of its intervals, as SVG for a page that has the classes. `name` and `about` say in words what it
 * shows; `id` tells it from others of the page. Points are in the order of their times.
 */
export const toTrendSvg = (
  points: readonly TrendPoint[],
  { id, name, about }: { id: string; name: string; about: string },
): string => {
  const values = points.flatMap(({ value, interval }) => [value, ...(interval ?? [])])
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const x = scale(0, Math.max(1, points.length - 1), left, width - right)
  const y = scale(low, high, height - bottom, top)
  const place = (index: number, value: number): string => `${x(index).toFixed(1)},${y(value).toFixed(1)}`
  const line = points.map(({ value }, index) => place(index, value)).join(' ')
  const edge = (side: 0 | 1) =>
    points.map(({ value, interval }, index) => place(index, interval ? interval[side] : value))
  const band = [...edge(0), ...edge(1).reverse()].join(' ')
  const marks = points.length > 40 ? [] : points
  const dots = marks.map(
    ({ at, value }, index) =>
      `<circle class="point" cx="${x(index).toFixed(1)}" cy="${y(value).toFixed(1)}" r="2.5"><title>${at}: ${nice(value)}</title></circle>`,
  )
  const grid = [low, (low + high) / 2, high].map(
    value =>
      `<line class="grid" x1="${left}" x2="${width - right}" y1="${y(value).toFixed(1)}" y2="${y(value).toFixed(1)}"/><text x="${left - 6}" y="${(y(value) + 4).toFixed(1)}" text-anchor="end">${nice(value)}</text>`,
  )
  const ends = [
    `<text x="${left}" y="${height - 8}">${points[0]?.at ?? ''}</text>`,
    `<text x="${width - right}" y="${height - 8}" text-anchor="end">${points.at(-1)?.at ?? ''}</text>`,
  ]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="${id}-title ${id}-about"><title id="${id}-title">${name}</title><desc id="${id}-about">${about}</desc>${grid.join('')}<polygon class="band" points="${band}"/><polyline class="trend" points="${line}"/>${dots.join('')}${ends.join('')}</svg>`
}
