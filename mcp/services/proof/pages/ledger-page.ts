import { endpoint } from '../../../kernel/endpoint.ts'
import { ToolError } from '../../../kernel/error.ts'
import { type Html, html } from '../../../lib/text/html.ts'
import type { listAnchors } from '../anchors/anchor.ts'
import { transparencyLog } from '../ledger/log.ts'
import type { GrowthPoint, Statistics } from '../ledger/statistics.ts'
import { type Cosignature, cosignaturesIn } from '../ledger/witnesses.ts'
import { parseSignatureLine, readCosignatureTime } from '../proofs/verify/note.ts'
import { type Entry, entryList } from './entry-list.ts'
import { answerPage, factList, formatCount, formatTime, hashText, pageLimits, showPage } from './page.ts'

const [width, height, headroom] = [400, 100, 6]

/** The size of the ledger over time as a picture, and the same in words. None before there is a leaf. */
const growthFigure = (points: readonly GrowthPoint[]): Html | false => {
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

type Ledger = {
  origin: string
  size: number
  root: string
  checkpoint: string
  key: string
  entries: Entry[]
  statistics: Statistics
  anchors: Anchor[]
}

type Anchor = Awaited<ReturnType<typeof listAnchors>>[number]
const entriesOnPage = 20
const growthPoints = 60
const maxWitnesses = 20
const toShare = (share: number | null): string => (share === null ? '–' : `${(share * 100).toFixed(1)} %`)

const tiles = ({ size, statistics }: Ledger): Html => {
  const { by_type, reject_precision, approve_miss_rate } = statistics
  const facts: [string, string][] = [
    ['Entries', formatCount(size)],
    ['Verdicts', formatCount(by_type.verdict)],
    ['Executions', formatCount(by_type.execution)],
    ['Witnessed', formatCount(by_type.witness)],
    ['Rejected, and harmful', toShare(reject_precision)],
    ['Approved, yet harmful', toShare(approve_miss_rate)],
  ]
  return html`<dl class="tiles">
${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>\n`)}</dl>`
}

const cosignedAt = ({ line }: Cosignature): string | undefined => {
  const signature = parseSignatureLine(line)?.signature
  const seconds = signature ? Number(readCosignatureTime(signature)) : Number.NaN
  const time = new Date(seconds * 1000)
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString()
}

const witnessRow = (cosignature: Cosignature, size: number): Html => {
  const at = cosignedAt(cosignature) ?? cosignature.cosigned_at
  const what =
    cosignature.size === size
      ? 'cosigned this checkpoint'
      : `cosigned an older checkpoint, of size ${formatCount(cosignature.size)}`
  return html`<li><p>${cosignature.id.split('+')[0]}: ${what}</p><p class="soft">${formatTime(at)}</p></li>\n`
}

const witnessSection = (base: string, cosignatures: readonly Cosignature[], size: number): Html =>
  cosignatures.length === 0
    ? html`<p>No witness has cosigned a checkpoint of this ledger.</p>`
    : html`<ul class="rows">
${cosignatures.map(cosignature => witnessRow(cosignature, size))}</ul>
<p><a href="${base}/ledger/checkpoint?cosigned=1">The last cosigned checkpoint, as text</a></p>`

/** The known state of an anchor, and no more. */
const anchorState = ({ kind, state, bitcoin_blocks, relays }: Anchor): Html => {
  if (state === 'failed') return html`<span class="bad">failed</span>: nobody took it`
  if (kind === 'nostr')
    return state === 'anchored'
      ? html`<span class="good">published</span> on ${relays.join(', ')}`
      : html`pending: no relay has taken it yet`
  return state === 'anchored'
    ? html`<span class="good">stamped</span>: its proof names Bitcoin block ${bitcoin_blocks.join(', ')}, which this service has not looked into`
    : html`pending: its proof names no block yet`
}

const anchorSection = (anchors: readonly Anchor[]): Html =>
  anchors.length === 0
    ? html`<p>No checkpoint is anchored outside of this service: what a restored backup forgets, only those who kept a checkpoint can show.</p>`
    : html`<ul class="rows">
