import type { Hex } from 'viem'
import * as z from 'zod'
import { factTable } from '../../../lib/facts.ts'
import type { EvmChain } from '../../../ports/evm/port.ts'

/** Identity of an address, known without asking a chain. */
export type SpecialAddress = {
  label: string
  kind: 'zero' | 'burn' | 'placeholder' | 'precompile' | 'predeploy'
}

const names = z.record(z.string(), z.string())

type Names = z.output<typeof names>

const specialAddresses = factTable(
  new URL('./data/special-addresses.json', import.meta.url),
  z.strictObject({
    burns: names,
    /** Precompiles of Ethereum by number, up to the Osaka upgrade. */
    precompiles: names,
    arbitrumPrecompiles: names,
    /** By the last two bytes after 0x4200…: contracts that every chain of the OP Stack begins with. */
    opPredeploys: names,
    polygonContracts: names,
  }),
)

const nativePlaceholder = `0x${'e'.repeat(40)}`

const small = /^0x0{36}([0-9a-f]{4})$/
const op = /^0x4200(?:00){17}([0-9a-f]{2})$/

const byNumber = (names: Names, address: string): string | undefined => {
  const digits = small.exec(address)?.[1]?.replace(/^0+/, '')
  return digits && Object.hasOwn(names, digits) ? names[digits] : undefined
}

const predeploy = (chain: EvmChain, address: string): string | undefined => {
  if (chain === 'polygon') return byNumber(specialAddresses().polygonContracts, address)
  const digits = chain === 'base' || chain === 'optimism' ? op.exec(address)?.[1] : undefined
  if (digits === undefined) return undefined
  const { opPredeploys } = specialAddresses()
  return Object.hasOwn(opPredeploys, digits) ? `OP Stack ${opPredeploys[digits]}` : undefined
}

/** Finds an address's identity on a chain; null for all but a few. */
export const findSpecialAddress = (chain: EvmChain, rawAddress: Hex): SpecialAddress | null => {
  const address = rawAddress.toLowerCase()
  if (/^0x0+$/.test(address)) return { kind: 'zero', label: 'Zero address' }
  if (address === nativePlaceholder)
    return { kind: 'placeholder', label: 'Placeholder for the native coin; nobody has its key' }
  const { burns, precompiles, arbitrumPrecompiles } = specialAddresses()
  const burn = burns[address]
  if (burn !== undefined) return { kind: 'burn', label: burn }
  const own = chain === 'arbitrum' ? byNumber(arbitrumPrecompiles, address) : undefined
  const precompile = own ?? byNumber(precompiles, address)
  if (precompile !== undefined) return { kind: 'precompile', label: precompile }
  const label = predeploy(chain, address)
  return label === undefined ? null : { kind: 'predeploy', label }
}
