import type { Hex } from 'viem'
import type { EvmChain } from '../../../ports/index.ts'

/** What an address is known as without asking a chain. */
export type SpecialAddress = {
  label: string
  kind: 'zero' | 'burn' | 'placeholder' | 'precompile' | 'predeploy'
}

type Names = Readonly<Record<string, string>>

const nativePlaceholder = `0x${'e'.repeat(40)}`

const burns: Names = {
  '0x000000000000000000000000000000000000dead': 'Burn address',
  '0xdead000000000000000042069420694206942069': 'Burn address',
  '0xdead000000000000000000000000000000000000': 'Burn address',
}

/** Precompiles of Ethereum by number, up to the Osaka upgrade. */
const precompiles: Names = {
  '1': 'ECRECOVER',
  '2': 'SHA-256',
  '3': 'RIPEMD-160',
  '4': 'Identity',
  '5': 'Modular exponentiation',
  '6': 'BN254 addition',
  '7': 'BN254 multiplication',
  '8': 'BN254 pairing',
  '9': 'BLAKE2 F',
  a: 'KZG point evaluation',
  b: 'BLS12-381 G1 addition',
  c: 'BLS12-381 G1 multi-scalar multiplication',
  d: 'BLS12-381 G2 addition',
  e: 'BLS12-381 G2 multi-scalar multiplication',
  f: 'BLS12-381 pairing',
  '10': 'BLS12-381 map to G1',
  '11': 'BLS12-381 map to G2',
  '100': 'P-256 signature verification',
}

const arbitrumPrecompiles: Names = {
  '64': 'ArbSys',
  '65': 'ArbInfo',
  '66': 'ArbAddressTable',
  '67': 'ArbBLS',
  '68': 'ArbFunctionTable',
  '69': 'ArbosTest',
  '6b': 'ArbOwnerPublic',
  '6c': 'ArbGasInfo',
  '6d': 'ArbAggregator',
  '6e': 'ArbRetryableTx',
  '6f': 'ArbStatistics',
  '70': 'ArbOwner',
  '71': 'ArbWasm',
  '72': 'ArbWasmCache',
  c8: 'NodeInterface',
}

/** By the last two bytes after 0x4200…: contracts that every chain of the OP Stack begins with. */
const opPredeploys: Names = {
  '06': 'WETH',
  '07': 'L2CrossDomainMessenger',
  '0f': 'GasPriceOracle',
  '10': 'L2StandardBridge',
  '11': 'SequencerFeeVault',
  '12': 'OptimismMintableERC20Factory',
  '14': 'L2ERC721Bridge',
  '15': 'L1Block',
  '16': 'L2ToL1MessagePasser',
  '17': 'OptimismMintableERC721Factory',
  '18': 'ProxyAdmin',
  '19': 'BaseFeeVault',
  '1a': 'L1FeeVault',
  '1b': 'OperatorFeeVault',
  '20': 'SchemaRegistry',
  '21': 'EAS',
  '42': 'GovernanceToken',
}

const polygonContracts: Names = {
  '1000': 'ValidatorSet',
  '1001': 'StateReceiver',
  '1010': 'Native POL as a token',
}

const small = /^0x0{36}([0-9a-f]{4})$/
const op = /^0x4200(?:00){17}([0-9a-f]{2})$/

const byNumber = (names: Names, address: string): string | undefined => {
  const digits = small.exec(address)?.[1]?.replace(/^0+/, '')
  return digits && Object.hasOwn(names, digits) ? names[digits] : undefined
}

const predeploy = (chain: EvmChain, address: string): string | undefined => {
  if (chain === 'polygon') return byNumber(polygonContracts, address)
  const digits = chain === 'base' || chain === 'optimism' ? op.exec(address)?.[1] : undefined
  if (digits === undefined) return undefined
  return Object.hasOwn(opPredeploys, digits) ? `OP Stack ${opPredeploys[digits]}` : undefined
}

/** What an address is known as on a chain; null for all but a few. */
export const findSpecialAddress = (chain: EvmChain, rawAddress: Hex): SpecialAddress | null => {
  const address = rawAddress.toLowerCase()
  if (/^0x0+$/.test(address)) return { kind: 'zero', label: 'Zero address' }
  if (address === nativePlaceholder)
    return { kind: 'placeholder', label: 'Placeholder for the native coin; nobody has its key' }
  const burn = burns[address]
  if (burn !== undefined) return { kind: 'burn', label: burn }
  const own = chain === 'arbitrum' ? byNumber(arbitrumPrecompiles, address) : undefined
  const precompile = own ?? byNumber(precompiles, address)
  if (precompile !== undefined) return { kind: 'precompile', label: precompile }
  const label = predeploy(chain, address)
  return label === undefined ? null : { kind: 'predeploy', label }
}
