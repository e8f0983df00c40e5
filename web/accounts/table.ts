import { type Html, html } from '../../mcp/lib/text/html.ts'

type Cell = Html | string | number

type Head = string | { number: string }

/** A table in a region that scrolls by keyboard; numbers stand on the right. */
export const table = (label: string, head: readonly Head[], rows: readonly (readonly Cell[])[]): Html => {
  const isNumber = (at: number) => typeof head[at] === 'object'
  return html`<div class="wide" tabindex="0" role="region" aria-label="${label}"><table><thead><tr>${head.map(
    title =>
      typeof title === 'string'
        ? html`<th scope="col">${title}</th>`
        : html`<th scope="col" class="number">${title.number}</th>`,
  )}</tr></thead><tbody>
${rows.map(cells => html`<tr>${cells.map((cell, at) => html`<td${isNumber(at) && html` class="number"`}>${cell}</td>`)}</tr>\n`)}</tbody></table></div>`
}

/** A moment as people read it. */
export const toTime = (time: string): string => `${time.slice(0, 16).replace('T', ' ')} UTC`
