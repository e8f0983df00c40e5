import { document } from '../../kernel/document.ts'
import { ToolError } from '../../kernel/error.ts'
import { formatNumber, plainWords } from './pages/words.ts'
import { record } from './record/log.ts'
import { requirePrediction, toPublicPrediction } from './record/prediction.ts'

export default document({
  path: '/predictions/:id',
  title: 'A prediction',
  description:
    'One prediction of the record with its commitment, its outcome and the proof that it stands there.',
  needs: ['store', record],
}).render(async ({ store, record, base, params: { id = '' } }) => {
  if (!/^prd_\d{8,12}$/.test(id)) throw new ToolError('not_found', 'There is no such prediction.')
  const prediction = toPublicPrediction(await requirePrediction(store, id))
  const size = await record.size()
  const [root, path] = [await record.root(size), await record.inclusion(prediction.seq, size)]
  const { state, probability, outcome } = prediction
  const isScored = state === 'resolved' && probability !== null && outcome !== null
  const rows: [string, string][] = [
    ['State', state],
    ['Domain', prediction.domain],
    ['Registered', prediction.created_at],
    ['Closes', prediction.closes_at],
    ['Probability', formatNumber(probability)],
    ['Method', prediction.method ?? '–'],
    ['Outcome', outcome === null ? '–' : outcome === 1 ? 'it came true' : 'it did not'],
    ['Who said so', prediction.resolved_by ?? '–'],
    ['Annulled because', prediction.reason ?? '–'],
    ['Squared error', isScored ? String(Math.round((probability - outcome) ** 2 * 10_000) / 10_000) : '–'],
  ]
  return {
    markdown: `# Prediction ${id}

${
  prediction.question === null
    ? 'The question and the probability are bound by the commitment below, and are published with the outcome.'
    : `> ${plainWords(prediction.question)}`
}

| Field | Value |
|---|---|
${rows.map(([name, value]) => `| ${name} | ${value} |`).join('\n')}

${prediction.evidence === null ? '' : `Evidence, as it was given: ${plainWords(prediction.evidence)}\n\n`}Question and evidence are words of callers.

## Commitment

SHA-256 of the canonical content, published at registration: \`${prediction.commitment}\`

${prediction.nonce === null ? 'The nonce that opens it is published with the outcome.' : `The nonce that opens it: \`${prediction.nonce}\``}

## Proof

Leaf ${prediction.seq} of ${size} under the root \`${root}\`, by the siblings

${path.map((hash, index) => `${index + 1}. \`${hash}\``).join('\n') || 'none: it is the only one.'}

As JSON, with the leaf: \`${base}/expertise/predictions/${id}\`. The whole record: [${base}/calibration](${base}/calibration).
`,
    data: { ...prediction, proof: { index: prediction.seq, tree_size: size, root, path } },
  }
})
