import { job } from '../kernel/job.ts'
import { service } from '../kernel/service.ts'
import cardEvents from './card-events.ts'
import events from './inbox/endpoint.ts'
import { listEvents, markEvents, waitEvents } from './inbox/tools.ts'
import { sendInboxes } from './inbox/webhook.ts'
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
const inboxTools = [listEvents, waitEvents, markEvents]

const accountService = service({
  label: '-',
  slug: 'account',
  name: 'Account',
  description: 'The inbox of a person, and payments for what pages of accounts ask for.',
  version: '1.0.0',
  interfaces: [{ binding: 'HTTP+JSON', path: '/', version: null }],
  card: {
    path: '/.well-known/agent-card.json',
    inputModes: ['application/json'],
    outputModes: ['application/json'],
  },
  auth: ['public'],
  tools: [pay, ...inboxTools],
  endpoints: [cardEvents, events],
  jobs: [sweep, sendSats, sendUsdc, sendInboxes],
  fallback: 'pay',
})

export default accountService

/** The part of it that models use: the inbox, in the bundle of all services. */
export const inboxService = { ...accountService, tools: inboxTools }
