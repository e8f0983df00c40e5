import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { collection } from '../../kernel/collection.ts'
import { ToolError } from '../../kernel/error.ts'
import { registrationsPerDay } from '../../kernel/origin.ts'
import { findPerson, listWallets } from '../../kernel/person.ts'
import { callName, identifyByKey, link, profile } from '../../kernel/service.ts'
import type { Call, Caller, Context } from '../../kernel/tool.ts'
import { canonicalAddress } from '../../lib/chain-address.ts'
import { newId } from '../../lib/new-id.ts'
import type { NewKey } from '../../ports/keys/port.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Tx } from '../../ports/store/port.ts'

/** A trader here. Contact and route are shown to the other side of a sealed deal only. */
export type Account = {
  /** `acc_…` */
  id: string
  /** The public name: 12 hexadecimal digits. */
  handle: string
  /** Digest of the network address that it was opened from; null where that is not known. */
  origin?: string | null
  /** The one account of its own network address that its deals count with. */
  neighbour?: string | null
  /** The repeatable registration that made it, if it was one. */
  registration?: string | null
  /** The EVM address whose first payment made the account. */
  wallet: string | null
  /** Receipt of the payment that opened it without a key; until the key is used, that payment gets one again. */
  opened_by?: string | null
  contact_name: string | null
  contact_email: string | null
  contact_url: string | null
  deal_route: string | null
  route_protocol_binding: 'JSONRPC' | 'HTTP+JSON' | 'MCP' | 'webhook-v1' | null
  agent_card_url: string | null
  /** True when credits ever came in. */
  funded: boolean
  /** Listings ever posted for nothing. */
  free_listings_used: number
  /** The domain whose grant the account took. */
  granted_domain: string | null
  /** Secret part of the domain challenge. */
  challenge: string
  created_at: string
}

export const accountsIn = collection<Account>({
  name: 'broker.accounts',
  indexes: [
    { name: 'handle', fields: ['handle'], unique: true },
    { name: 'wallet', fields: ['wallet'], unique: true },
    { name: 'origin', fields: ['origin', 'funded', 'created_at'] },
    { name: 'funded', fields: ['funded', 'created_at'] },
  ],
  budget: {
    what: 'unfunded accounts',
    counts: ({ funded }) => !funded,
    network: { rows: 240, bytes: 1 << 20 },
    allBytes: 64 << 20,
    ends: 'One that was never funded is dropped after 30 days.',
  },
})

export const keyPrefix = 'brk'

/** Tells whose API key it is. */
export const identifyAccount = identifyByKey({ prefix: keyPrefix, via: 'apiKey' })

/** The account of a caller. Throws `unauthenticated` when there is none. */
export const requireAccount = async (tx: Tx, caller: Caller | undefined): Promise<Account> => {
  const account = caller && (await accountsIn(tx).get(caller.id))
  if (account) return account
  throw new ToolError('unauthenticated', 'This needs the key of an account.', {
    hint: 'Register, and send the key as Authorization: Bearer <key> or X-API-Key.',
    next: ['register_account'],
  })
}

const requiredFields = ['contact_name', 'contact_email', 'deal_route'] as const
type RequiredField = (typeof requiredFields)[number]

const steps: Record<RequiredField, string> = {
  contact_name: 'set_contact',
  contact_email: 'set_contact',
  deal_route: 'set_route',
}

/** Lists fields an account lacks before it may open or receive threads, and the tools that mend it. */
const listMissing = (account: Account) => {
  const missing = requiredFields.filter(name => account[name] === null)
  return {
    missing,
    blocked_actions: missing.length > 0 ? ['open_thread', 'receive_thread'] : [],
    next: [...new Set(missing.map(name => steps[name]))],
  }
}

/** The same for an answer: the tools are named as the caller's transport names them. */
export const profileSetup = (account: Account, { service, channel }: Pick<Call, 'service' | 'channel'>) => {
  const { next, ...rest } = listMissing(account)
  return { ...rest, next: next.map(name => callName(service, name, channel)) }
}

const whose = {
  self: 'Your account',
  counterparty: 'The account on the other side',
} as const

/** Throws 428 `profile_incomplete_…` that names what is missing, and on which side. */
export const requireProfile = (account: Account, side: keyof typeof whose): void => {
  const { missing, blocked_actions, next } = listMissing(account)
  if (missing.length === 0) return
  throw new ToolError('precondition_required', `${whose[side]} has no ${missing.join(', ')} yet.`, {
    reason: `profile_incomplete_${side}`,
    params: { side, missing, blocked_actions },
    ...(side === 'self' && { next }),
    hint: side === 'self' ? 'Set it, then try again.' : 'Only its owner can mend that.',
  })
}

/** Fields an account lacks, as its answers tell it. */
export const Setup = z
  .object({
    missing: z.array(z.string()).describe('Fields that are not set yet'),
    blocked_actions: z.array(z.string()).describe('What cannot be done until they are'),
    next: z.array(z.string()).describe('What to call to set them'),
  })
  .describe('What is missing before threads can be opened or received')

