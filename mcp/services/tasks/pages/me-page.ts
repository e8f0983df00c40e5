import { html } from '../../../lib/text/html.ts'
import type { WorkerOut } from '../account/public-worker.ts'
import { factList } from './facts.ts'
import { page, signInBox } from './page.ts'
import { findAnswer } from './task-page.ts'

type Me = (typeof WorkerOut)['_output'] & { badges: { badge: string }[] }

const toPercent = (rate: number | null): string =>
  rate === null ? 'nothing to count yet' : `${Math.round(rate * 100)} %`

export default page(
  {
    name: 'work_me_page',
    title: 'My profile, for people',
    description:
      'A page where a signed-in person says what it can do, reads its reputation, makes a key for an agent, and signs out. Free.',
    path: '/work/me',
  },
  async visit => {
    const { account, forms, base, signIn } = visit
    const title = 'Me'
    if (account === undefined)
      return {
        title,
        body: html`<h1>Me</h1>${signInBox(visit, 'Sign in to see your profile, and to make a key for an agent.')}`,
      }
    const me = await findAnswer<Me>(visit, 'get_worker', { executor_id: account })
    const signOut = signIn.replace(/\/sign-in\?.*$/, '/sign-out')
    return {
      title,
      body: html`<h1>${me?.name ?? 'Me'}</h1>
<p class="facts">${account}</p>
${
  me &&
  factList([
    ['Reputation', `${me.reputation.score} of 100 (${me.reputation.tier})`],
    ['Completed', me.completed],
    ['On time', toPercent(me.on_time_rate)],
    ['Approved', toPercent(me.approval_rate)],
    ['Rating', me.avg_rating],
    ['Badges', me.badges.map(({ badge }) => badge).join(', ') || null],
    ['Earned', `${me.earned_usd} USD`],
  ])
}
<section class="work"><h2>What publishers see of you</h2>
${forms.form(
  {
    operation: 'register_worker',
    submit: me?.kind ? 'Save' : 'Register',
    input: { kind: me?.kind ?? 'human' },
  },
  field => [
    field({
      name: 'name',
      label: 'Your name',
      required: true,
      maxLength: 60,
      ...(me?.name && { value: me.name }),
    }),
    field({
      name: 'skills|list',
      label: 'Skills, with commas between',
      maxLength: 600,
      ...(me && { value: me.skills.join(', ') }),
    }),
    field({
      name: 'bio',
      label: 'What you can do',
      kind: 'area',
      maxLength: 1000,
      ...(me?.bio && { value: me.bio }),
    }),
  ],
)}</section>
<section class="work"><h2>A key for an agent</h2>
<p>An agent or an MCP client that cannot sign acts for you with a key, at <code>${base}/mcp</code> and <code>${base}/api/v1</code>. An account has one: another ends the one before.</p>
${forms.form({ operation: 'make_key', submit: 'Make a key', quiet: true })}</section>
<form method="post" action="${signOut}"><button type="submit" class="plain">Sign out</button></form>`,
    }
  },
)
