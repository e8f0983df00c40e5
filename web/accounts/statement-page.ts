import type { OwnBook } from '../../mcp/accounts/own-books.ts'
import type { listStatementLines } from '../../mcp/accounts/statement.ts'
import { type Html, html } from '../../mcp/lib/text/html.ts'

/** What a statement is filtered by, as the address of the page has it. */
export type StatementFilter = { service: string; book: string; tool: string }

type StatementLine = Awaited<ReturnType<typeof listStatementLines>>['lines'][number]

export type StatementPart = {
  lines: readonly StatementLine[]
  next: string | null
  filter: StatementFilter
  books: readonly OwnBook[]
  services: readonly { slug: string; name: string }[]
}

const kindTexts: Readonly<Partial<Record<StatementLine['kind'], string>>> = {
  top_up: 'top-up',
  returned: 'set aside, not used',
  taken_back: 'taken back',
}

const line = (
  base: string,
  { created_at, book, kind, service, tool, client, amount, unit, receipt }: StatementLine,
): Html => html`<tr>
<td>${created_at.slice(0, 16).replace('T', ' ')}</td>
<td>${tool === null ? `${service === null ? '' : `${service}: `}${kindTexts[kind] ?? kind}` : `${service}.${tool}`}${client === null ? '' : html`<br><span class="note">${client}</span>`}</td>
<td>${receipt === null ? amount : html`<a href="${base}/receipts/${receipt}" aria-label="${amount} ${unit}, the receipt">${amount}</a>`} ${unit}${book === 'account' ? '' : html`<br><span class="note">${book}</span>`}</td>
</tr>
`

const option = (value: string, text: string, chosen: string): Html =>
  html`<option value="${value}"${value === chosen ? html` selected` : ''}>${text}</option>`

const filterForm = (base: string, { filter, books, services }: StatementPart): Html =>
  html`<form method="get" action="${base}/auth/balance">
<label for="by-book">Book</label>
<select id="by-book" name="book">${option('', 'all', filter.book)}${books.map(({ name, title }) => option(name, name === 'account' ? title : `${title}, ${name}`, filter.book))}</select>
<label for="by-service">Service</label>
<select id="by-service" name="service">${option('', 'all', filter.service)}${services.map(({ slug, name }) => option(slug, name, filter.service))}</select>
<label for="by-tool">Tool</label>
<input id="by-tool" name="tool" value="${filter.tool}" maxlength="48" autocomplete="off" spellcheck="false">
<button class="quiet">Filter</button>
</form>`

/** The statement of all books of a person, what it is filtered by, and where to take it along. */
export const statementPart = (base: string, part: StatementPart): Html => {
  const { lines, next, filter } = part
  const query = (more: Readonly<Record<string, string>>): string => {
    const set = Object.entries({ ...filter, ...more }).filter(([, value]) => value !== '')
    return set.length === 0 ? '' : `?${new URLSearchParams(set).toString()}`
  }
  return html`<h2 id="statement">Statement</h2>
${filterForm(base, part)}
${
  lines.length === 0
    ? html`<p>Nothing ${next === null ? 'has moved yet' : 'on this page'}.</p>`
    : html`<table><thead><tr><th scope="col">Time (UTC)</th><th scope="col">What</th><th scope="col">Amount</th></tr></thead>
<tbody>${lines.map(each => line(base, each))}</tbody></table>`
}
<p>${next === null ? '' : html`<a href="${base}/auth/balance${query({ after: next })}">Older</a> · `}<a href="${base}/auth/balance/statement.csv${query({})}">All of it as CSV</a> · <a href="${base}/auth/balance/statement.json${query({})}">JSON</a></p>`
}