const text = (what: string) => z.string().nullable().describe(what)

/** Contact and route of an account, as its owner reads them. */
export const Profile = z.object({
  contact_name: text('Who to speak to'),
  contact_email: text('Address of that contact'),
  contact_url: text('Page of that contact'),
  deal_route: text('Where the other side of a deal calls'),
  route_protocol_binding: text('What answers there: JSONRPC, HTTP+JSON, MCP or webhook-v1'),
  agent_card_url: text('Agent card of the account'),
  account_setup_required: Setup,
})

export const toProfile = (
  account: Account,
  call: Pick<Call, 'service' | 'channel'>,
): z.output<typeof Profile> => ({
  contact_name: account.contact_name,
  contact_email: account.contact_email,
  contact_url: account.contact_url,
  deal_route: account.deal_route,
  route_protocol_binding: account.route_protocol_binding,
  agent_card_url: account.agent_card_url,
  account_setup_required: profileSetup(account, call),
})

/** Accounts without a credit that one network address may leave behind. */
export const maxNeverFunded = 60

/** Days after which an account ends that never held a credit. */
export const unfundedDays = 30

/** A digest of the network address of a client, under the pepper: it tells two apart and names nobody. */
export const hashOrigin = (keys: Ports['keys'], client: string): string =>
  keys.hash(`broker client ${client}`)

const countNeverFunded = (tx: Pick<Tx, 'collection'>, origin: string): Promise<number> =>
  accountsIn(tx).count({ index: 'origin', where: { origin, funded: false } })

/**
 * True where what an address may register while a transaction runs, in two days at most, cannot bring it to its bound. Asked outside of
 * the transaction: on PostgreSQL, who counts in an index is in the way of all who insert beside it.
 */
export const hasAmpleRoom = async (store: Pick<Tx, 'collection'>, origin: string): Promise<boolean> =>
  (await countNeverFunded(store, origin)) + 2 * registrationsPerDay < maxNeverFunded

/**
 * Throws 429 where an address leaves too many accounts behind that never held a credit. Counted in the store, so that it holds
 * over replicas and restarts.
 */
export const requireRoom = async (tx: Tx, origin: string): Promise<void> => {
  if ((await countNeverFunded(tx, origin)) < maxNeverFunded) return
  throw new ToolError(
    'too_many_requests',
    `This network address has ${maxNeverFunded} accounts that never held a credit; each ends after ${unfundedDays} days.`,
    {
      reason: 'unfunded_accounts',
      retryAfter: 86_400,
      hint: 'Use an account that you have, or open one by paying for credits without a key.',
      next: ['add_credits'],
    },
  )
}

type NewAccount = {
  now: Date
  /** Digest of the network address; a person who signed in is counted by no address. */
  origin?: string
  isPerson?: boolean
  /** The first payment, where that opens the account. */
  paid?: { wallet: string; receipt: string }
  registration?: string | undefined
}

/** Makes an account and its key, which nobody can show again. */
export const openAccount = async (
  tx: Tx,
  keys: Ports['keys'],
  { now, origin, isPerson = false, paid, registration }: NewAccount,
): Promise<{ account: Account } & NewKey> => {
  const account: Account = {
    id: newId('acc', now),
    handle: randomBytes(6).toString('hex'),
    origin: origin ?? null,
    registration: registration ?? null,
    wallet: paid?.wallet ?? null,
    opened_by: paid?.receipt ?? null,
    contact_name: null,
    contact_email: null,
    contact_url: null,
    deal_route: null,
    route_protocol_binding: null,
    agent_card_url: null,
    funded: false,
    free_listings_used: 0,
    granted_domain: null,
    challenge: randomBytes(20).toString('base64url'),
    created_at: now.toISOString(),
  }
  if (!(await accountsIn(tx).insert(account))) throw new Error('an account id or handle came up twice')
  // A person has a key when they make one.
  if (isPerson) return { account, api_key: '', key_preview: '' }
  return { account, ...(await keys.issue(tx, { prefix: keyPrefix, holder: account.id, now })) }
}

/** A registration that came with a key and can be repeated; `id` is a digest of the client and its key. */
type Registration = { id: string; account: string }

export const registrationsIn = collection<Registration>({
  name: 'broker.registrations',
  bounded: 'One for each account that a repeatable registration made.',
})

/** The accounts that payments of these wallets opened. */
export const findWalletAccounts = async (
  tx: Pick<Tx, 'collection'>,
  wallets: readonly string[],
): Promise<string[]> => {
  const pages = await Promise.all(
    wallets.map(name => {
      const wallet = name.slice(name.lastIndexOf(':') + 1)
      return accountsIn(tx).find({ index: 'wallet', where: { wallet }, limit: 1 })
    }),
  )
  return pages.flatMap(({ rows }) => rows.map(({ id }) => id))
}

