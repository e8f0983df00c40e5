import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { accountsIn, Profile, requireAccount, toProfile } from './account.ts'
import { EmailAddress, HttpsUrl } from './address.ts'

export default tool({
  name: 'set_contact',
  title: 'Set the contact',
  description:
    'Sets who the other side of a sealed deal may speak to. Shown to that side only, and only after sealing. Free.',
  keywords: ['email', 'name', 'update', 'phone', 'person'],
  input: z.object({
    contact_name: z.string().trim().min(1).max(200).describe('Who to speak to'),
    contact_email: EmailAddress.describe('Address of that contact'),
    contact_url: HttpsUrl.optional().describe('Page of that contact; left out, there is none'),
  }),
  output: Profile,
  needs: ['store'],
  price: free,
  auth: ['apiKey'],
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['account', 'free'] },
  rest: { routes: ['PUT /v1/account/contact'] },
  examples: [{ contact_name: 'Ada', contact_email: 'ada@octagent-market.org' }],
  summary: ({ contact_name }) => `The contact is ${contact_name}.`,
}).run((ctx, { contact_name, contact_email, contact_url = null }) =>
  ctx.commit(async tx => {
    const account = { ...(await requireAccount(tx, ctx.caller)), contact_name, contact_email, contact_url }
    await accountsIn(tx).put(account)
    return toProfile(account, ctx)
  }),
)
