import { countText } from '../../../lib/text/count.ts'
import { type Html, html } from '../../../lib/text/html.ts'
import type { LineOut } from '../money.ts'
import type { TaskOut } from '../public-task.ts'

export type PublicTask = (typeof TaskOut)['_output']

/** An identifier of the wire as words: `photo_geo` → `photo geo`. */
export const toWords = (name: string): string => name.replaceAll('_', ' ')

/** An account as people tell it apart: `0x1234…abcd`. */
export const toShortAccount = (account: string): string => {
  const address = account.slice(account.lastIndexOf(':') + 1)
  return `${address.slice(0, 6)}…${address.slice(-4)}`
}

/** A link to the profile of an account, by its name where that is known. */
export const personLink = (base: string, account: string, name?: string | null): Html =>
  html`<a href="${base}/work/people/${account}">${name ?? toShortAccount(account)}</a>`

/** A share as people read it; a dash where there is nothing to count. */
export const toPercent = (rate: number | null): string =>
  rate === null ? '–' : `${Math.round(rate * 100)} %`

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

/** How far a time is from now, in one unit: `in 3 days`, `5 minutes ago`. */
const toDistance = (ms: number): string => {
  if (Math.abs(ms) < 60_000) return ms < 0 ? 'just now' : 'in a minute'
  const [unit, size] = units.find(([, size]) => Math.abs(ms) >= size * 2) ?? units[2]
  const count = Math.round(Math.abs(ms) / size)
  const words = countText(count, unit)
  return ms < 0 ? `${words} ago` : `in ${words}`
}

const form = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })

/** A time as an element that the script writes in local time, with how far away it is. */
export const timeText = (iso: string, now: Date): Html =>
  html`<time datetime="${iso}">${form.format(new Date(iso))} UTC</time> (${toDistance(Date.parse(iso) - now.getTime())})`

export const toMetres = (metres: number): string =>
  metres < 1000 ? `${metres} m` : `${(metres / 1000).toFixed(1)} km`

/** Says where a task's money is, for who may do the work. */
export const escrowWords = ({ payment }: Pick<PublicTask, 'payment'>): string => {
  const { status, escrow, in_escrow_usd } = payment
  if (escrow === 'direct') return 'paid by the publisher straight to your wallet, after the review'
  if (status === 'pending') return 'not in escrow yet: it goes there when a worker is assigned'
  if (status === 'refunded') return 'back with the publisher'
  if (status === 'completed') return 'paid out'
  const where = escrow === 'onchain' ? 'in escrow, in a contract on Base' : 'in escrow'
  return status === 'escrowed'
    ? `the bounty is ${where}`
    : `${in_escrow_usd} USD are left ${where}, fee included`
}

const placeFact = ({ location }: Pick<PublicTask, 'location'>): Html | false => {
  if (location === null) return false
  const { hint, lat, lng, radius_m } = location
  const hasPoint = lat !== null && lng !== null
  const map = `https://www.openstreetmap.org/?mlat=${lat}&mlon=${lng}#map=17/${lat}/${lng}`
  const point =
    hasPoint &&
    html`<a href="${map}" rel="noreferrer">${lat}, ${lng} on a map</a>, within ${toMetres(radius_m)}`
  return html`<dt>Where</dt><dd>${hint}${hint !== null && hasPoint && '; '}${point}</dd>`
}

/** A list of facts; what is false, null or empty is left out. */
export const factList = (
  facts: readonly (readonly [string, Html | string | number | null | false])[],
): Html =>
  html`<dl>${facts.map(([name, value]) => value !== null && value !== false && value !== '' && html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`

/** Instructions, pay, place and time of a task: the same for whoever reads it. */
export const taskFacts = (task: PublicTask, now: Date): Html =>
  html`<p class="words">${task.instructions}</p>
<dl>
<dt>Pays</dt><dd class="bounty">${task.payment.bounty_usd} USD</dd>
<dt>Money</dt><dd>${escrowWords(task)}</dd>
<dt>To be done by</dt><dd>${timeText(task.deadline, now)}</dd>
${placeFact(task)}
<dt>To hand in</dt><dd><ul>${task.evidence_required.map(type => html`<li>${toWords(type)}</li>`)}${task.evidence_optional.map(type => html`<li>${toWords(type)}, if you like</li>`)}</ul></dd>
<dt>Kind of work</dt><dd>${toWords(task.category)}</dd>
${task.skills_required.length > 0 && html`<dt>Skills</dt><dd>${task.skills_required.join(', ')}</dd>`}
${task.badge_required !== null && html`<dt>Badge</dt><dd>${task.badge_required}, of the publisher</dd>`}
${task.test !== null && html`<dt>Test</dt><dd>${countText(task.test.questions.length, 'question')}, ${task.test.pass_percent} per cent right to apply</dd>`}
${task.min_reputation > 0 && html`<dt>Reputation</dt><dd>at least ${task.min_reputation}</dd>`}
</dl>`

/** A table that scrolls by itself where the screen is narrow. */
export const dataTable = (
  caption: string,
  heads: readonly string[],
  rows: readonly (readonly (Html | string)[])[],
): Html =>
  html`<div class="wide" tabindex="0" role="region" aria-label="${caption}"><table><caption>${caption}</caption>
<thead><tr>${heads.map(head => (head === '' ? html`<td></td>` : html`<th scope="col">${head}</th>`))}</tr></thead>
<tbody>${rows.map(cells => html`<tr>${cells.map(cell => html`<td>${cell}</td>`)}</tr>`)}</tbody></table></div>`

/** A table of movements of money, each with a link to its task. */
export const moneyTable = (
  caption: string,
  base: string,
  now: Date,
  lines: readonly (typeof LineOut)['_output'][],
): Html =>
  dataTable(
    caption,
    ['What', 'USD', 'When'],
    lines.map(({ kind, task_id, amount_usd, at }) => [
      task_id === null ? toWords(kind) : html`<a href="${base}/work/tasks/${task_id}">${toWords(kind)}</a>`,
      amount_usd,
      timeText(at, now),
    ]),
  )
