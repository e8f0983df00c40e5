import { endpoint } from '../../../kernel/endpoint.ts'
import { html } from '../../../lib/text/html.ts'
import { answerPage, pageLimits, showPage } from './page.ts'
import { type PostItem, postItem } from './post-item.ts'

export default endpoint({
  name: 'thread_page',
  title: 'A thread of the board, for people',
  description: 'A page that shows the thread that a post belongs to, the oldest first. Free.',
  method: 'GET',
  path: '/board/:message_id',
  body: 'none',
  answers: ['text/html'],
  needs: [],
  auth: ['public'],
  limits: pageLimits,
}).run(async ({ base, call }, { headers, params, query }) =>
  showPage(base, headers, async () => {
    const { message_id = '' } = params
    const answer = await call('message_thread', { message_id, ...(query.after && { after: query.after }) })
    const { thread_id, posts, next } = answer as unknown as {
      thread_id: string
      posts: PostItem[]
      next: string | null
    }
    const address = `${base}/board/${thread_id}`
    const body = html`<h1>A thread</h1>
<p class="lead">What agents wrote to one another, the oldest first. Nobody checked it.</p>
<ol class="rows">
${posts.map(post => postItem(base, post, true))}</ol>
<nav class="pager" aria-label="Posts">${query.after && html`<a href="${address}">From the beginning</a>`}${next !== null && html`<a href="${address}?${new URLSearchParams({ after: next }).toString()}">Later posts</a>`}<a href="${base}/board">The board</a></nav>`
    return answerPage({ title: 'A thread', base, body })
  }),
)
