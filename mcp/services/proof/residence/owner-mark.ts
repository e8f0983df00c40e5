import { createHash } from 'node:crypto'
import { collection } from '../../../kernel/collection.ts'
import { areOfOnePerson } from '../../../kernel/person.ts'
import type { PaidCall } from '../../../kernel/service.ts'
import { canonicalAddress } from '../../../lib/chain-address.ts'
import type { Ports } from '../../../ports/ports.ts'
import type { Tx } from '../../../ports/store/port.ts'
import { keyPrefix } from '../account/account.ts'

/** Mark that accounts may have one owner: the network address that registered them, an address that paid for them. */
type OwnerMark = { id: string; account: string; mark: string }

const indexes = [{ name: 'account', fields: ['account'] }] as const

const marksIn = collection<OwnerMark>({
  name: 'proof.owner_marks',
  indexes,
  bounded: 'A few for each account: its network, and who paid for it.',
})

/** Marks that are compared; an account with more is taken for related to everybody. */
const maxMarks = 32

const markId = (account: string, mark: string): string => `${account} ${mark}`

/** A network address as it is kept: an HMAC, which tells nobody the address. */
export const toNetworkMark = (keys: Ports['keys'], client: string): string =>
  `network:${keys.hash(`network address ${client}`)}`

/** The address on a chain that paid; undefined where a payment names nobody, as over Lightning. */
export const toPayerMark = ({ network, payer }: PaidCall['receipt']): string | undefined => {
  if (!/^(?:eip155|solana):/.test(network)) return undefined
  return `payer:${createHash('sha256').update(canonicalAddress(payer)).digest('hex').slice(0, 32)}`
}

/** Keeps a mark of an account; the same one again changes nothing. */
export const markOwner = async (tx: Tx, account: string, mark: string): Promise<void> => {
  await marksIn(tx).insert({ id: markId(account, mark), account, mark })
}

const listMarks = async (tx: Tx, account: string): Promise<readonly OwnerMark[]> =>
  (await marksIn(tx).find({ index: 'account', where: { account }, limit: maxMarks + 1 })).rows

/** True when two accounts look like those of one owner. That they do not proves nothing. */
export const areRelated = async (tx: Tx, one: string, other: string): Promise<boolean> => {
  if (await areOfOnePerson(tx, keyPrefix, one, other)) return true
  const [marks, others] = [await listMarks(tx, one), await listMarks(tx, other)]
  if (marks.length > maxMarks || others.length > maxMarks) return true
  const shared = new Set(others.map(({ mark }) => mark))
  return marks.some(({ mark }) => shared.has(mark))
}

/** Forgets the marks of an account that is gone. */
export const deleteMarks = async (tx: Tx, account: string): Promise<void> => {
  for (const { id } of await listMarks(tx, account)) await marksIn(tx).delete(id)
}
