import { type Html, html } from '../../../lib/text/html.ts'
import type { SubmissionOut } from '../submission.ts'
import { factList, timeText, toWords } from './facts.ts'
import type { Visit } from './page.ts'

type Submission = (typeof SubmissionOut)['_output']
type Piece = Submission['evidence'][number]

const verdictWords: Readonly<Record<Submission['verdict'], string>> = {
  pending: 'waits for the review',
  accepted: 'accepted',
  rejected: 'rejected',
  partial: 'paid in part',
  disputed: 'disputed',
  more_info_requested: 'sent back with a question',
}

const toText = ({ type, value }: Piece): string => {
  if (typeof value === 'string') return value
  const { value: amount, unit } = (type === 'measurement' ? value : {}) as { value?: number; unit?: string }
  return amount === undefined ? JSON.stringify(value, null, 2) : `${amount} ${unit}`
}

const shownInline = /^image\/(?:jpeg|png|gif|webp|avif)$/

/** An uploaded file: a photo to look at, or a link to anything else. */
export const fileText = async (visit: Visit, id: string, name: string): Promise<Html> => {
  const link = await visit.fileLink(id)
  if (!link) return html`<p>The file is not kept any more.</p>`
  if (!shownInline.test(link.type))
    return html`<p><a href="${link.href}">Download the file</a> (${link.type})</p>`
  return html`<p><a href="${link.href}"><img src="${link.href}" alt="${name}"></a></p>`
}

const pieceItem = async (
  visit: Visit,
  piece: Piece,
  findings: Submission['findings'],
  at: number,
): Promise<Html> =>
  html`<li><h3>${toWords(piece.type)}</h3>
${piece.file_id !== null && (await fileText(visit, piece.file_id, toWords(piece.type)))}
${piece.file_id === null && piece.url !== null && html`<p><a href="${piece.url}" rel="noreferrer nofollow">${piece.url}</a></p>`}
${piece.value !== null && html`<p class="words">${toText(piece)}</p>`}
${piece.note !== null && html`<p>${piece.note}</p>`}
${piece.geo !== null && html`<p class="facts">Said to be at <a href="https://www.openstreetmap.org/?mlat=${piece.geo.lat}&amp;mlon=${piece.geo.lng}" rel="noreferrer">${piece.geo.lat}, ${piece.geo.lng}</a></p>`}
${findings.filter(({ evidence }) => evidence === at).map(({ check, result, detail }) => html`<p class="facts">${toWords(check)}: ${result}. ${detail}</p>`)}</li>`

/** One submission: what was handed in, what a look at it shows, and what came of it. */
export const submissionSection = async (
  visit: Visit,
  submission: Submission,
  side: 'worker' | 'publisher' | 'arbiter',
): Promise<Html> => {
  const { verdict, notes, review_notes, severity, created_at, evidence, findings } = submission
  const items = await Promise.all(evidence.map((piece, at) => pieceItem(visit, piece, findings, at)))
  return html`<section><h2>Handed in ${timeText(created_at, visit.now)}</h2>
${factList([
  ['Review', `${verdictWords[verdict]}${verdict === 'rejected' && severity === 'major' ? ', for good' : ''}`],
  [side === 'publisher' ? 'You said' : 'The reviewer says', review_notes],
  [side === 'worker' ? 'You wrote' : 'The worker writes', notes],
])}
<ul class="tasks">${items}</ul></section>`
}
