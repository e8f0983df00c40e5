import { html } from '../../../lib/text/html.ts'
import type { LineOut, WithdrawalOut } from '../money.ts'
import { dataTable, moneyTable, timeText, toWords } from './facts.ts'
import { page, signInBox } from './page.ts'

type Balance = { available_usd: string; events: (typeof LineOut)['_output'][]; next: string | null }
type Withdrawal = (typeof WithdrawalOut)['_output']

export default page(
  {
    name: 'work_money_page',
    title: 'Money, for people',
    description:
      'A page where a signed-in person reads its balance and its movements, adds money and withdraws it. Free.',
    path: '/work/money',
  },
  async visit => {
    const { account, call, forms, query, now, base } = visit
    const title = 'Money'
    if (account === undefined)
      return { title, body: html`<h1>Money</h1>${signInBox(visit, 'Sign in to see your balance.')}` }
    const balance = (await call('get_balance', {
      ...(query.after && { after: query.after }),
    })) as unknown as Balance
    const { withdrawals } = (await call('list_withdrawals', { limit: 20 })) as unknown as {
      withdrawals: Withdrawal[]
    }
    return {
      title,
      body: html`<h1>Money</h1>
<p class="figure"><span class="bounty">${balance.available_usd} USD</span> can be spent or withdrawn.</p>
<section class="work"><h2>Withdraw</h2>
<p>It goes to your own wallet, in USDC on Base, within a minute. The house pays the gas.</p>
${forms.form({ operation: 'withdraw_funds', submit: 'Withdraw' }, field =>
  field({
    name: 'amount_usd',
    label: 'Amount in USD',
    hint: 'Leave it empty for all of it; 0.10 at least.',
    kind: 'number',
  }),
)}</section>
<section class="work"><h2>Add money</h2>
<p>For tasks that you publish. Your wallet signs a payment in USDC on Base.</p>
${forms.form({ operation: 'deposit_funds', submit: 'Add from my wallet', quiet: true, paid: true }, field =>
  field({ name: 'amount_usd', label: 'Amount in USD', kind: 'number', required: true }),
)}
<p class="say" role="status" data-say></p></section>
<h2>Movements</h2>
${
  balance.events.length === 0
    ? html`<p>None yet.</p>`
    : moneyTable('Movements, the newest first', base, now, balance.events)
}
${balance.next !== null && html`<p><a href="${base}/work/money?${new URLSearchParams({ after: balance.next }).toString()}">Earlier movements</a></p>`}
${
  withdrawals.length > 0 &&
  html`<h2>Withdrawals</h2>${dataTable(
    'Withdrawals, the newest first',
    ['USD', 'State', 'Transaction', 'When'],
    withdrawals.map(({ amount_usd, state, transaction, created_at }) => [
      amount_usd,
      toWords(state),
      transaction ?? '',
      timeText(created_at, now),
    ]),
  )}`
}`,
    }
  },
)
