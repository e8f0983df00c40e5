import { job } from '../kernel/job.ts'
import { service } from '../kernel/service.ts'
import cardEvents from './card-events.ts'
import pay from './pay.ts'
import { sweepRequests } from './payment-requests.ts'
import { sweepSpentDays } from './spending.ts'
import { sendSats, sendUsdc } from './withdrawal/send.ts'

/** Path of card processors' events, below `/auth`, and at `/account` as earlier versions said. */
export const cardEventsPath = cardEvents.path

const sweep = job({ name: 'payment-request-sweep', every: 60, needs: ['store', 'ledger', 'clock'] }).run(
  async ctx => {
    await sweepRequests(ctx)
    await sweepSpentDays(ctx)
  },
)

/**
 * What balances of people ask of strangers: payments for their pages, and events of the processor of cards. It is served beside the
 * services and listed with none: agents have no use for it, and payments go through the one gate all the same.
 */
export default service({
  label: '-',
  slug: 'account',
  name: 'Balances',
  description: 'Takes payments for what pages of accounts ask for.',
  version: '1.0.0',
  interfaces: [{ binding: 'HTTP+JSON', path: '/', version: null }],
  card: {
    path: '/.well-known/agent-card.json',
    inputModes: ['application/json'],
    outputModes: ['application/json'],
  },
  auth: ['public'],
  tools: [pay],
  endpoints: [cardEvents],
  jobs: [sweep, sendSats, sendUsdc],
  fallback: 'pay',
})
