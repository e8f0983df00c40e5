import { endpoint } from '../../../kernel/endpoint.ts'
import { type Html, html } from '../../../lib/text/html.ts'
import { parseCheckpointBody, parseNote } from '../proofs/verify/note.ts'
import type { ProofBundle } from '../proofs/verify/proof.ts'
import { findSource, type ProofSource } from '../proofs/verify/proof.ts'
import { inclusionList } from './inclusion-list.ts'
import { loadProof, type ShownProof } from './load-proof.ts'
import { answerPage, factList, formatCount, formatTime, hashText, pageLimits, showPage } from './page.ts'

/**
 * The fields of the page that verifies, with a proof and the keys filled in: its script verifies them at once, in the browser. Without
 * scripts it says how else.
 */
const verifyForm = (base: string, proof: ProofBundle, keys: object): Html =>
  html`<p>Your browser computes this from the file below and sends nothing.</p>
<noscript><p>This needs scripts. Without them, save the <a href="${base}/proofs/${proof.event.id}">file of the proof</a> and run <code>octagent verify-proof</code>.</p></noscript>
<section id="result" aria-live="polite" hidden>
<h3 id="verdict"></h3>
<ul id="lines"></ul>
<details><summary>What it says</summary><pre id="payload" tabindex="0" role="group" aria-label="What it says"></pre></details>
</section>
<details><summary>The file, and the keys it is held against</summary>
<p>The keys come from this service too. To be independent of it, paste those that you kept, or got over another channel.</p>
<label for="proof">The proof</label>
<input type="file" id="proof-file" aria-label="File of the proof">
<textarea id="proof" rows="8" spellcheck="false" autocomplete="off">${JSON.stringify(proof, null, 1)}</textarea>
<label for="keys">The keys of the issuer</label>
<input type="file" id="keys-file" aria-label="File of the keys">
<textarea id="keys" rows="6" spellcheck="false" autocomplete="off">${JSON.stringify(keys, null, 1)}</textarea>
<label for="artifact">SHA-256 of what it must be about, if you know it</label>
<input id="artifact" spellcheck="false" autocomplete="off">
<button id="verify" type="button">Verify</button>
</details>`

const titles: Readonly<Record<string, string>> = {
  verdict: 'Proof of a verdict',
  execution: 'Proof of an execution',
  witness: 'Proof of a witnessed claim',
  validation: 'Proof of a validation',
  outcome: 'A reported outcome',
  submission: 'A submitted event',
}

const scopes: Readonly<Record<string, string>> = {
  outcome:
    'Somebody reported what became of a verdict. The ledger shows who signed that and when, not that it is true.',
  submission: 'Somebody else signed this event. The ledger shows that it existed then, not that it is true.',
}

const scope =
  'It says who signed what, when, and that the ledger has it. It does not say that what is proven is true, or still so.'

const contentText = ({ answer, payload }: ShownProof): string =>
  payload ? JSON.stringify(payload, null, 2) : answer.event.content

const sourceTexts: Readonly<Record<ProofSource, string>> = {
  observed: 'observed: this service did or saw it itself',
  declared: 'declared: this service has only the word of the caller',
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null)

export default endpoint({
  name: 'proof_page',
  title: 'A proof, for people',
  description:
    'A page that shows a proof, its way into the ledger, and verifies it in the browser. It shows what get_proof tells. Free.',
  method: 'GET',
  path: '/explore/proofs/:proof_id',
  body: 'none',
  answers: ['text/html'],
  needs: [],
  auth: ['public'],
  limits: pageLimits,
}).run(async ({ base, call }, { headers, params }) =>
  showPage(base, headers, async () => {
    const proof = await loadProof({ call }, params.proof_id)
    const { answer, leaf, payload } = proof
    const { event, index, inclusion, checkpoint, reveal } = answer
    const keys = payload && (await call('list_verifier_keys', {}))
    const size = parseCheckpointBody(parseNote(checkpoint)?.text ?? '')?.size ?? index + 1
    // Whoever else signed an event may have written anything there.
    const source = scopes[leaf.type] === undefined ? findSource(payload) : undefined
    const title = titles[leaf.type] ?? 'A proof'
    const body = html`<h1>${title}</h1>
<p class="lead">${scopes[leaf.type] ?? scope}</p>
${factList([
  ['Signed', formatTime(new Date(event.created_at * 1000).toISOString())],
  [
    'Entered',
    html`${formatTime(leaf.committed_at)} as <a href="${base}/explore/entries/${index}">entry ${formatCount(index)}</a>`,
  ],
  [
    'Verdict',
    leaf.verdict === undefined
      ? null
      : html`<a href="${base}/explore/reviews/${event.id}">${leaf.verdict.replaceAll('_', ' ')}</a>`,
  ],
  ['About the SHA-256', leaf.artifact_hash === undefined ? null : hashText(leaf.artifact_hash)],
  ['Source', source === undefined ? null : sourceTexts[source]],
  ['Said by, as the caller has it', textOrNull(payload?.claimed_source)],
  ['Note', textOrNull(payload?.source_verification_note)],
  ['Id', hashText(event.id)],
  ['Key', hashText(event.pubkey)],
])}
${
  keys &&
  html`<h2 id="check">The check</h2>
${verifyForm(base, answer, keys)}`
}
<h2 id="content">What was signed</h2>
<pre class="untrusted" tabindex="0" role="group" aria-label="What was signed">${contentText(proof)}</pre>
${
  reveal &&
  html`<h2 id="reveal">What was revealed of it</h2>
<p>Revealed ${formatTime(reveal.revealed_at)} by whoever had the salt; these are words of the caller.</p>
<pre class="untrusted">${JSON.stringify(reveal.content, null, 2)}</pre>`
}
<h2 id="inclusion">That the ledger has it</h2>
${inclusionList(index, size, inclusion)}
<pre>${checkpoint}</pre>
<p><a href="${base}/proofs/${event.id}">The file of the proof</a>, to keep: it verifies without this service, by <code>octagent verify-proof</code> or on <a href="${base}/verify">a page that you save</a>.</p>`
    return answerPage({ title, base, body, verifies: keys !== undefined })
  }),
)
