import { type Html, html } from '../../../lib/text/html.ts'
import type { SessionOut } from '../public-session.ts'
import { factList, timeText, toWords } from './facts.ts'
import { page, signInBox, type Visit } from './page.ts'

type Session = (typeof SessionOut)['_output']

const sessionItem = ({ base, now, forms, account }: Visit, session: Session): Html => {
  const { session_id, task_id, state, clock, stops_at, needs } = session
  const isPayer = session.publisher_id === account
  const isOpen = state === 'open'
  return html`<li><h3><a href="${base}/${isPayer ? 'publish' : 'work'}/tasks/${task_id}">${session.rate_usd} USD a ${session.unit}</a></h3>
${factList([
  ['State', `${toWords(state)}${isOpen ? `, the clock is ${clock}` : ''}`],
  ['Until', stops_at !== null && timeText(stops_at, now)],
  [
    'It needs',
    needs && (needs === 'voucher' ? 'a voucher: the clock stands' : 'more deposit: the clock stands'),
  ],
  ['Time so far', `${session.spent_usd} USD, fee included`],
  ['Deposit', `${session.deposit_usdc} USDC on ${toWords(session.network)}`],
  ['Worker got', session.earned_usd !== null && `${session.earned_usd} USD`],
  ['Came back', session.refunded_usdc !== null && `${session.refunded_usdc} USDC`],
  ['On the balance of the publisher', session.credited_usd !== null && `${session.credited_usd} USD`],
  ['Settled by', session.close_transaction],
  ['Problem', session.problem],
  ['Began', timeText(session.created_at, now)],
])}
${
  isOpen &&
  html`<details><summary>Close it</summary><p>The escrow pays what the last voucher says, and the payer gets the rest.</p>
${forms.form({ operation: 'close_session', key: session_id, submit: 'Close the session', quiet: true, input: { session_id } })}</details>`
}</li>`
}

/** Metered sessions of a signed-in person, on both sides. */
export default page(
  {
    name: 'work_sessions_page',
    title: 'Paid time, for people',
    description:
      'A page where a signed-in person follows the sessions that pay for its time, or that it pays, and closes them. Free.',
    path: '/work/sessions',
  },
  async visit => {
    const { account, base, call, query } = visit
    const title = 'Paid time'
    if (account === undefined)
      return { title, body: html`<h1>Paid time</h1>${signInBox(visit, 'Sign in to see your sessions.')}` }
    const list = async (role: 'worker' | 'publisher') =>
      (await call('list_sessions', { role, ...(query[role] && { after: query[role] }) })) as unknown as {
        sessions: Session[]
        next: string | null
      }
    const sides = [
      ['worker', 'That pay you', await list('worker')],
      ['publisher', 'That you pay', await list('publisher')],
    ] as const
    return {
      title,
      body: html`<h1>Paid time</h1>
<p>A publisher may pay for the time of a worker who is at work, by the second, minute or hour. It is opened by a program of the publisher; <a href="${base}/guide/sessions">how that goes</a>.</p>
${sides.map(
  ([role, name, { sessions, next }]) =>
    html`<h2>${name}</h2>
${sessions.length > 0 ? html`<ul class="tasks">${sessions.map(session => sessionItem(visit, session))}</ul>` : html`<p>None.</p>`}
${next !== null && html`<p><a href="${base}/work/sessions?${new URLSearchParams({ [role]: next }).toString()}">Earlier ones</a></p>`}`,
)}`,
    }
  },
)
