import { createHash } from 'node:crypto'
import type { EndpointAnswer } from '../../../kernel/endpoint.ts'
import { type Html, html } from '../../../lib/text/html.ts'
import type { Files } from '../../../ports/index.ts'
import { style } from './style.ts'

const styleHash = createHash('sha256').update(style).digest('base64')

/** Where a page may send files: here, or at the store of files, whose addresses it is told. */
const toConnect = (files: Files): string => (files.direct ? "'self' https:" : "'self'")

type Page = { title: string; base: string; body: Html; files: Files; status?: number }

/** Answers with a page for people: one style, one script of ours, nothing from elsewhere. */
export const answerPage = ({ title, base, body, files, status = 200 }: Page): EndpointAnswer => {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${{ html: style }}</style>
<script src="${base}/work/script.js" defer></script>
</head>
<body data-base="${base}">
<header><a href="${base}/work">Tasks</a><a href="${base}/work/mine">My work</a></header>
<main>
${body}
</main>
</body>
</html>
`
  return {
    kind: 'bytes',
    type: 'text/html; charset=utf-8',
    bytes: Buffer.from(page.html),
    status,
    headers: {
      'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${styleHash}'; script-src 'self'; connect-src ${toConnect(files)}; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Resource-Policy': 'same-origin',
    },
  }
}

/** Where the script shows what a wallet may do; without scripts it says so. */
export const workBox = (attributes: Html): Html =>
  html`<section class="work" aria-labelledby="work-title" ${attributes}>
<h2 id="work-title">Your part</h2>
<div data-view><noscript><p>To apply and to hand in work, this page needs scripts and a browser with an Ethereum wallet.</p></noscript></div>
<p class="say" role="status" data-say></p>
</section>`
