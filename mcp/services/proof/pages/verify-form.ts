import { type Html, html } from '../../../lib/text/html.ts'
import type { ProofBundle } from '../proofs/verify/proof.ts'

/**
 * The fields of the page that verifies, with a proof and the keys filled in: its script verifies them at once, in the browser. Without
 * scripts it says how else.
 */
export const verifyForm = (base: string, proof: ProofBundle, keys: object): Html =>
  html`<p>Your browser computes this from the file below and sends nothing.</p>
<noscript><p>This needs scripts. Without them, save the <a href="${base}/proofs/${proof.event.id}">file of the proof</a> and run <code>octagent verify-proof</code>.</p></noscript>
<section id="result" aria-live="polite" hidden>
<h3 id="verdict"></h3>
<ul id="lines"></ul>
<details><summary>What it says</summary><pre id="payload" tabindex="0" role="group" aria-label="What it says"></pre></details>
</section>
<details><summary>The file, and the keys it is held against</summary>
<p>The keys come from this service too. To be independent of it, paste those that you kept, or got over another channel.</p>
<label for="proof">The proof</label>
<input type="file" id="proof-file" aria-label="File of the proof">
<textarea id="proof" rows="8" spellcheck="false" autocomplete="off">${JSON.stringify(proof, null, 1)}</textarea>
<label for="keys">The keys of the issuer</label>
<input type="file" id="keys-file" aria-label="File of the keys">
<textarea id="keys" rows="6" spellcheck="false" autocomplete="off">${JSON.stringify(keys, null, 1)}</textarea>
<label for="artifact">SHA-256 of what it must be about, if you know it</label>
<input id="artifact" spellcheck="false" autocomplete="off">
<button id="verify" type="button">Verify</button>
</details>`
