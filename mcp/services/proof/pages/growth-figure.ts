import { type Html, html } from '../../../lib/text/html.ts'
import type { GrowthPoint } from '../ledger/growth.ts'
import { formatCount, formatTime } from './page.ts'

const [width, height, headroom] = [400, 100, 6]

/** The size of the ledger over time as a picture, and the same in words. None before there is a leaf. */
export const growthFigure = (points: readonly GrowthPoint[]): Html | false => {
  const [first, last] = [points[0], points.at(-1)]
  if (!first || !last) return false
  const x = (index: number) => ((index / Math.max(1, points.length - 1)) * width).toFixed(1)
  const y = (size: number) => (height - (size / Math.max(1, last.size)) * (height - headroom)).toFixed(1)
  // Between two times the size is what it was: a stair, not a slope.
  const line = points
    .map(({ size }, index) => (index === 0 ? `M0,${y(size)}` : `H${x(index)}V${y(size)}`))
    .join('')
  const about = `${formatCount(first.size)} entries at ${formatTime(first.at)}, ${formatCount(last.size)} at ${formatTime(last.at)}.`
  return html`<figure><svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="Growth of the ledger: ${about}"><path class="area" d="${line}V${height}H0Z"/><path class="trend" d="${line}"/></svg>
<figcaption><span>${formatTime(first.at)}</span><span>${formatCount(last.size)} entries at ${formatTime(last.at)}</span></figcaption></figure>`
}
