import { endpoint } from '../../../kernel/endpoint.ts'
import { ToolError } from '../../../kernel/error.ts'
import { applyCardEvent } from './card-top-ups.ts'

export default endpoint({
  name: 'card_events',
  title: 'Payments by card',
  description:
    'The webhook of the processor of cards: signed events (Stripe-Signature) of payments, refunds and disputes. An event that comes again changes nothing.',
  method: 'POST',
  path: '/topup/card/events',
  body: 'raw',
  maxBytes: 262_144,
  answers: ['application/json'],
  needs: ['store', 'ledger', 'card'],
  limits: [{ perMinute: 600, per: 'client' }],
}).run(async ({ card, commit, ledger }, { bytes, headers }) => {
  const event = card.readEvent(bytes, headers['stripe-signature'])
  return commit(async tx => {
    try {
      const applied = await applyCardEvent(tx, ledger, event)
      return { kind: 'json', body: { received: true, applied } }
    } catch (error) {
      // To be told again would not change it: the operator finds the payment at the processor.
      if (!(error instanceof ToolError) || error.extra.reason !== 'amount_mismatch') throw error
      return { kind: 'json', body: { received: true, applied: false, problem: error.message } }
    }
  })
})
