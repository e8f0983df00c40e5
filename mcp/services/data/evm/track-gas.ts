import type { z } from 'zod'
import type { Evm, EvmChain } from '../../../ports/index.ts'
import type { About } from '../meta.ts'
import { openChain } from './chain.ts'
import { askEach } from './each-chain.ts'
import type { GasFields } from './fee-fields.ts'
import { feesOf } from './fees.ts'

type Tracked = z.output<typeof GasFields> & { about: About; keepSec?: number }
type Asked = { evm: Evm; signal: AbortSignal; now: Date }

/** The fields of one chain where several are told. */
const ofNone = {
  chainId: null,
  symbol: null,
  gasPriceGwei: null,
  baseFeeGwei: null,
  nextBaseFeeGwei: null,
  priorityFeeGwei: null,
  maxFeeGwei: null,
  blobBaseFeeGwei: null,
  wei: null,
  block: null,
  timestamp: null,
  transferCost: null,
  note: null,
}

const trackOne = async ({ evm, signal, now }: Asked, name: EvmChain): Promise<Tracked> => {
  const chain = openChain(evm, name, { signal })
  const { fees, warnings } = await feesOf(chain, now)
  const about = { sources: chain.sources(), warnings }
  return { chain: name, ...fees, chains: null, okCount: null, failed: null, about }
}

const trackAll = async ({ evm, signal, now }: Asked): Promise<Tracked> => {
  const told = await askEach(evm, signal, chain => feesOf(chain, now))
  return {
    chain: 'all',
    ...ofNone,
    chains: told.by(({ fees }) => fees),
    okCount: told.ok.length,
    failed: told.failed,
    about: {
      sources: told.sources,
      warnings: [...told.ok.flatMap(({ warnings }) => warnings), ...told.warnings],
    },
    ...(told.failed.length > 0 && { keepSec: 0 }),
  }
}

/** Gas prices of one chain or of all five. Throws a retryable `upstream` when none answers. */
export const trackGas = (asked: Asked, chain: EvmChain | 'all'): Promise<Tracked> =>
  chain === 'all' ? trackAll(asked) : trackOne(asked, chain)
