import { z } from 'zod'
import { paidBy, tool, usd } from '../../kernel/tool.ts'
import { findPayer, reissueKey, rememberWallet } from './account.ts'
import { addCredits, loadCredits, topUps, toUsd } from './money.ts'

const sizes = Object.keys(topUps) as [keyof typeof topUps, ...(keyof typeof topUps)[]]

export default tool({
  name: 'add_credits',
  title: 'Add credits',
  description:
    'Adds credits by an x402 payment in USDC on Base: 2,000 credits per USD, from 0.50. Paid without a key, it opens an account for the paying wallet and returns its key, once.',
  keywords: ['card', 'dollars', 'balance', 'buy', 'deposit', 'money'],
  input: z.object({
    usd: z.enum(sizes).default('0.50').describe('What to pay: 0.50, 1.00, 5.00, 10.00 or 50.00 USD'),
  }),
  output: z.object({
    account_id: z.string().describe('The account that was credited'),
    api_key: z.string().nullable().describe('Key of an account that this payment opened, shown this once'),
    added: z.number().int().describe('Credits that came'),
    available: z.number().int().describe('Credits that can be spent now'),
    balance_usd: z.string().describe('The whole balance in USD'),
  }),
  needs: ['store', 'clock', 'ledger', 'keys'],
  price: usd('0.50'),
  quote: (_, { usd: size }) => usd(size),
  settle: 'before',
  credits: true,
  auth: ['apiKey', 'public'],
  secret: ({ api_key }) => api_key !== null,
  reissue: (ctx, { usd: size }) =>
    ctx.commit(async tx => {
      const { account, api_key } = await reissueKey(tx, ctx)
      const { available, total } = await loadCredits(tx, ctx.ledger, account.id)
      return { account_id: account.id, api_key, added: topUps[size], available, balance_usd: toUsd(total) }
    }),
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  a2a: { tags: ['credits', 'x402'] },
  rest: { routes: ['POST /v1/account/credits'] },
  examples: [{ usd: '0.50' }],
  summary: ({ added, available }) => `${added} credits added; ${available} can be spent.`,
}).run((ctx, { usd: size }) => {
  const { commit, ledger, receipt } = ctx
  const payment = paidBy(receipt)
  return commit(async tx => {
    const { account, api_key } = await findPayer(tx, ctx)
    await rememberWallet(tx, account.id, payment.payer)
    const move = {
      id: `broker-topup:${payment.id}`,
      account: account.id,
      credits: topUps[size],
      memo: 'x402',
    }
    await addCredits(tx, ledger, { ...move, from: 'sales' })
    const { available, total } = await loadCredits(tx, ledger, account.id)
    return { account_id: account.id, api_key, added: topUps[size], available, balance_usd: toUsd(total) }
  })
})