${anchors.map(
  anchor =>
    html`<li><p>${anchor.kind === 'nostr' ? 'Nostr' : 'OpenTimestamps'}, size ${formatCount(anchor.size)}: ${anchorState(anchor)}</p>${anchor.event_id !== null && html`<p class="soft">Event ${hashText(anchor.event_id)}</p>`}<p class="soft">handed over ${formatTime(anchor.created_at)}</p></li>\n`,
)}</ul>`

/** The entries before a number, the newest first, as `read_ledger` is asked for them. */
const readRange = (before: string | undefined): { offset: number; limit: number } | undefined => {
  if (before === undefined || before === '') return undefined
  if (!/^\d{1,15}$/.test(before) || Number(before) < 1)
    throw new ToolError('invalid_input', 'before: It is the number of an entry, 1 or more.')
  const offset = Math.max(0, Number(before) - entriesOnPage)
  return { offset, limit: Number(before) - offset }
}

const pager = (base: string, entries: readonly Entry[], size: number): Html => {
  const [newest, oldest] = [entries[0]?.index ?? 0, entries.at(-1)?.index ?? 0]
  const newer = Math.min(size, newest + 1 + entriesOnPage)
  return html`<nav class="pager" aria-label="Entries">${newest + 1 < size && html`<a href="${base}/explore?before=${newer}#entries">Newer entries</a>`}${oldest > 0 && html`<a href="${base}/explore?before=${oldest}#entries">Older entries</a>`}</nav>`
}

export default endpoint({
  name: 'ledger_page',
  title: 'The ledger, for people',
  description:
    'A page that shows how the ledger grows, its last checkpoint with cosignatures and anchors, and its entries. It works without scripts. Free.',
  method: 'GET',
  path: '/explore',
  body: 'none',
  answers: ['text/html'],
  needs: ['store', transparencyLog],
  auth: ['public'],
  limits: pageLimits,
}).run(async ({ base, call, store, transparencyLog: log }, { headers, query }) =>
  showPage(base, headers, async () => {
    const range = readRange(query.before)
    const answer = await call('read_ledger', range ?? { limit: entriesOnPage })
    const ledger = answer as unknown as Ledger
    const { origin, size, root, checkpoint, key, anchors } = ledger
    const entries = range ? [...ledger.entries].reverse() : ledger.entries
    const { rows } = await cosignaturesIn(store).find({ index: 'size', order: 'desc', limit: maxWitnesses })
    const lines = rows.filter(({ note }) => note === checkpoint).map(({ line }) => `${line}\n`)
    const body = html`<h1>The ledger</h1>
<p class="lead">Every verdict, proof, witnessed claim and signing key of this service, in one log that only grows.</p>
${tiles(ledger)}
${growthFigure(log.growth(growthPoints))}
<h2 id="checkpoint">The last checkpoint</h2>
<p>Whoever keeps it can later prove that nothing before it was changed.</p>
<pre>${checkpoint + lines.join('')}</pre>
${factList([
  ['Ledger', origin],
  ['Entries', formatCount(size)],
  ['Root', hashText(root)],
  ['Its key', hashText(key)],
])}
<p><a href="${base}/ledger/checkpoint">As text</a> · <a href="${base}/.well-known/verifier-keys.json" download>Keys</a></p>
<h2 id="witnesses">Witnesses</h2>
${witnessSection(base, rows, size)}
<h2 id="anchors">Anchors</h2>
${anchorSection(anchors)}
<h2 id="entries">Entries</h2>
${entries.length === 0 ? html`<p>There is no such entry: the ledger has ${formatCount(size)}.</p>` : entryList(base, entries)}
${pager(base, entries, size)}`
    return answerPage({ title: 'The ledger', base, body })
  }),
)
