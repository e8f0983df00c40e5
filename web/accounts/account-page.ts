import type { Account } from '../../mcp/accounts/account.ts'
import type { ConnectedClient, OwnKeys } from '../../mcp/accounts/deps.ts'
import type { listKeys } from '../../mcp/accounts/manage.ts'
import { type PersonalKey, personalPrefix } from '../../mcp/accounts/personal-keys.ts'
import type { BrowserSession } from '../../mcp/accounts/session.ts'
import { type Html, html } from '../../mcp/lib/text/html.ts'
import { form } from './answer.ts'
import { limitsFields } from './limits-fields.ts'
import { byHand, walletChoice } from './sign-in-page.ts'

type AccountKey = Awaited<ReturnType<typeof listKeys>>[number]

type AccountPage = {
  /** The path of the pages, `/auth` or below a mount. */
  base: string
  account: Account
  keys: readonly AccountKey[]
  sessions: readonly BrowserSession[]
  /** The one of this browser. */
  session: BrowserSession
  /** Undefined where no client can sign anybody in. */
  clients: readonly ConnectedClient[] | undefined
  /** Keys of services that are the person's, and whom they are there. */
  apiKeys: OwnKeys
  /** Keys that act as the person. */
  personalKeys: readonly PersonalKey[]
  services: readonly { slug: string; name: string }[]
  /** True when the person has just shown that it is them. */
  fresh: boolean
  passkeys: boolean
  /** Path of the console, for an operator. */
  console: string | false | undefined
}

const toTime = (time: string): string => `${time.slice(0, 16).replace('T', ' ')} UTC`

const describe = ({ id, passkey }: AccountKey): string => {
  if (passkey) return passkey.is_synced ? 'passkey, copied between your devices' : 'passkey of one device'
  const [address = '', chain] = id.slice('wallet:'.length).split(':').reverse()
  return chain === undefined ? `wallet ${address}` : `smart account ${address} on chain ${chain}`
}

const keyRow = ({ base, keys, fresh }: AccountPage, key: AccountKey): Html => html`<li>
<p><strong>${key.name}</strong></p>
<p class="note">${describe(key)} · added ${toTime(key.created_at)} · used ${toTime(key.last_used)}</p>
<details><summary>Change<span class="unseen"> ${key.name}</span></summary>
${form(
  `${base}/account/keys/name`,
  { key: key.id },
  html`<label>Name <input name="name" value="${key.name}" required maxlength="60" autocomplete="off"></label><button type="submit" class="quiet">Rename</button>`,
)}
${
  fresh && keys.length > 1
    ? form(
        `${base}/account/keys/remove`,
        { key: key.id },
        html`<button type="submit" class="grave" aria-label="Remove ${key.name}">Remove</button>`,
      )
    : ''
}
${keys.length === 1 ? html`<p class="note">It is your only key, so it cannot be removed.</p>` : ''}
</details></li>
`

const proof = ({ base }: AccountPage): Html =>
  html`<p>To add or remove keys, or to delete the account, show that it is you: <a href="${base}/sign-in?again=1&amp;return=/auth/account">sign in again</a>. It holds for five minutes.</p>`

const adding = ({
  base,
  passkeys,
}: AccountPage): Html => html`<section data-keys data-base="${base}" data-back="/auth/account" aria-label="Ways to add a key">
${passkeys ? html`<button type="button" class="quiet" data-passkey="add">Add a passkey</button>` : ''}
${walletChoice}
<button type="button" class="quiet" data-wallet="add">Add a wallet</button>
${byHand(`${base}/wallet/message`, { purpose: 'add', return: '/auth/account' })}
<p id="status" role="status"></p>
</section>`

