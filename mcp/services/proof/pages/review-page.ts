import { z } from 'zod'
import { endpoint } from '../../../kernel/endpoint.ts'
import { ToolError } from '../../../kernel/error.ts'
import { type Html, html } from '../../../lib/text/html.ts'
import { transparencyLog } from '../ledger/log.ts'
import { verdictText } from './entry-list.ts'
import { loadProof } from './load-proof.ts'
import { answerPage, factList, formatCount, formatTime, hashText, pageLimits, showPage } from './page.ts'

/** Public part of a review's proof; nothing else of it is kept. */
const Review = z.object({
  artifact_type: z.string(),
  verdict: z.string(),
  confidence: z.number(),
  policy_version: z.string(),
  decision_ref: z.string(),
  decision_inputs: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
  confidentiality_tier: z.string(),
  verified_at: z.string(),
  rules: z.array(z.string()).optional(),
  disclosed_summary: z.string().optional(),
  artifact: z.string().optional(),
})

type Review = z.output<typeof Review>

const renderDisclosure = ({ rules, disclosed_summary: summary, artifact }: Review): Html => {
  if (rules === undefined)
    return html`<p>Who asked for this review made hashes public, and nothing else: whoever has the text can compute its SHA-256 and compare.</p>`
  return html`${
    rules.length === 0
      ? html`<p>No rule found anything.</p>`
      : html`<p>Rules that found something:</p>
<ul>
${rules.map(rule => html`<li><code>${rule}</code></li>\n`)}</ul>`
  }
${
  summary !== undefined &&
  html`<p>In the words of who asked:</p>
<p class="words untrusted" dir="auto">${summary}</p>`
}
${
  artifact !== undefined &&
  html`<p>What was reviewed, as it was sent:</p>
<pre class="untrusted" tabindex="0" role="group" aria-label="What was reviewed">${artifact}</pre>`
}`
}

/** Hashes that the verdict follows from and holds for. */
const decisionFacts = ({ decision_ref, decision_inputs }: Review): Html =>
  factList([
    ['Decision', hashText(decision_ref)],
    ...Object.entries(decision_inputs).flatMap(([name, value]): [string, Html][] =>
      name.endsWith('_hash') && value !== null
        ? [[`${name.slice(0, -5).replaceAll('_', ' ')}, SHA-256`, hashText(String(value))]]
        : [],
    ),
  ])

const outcomeWords = (outcome: 'harmful' | 'harmless' | undefined): string =>
  outcome === undefined ? 'nothing was reported' : `reported as ${outcome}`

export default endpoint({
  name: 'review_page',
  title: 'A review, for people',
  description:
    'A page that shows the verdict of a signed review and as much of it as its confidentiality lets out. Free.',
  method: 'GET',
  path: '/explore/reviews/:proof_id',
  body: 'none',
  answers: ['text/html'],
  needs: [transparencyLog],
  auth: ['public'],
  limits: pageLimits,
}).run(async ({ base, call, transparencyLog: log }, { headers, params }) =>
  showPage(base, headers, async () => {
    const { answer, leaf, payload } = await loadProof({ call }, params.proof_id)
    const review = leaf.type === 'verdict' ? Review.safeParse(payload).data : undefined
    if (!review)
      throw new ToolError('not_found', 'proof_id: This is the proof of something else than a review.')
    const { index, event } = answer
    const body = html`<h1>Review: ${verdictText(review.verdict)}</h1>
${factList([
  ['Reviewed', review.artifact_type.replaceAll('_', ' ')],
  ['Confidence', review.confidence],
  ['Rules of', review.policy_version],
  ['Checked', formatTime(review.verified_at)],
  ['What became of it', outcomeWords(log.outcome(index))],
  ['In the ledger', html`<a href="${base}/explore/entries/${index}">entry ${formatCount(index)}</a>`],
  ['Proof', html`<a href="${base}/explore/proofs/${event.id}">verify it</a>`],
])}
<h2 id="disclosed">What is public of it</h2>
${renderDisclosure(review)}
<h2 id="decision">What the verdict holds for</h2>
<p>The verdict is about exactly these; the decision is the hash of all of them.</p>
${decisionFacts(review)}`
    return answerPage({ title: `Review: ${review.verdict.replaceAll('_', ' ')}`, base, body })
  }),
)
