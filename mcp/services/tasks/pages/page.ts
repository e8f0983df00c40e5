import type { EndpointAnswer } from '../../../kernel/endpoint.ts'
import type { Link } from '../../../kernel/page.ts'
import { type Html, html } from '../../../lib/text/html.ts'
import type { Files } from '../../../ports/index.ts'

type Page = {
  title: string
  base: string
  body: Html
  files: Files
  status?: number
  /** Pages between the list of tasks and this one. */
  above?: readonly Link[]
}

/** Answers with a page for people. Its script may send files here, or to the store of files, whose addresses it is told. */
export const answerPage = ({ title, base, body, files, status = 200, above = [] }: Page): EndpointAnswer => ({
  kind: 'page',
  status,
  page: {
    title,
    base,
    body: html`<nav class="tabs" aria-label="Work"><a href="${base}/work">Open tasks</a><a href="${base}/work/mine">My work</a></nav>
${body}`.html,
    section: 'Work',
    above,
    attributes: { base },
    sources: [{ src: `${base}/work/script.js` }],
    ...(files.direct && { policy: { 'connect-src': "'self' https:" } }),
  },
})

/** Where the script shows what a wallet may do; without scripts it says so. */
export const workBox = (attributes: Html): Html =>
  html`<section class="work" aria-labelledby="work-title" ${attributes}>
<h2 id="work-title">Your part</h2>
<div data-view><noscript><p>To apply and to hand in work, this page needs scripts and a browser with an Ethereum wallet.</p></noscript></div>
<p class="say" role="status" data-say></p>
</section>`
