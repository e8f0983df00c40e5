import { ToolError } from '../../../kernel/error.ts'
import type { Evm, EvmChain } from '../../../ports/evm/port.ts'
import type { Note } from '../meta.ts'
import { type CallChain, openCallChain } from './chain.ts'
import { othersThan } from './chains.ts'
import { reportTransaction, type TransactionReport, unknownTransaction } from './report-transaction.ts'
import { findTransaction, type TransactionRecord } from './transaction.ts'

type Deps = { evm: Evm; signal: AbortSignal }

type Search = { chain: CallChain; record: TransactionRecord | null; failure?: ToolError }

const searchChain = async (chain: CallChain, hash: string, signal: AbortSignal): Promise<Search> => {
  try {
    return { chain, record: await findTransaction(chain, hash) }
  } catch (error) {
    if (signal.aborted || !(error instanceof ToolError)) throw error
    return { chain, record: null, failure: error }
  }
}

const silentChainNotes = (searches: readonly Search[]): Note[] => {
  const names = searches.flatMap(({ chain, failure }) => (failure ? [chain.title] : []))
  const message = `${names.join(', ')} did not answer: the transaction may be there.`
  return names.length > 0 ? [{ code: 'chain_unknown', message }] : []
}

/**
 * What became of a transaction. With a chain it is answered for that chain, and where else it is; without one the chain that
 * has it is found, eth first. Throws a retryable `upstream` when the chain that is asked is silent: that is not `not_found`.
 */
export const followTransaction = async (
  { evm, signal }: Deps,
  hash: string,
  preferred: EvmChain | undefined,
): Promise<TransactionReport> => {
  const first = await searchChain(openCallChain(evm, preferred ?? 'eth', { signal }), hash, signal)
  const { chain, record, failure } = first
  if (record) return reportTransaction(chain, hash, record)
  if (preferred && failure) throw failure

  const others = othersThan(chain.name).map(name => openCallChain(evm, name, { signal, deadlineMs: 3_000 }))
  const searches = await Promise.all(others.map(other => searchChain(other, hash, signal)))
  const other = searches.find(search => search.record)
  if (other?.record && !preferred) return reportTransaction(other.chain, hash, other.record)
  if (failure) throw failure
  const { name, title } = other?.chain ?? chain
  const message = `The transaction is on ${title}, not on ${chain.title}: ask with chain=${name}.`
  return {
    ...unknownTransaction(chain, hash),
    found_on: other ? name : null,
    about: {
      sources: [chain, ...others].flatMap(each => each.sources()),
      warnings: other ? [{ code: 'other_chain', message }] : silentChainNotes(searches),
    },
  }
}
