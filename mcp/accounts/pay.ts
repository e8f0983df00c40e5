import { z } from 'zod'
import { ToolError } from '../kernel/error.ts'
import { type Context, paidBy, sats, tool, usd } from '../kernel/tool.ts'
import { perCall } from '../lib/per-call.ts'
import { formatUsd } from '../lib/usd.ts'
import { isOpen, type PaymentRequest, paymentRequestsIn, takePayment } from './payment-requests.ts'

/** The request of a page. A payment on its way is taken also when the page is over: the balance has it then. */
const loadRequest = perCall(
  async ({ store, clock, isPaying }: Context<'store' | 'clock'>, { id }: { id: string }) => {
    const row = await paymentRequestsIn(store).get(id)
    if (row && (isPaying || isOpen(row, clock.now()))) return row
    throw new ToolError('gone', 'This page is over, or never was.', {
      hint: 'Nothing was charged. Have the client make its call again: it gets a new page.',
    })
  },
)

/** What is bought, in words for the page on which it is paid, and the page that its person came from. */
const noteOf = (
  { base }: Pick<Context<'store'>, 'base'>,
  { id, call }: Pick<PaymentRequest, 'id' | 'call'>,
) => {
  const toPage = (path: string) => String(new URL(path, base))
  if (call)
    return {
      hint: `It is set aside for this one call of ${call.client}.`,
      params: { buys: `${call.service_name}, ${call.title}`, back: toPage(`auth/pay/${id}`) },
    }
  return { hint: 'It is added to the balance.', params: { buys: 'Top up', back: toPage('auth/balance') } }
}

export default tool({
  name: 'pay',
  title: 'Pay a request',
  description:
    'Pays what a page of this server asks for: it covers one call of a client, or adds to a balance. It costs exactly what is asked. Whoever has the link may pay.',
  input: z.object({
    id: z
      .string()
      .regex(/^[\w-]{22}$/, 'the last part of the link')
      .describe('The last part of the link'),
  }),
  output: z.object({
    usd: z.string().describe('What was paid, in dollars'),
    credited_to: z
      .enum(['call', 'balance'])
      .describe('Whether the call waits with it, or the balance has it'),
    note: z.string().describe('The same in words'),
    receipt: z.string().describe('Id of the receipt, at /receipts/{id}'),
  }),
  needs: ['store', 'ledger', 'clock'],
  price: usd('1.00'),
  settle: 'before',
  prepaid: false,
  credits: true,
  check: loadRequest,
  async quote(ctx, input) {
    const row = await loadRequest(ctx, input)
    const { amount, sats: sum } = row
    const price = sum === null ? usd(formatUsd(BigInt(amount))) : sats(sum)
    return { ...price, note: noteOf(ctx, row) }
  },
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  rest: { routes: ['GET /pay/:id/wallet', 'POST /pay/:id'] },
  examples: [{ id: 'AAAAAAAAAAAAAAAAAAAAAA' }],
  needsSetup: true,
  summary: ({ note }) => note,
}).run(({ commit, ledger, clock, receipt }, { id }) => {
  const { id: receiptId, method } = paidBy(receipt)
  return commit(async tx => {
    const { row, to } = await takePayment(tx, { ledger, clock }, id, { receipt: receiptId, method })
    const amount = formatUsd(BigInt(row.amount))
    const late = row.call
      ? `It came after the page was over or paid, so the balance has the ${amount} USD.`
      : ''
    const note =
      to === 'call'
        ? `${amount} USD is set aside for this call. Let your client go on, or make the call again within an hour.`
        : late || `The balance has ${amount} USD more.`
    return { usd: amount, credited_to: to, note, receipt: receiptId }
  })
})
