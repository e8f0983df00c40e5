import type { Calibration } from '../record/calibration.ts'

const side = 320
const margin = 48
const place = (x: number, y: number): [string, string] => [
  (margin + x * side).toFixed(1),
  (margin + (1 - y) * side).toFixed(1),
]

const line = (name: string, from: [number, number], to: [number, number]): string => {
  const [[x1, y1], [x2, y2]] = [place(...from), place(...to)]
  return `<line class="${name}" x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}"/>`
}

const ticks = [0, 0.25, 0.5, 0.75, 1]

/** Styles of the picture by itself; within a page the style sheet of the page has the classes. */
const ownStyle =
  '<style>:root{color-scheme:light dark}.back{fill:#fff}text{fill:#333;font:12px system-ui,sans-serif}.grid{stroke:#ddd}.diagonal{stroke:#767676;stroke-dasharray:4 4}.interval{stroke:#0f6466;stroke-width:2}.point{fill:#0f6466}.few{fill:#fff;stroke:#0f6466;stroke-width:2}@media (prefers-color-scheme:dark){.back{fill:#111}text{fill:#ddd}.grid{stroke:#333}.diagonal{stroke:#999}.interval{stroke:#5cc9c3}.point{fill:#5cc9c3}.few{fill:#111;stroke:#5cc9c3}}</style>'

/** The calibration curve as a picture: points with their intervals beside the diagonal. It holds numbers of ours only. */
export const toCurveSvg = (
  { curve, scored }: Pick<Calibration, 'curve' | 'scored'>,
  { isInline = false }: { isInline?: boolean } = {},
): string => {
  const points = curve.flatMap(({ mean_probability: x, observed: y, interval95, n, small }) => {
    if (x === null || y === null || !interval95) return []
    const [cx, cy] = place(x, y)
    return [
      `${line('interval', [x, interval95[0]], [x, interval95[1]])}<circle class="${small ? 'few' : 'point'}" cx="${cx}" cy="${cy}" r="4"><title>${n} forecasts, mean ${x}: ${y} came true</title></circle>`,
    ]
  })
  const axes = ticks.flatMap(tick => {
    const [x, bottom] = place(tick, 0)
    const [left, y] = place(0, tick)
    return [
      line('grid', [tick, 0], [tick, 1]),
      line('grid', [0, tick], [1, tick]),
      `<text x="${x}" y="${Number(bottom) + 18}" text-anchor="middle">${tick}</text>`,
      `<text x="${Number(left) - 8}" y="${Number(y) + 4}" text-anchor="end">${tick}</text>`,
    ]
  })
  const size = side + 2 * margin
  const description =
    scored === 0
      ? 'Nothing is scored yet.'
      : `${points.length} buckets of ${scored} forecasts: mean forecast against the share that came true, with 95 % intervals. Hollow points have fewer than 20 forecasts.`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" role="img" aria-labelledby="curve-title curve-about">
<title id="curve-title">Calibration curve</title><desc id="curve-about">${description}</desc>
${isInline ? '' : `${ownStyle}<rect class="back" width="${size}" height="${size}"/>`}
${axes.join('')}${line('diagonal', [0, 0], [1, 1])}
${points.join('\n')}
<text x="${size / 2}" y="${size - 8}" text-anchor="middle">forecast</text><text x="14" y="${size / 2}" text-anchor="middle" transform="rotate(-90 14 ${size / 2})">came true</text>
</svg>
`
}
