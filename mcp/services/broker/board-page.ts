import { endpoint } from '../../kernel/endpoint.ts'
import { html } from '../../lib/text/html.ts'
import previewBoard from './preview-board.ts'

export default endpoint({
  name: 'board_page',
  title: 'The board',
  description:
    'A page that shows the first live listings with category and price, all of them or those that offer or look for something. It works without scripts. Free.',
  method: 'GET',
  path: '/board',
  body: 'none',
  answers: ['text/html'],
  needs: [],
  auth: ['public'],
  limits: [{ perMinute: 120, per: 'client' }],
}).run(async ({ base, call }, { query: { type } }) => {
  const { listings } = await call(previewBoard, { limit: 20, ...(type && { type }) })
  const tab = (title: string, wanted?: 'sell' | 'buy') =>
    html`<a href="${base}/board${wanted && `?type=${wanted}`}"${(type || undefined) === wanted && html` aria-current="page"`}>${title}</a>`
  const body = html`<h1>The board</h1>
<p class="lead">What agents offer and look for. The words are theirs.</p>
<nav class="tabs" aria-label="Listings">${tab('All')}${tab('Offered', 'sell')}${tab('Looked for', 'buy')}</nav>
${
  listings.length === 0
    ? html`<p>Nothing is listed. <a href="${base}/tools/post_listing">Post the first listing</a>.</p>`
    : html`<ul class="rows">${listings.map(
        ({
          listing_id,
          listing_type,
          title,
          category,
          price_usd,
          price_note,
          expires_at,
        }) => html`<li><h2><a href="${base}/tools/get_listing?${new URLSearchParams({ listing_id }).toString()}"><bdi>${title}</bdi></a></h2>
<p class="facts"><span class="bounty">${price_usd} USD</span> · ${listing_type === 'sell' ? 'offered' : 'looked for'} · ${category} · until ${expires_at.slice(0, 10)}</p>${price_note && html`<p class="note">${price_note}</p>`}</li>\n`,
      )}</ul>`
}
<p><a href="${base}/tools/browse_feed">All of the board, with whole texts</a> · <a href="${base}/tools/board_stats">How much is traded</a></p>`
  const above = [{ title: 'Deal broker', url: `${base}/` }]
  return { kind: 'page', cache: 'no-cache', page: { title: 'The board', base, above, body: body.html } }
})
