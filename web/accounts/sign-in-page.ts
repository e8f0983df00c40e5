import { accountChains } from '../../mcp/accounts/wallet.ts'
import { type Html, html } from '../../mcp/lib/text/html.ts'
import { form } from './answer.ts'

/** Choosing between wallets, where the browser has several. */
export const walletChoice = html`<div id="wallets" hidden><label for="wallet">Wallet</label><select id="wallet"></select></div>`

/** Form for a person without a wallet in the browser: the page works without scripts from here on. */
export const byHand = (action: string, fields: Readonly<Record<string, string>>): Html =>
  html`<details>
<summary>Without a wallet in this browser</summary>
<p class="note">You get a message to sign elsewhere, such as with a hardware wallet or on another machine.</p>
${form(
  action,
  fields,
  html`<label for="address">Address</label>
<input id="address" name="address" required autocomplete="off" spellcheck="false" maxlength="60" placeholder="0x…">
<label for="chain">Chain of a smart account</label>
<select id="chain" name="chain_id">${[...accountChains].map(([id, { title }]) => html`<option value="${id}">${title}</option>`)}</select>
<button type="submit" class="quiet">Show the message</button>`,
)}
</details>`

type SignIn = {
  host: string
  base: string
  /** Its target, from `/auth/` on, and as browsers ask for that. */
  back: string
  goOn: string
  /** True when browsers make passkeys for this address. */
  passkeys: boolean
  /** Name of the account that the browser is signed in to. */
  signedIn: string | undefined
  /** True when a fresh proof was asked for. */
  again: boolean
}

const newHere = html`<h2>New here?</h2>
<p>A passkey is all it takes: no e-mail address, no password.</p>
<form id="create">
<label for="name">Name of the account <span class="note">(optional, only you see it)</span></label>
<input id="name" name="name" maxlength="60" autocomplete="nickname">
<button type="submit" class="quiet">Create an account with a passkey</button>
</form>`

const noPasskeys = html`<p class="note">Passkeys need https and a host name; this address has none. A wallet works.</p>`

/** The page on which a person signs in, or shows again that it is them. */
export const signInPage = ({ host, base, back, goOn, passkeys, signedIn, again }: SignIn): Html => {
  const purpose = again ? 'prove' : 'sign-in'
  const verb = again ? 'Continue' : 'Sign in'
  const intro = again
    ? html`<p>You are signed in as <strong>${signedIn}</strong>. For what comes now, use one of its keys again.</p>
<p><a href="${base}/sign-in?return=${encodeURIComponent(back)}">Sign in to another account</a></p>`
    : html`<p>to <strong>${host}</strong></p>
${signedIn === undefined ? '' : html`<p>You are signed in as <strong>${signedIn}</strong>. <a href="${goOn}">Go on</a></p>`}`
  const byPasskey = html`<button type="button" data-passkey="${purpose}">${verb} with a passkey</button>
${again ? '' : newHere}`
  return html`<h1>${again ? 'Show that it is you' : 'Sign in'}</h1>
${intro}
<noscript><p>Passkeys and wallets in the browser need scripts. A signature that is made elsewhere does not: see below.</p></noscript>
<section data-keys data-base="${base}" data-back="${back}" aria-label="Ways to sign in">
${passkeys ? byPasskey : noPasskeys}
<h2>Ethereum wallet</h2>
<p>Sign a message, which costs nothing. ${again ? '' : 'A wallet that is new here gets an account of its own.'}</p>
${walletChoice}
<button type="button" class="quiet" data-wallet="${purpose}">${verb} with a wallet</button>
${byHand(`${base}/wallet/message`, { purpose, return: back })}
<p id="status" role="status"></p>
</section>`
}

/** The page that shows a message to sign elsewhere and takes the signature. */
export const messagePage = (
  action: string,
  fields: Readonly<Record<string, string>>,
  message: string,
): Html =>
  html`<h1>Sign this message</h1>
<p>With the wallet that it names, within five minutes, exactly as it stands:</p>
<pre tabindex="0" aria-label="Message to sign">${message}</pre>
<p class="note">Sign it as text (<code>personal_sign</code>, EIP-191), for example by <code>cast wallet sign</code>.</p>
${form(
  action,
  fields,
  html`<label for="signature">Signature</label>
<textarea id="signature" name="signature" rows="4" required autocomplete="off" spellcheck="false" maxlength="16002" placeholder="0x…"></textarea>
<button type="submit">Check the signature</button>`,
)}`
