import { type Html, html } from '../../../lib/text/html.ts'
import type { toEntry } from '../ledger/leaf.ts'
import { formatCount, formatTime } from './page.ts'

export type Entry = ReturnType<typeof toEntry>

const verdictWords: Readonly<Record<string, string>> = {
  approve: 'approved',
  approve_with_concerns: 'approved with concerns',
  reject: 'rejected',
}

/** A verdict in words, and how it is coloured. */
export const verdictText = (verdict: string): Html => {
  const tone = verdict === 'reject' ? 'bad' : verdict.startsWith('approve') ? 'good' : 'soft'
  return html`<strong class="${tone}">${verdictWords[verdict] ?? verdict.replaceAll('_', ' ')}</strong>`
}

/** Text of an entry beside its type. */
const outcomeText = ({ verdict, outcome }: Entry): Html | false => {
  if (verdict !== null) return html` · ${verdictText(verdict)}`
  return outcome !== null && html` · reported as ${outcome}`
}

/** Entries as a list, each leading to its page. */
export const entryList = (base: string, entries: readonly Entry[]): Html =>
  html`<ul class="rows">
${entries.map(
  entry =>
    html`<li><p><a href="${base}/explore/entries/${entry.index}">Entry ${formatCount(entry.index)}</a> · ${entry.type}${outcomeText(entry)}</p><p class="soft">${formatTime(entry.committed_at)}</p></li>
`,
)}</ul>`
