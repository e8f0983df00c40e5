import { z } from 'zod'
import { collection } from '../../../kernel/collection.ts'
import { ToolError } from '../../../kernel/error.ts'
import type { Tx } from '../../../ports/store/port.ts'

/** A message from account to account. Each side takes it out of its own mailbox. */
export type Direct = {
  id: string
  /** Null once the sender has deleted it. */
  outbox: string | null
  /** Null once the recipient has deleted it. */
  inbox: string | null
  from: string
  to: string
  name: string | null
  content: string
  read: boolean
  earned_sats: number
  created_at: string
}

/** Counts of an account's inbox. */
export type AccountInbox = { id: string; messages: number; unread: number }

/** Messages that an inbox holds. */
export const mailboxSize = 2000

const indexes = [
  { name: 'inbox', fields: ['inbox', 'created_at'] },
  { name: 'unread', fields: ['inbox', 'read', 'created_at'] },
  { name: 'outbox', fields: ['outbox', 'created_at'] },
] as const

export const directsIn = collection<Direct>({
  name: 'proof.direct_messages',
  indexes,
  budget: {
    what: 'direct messages',
    owner: ({ from }) => from,
    each: { rows: 500, bytes: 4 << 20 },
    network: { rows: 2000, bytes: 16 << 20 },
    allBytes: 64 << 20,
    ends: 'One goes when both sides have deleted it; a paid one does not count.',
  },
})
const mailboxesIn = collection<AccountInbox>({
  name: 'proof.mailboxes',
  bounded: 'One for each account that has a message.',
})

export const readMailbox = async (tx: Pick<Tx, 'collection'>, account: string): Promise<AccountInbox> =>
  (await mailboxesIn(tx).get(account)) ?? { id: account, messages: 0, unread: 0 }

/** Throws `conflict` where no message fits any more. */
export const requireInboxRoom = ({ messages }: AccountInbox): void => {
  if (messages < mailboxSize) return
  throw new ToolError('conflict', `The inbox of the recipient is full: it holds ${messages} messages.`, {
    reason: 'mailbox_full',
    hint: 'Nothing was charged. Try again once the recipient has deleted some.',
  })
}

/** Delivers a message, in the transaction of the call. */
export const deliverMessage = async (tx: Tx, direct: Direct): Promise<void> => {
  const mailbox = await readMailbox(tx, direct.to)
  requireInboxRoom(mailbox)
  if (!(await directsIn(tx).insert(direct))) throw new Error('a message id came up twice')
  await mailboxesIn(tx).put({
    ...mailbox,
    messages: mailbox.messages + 1,
    unread: mailbox.unread + 1,
  })
}

const missing = (id: string) => new ToolError('not_found', `Your mailbox holds no message ${id}.`)

/** Marks messages of an inbox as read; tells how many were not. Throws `not_found` for one that is not in it, and marks none then. */
export const markRead = async (tx: Tx, account: string, ids: readonly string[]): Promise<number> => {
  const mailbox = await readMailbox(tx, account)
  const directs = await Promise.all(
    [...new Set(ids)].map(async id => {
      const direct = await directsIn(tx).get(id)
      if (direct?.inbox !== account) throw missing(id)
      return direct
    }),
  )
  const unread = directs.filter(({ read }) => !read)
  for (const direct of unread) await directsIn(tx).put({ ...direct, read: true })
  if (unread.length > 0) await mailboxesIn(tx).put({ ...mailbox, unread: mailbox.unread - unread.length })
  return unread.length
}

/** Takes a message out of the mailbox of one side; the other one keeps it. Throws `not_found` where it is not there. */
export const discard = async (tx: Tx, account: string, id: string): Promise<void> => {
  const direct = await directsIn(tx).get(id)
  const isIn = direct?.inbox === account
  const isOut = direct?.outbox === account
  if (!direct || (!isIn && !isOut)) throw missing(id)
  if (isIn) {
    const mailbox = await readMailbox(tx, account)
    await mailboxesIn(tx).put({
      ...mailbox,
      messages: mailbox.messages - 1,
      unread: mailbox.unread - (direct.read ? 0 : 1),
    })
  }
  const rest = { ...direct, inbox: isIn ? null : direct.inbox, outbox: isOut ? null : direct.outbox }
  if (rest.inbox === null && rest.outbox === null) await directsIn(tx).delete(id)
  else await directsIn(tx).put(rest)
}

export const DirectOut = z
  .object({
    message_id: z.string().describe('Id of the message'),
    from: z.string().describe('Account that sent it'),
    from_name: z.string().nullable().describe('What the sender calls itself; nobody checked it'),
    to: z.string().describe('Account that it was sent to'),
    content: z.string().describe('What was written'),
    earned_sats: z.int().describe('What it brought to the balance of the recipient'),
    created_at: z.string().describe('When it was sent'),
  })
  .describe('A message')

export const toDirectOut = ({ id, from, to, name, content, earned_sats, created_at }: Direct) => ({
  message_id: id,
  from,
  from_name: name,
  to,
  content,
  earned_sats,
  created_at,
})
