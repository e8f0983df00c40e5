import type { z } from 'zod'
import type { Evm, EvmChain } from '../../../ports/evm/port.ts'
import type { About } from '../meta.ts'
import { openCallChain } from './chain.ts'
import { askEachChain } from './each-chain.ts'
import type { GasFields } from './fee-fields.ts'
import { readFees } from './fees.ts'

type GasReport = z.output<typeof GasFields> & { about: About; keepSec?: number }
type Deps = { evm: Evm; signal: AbortSignal; now: Date }

/** The fields of one chain where several are told. */
const ofNone = {
  chain_id: null,
  symbol: null,
  gas_price_gwei: null,
  base_fee_gwei: null,
  next_base_fee_gwei: null,
  priority_fee_gwei: null,
  max_fee_gwei: null,
  blob_base_fee_gwei: null,
  wei: null,
  block: null,
  timestamp: null,
  transfer_cost: null,
  note: null,
}

const trackOne = async ({ evm, signal, now }: Deps, name: EvmChain): Promise<GasReport> => {
  const chain = openCallChain(evm, name, { signal })
  const { fees, warnings } = await readFees(chain, now)
  const about = { sources: chain.sources(), warnings }
  return { chain: name, ...fees, chains: null, ok_count: null, failed: null, about }
}

const trackAll = async ({ evm, signal, now }: Deps): Promise<GasReport> => {
  const answers = await askEachChain(evm, signal, chain => readFees(chain, now))
  return {
    chain: 'all',
    ...ofNone,
    chains: answers.by(({ fees }) => fees),
    ok_count: answers.ok.length,
    failed: answers.failed,
    about: {
      sources: answers.sources,
      warnings: [...answers.ok.flatMap(({ warnings }) => warnings), ...answers.warnings],
    },
    ...(answers.failed.length > 0 && { keepSec: 0 }),
  }
}

/** Gas prices of one chain or of all five. Throws a retryable `upstream` when none answers. */
export const trackGas = (deps: Deps, chain: EvmChain | 'all'): Promise<GasReport> =>
  chain === 'all' ? trackAll(deps) : trackOne(deps, chain)
