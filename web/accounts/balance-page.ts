import { randomBytes } from 'node:crypto'
import { formatMoney, writtenUnits } from '../../mcp/accounts/amount.ts'
import type { SpendingLimits } from '../../mcp/accounts/limits.ts'
import type { OwnBook } from '../../mcp/accounts/own-books.ts'
import { isMovable } from '../../mcp/accounts/transfer.ts'
import { type Html, html } from '../../mcp/lib/text/html.ts'
import { formatUsd } from '../../mcp/lib/usd.ts'
import { form } from './answer.ts'
import { limitsFields } from './limits-fields.ts'
import { type StatementPart, statementPart } from './statement-page.ts'

type BookRow = OwnBook & {
  available: bigint
  held: bigint
  debt: bigint
  /** What may leave now. */
  payable: bigint
  /** The wallets that it pays out to; empty for one that pays invoices. */
  wallets: readonly string[]
}

type WithdrawalLine = {
  id: string
  unit: OwnBook['book']['unit']
  value: string
  to: string
  state: string
  problem: string | null
  created_at: string
}

type BalancePage = {
  /** The path of the installation. */
  base: string
  /** Of the person first, of services after it. */
  books: readonly BookRow[]
  withdrawals: readonly WithdrawalLine[]
  clients: readonly { limits: SpendingLimits; spent: bigint }[]
  services: readonly { slug: string; name: string }[]
  ways: readonly ('wallet' | 'card' | 'lightning')[]
  /** Ways by which money leaves. */
  out: readonly ('USDC' | 'msat')[]
  statement: StatementPart
}

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

const withdrawFields = (id: string, { book, payable, wallets }: BookRow): Html =>
  book.unit === 'msat'
    ? html`<label for="${id}-invoice">Lightning invoice over whole sats</label>
<input id="${id}-invoice" name="invoice" required maxlength="2000" autocomplete="off" spellcheck="false">`
    : html`<label for="${id}-to">To the wallet</label>
<select id="${id}-to" name="to">${wallets.map(wallet => html`<option>${wallet}</option>`)}</select>
<label for="${id}-usd">USD <span class="note">(empty: all ${formatUsd(payable)})</span></label>
<input id="${id}-usd" name="usd" inputmode="decimal" autocomplete="off" maxlength="17">`

/** The form that takes money out of a book; nothing where none may leave. */
const withdrawing = ({ base, out }: BalancePage, row: BookRow, at: number): Html | '' => {
  const { book, name, title, payable, wallets } = row
  if (payable === 0n || book.unit === 'credit' || !out.includes(book.unit)) return ''
  if (book.unit === 'USDC' && wallets.length === 0)
    return html`<p class="note">To withdraw it, <a href="${base}/auth/account">add a wallet to your account</a>.</p>`
  return html`<details><summary>Withdraw<span class="unseen"> from ${title} ${name}</span></summary>
${form(
  `${base}/auth/balance/withdraw`,
  { book: name },
  html`${withdrawFields(`out-${at}`, row)}
<button class="quiet">Withdraw</button>`,
)}</details>`
}

const bookRow = (page: BalancePage, row: BookRow, at: number): Html => {
  const { book, name, title, available, held, debt, payable } = row
  const money = (value: bigint) => formatMoney(book.unit, value)
  const facts = [
    ...(at === 0 ? [] : [name]),
    ...(held > 0n ? [`${money(held)} held for calls under way`] : []),
    ...(debt > 0n
      ? [`owed: ${money(debt)}, for payments by card that were taken back; the next top-ups pay it`]
      : []),
    ...(book.unit === 'credit' ? ['pays fees, and does not leave'] : [`${money(payable)} may be withdrawn`]),
  ]
  return html`<li>
<p><strong>${title}: ${money(available)}</strong></p>
<p class="note">${facts.join(' · ')}</p>
${withdrawing(page, row, at)}</li>
`
}

/** The form that moves money between books; nothing where there is but one. */
const transferPart = ({ base, books }: BalancePage): Html | '' => {
  const own = books.filter(({ book }) => isMovable(book))
  if (own.length < 2) return ''
  const options = own.map(
    ({ name, title, book }) =>
      html`<option value="${name}">${title}${name === 'account' ? '' : ` ${name}`}, ${writtenUnits[book.unit].name}</option>`,
  )
  return html`<h2>Move between books</h2>
<p class="note">Dollars and sats are moved at the rate that is stated here, rounded down. What was moved at a rate pays calls, and does not leave.</p>
${form(
  `${base}/auth/balance/transfer`,
  { once: randomBytes(16).toString('hex') },
  html`<label for="from-book">From</label>
<select id="from-book" name="book">${options}</select>
<label for="to-book">To</label>
<select id="to-book" name="to">${options}</select>
<label for="move-amount">Amount, in the unit of the first</label>
<input id="move-amount" name="amount" inputmode="decimal" autocomplete="off" maxlength="17" required>
<button class="quiet">Move</button>`,
)}`
}

const withdrawalsPart = ({ withdrawals }: BalancePage): Html | '' =>
  withdrawals.length === 0
    ? ''
    : html`<h2>Withdrawals</h2>
<table><thead><tr><th scope="col">Time (UTC)</th><th scope="col">Amount</th><th scope="col">State</th></tr></thead>
<tbody>${withdrawals.map(
        ({ created_at, unit, value, state, problem }) => html`<tr>
<td>${created_at.slice(0, 16).replace('T', ' ')}</td>
<td>${writtenUnits[unit].format(BigInt(value))} ${writtenUnits[unit].name}</td>
<td>${state}${problem === null ? '' : html`<br><span class="note">${problem}</span>`}</td>
</tr>
`,
      )}</tbody></table>`

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

/** Page of a person's money: every book, how to add to it and to take out of it, what clients may spend, and what became of it. */
export const balancePage = (page: BalancePage): Html => {
  const { base, books, clients, statement } = page
  return html`<h1>Your balance</h1>
<p>Clients that you let in pay priced calls from your dollars, within the limits that you set.</p>
<ul class="rows">${books.map((row, at) => bookRow(page, row, at))}</ul>
<h2>Add dollars</h2>
${topUp(page)}
${transferPart(page)}
<h2>What clients may spend</h2>
${
  clients.length === 0
    ? html`<p>No client is connected yet.</p>`
    : html`<ul class="rows">${clients.map(each => client(page, each))}</ul>`
}
${withdrawalsPart(page)}
${statementPart(base, statement)}`
}
