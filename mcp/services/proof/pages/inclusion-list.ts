import { type Html, html } from '../../../lib/text/html.ts'
import { formatCount, hashText } from './page.ts'

/** The way of a leaf to the root of a tree (RFC 9162 §2.1.3). */
export const inclusionList = (index: number, size: number, hashes: readonly string[]): Html =>
  hashes.length === 0
    ? html`<p>It is the only entry: its hash is the root.</p>`
    : html`<details><summary>From entry ${formatCount(index)} to the root over ${formatCount(size)} entries: ${hashes.length} hashes</summary>
<ol>
${hashes.map(hash => html`<li>${hashText(hash)}</li>\n`)}</ol></details>`
