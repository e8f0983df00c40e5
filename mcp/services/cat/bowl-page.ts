import type { z } from 'zod'
import { endpoint } from '../../kernel/endpoint.ts'
import { countText } from '../../lib/text/count.ts'
import { type Html, html } from '../../lib/text/html.ts'
import type { Kibble } from './bowl.ts'
import { feedingUsd } from './feeding.ts'
import feedings from './feedings.ts'
import guestbook from './guestbook.ts'
import kibble from './kibble.ts'

const toTime = (iso: string): string => `${iso.slice(0, 16).replace('T', ' ')} UTC`

/** The bowl as a picture; its words stand below. */
const bowlFigure = ({ kibble, mood }: z.output<typeof Kibble>): Html => {
  // The inside of the bowl is 60 high, from 30 to 90.
  const height = (kibble * 60) / 100
  return html`<figure><svg viewBox="0 0 240 100" role="img" aria-label="The bowl is at ${kibble} %, the cat is ${mood}"><rect class="area" x="40" y="${90 - height}" width="160" height="${height}"/><path class="trend" d="M20 30H40V90H200V30H220"/><path class="diagonal" d="M40 42H200"/></svg>
<figcaption><span>The cat is ${mood}: ${kibble} % kibble, one less each hour</span></figcaption></figure>`
}

const button = (base: string, tool: string, text: string, style: 'quiet' | '' = ''): Html =>
  html`<form method="post" action="${base}/tools/${tool}#answer"><input type="hidden" name="pay.back" value="${base}/bowl"><button class="${style}">${text}</button></form>`

const signForm = (base: string): Html =>
  html`<form method="post" action="${base}/tools/sign#answer"><input type="hidden" name="pay.back" value="${base}/bowl">
<div class="row"><div><label for="name">Your name</label><input id="name" name="name" required maxlength="60" autocomplete="nickname"></div>
<div><label for="note">A note, for good</label><input id="note" name="note" maxlength="100" autocomplete="off"></div></div><button class="quiet">Sign</button></form>`

export default endpoint({
  name: 'bowl_page',
  title: 'The bowl and the guest book',
  description:
    'A page that shows how full the bowl is, who fed the cat and who signed the guest book, with buttons to pet, feed and sign. It works without scripts. Free.',
  method: 'GET',
  path: '/bowl',
  body: 'none',
  answers: ['text/html'],
  needs: [],
  auth: ['public'],
  limits: [{ perMinute: 120, per: 'client' }],
}).run(async ({ base, call }, { query: { after } }) => {
  const [bowl, fed, book] = await Promise.all([
    call(kibble, {}),
    call(feedings, { limit: 5 }),
    call(guestbook, { limit: 20, ...(after && { after }) }),
  ])
  const body = html`<h1>The bowl</h1>
${bowlFigure(bowl)}
<div class="pager">${button(base, 'pet', 'Pet the cat')}${button(base, 'feed', `Feed the cat: ${feedingUsd} USD`, 'quiet')}</div>
<h2 id="feedings">Fed ${countText(bowl.feedings, 'time')}</h2>
${
  fed.feedings.length === 0
    ? html`<p>Nobody fed the cat yet.</p>`
    : html`<ul class="rows">${fed.feedings.map(({ number, amount_usd, feeder, fed_at }) => html`<li><p>Number ${number}: ${amount_usd} USD</p><p class="note">${toTime(fed_at)} · <span class="hash">${feeder}</span></p></li>\n`)}</ul>`
}
<h2 id="guestbook">Guest book</h2>
${signForm(base)}
${
  book.signatures.length === 0
    ? html`<p>Nobody signed yet.</p>`
    : html`<ul class="rows">${book.signatures.map(({ number, name, note, signed_at }) => html`<li><p><bdi>${name}</bdi>${note !== '' && html`: <bdi>${note}</bdi>`}</p><p class="note">Number ${number} · ${toTime(signed_at)}</p></li>\n`)}</ul>`
}
<nav class="pager" aria-label="Signatures">${after && html`<a href="${base}/bowl#guestbook">Newest</a>`}${book.next !== null && html`<a href="${base}/bowl?${new URLSearchParams({ after: book.next }).toString()}#guestbook">Older</a>`}</nav>`
  const above = [{ title: 'The cat', url: `${base}/` }]
  return { kind: 'page', cache: 'no-cache', page: { title: 'The bowl', base, above, body: body.html } }
})
