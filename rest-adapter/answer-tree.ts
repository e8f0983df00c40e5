import { isRecord } from '../mcp/lib/json.ts'
import { type Html, html } from '../mcp/lib/text/html.ts'

/** A page with more values than this is read by nobody; the JSON below the tree has all. */
const maxValues = 1_500

/** Levels open at once: the fields of an answer, and those of its parts. */
const openDepth = 2

const scalar = (value: unknown): Html =>
  typeof value === 'string'
    ? html`<span class="words">${value}</span>`
    : html`<span class="literal">${String(value)}</span>`

/** An answer as a tree of details that open: works without scripts. */
export const answerTree = (output: object): Html => {
  let left = maxValues
  const entry = (name: string, value: unknown, depth: number): Html | false => {
    if (left-- <= 0) return false
    if (!Array.isArray(value) && !isRecord(value))
      return html`<li><span class="key">${name}</span> ${scalar(value)}</li>`
    const inner = Object.entries(value)
    const count = `${inner.length} ${Array.isArray(value) ? 'item' : 'field'}${inner.length === 1 ? '' : 's'}`
    if (inner.length === 0)
      return html`<li><span class="key">${name}</span> <span class="soft">${count}</span></li>`
    return html`<li><details${depth < openDepth && html` open`}><summary><span class="key">${name}</span> <span class="soft">${count}</span></summary><ul>${inner.map(([key, each]) => entry(key, each, depth + 1))}</ul></details></li>`
  }
  const rows = Object.entries(output).map(([name, value]) => entry(name, value, 1))
  return html`<ul class="tree">${rows}</ul>${left < 0 && html`<p class="note">More is in the JSON below.</p>`}`
}
