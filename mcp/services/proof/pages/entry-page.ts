import { endpoint } from '../../../kernel/endpoint.ts'
import { html } from '../../../lib/text/html.ts'
import { transparencyLog } from '../ledger/log.ts'
import { type Entry, verdictText } from './entry-list.ts'
import { inclusionList } from './inclusion-list.ts'
import { answerPage, factList, formatCount, formatTime, hashText, pageLimits, showPage } from './page.ts'

type Answer = {
  entry: Entry
  leaf: string
  inclusion: { size: number; root: string; hashes: string[] }
  checkpoint: string
}

export default endpoint({
  name: 'entry_page',
  title: 'An entry of the ledger, for people',
  description: 'A page that shows one entry of the ledger, its exact bytes and its inclusion proof. Free.',
  method: 'GET',
  path: '/explore/entries/:index',
  body: 'none',
  answers: ['text/html'],
  needs: [transparencyLog],
  auth: ['public'],
  limits: pageLimits,
}).run(async ({ base, call, transparencyLog: log }, { headers, params }) =>
  showPage(base, headers, async () => {
    const answer = await call('get_ledger_entry', { index: params.index ?? '' })
    const { entry, leaf, inclusion, checkpoint } = answer as unknown as Answer
    const { index, type, event_id, artifact_hash, verdict, cites, outcome } = entry
    const cited = cites === null ? undefined : await log.find(cites)
    const title = `Entry ${formatCount(index)}`
    const body = html`<h1>${title}</h1>
${factList([
  ['Type', type],
  ['Verdict', verdict === null ? null : verdictText(verdict)],
  ['Reported as', outcome],
  ['Entered', formatTime(entry.committed_at)],
  [
    'Proof',
    event_id === null ? null : html`<a href="${base}/explore/proofs/${event_id}">${hashText(event_id)}</a>`,
  ],
  ['About the SHA-256', artifact_hash === null ? null : hashText(artifact_hash)],
  ['Decision', entry.decision_ref === null ? null : hashText(entry.decision_ref)],
  [
    'About',
    cited === undefined
      ? null
      : html`<a href="${base}/explore/entries/${cited}">entry ${formatCount(cited)}</a>`,
  ],
  ['Key', entry.public_key === null ? null : hashText(entry.public_key)],
  ['Hash of the leaf', hashText(entry.leaf_hash)],
])}
<h2 id="leaf">Its exact bytes</h2>
<pre>${leaf}</pre>
<p><a href="${base}/ledger/${index}/canonical" download>As a file</a> · <a href="${base}/ledger/${index}" download>As JSON</a></p>
<h2 id="inclusion">That the ledger has it</h2>
${inclusionList(index, inclusion.size, inclusion.hashes)}
${factList([['Root', hashText(inclusion.root)]])}
<pre>${checkpoint}</pre>`
    return answerPage({ title, base, body })
  }),
)
