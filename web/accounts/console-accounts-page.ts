import type { Account } from '../../mcp/accounts/account.ts'
import type { ConnectedClient, OwnKeys } from '../../mcp/accounts/deps.ts'
import type { listKeys } from '../../mcp/accounts/manage.ts'
import { type Html, html } from '../../mcp/lib/text/html.ts'
import { form } from './answer.ts'
import { table, toTime } from './table.ts'

type ListPage = {
  base: string
  text: string | undefined
  accounts: readonly Account[]
  /** Cursor of the next page. */
  next: string | undefined
}

const standing = ({ frozen_at }: Account): Html =>
  frozen_at ? html`<span class="bad">frozen since ${toTime(frozen_at)}</span>` : html`open`

/** Accounts as operators find them: by id, by a wallet that signs in, or by what a key begins with. */
export const accountsPage = ({ base, text, accounts, next }: ListPage): Html => html`<h1>Accounts</h1>
<form method="get" action="${base}/console/accounts"><label for="find">Account, wallet, or the first eight characters of a key <span class="note">(never a whole key)</span></label>
<input id="find" name="find" maxlength="64" value="${text ?? ''}" autocomplete="off" spellcheck="false"><button class="quiet">Find</button></form>
${
  accounts.length === 0
    ? html`<p role="status">${text === undefined ? 'Nobody has an account yet.' : 'No account fits.'}</p>`
    : table(
        'Accounts',
        ['Account', 'Made', 'Last sign-in', 'State'],
        accounts.map(account => [
          html`<a class="hash" href="${base}/console/accounts/${account.id}">${account.id}</a>`,
          toTime(account.created_at),
          account.last_used,
          standing(account),
        ]),
      )
}
${next !== undefined && html`<p class="pager"><a href="${base}/console/accounts?${String(new URLSearchParams({ after: next }))}">Older accounts</a></p>`}`

type OnePage = {
  base: string
  account: Account
  /** What it can spend, in dollars. */
  available: string
  keys: Awaited<ReturnType<typeof listKeys>>
  apiKeys: OwnKeys['keys']
  browsers: number
  clients: readonly ConnectedClient[]
  /** True for the operator's own. */
  isOwn: boolean
}

const freezePart = ({ base, account: { id, frozen_at }, isOwn }: OnePage): Html => {
  if (isOwn)
    return html`<p class="note">It is the account that you are signed in to, so you cannot freeze it.</p>`
  return frozen_at
    ? form(
        `${base}/console/thaw`,
        { id },
        html`<button class="quiet">Thaw it</button><p class="note">Its keys work again; browsers and clients sign in anew.</p>`,
      )
    : form(
        `${base}/console/freeze-account`,
        { id },
        html`<button class="grave">Freeze it</button><p class="note">Signs it out everywhere, refuses its keys at all services and lets nobody sign in. Its money and what it keeps stay. What a wallet signs by itself needs no account, and goes on.</p>`,
      )
}

/** One account with its keys: what they begin with and when they were used, never more. */
export const oneAccountPage = (page: OnePage): Html => {
  const { account, available, keys, apiKeys, browsers, clients } = page
  return html`<h1>Account</h1>
<dl><dt>Id</dt><dd class="hash">${account.id}</dd><dt>State</dt><dd>${standing(account)}</dd><dt>Made</dt><dd>${toTime(account.created_at)}</dd><dt>Last sign-in</dt><dd>${account.last_used}</dd><dt>Balance</dt><dd>${available} USD</dd><dt>Browsers</dt><dd>${browsers} signed in</dd></dl>
${freezePart(page)}
<h2 id="sign-in">Keys that sign in</h2>
${
  keys.length === 0
    ? html`<p>None: it is of another sign-in server.</p>`
    : table(
        'Keys that sign in',
        ['Key', 'Added', 'Last use'],
        keys.map(({ kind, id, created_at, last_used }) => [
          kind === 'wallet' ? html`<span class="hash">${id.slice('wallet:'.length)}</span>` : 'passkey',
          toTime(created_at),
          toTime(last_used),
        ]),
      )
}
<h2 id="keys">Keys for programs</h2>
${
  apiKeys.length === 0
    ? html`<p>None.</p>`
    : table(
        'Keys for programs',
        ['Begins with', 'Made', 'Last use', 'Ends'],
        apiKeys.map(({ preview, created_at, used_on, ends_at }) => [
          html`<code>${preview}</code>`,
          toTime(created_at),
          used_on ?? 'never',
          ends_at === null ? '' : toTime(ends_at),
        ]),
      )
}
<h2 id="clients">Connected clients</h2>
${
  clients.length === 0
    ? html`<p>None.</p>`
    : table(
        'Connected clients',
        ['Client', 'Since', 'Last use'],
        clients.map(({ name, hosts, connected_at, last_used }) => [
          html`<bdi>${name}</bdi><br><span class="note">${hosts.join(', ')}</span>`,
          toTime(connected_at),
          last_used === undefined ? '' : toTime(last_used),
        ]),
      )
}`
}
