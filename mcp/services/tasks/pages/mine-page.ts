import { endpoint } from '../../../kernel/endpoint.ts'
import { html } from '../../../lib/text/html.ts'
import { answerPage, workBox } from './page.ts'

export default endpoint({
  name: 'work_mine_page',
  title: 'My work, for people',
  description: 'A page where a wallet in the browser sees its tasks, their state and what was paid. Free.',
  method: 'GET',
  path: '/work/mine',
  body: 'none',
  answers: ['text/html'],
  needs: ['files'],
  auth: ['public'],
  limits: [{ perMinute: 120, per: 'client' }],
}).run(async ({ base, files }) =>
  answerPage({
    title: 'My work',
    base,
    files,
    body: html`<h1>My work</h1>
${workBox(html`data-mine`)}`,
  }),
)
