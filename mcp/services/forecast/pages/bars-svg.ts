/** A number of a year; null where there is none. */
export type Bar = { label: string; value: number | null }

const [width, height] = [320, 140]
const [side, top, bottom] = [8, 20, 24]

const units = [
  [1e12, 'T'],
  [1e9, 'B'],
  [1e6, 'M'],
  [1e3, 'K'],
] as const

/** An amount in few digits, as a chart has room for. */
export const shortNumber = (value: number): string => {
  const [size, letter] = units.find(([size]) => Math.abs(value) >= size) ?? [1, '']
  return `${Number((value / size).toPrecision(3))}${letter}`
}

/** A small chart of bars above and below a line at zero, the oldest first; `name` and `about` say in words what it shows. */
export const toBarsSvg = (
  bars: readonly Bar[],
  { id, name, about }: { id: string; name: string; about: string },
): string => {
  const values = bars.map(({ value }) => value ?? 0)
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)]
  const span = high - low || 1
  const y = (value: number): number => top + ((high - value) / span) * (height - top - bottom)
  const step = (width - 2 * side) / Math.max(1, bars.length)
  const drawn = bars.map(({ label, value }, index) => {
    const x = side + index * step
    const middle = (x + step / 2).toFixed(1)
    const caption = `<text x="${middle}" y="${height - 8}" text-anchor="middle">${label}</text>`
    if (value === null) return caption
    const [from, to] = [Math.min(y(0), y(value)), Math.max(y(0), y(value))]
    const name = value < 0 ? 'loss' : 'bar'
    return `<rect class="${name}" x="${(x + step * 0.15).toFixed(1)}" y="${from.toFixed(1)}" width="${(step * 0.7).toFixed(1)}" height="${Math.max(1, to - from).toFixed(1)}"><title>${label}: ${value}</title></rect><text x="${middle}" y="${(from - 4).toFixed(1)}" text-anchor="middle">${shortNumber(value)}</text>${caption}`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="${id}-title ${id}-about"><title id="${id}-title">${name}</title><desc id="${id}-about">${about}</desc><line class="grid" x1="${side}" x2="${width - side}" y1="${y(0).toFixed(1)}" y2="${y(0).toFixed(1)}"/>${drawn.join('')}</svg>`
}
