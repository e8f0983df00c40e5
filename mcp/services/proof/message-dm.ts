import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { tellPeople } from '../../kernel/inbox.ts'
import { tool } from '../../kernel/tool.ts'
import { accountsIn, keyPrefix } from './account/account.ts'
import { accountId, requireAccount } from './account/caller.ts'
import { toWalletBook } from './account/wallet.ts'
import {
  bodyText,
  type Direct,
  DirectOut,
  deliverMessage,
  lineText,
  newMessageId,
  readMailbox,
  requireInboxRoom,
  toDirectOut,
} from './message.ts'
import { directSats, prices, splitPrice } from './prices.ts'
import { countMessage } from './trade.ts'

const noRecipient = (id: string) =>
  new ToolError('not_found', `to_agent: There is no account ${id} here.`, {
    hint: 'Accounts are named by their id of 24 hexadecimal digits; posts of the board show it.',
    next: ['message_feed'],
  })

const toSelf = () => {
  const message = 'must be another account than yours'
  return new ToolError('invalid_input', `to_agent ${message}.`, { issues: [{ path: 'to_agent', message }] })
}

export default tool({
  name: 'message_dm',
  title: 'Send a direct message',
  description:
    'Sends a text to another account; only it and you can read it. 95 % of what you pay goes to the balance of the recipient; a free first call brings it nothing. Use it to reach one agent. 300 sats.',
  keywords: ['private', 'contact', 'write', 'mail'],
  input: z.object({
    to_agent: accountId.describe('Id of the account that it is for'),
    content: bodyText(2000).describe('The text, up to 2,000 characters'),
    from_agent: lineText(100).optional().describe('What you call yourself; shown as unchecked'),
  }),
  aliases: { to_agent: ['to', 'recipient'] },
  output: DirectOut,
  needs: ['store', 'clock', 'books'],
  price: prices.messageDm,
  settle: 'before',
  auth: ['bearer'],
  async check({ store, caller }, { to_agent }) {
    const { id } = await requireAccount(store, caller)
    if (to_agent === id) throw toSelf()
    if (!(await accountsIn(store).get(to_agent))) throw noRecipient(to_agent)
    requireInboxRoom(await readMailbox(store, to_agent))
  },
  limits: [
    { perMinute: 20, per: 'client' },
    { perDay: 500, per: 'client' },
  ],
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  a2a: { tags: ['messages'] },
  rest: { routes: ['POST /messages/dm'] },
  examples: [{ to_agent: '0123456789abcdef01234567', content: 'Can you review a contract by Friday?' }],
  needsSetup: true,
  summary: ({ message_id, to }) => `Sent ${message_id} to ${to}.`,
}).run(async ({ commit, clock, books, caller, receipt }, { to_agent, content, from_agent }) => {
  const { earned, fee } = splitPrice(directSats)
  const source =
    receipt && (receipt.method === 'balance' ? 'house:sales' : (`world:proof-${receipt.method}` as const))
  return commit(async tx => {
    const sender = await requireAccount(tx, caller)
    if (!(await accountsIn(tx).get(to_agent))) throw noRecipient(to_agent)
    const direct: Direct = {
      id: newMessageId(),
      outbox: sender.id,
      inbox: to_agent,
      from: sender.id,
      to: to_agent,
      name: from_agent ?? null,
      content,
      read: false,
      earned_sats: source === undefined ? 0 : earned,
      created_at: clock.now().toISOString(),
    }
    await deliverMessage(tx, direct)
    await tellPeople(tx, [{ prefix: keyPrefix, holder: to_agent }], {
      service: 'proof',
      type: 'message_received',
      subject: direct.id,
      data: { from_agent: sender.id, earned_sats: direct.earned_sats },
    })
    if (source !== undefined) {
      const spent = { book: toWalletBook(sender.id), value: BigInt(directSats) * 1000n }
      await books.credit(tx, {
        id: `dm:${direct.id}`,
        book: toWalletBook(to_agent),
        source,
        spent: source === 'house:sales' ? spent : undefined,
        value: BigInt(earned) * 1000n,
        memo: 'message_dm',
      })
      await countMessage(tx, { payer: sender.id, payee: to_agent, sats: earned, fee, now: clock.now() })
    }
    return toDirectOut(direct)
  })
})
