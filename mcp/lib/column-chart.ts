import { type Html, html } from './text/html.ts'

/** A bar of a chart: its name, its height, and the part of it that went wrong. */
export type Column = { name: string; value: number; bad?: number }

type Chart = {
  title: string
  unit: string
  columns: readonly Column[]
  /** Head of the column of the table with the names, and what the bad part is. */
  names: string
  badName?: string
  format?: (value: number) => string
}

const width = 720
const height = 120

/** A chart of columns as SVG without a script; the table below it says the same. */
export const columnChart = ({ title, unit, columns, names, badName, format = String }: Chart): Html => {
  const max = Math.max(...columns.map(({ value }) => value), 1e-9)
  const step = width / Math.max(columns.length, 1)
  const bar = (at: number, value: number, below: number, kind: string): Html | false => {
    const tall = (value / max) * height
    const y = height - (below / max) * height - tall
    return (
      value > 0 &&
      html`<rect class="${kind}" x="${(at * step + step * 0.1).toFixed(1)}" y="${y.toFixed(1)}" width="${(step * 0.8).toFixed(1)}" height="${Math.max(tall, 1).toFixed(1)}"></rect>`
    )
  }
  const first = columns[0]?.name ?? ''
  const last = columns.at(-1)?.name ?? ''
  return html`<figure><svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="${title}: at most ${format(Math.max(...columns.map(({ value }) => value), 0))} ${unit}, from ${first} to ${last}">${columns.map(
    ({ value, bad = 0 }, at) => [bar(at, bad, 0, 'loss'), bar(at, value - bad, bad, 'bar')],
  )}</svg>
<figcaption><span>${first}</span><span>at most ${format(Math.max(...columns.map(({ value }) => value), 0))} ${unit}</span><span>${last}</span></figcaption>
<details><summary>${title} as a table</summary>
<div class="wide" tabindex="0" role="region" aria-label="${title}"><table><thead><tr><th scope="col">${names}</th><th scope="col" class="number">${unit}</th>${badName && html`<th scope="col" class="number">${badName}</th>`}</tr></thead><tbody>
${columns.map(
  ({ name, value, bad = 0 }) =>
    html`<tr><td>${name}</td><td class="number">${format(value)}</td>${badName && html`<td class="number">${format(bad)}</td>`}</tr>\n`,
)}</tbody></table></div></details></figure>`
}
