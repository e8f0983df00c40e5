import { formatUsd } from '../../mcp/accounts/amount.ts'
import type { SpendingLimits } from '../../mcp/accounts/limits.ts'
import type { StatementLine } from '../../mcp/accounts/statement.ts'
import { type Html, html } from '../../mcp/lib/text/html.ts'
import { form } from './answer.ts'
import { limitsFields } from './limits-fields.ts'

type BalancePage = {
  /** The path of the installation. */
  base: string
  balance: { available: bigint; held: bigint; debt: bigint }
  clients: readonly { limits: SpendingLimits; spent: bigint }[]
  services: readonly { slug: string; name: string }[]
  ways: readonly ('wallet' | 'card' | 'lightning')[]
  statement: { lines: readonly StatementLine[]; next: string | undefined }
}

const amounts = ({ balance: { available, held, debt } }: BalancePage): Html => html`<dl>
<dt>To spend</dt><dd>${formatUsd(available)} USD</dd>
${held > 0n ? html`<dt>Held for calls under way</dt><dd>${formatUsd(held)} USD</dd>` : ''}
${debt > 0n ? html`<dt>Owed</dt><dd>${formatUsd(debt)} USD, for payments by card that were taken back; the next top-ups pay it</dd>` : ''}
</dl>`

const wayTexts = {
  wallet: 'Pay with a wallet (USDC)',
  card: 'Pay by card',
  lightning: 'Pay over Lightning',
} as const

const topUp = ({ base, ways }: BalancePage): Html =>
  ways.length === 0
    ? html`<p>There is no way to pay here.</p>`
    : form(
        `${base}/auth/balance/top-up`,
        {},
        html`<label for="usd">Amount in USD</label>
<input id="usd" name="usd" inputmode="decimal" autocomplete="off" maxlength="12" required value="5.00">
${ways.map((way, at) => html`<button name="by" value="${way}"${at > 0 ? html` class="quiet"` : ''}>${wayTexts[way]}</button>`)}`,
      )

const client = (
  { base, services }: BalancePage,
  { limits, spent }: BalancePage['clients'][number],
): Html => html`<li>
<p><strong>${limits.client.name}</strong></p>
<p class="note">${limits.per_call ?? 'no limit'}${limits.per_call === null ? '' : ' USD'} a call · ${limits.per_day ?? 'no limit'}${limits.per_day === null ? '' : ' USD'} a day, of which ${formatUsd(spent)} USD are spent today · ${limits.services === null ? 'every service' : limits.services.join(', ') || 'no service'}</p>
<details><summary>Change<span class="unseen"> what ${limits.client.name} may spend</span></summary>
${form(
  `${base}/auth/balance/limits`,
  { grant: limits.id },
  html`${limitsFields(`limits-${limits.id}`, limits, services)}
<button class="quiet">Save</button>`,
)}
</details></li>
`

const kindTexts: Readonly<Record<StatementLine['kind'], string>> = {
  call: 'call',
  top_up: 'top-up',
  returned: 'set aside, not used',
  refund: 'refund',
  taken_back: 'taken back',
}

const line = (
  { base }: BalancePage,
  { time, kind, service, tool, client, usd, receipt }: StatementLine,
): Html => html`<tr>
<td>${time.slice(0, 16).replace('T', ' ')}</td>
<td>${tool === null ? kindTexts[kind] : `${service}.${tool}`}${client === null ? '' : html`<br><span class="note">${client}</span>`}</td>
<td>${receipt === null ? usd : html`<a href="${base}/receipts/${receipt}" aria-label="${usd} USD, the receipt">${usd}</a>`}</td>
</tr>
`

/** Page of a person's balance: how to add to it, what clients may spend, and what became of it. */
export const balancePage = (page: BalancePage): Html => {
  const { base, clients, statement } = page
  return html`<h1>Your balance</h1>
<p>Clients that you let in pay priced calls from it, within the limits that you set.</p>
${amounts(page)}
<h2>Add to it</h2>
${topUp(page)}
<h2>What clients may spend</h2>
${
  clients.length === 0
    ? html`<p>No client is connected yet.</p>`
    : html`<ul class="rows">${clients.map(each => client(page, each))}</ul>`
}
<h2>Statement</h2>
${
  statement.lines.length === 0
    ? html`<p>Nothing has moved yet.</p>`
    : html`<table><thead><tr><th scope="col">Time (UTC)</th><th scope="col">What</th><th scope="col">USD</th></tr></thead>
<tbody>${statement.lines.map(each => line(page, each))}</tbody></table>
<p>${statement.next === undefined ? '' : html`<a href="${base}/auth/balance?after=${encodeURIComponent(statement.next)}">Older</a> · `}<a href="${base}/auth/balance/statement.csv">All of it as CSV</a></p>`
}
<p class="note"><a href="${base}/auth/account">Your account</a></p>`
}
