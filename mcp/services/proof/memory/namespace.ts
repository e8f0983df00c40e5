import { createHash } from 'node:crypto'
import { ToolError } from '../../../kernel/error.ts'
import type { Caller } from '../../../kernel/tool.ts'
import { canonicalAddress } from '../../../lib/chain-address.ts'
import type { Tx } from '../../../ports/store/port.ts'
import { findEntry } from './entry.ts'

const authenticationError = () =>
  new ToolError('unauthenticated', 'Memory belongs to an account, or to an address that pays by x402.', {
    hint: 'Register and send the key as Authorization: Bearer <key> or X-API-Key, or pay from an address of your own.',
    next: ['register'],
  })

/** Addresses of chains are somebody's for good; the hash of an invoice is new with each payment. */
const chainAddress = ({ network, payer }: { network: string; payer: string }): string | undefined =>
  /^(?:eip155|solana):/.test(network) ? canonicalAddress(payer) : undefined

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32)

/**
 * Whose memory it is: the account's, where its key came, else the address's that pays on a chain. Never what the input says of itself.
 * Throws `unauthenticated` where neither is known.
 */
export const findNamespace = ({
  caller,
  payer,
}: {
  caller: Caller | undefined
  payer?: { network: string; payer: string } | undefined
}): string => {
  if (caller) return digest(`account ${caller.id}`)
  const address = payer && chainAddress(payer)
  if (address === undefined) throw authenticationError()
  return digest(`address ${address}`)
}

/**
 * The namespace that has an entry, else that of the caller. Who is known by the wallet that pays has the memory of their account, and what
 * the bare address stored before it was theirs.
 */
export const locateNamespace = async (
  store: Pick<Tx, 'collection'>,
  { caller, payer }: { caller: Caller | undefined; payer: { network: string; payer: string } | undefined },
  key: string,
): Promise<string> => {
  const namespace = findNamespace({ caller, payer })
  if (!caller?.isPayer || !payer || (await findEntry(store, namespace, key))) return namespace
  const former = findNamespace({ caller: undefined, payer })
  return (await findEntry(store, former, key)) ? former : namespace
}
