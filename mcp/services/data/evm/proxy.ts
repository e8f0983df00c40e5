import type { Hex } from 'viem'
import type { CallChain } from './chain.ts'
import { addressIn, mayDelegate, parseClone } from './code.ts'
import { Bytes, StorageWord } from './quantity.ts'

export type Proxy = {
  kind: 'eip1967' | 'eip1967-beacon' | 'eip1167' | 'eip1822' | 'oz-legacy' | 'safe'
  implementation: Hex | null
  beacon: Hex | null
  admin: Hex | null
}

/** Storage slots that proxies keep addresses in: EIP-1967, EIP-1822 and the one of OpenZeppelin before them. */
const slots = {
  logic: '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc',
  beacon: '0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50',
  admin: '0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103',
  eip1822: '0xc5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7',
  legacy: '0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3',
  first: '0x0000000000000000000000000000000000000000000000000000000000000000',
} as const

/** Asks a beacon for `implementation()`. */
const readImplementation = async (chain: CallChain, beacon: Hex): Promise<Hex | null> =>
  addressIn(await chain.readOrNull(Bytes, 'eth_call', [{ to: beacon, data: '0x5c60da1b' }, 'latest']))

/** Safe wallets keep what they stand for in the first slot, and answer masterCopy() in a proxy of a few hundred bytes. */
const isSafe = (code: Hex): boolean => code.length < 1_000 && code.toLowerCase().includes('a619486e')

/** Finds the target of a contract's calls; null for a contract that does its own work. */
export const detectProxy = async (chain: CallChain, address: Hex, code: Hex): Promise<Proxy | null> => {
  const none = { implementation: null, beacon: null, admin: null }
  const clone = parseClone(code)
  if (clone) return { ...none, kind: 'eip1167', implementation: clone }
  if (!mayDelegate(code)) return null
  const slot = async (name: keyof typeof slots) =>
    addressIn(await chain.readOrNull(StorageWord, 'eth_getStorageAt', [address, slots[name], 'latest']))
  if (isSafe(code)) {
    const implementation = await slot('first')
    if (implementation) return { ...none, kind: 'safe', implementation }
  }
  const [logic, beacon, admin, eip1822, legacy] = await Promise.all([
    slot('logic'),
    slot('beacon'),
    slot('admin'),
    slot('eip1822'),
    slot('legacy'),
  ])
  if (logic) return { ...none, kind: 'eip1967', implementation: logic, admin }
  if (beacon)
    return { kind: 'eip1967-beacon', implementation: await readImplementation(chain, beacon), beacon, admin }
  if (eip1822) return { ...none, kind: 'eip1822', implementation: eip1822 }
  return legacy ? { ...none, kind: 'oz-legacy', implementation: legacy } : null
}
