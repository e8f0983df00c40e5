import { type Html, html } from '../../mcp/lib/text/html.ts'

/** An invoice to pay; `pay` is where a program pays it, which the script of the page is. */
export const invoicePage = ({
  pay,
  back,
}: {
  pay: string
  back: string
}): Html => html`<h1>Pay over Lightning</h1>
<section id="invoice" data-pay="${pay}" data-back="${back}">
<p id="price"></p>
<p><code id="text"></code></p>
<p><a id="open" hidden>Open it in your wallet</a></p>
<button id="webln" type="button" hidden>Pay with the wallet of this browser</button>
<label for="preimage">Proof of payment (preimage), as your wallet shows it once it has paid</label>
<input id="preimage" autocomplete="off" spellcheck="false" maxlength="64">
<button id="show" type="button">I have paid</button>
</section>
<p id="status" role="status"></p>
<noscript><p>Paying here needs JavaScript.</p></noscript>
<p class="note"><a href="${back}">Your balance</a></p>`
