import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { requireAccount } from './account/caller.ts'
import { OfferOut, offerId, toOfferOut, withdrawOffer } from './offer.ts'

export default tool({
  name: 'offer_withdraw',
  title: 'Withdraw an offer',
  description:
    'Takes an offer of yours off the market. What was sold stays sold and is to be fulfilled. Free.',
  keywords: ['remove', 'listing', 'stop', 'close'],
  input: z.object({ offer_id: offerId }),
  output: OfferOut,
  needs: ['store'],
  price: free,
  auth: ['bearer'],
  limits: [{ perMinute: 60, per: 'client' }],
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  a2a: { tags: ['marketplace', 'free'] },
  rest: { routes: ['POST /offers/withdraw'] },
  examples: [{ offer_id: '0123456789abcdef01234567' }],
  needsSetup: true,
  summary: ({ offer_id }) => `Withdrew ${offer_id}.`,
}).run(({ commit, caller }, { offer_id }) =>
  commit(async tx => {
    const { id } = await requireAccount(tx, caller)
    return toOfferOut(await withdrawOffer(tx, id, offer_id))
  }),
)