const personProfile = profile({
  prefix: keyPrefix,
  via: 'apiKey',
  has: async (tx, id) => (await accountsIn(tx).get(id)) !== undefined,
  async create(tx, { keys, clock }, person) {
    for (const holder of await findWalletAccounts(tx, await listWallets(tx, person))) {
      const owner = await findPerson(tx, { prefix: keyPrefix, holder })
      if (owner === undefined || owner === person) return holder
    }
    return (await openAccount(tx, keys, { now: clock.now(), isPerson: true })).account.id
  },
})

/**
 * Account of a signed-in person here: the one that they have, else one that a payment of their wallet opened. They have a key when they
 * make one, or claim one. A wallet that opened an account before pays for that one.
 */
export const linkAccount = link({ needs: personProfile.needs, terms: '/terms' }).run(
  async (ports, person) => {
    const [own] = person.wallet === undefined ? [] : await findWalletAccounts(ports.store, [person.wallet])
    return own === undefined ? personProfile.run(ports, person) : { id: own, via: 'apiKey' }
  },
)

const notAgain = (account: Account | undefined): ToolError =>
  account
    ? new ToolError('conflict', `The key of ${account.id} has been used, so it is not shown again.`, {
        reason: 'key_in_use',
        hint: 'What was paid is in that account: send its key as Authorization: Bearer or X-API-Key. The old key makes a new one.',
        next: ['rotate_key'],
        params: { account_id: account.id },
      })
    : new ToolError('conflict', 'This payment was answered, and the answer is kept no longer.', {
        reason: 'answer_not_kept',
        hint: 'The call has run; its receipt tells when.',
      })

/**
 * A new key for the account that a payment opened, in place of one that nobody has used: whoever lost the answer has lost
 * the key. Throws `conflict` once the key was used.
 */
export const reissueKey = async (
  tx: Tx,
  { receipt, keys, clock }: Context<'keys' | 'clock'>,
): Promise<{ account: Account; api_key: string }> => {
  const wallet = canonicalAddress(receipt?.payer ?? '')
  const { rows } = await accountsIn(tx).find({ index: 'wallet', where: { wallet }, limit: 1 })
  const account = rows.find(({ opened_by }) => opened_by === receipt?.id)
  const holder = { prefix: keyPrefix, holder: account?.id ?? '' }
  const [key] = await keys.list(tx, holder)
  if (!account || key?.used_on !== null) throw notAgain(account)
  await keys.revoke(tx, holder)
  const { api_key } = await keys.issue(tx, { ...holder, now: clock.now() })
  return { account, api_key }
}

/** The account that a call is for, new when a first payment came without a key; `api_key` is shown once then. */
export type PayingAccount = { account: Account; api_key: string | null }

/** The account of the caller, else of the wallet that paid. Throws `unauthenticated` when there is neither. */
export const findPayer = async (
  tx: Tx,
  { caller, receipt, keys, clock, client }: Context<'clock' | 'keys'>,
): Promise<PayingAccount> => {
  if (caller || !receipt) return { account: await requireAccount(tx, caller), api_key: null }
  const wallet = canonicalAddress(receipt.payer)
  const knownAccount = (await accountsIn(tx).find({ index: 'wallet', where: { wallet }, limit: 1 })).rows[0]
  if (knownAccount) return { account: knownAccount, api_key: null }
  const paid = { wallet, receipt: receipt.id }
  return openAccount(tx, keys, { now: clock.now(), origin: hashOrigin(keys, client), paid })
}

/** A wallet that has paid for an account. */
type Paying = { id: string; account: string; wallet: string }

const walletsIn = collection<Paying>({
  name: 'broker.wallets',
  indexes: [{ name: 'account', fields: ['account'] }],
  bounded: 'One for each wallet that paid for an account.',
})

const walletId = (account: string, wallet: string): string => `${account} ${wallet}`

/** Remembers who paid for an account: two accounts that one wallet pays for have one owner. */
export const rememberWallet = async (tx: Tx, account: string, payer: string): Promise<void> => {
  const wallet = canonicalAddress(payer)
  await walletsIn(tx).put({ id: walletId(account, wallet), account, wallet })
}

/** Wallets of an account that are compared; each of them has paid 0.50 USD at least. */
const maxCompared = 1000

/** True when some wallet has paid for an account. */
export const hasPaid = async (tx: Tx, account: string): Promise<boolean> =>
  (await walletsIn(tx).count({ index: 'account', where: { account } })) > 0

/** True when one wallet has paid for both accounts. */
export const sharesWallet = async (tx: Tx, one: string, other: string): Promise<boolean> => {
  const { rows } = await walletsIn(tx).find({ index: 'account', where: { account: one }, limit: maxCompared })
  for (const { wallet } of rows) if (await walletsIn(tx).get(walletId(other, wallet))) return true
  return false
}
