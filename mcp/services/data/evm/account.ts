import { getAddress, type Hex } from 'viem'
import { ToolError } from '../../../kernel/error.ts'
import type { Evm } from '../../../ports/evm/port.ts'
import type { Fetch } from '../../../ports/fetch/port.ts'
import type { Note } from '../meta.ts'
import { addressDigits, isSingleCase } from './account-input.ts'
import { type CallChain, openCallChain } from './chain.ts'
import { openEns } from './ens.ts'

/** An account a caller named. `name` is the ENS name it was called by. */
export type EvmAccount = { address: Hex; name: string | null; sources: string[]; warnings: Note[] }

const refuse = (message: string, hint?: string) =>
  new ToolError('invalid_input', `address: ${message}.`, { issues: [{ path: 'address', message }], hint })

const verifyChecksum = (digits: string): Hex => {
  const address = getAddress(`0x${digits.toLowerCase()}`)
  if (isSingleCase(digits) || address === `0x${digits}`) return address
  throw refuse(
    `the checksum of 0x${digits} is wrong (EIP-55), so a digit may be; with its right checksum it is ${address}`,
    'Compare it with where it comes from. Written in lower case it is taken without a checksum.',
  )
}

const otherChainNotes = (name: string, chain: Pick<CallChain, 'name' | 'title'>): Note[] =>
  chain.name === 'eth'
    ? []
    : [
        {
          code: 'name_of_eth',
          message: `${name} names this address on Ethereum; a contract there need not be the same account on ${chain.title}.`,
        },
      ]

type Deps = { evm: Evm; fetch: Fetch; signal: AbortSignal; chain: Pick<CallChain, 'name' | 'title'> }

/**
 * Reads an address, or finds that of an ENS name on Ethereum. Throws `invalid_input` for a wrong checksum and for a name that
 * leads to no address.
 */
export const readAccount = async (text: string, { evm, fetch, signal, chain }: Deps): Promise<EvmAccount> => {
  const digits = addressDigits(text)
  if (digits !== undefined) return { address: verifyChecksum(digits), name: null, sources: [], warnings: [] }
  const eth = openCallChain(evm, 'eth', { signal })
  const answer = await openEns(eth, fetch, signal).resolveName(text.trim())
  if (answer.name === null) throw refuse('is no name that ENS allows', 'Give the address itself.')
  if (answer.address === null)
    throw refuse(`the ENS name ${answer.name} leads to no address`, 'Give the address itself.')
  const { address, name } = answer
  return { address, name, sources: eth.sources(), warnings: otherChainNotes(name, chain) }
}