const sessionRow = (
  { base, keys, session }: AccountPage,
  { id, key, created_at, expires_at }: BrowserSession,
): Html => html`<li>
<p><strong>${id === session.id ? 'This browser' : 'Another browser'}</strong></p>
<p class="note">since ${toTime(created_at)}, by ${keys.find(row => row.id === key)?.name ?? 'a key that was removed'} · until ${toTime(expires_at)}</p>
${
  id === session.id
    ? ''
    : form(
        `${base}/account/sessions/end`,
        { session: id },
        html`<button type="submit" class="quiet" aria-label="Sign out the browser of ${toTime(created_at)}">Sign out</button>`,
      )
}</li>
`

const clientRow = ({ base }: AccountPage, client: ConnectedClient): Html => {
  const { id, name, hosts, connected_at, last_used } = client
  const used = last_used === undefined ? [] : [`used ${toTime(last_used)}`]
  const facts = [...hosts, `since ${toTime(connected_at)}`, ...used]
  return html`<li>
<p><strong>${name}</strong></p>
<p class="note">${facts.join(' · ')}</p>
${form(
  `${base}/account/clients/disconnect`,
  { client: id },
  html`<button type="submit" class="quiet" aria-label="Disconnect ${name}">Disconnect</button>`,
)}</li>
`
}

const clientsPart = (page: AccountPage): Html => html`<h2>Connected clients</h2>
${
  page.clients?.length === 0
    ? html`<p>No client acts for you.</p>`
    : html`<ul class="rows">${page.clients?.map(client => clientRow(page, client))}</ul>`
}`

const apiKeyRow = (
  { apiKeys }: AccountPage,
  { prefix, holder, preview, used_on }: OwnKeys['keys'][number],
): Html => {
  const acts = apiKeys.profiles.some(profile => profile.prefix === prefix && profile.holder === holder)
  return html`<li>
<p><strong><code>${preview}</code></strong></p>
<p class="note">${holder} · ${used_on === null ? 'never used' : `used ${used_on}`}${acts ? ' · your clients act as it' : ''}</p></li>
`
}

const personalKeyRow = (
  { base, fresh }: AccountPage,
  { holder, preview, used_on, ends_at, scope }: PersonalKey,
): Html => {
  const { client, services, access, per_call, per_day } = scope
  const facts = [
    access === 'write' ? 'reads and writes' : 'reads only',
    services === null ? 'every service' : services.join(', ') || 'no service',
    `${per_call === null ? 'no limit' : `${per_call} USD`} a call`,
    `${per_day === null ? 'no limit' : `${per_day} USD`} a day`,
    used_on === null ? 'never used' : `used ${used_on}`,
    ...(ends_at === null ? [] : [`ends ${toTime(ends_at)}`]),
  ]
  const button = (path: string, text: string) =>
    form(
      `${base}/account/api-keys/${path}`,
      { key: holder },
      html`<button type="submit" class="quiet" aria-label="${text} ${client.name}, ${preview}">${text}</button>`,
    )
  return html`<li>
<p><strong>${client.name}</strong> <code>${preview}</code></p>
<p class="note">${facts.join(' · ')}</p>
${ends_at === null ? html`${fresh ? button('rotate', 'Replace') : ''}${button('remove', 'Remove')}` : ''}</li>
`
}

const makeKeyForm = ({ base, fresh, services }: AccountPage): Html =>
  fresh
    ? html`<details><summary>Make a key for all services</summary>
${form(
  `${base}/account/api-keys`,
  {},
  html`<label for="key-name">Name <span class="note">(what will use it)</span></label>
<input id="key-name" name="name" required maxlength="60" autocomplete="off">
<label for="key-access">It may</label>
<select id="key-access" name="access"><option value="read">read only</option><option value="write">read and write</option></select>
${limitsFields('key', { per_call: '0.10', per_day: '1.00', services: null }, services)}
<button type="submit" class="quiet">Make a key</button>`,
)}</details>`
    : html`<p class="note">To make a key for all services, sign in again, as for the keys above.</p>`

