import { z } from 'zod'
import { collection } from '../../kernel/collection.ts'
import { ToolError } from '../../kernel/error.ts'
import { areOfOnePerson } from '../../kernel/person.ts'
import { identifyByKey } from '../../kernel/service.ts'
import type { Tx } from '../../ports/store/port.ts'

/** Kinds of executors. */
export const executorKinds = ['human', 'agent', 'robot'] as const

export type ExecutorKind = (typeof executorKinds)[number]

/** Somebody who publishes or works: a wallet, named as CAIP-10 does with the address in lower case (`eip155:8453:0x…`). */
export type Account = {
  id: string
  /** The address alone: what shows that two accounts are one wallet. */
  address: string
  /** Set by registering as a worker. */
  kind: ExecutorKind | null
  name: string | null
  bio: string | null
  skills: readonly string[]
  /** Accounts that may not apply to its tasks. */
  blocked?: readonly string[]
  /** Its agent in the identity registry (ERC-8004), as the chain has shown. */
  agent_id?: string
  created_at: string
}

export const accountsIn = collection<Account>({
  name: 'tasks.accounts',
  budget: {
    what: 'accounts of wallets',
    network: { rows: 2000, bytes: 2 << 20 },
    allBytes: 64 << 20,
    ends: 'They stay. A paid call makes one beyond the bound.',
  },
})

export const keyPrefix = 'tsk'

/** An account's id in full: `eip155:<chain>:<address in lower case>`. */
export const accountForm = /^eip155:[1-9]\d{0,15}:0x[0-9a-f]{40}$/

/** The account of a worker, in the input of a tool. */
export const executorId = z
  .string()
  .trim()
  .toLowerCase()
  .regex(accountForm, 'an account such as eip155:8453:0x…')
  .describe('The account, such as eip155:8453:0x…')

/** The address of an account. */
export const addressOf = (account: string): string => account.slice(account.lastIndexOf(':') + 1)

/** True when two accounts are of one wallet, on one chain or on two. */
export const isSameWallet = (one: string, other: string): boolean => addressOf(one) === addressOf(other)

/** Throws `forbidden` where two accounts are of one wallet, or of wallets that one person signs in with. */
export const refuseSelf = async (
  tx: Pick<Tx, 'collection'>,
  one: string,
  other: string,
  detail: string,
): Promise<void> => {
  if (isSameWallet(one, other) || (await areOfOnePerson(tx, keyPrefix, one, other)))
    throw new ToolError('forbidden', detail, { reason: 'self_assignment' })
}

/** Tells whose wallet a key stands for. */
export const identifyKey = identifyByKey({ prefix: keyPrefix, via: 'apiKey' })

/** The account of a wallet, opened with its first write. */
export const ensureAccount = async (tx: Tx, id: string, now: Date): Promise<Account> => {
  const before = await accountsIn(tx).get(id)
  if (before) return before
  if (!accountForm.test(id)) throw new Error(`${id}: no account of a wallet`)
  const account: Account = {
    id,
    address: addressOf(id),
    kind: null,
    name: null,
    bio: null,
    skills: [],
    created_at: now.toISOString(),
  }
  await accountsIn(tx).insert(account)
  return account
}