const apiKeysPart = (page: AccountPage): Html => html`<h2>API keys</h2>
<p>A key of yours acts as you, at the services and within the limits that you name. Keys of services act as one account there.</p>
<ul class="rows">${page.personalKeys.map(key => personalKeyRow(page, key))}${page.apiKeys.keys
  .filter(({ prefix }) => prefix !== personalPrefix)
  .map(key => apiKeyRow(page, key))}</ul>
${makeKeyForm(page)}
${form(
  `${page.base}/account/claims`,
  {},
  html`<label for="api-key">A key of a service that you have <span class="note">(its account becomes one of yours, with its history and its balance)</span></label>
<input id="api-key" name="api_key" required maxlength="200" autocomplete="off" spellcheck="false">
<button type="submit" class="quiet">Claim the key</button>`,
)}`

/** Page where a person sees and manages their account. */
export const accountPage = (page: AccountPage): Html => {
  const { base, account, keys, sessions, clients, fresh } = page
  return html`<h1>${account.name ?? 'Your account'}</h1>
<dl><dt>Account</dt><dd><code>${account.id}</code></dd><dt>Since</dt><dd>${account.created_at.slice(0, 10)}</dd></dl>
${form(
  `${base}/account/name`,
  {},
  html`<label for="account-name">Name <span class="note">(only you see it)</span></label>
<input id="account-name" name="name" value="${account.name ?? ''}" maxlength="60" autocomplete="nickname">
<button type="submit" class="quiet">Save the name</button>`,
)}
${page.console && html`<p><a class="button quiet" href="${page.console}">Console of the operator</a></p>`}
<h2>Keys</h2>
${keys.length === 1 ? html`<p>Whoever loses their last key loses the account: add a second one.</p>` : ''}
<ul class="rows">${keys.map(key => keyRow(page, key))}</ul>
${fresh ? adding(page) : proof(page)}
<h2>Signed in</h2>
<ul class="rows">${sessions.map(session => sessionRow(page, session))}</ul>
${form(`${base}/sign-out`, {}, html`<button type="submit" class="quiet">Sign out here</button>`)}
${form(`${base}/account/sessions/end`, {}, html`<button type="submit" class="quiet">Sign out everywhere</button>`)}
${apiKeysPart(page)}
${clients === undefined ? '' : clientsPart(page)}
<h2>Your data</h2>
<p><a href="${base}/account/export" download>Download all that is stored about the account</a> (JSON)</p>
<p><a href="${base}/account/delete">Delete the account</a></p>`
}

/** The page that asks once more before an account is deleted. */
export const deletePage = (
  base: string,
  { id, name }: Account,
  obstacles: readonly string[],
): Html => html`<h1>Delete the account</h1>
<dl><dt>Account</dt><dd>${name === null ? '' : html`${name}, `}<code>${id}</code></dd></dl>
${
  obstacles.length > 0
    ? html`<p>It cannot be deleted yet:</p><ul>${obstacles.map(obstacle => html`<li>${obstacle}</li>`)}</ul><p>Spend it or take it back first.</p>`
    : html`<p>Its name, keys, sessions, limits and connected clients are deleted at once, and nobody can bring them back. Entries of the books stay, under the id of the account alone: the law asks for them.</p>
${form(`${base}/account/delete`, {}, html`<button type="submit" class="grave">Delete the account for ever</button>`)}`
}
<p><a href="${base}/account">Back to the account</a></p>`

/** The page that shows a new key, once. */
export const newKeyPage = (base: string, key: string): Html => html`<h1>Your new key</h1>
<p><code>${key}</code></p>
<p>It is shown this once. Send it as <code>Authorization: Bearer</code> or <code>X-API-Key</code>: it acts as you, within its scope.</p>
<p><a href="${base}/account">Back to the account</a></p>`

/** Page shown once it is gone. */
export const deletedPage = html`<h1>The account is deleted</h1>
<p>Passkeys of it stay on your devices until you remove them there; they open nothing.</p>`
