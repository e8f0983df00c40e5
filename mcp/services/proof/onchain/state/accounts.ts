import type { Address } from '../action.ts'
import { lower } from '../scene.ts'
import type { AccountFacts } from './chain-state.ts'
import { type Node, NodeRefusal, requireHex, requireQuantity } from './node.ts'

/** Slots of ERC-1967: implementation and beacon; and the older one of OpenZeppelin. */
const slots = {
  implementation: '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc',
  beacon: '0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50',
  older: '0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3',
} as const

/** `implementation()` of a beacon. */
const implementationCall = '0x5c60da1b'

const minimalProxy = /^0x363d3d373d3d3d363d73([0-9a-f]{40})5af43d82803e903d91602b57fd5bf3/
const delegation = /^0xef0100([0-9a-f]{40})$/

const addressIn = (word: string): Address | undefined =>
  /^0x0{24}[0-9a-f]{40}$/.test(word) && !/^0x0{64}$/.test(word) ? lower(`0x${word.slice(26)}`) : undefined

const loadCode = async (node: Node, address: string): Promise<string> =>
  requireHex(await node.ask('eth_getCode', [address, 'latest']))

const loadSlot = async (node: Node, address: string, slot: string): Promise<Address | undefined> =>
  addressIn(requireHex(await node.ask('eth_getStorageAt', [address, slot, 'latest']), 32))

const readProxy = async (node: Node, address: Address, code: string): Promise<AccountFacts['proxy']> => {
  const minimal = minimalProxy.exec(code)?.[1]
  const settle = async (kind: 'eip1967' | 'beacon' | 'minimal', implementation: Address) => ({
    kind,
    implementation,
    hasCode: (await loadCode(node, implementation)) !== '0x',
  })
  if (minimal !== undefined) return settle('minimal', lower(`0x${minimal}`))
  const [implementation, beacon, older] = await Promise.all([
    loadSlot(node, address, slots.implementation),
    loadSlot(node, address, slots.beacon),
    loadSlot(node, address, slots.older),
  ])
  if (implementation ?? older) return settle('eip1967', implementation ?? older ?? address)
  if (beacon === undefined) return undefined
  try {
    const answer = requireHex(
      await node.ask('eth_call', [{ to: beacon, data: implementationCall, gas: '0x186a0' }, 'latest']),
    )
    return settle('beacon', addressIn(answer) ?? beacon)
  } catch (problem) {
    if (problem instanceof NodeRefusal) return { kind: 'beacon', implementation: beacon, hasCode: false }
    throw problem
  }
}

/** Reads the facts of an address now. */
export const readAccountFacts = async (node: Node, address: Address): Promise<AccountFacts> => {
  const code = await loadCode(node, address)
  const delegate = delegation.exec(code)?.[1]
  return {
    address,
    codeBytes: code.length / 2 - 1,
    delegate: delegate === undefined ? undefined : lower(`0x${delegate}`),
    proxy: code === '0x' || delegate !== undefined ? undefined : await readProxy(node, address, code),
  }
}

const threeDaysS = 3 * 86_400
/** How much older than three days the block may be. */
const slackS = 6 * 3_600
const maxTries = 24

type Block = { number: bigint; time: number }

const blockAt = async (node: Node, tag: string): Promise<Block> => {
  const block = (await node.ask('eth_getBlockByNumber', [tag, false])) as Record<string, unknown> | null
  return { number: requireQuantity(block?.number), time: Number(requireQuantity(block?.timestamp)) }
}

/** The number of a block that is three days old or a little more; undefined where the chain is younger than that. */
const findOldBlock = async (node: Node): Promise<bigint | undefined> => {
  const head = await blockAt(node, 'latest')
  const ageOf = ({ time }: Block) => head.time - time
  // Blocks at both sides of three days. Block 0 of most chains has a time that says nothing.
  let young = head
  let old: Block | undefined
  for (let tries = 0; tries < maxTries; tries++) {
    if (old && (ageOf(old) <= threeDaysS + slackS || young.number - old.number <= 1n)) return old.number
    const guess = old
      ? (old.number + young.number) / 2n
      : head.number -
        (young === head
          ? 1000n
          : BigInt(
              Math.ceil(
                (Number(head.number - young.number) / Math.max(ageOf(young), 1)) * threeDaysS * 1.02,
              ) + 1,
            ))
    const lowest = old ? old.number : 1n
    if (!old && young.number <= 1n) return undefined
    const block = await blockAt(node, `0x${(guess < lowest ? lowest : guess).toString(16)}`)
    if (ageOf(block) >= threeDaysS) old = block
    else young = block
  }
  return old?.number
}

/** Which of these contracts had no code three days ago. Undefined where the chain or what nodes keep of it is younger. */
export const readYoung = async (
  node: Node,
  contracts: readonly Address[],
): Promise<Address[] | undefined> => {
  if (contracts.length === 0) return []
  const old = await findOldBlock(node)
  if (old === undefined) return undefined
  const tag = `0x${old.toString(16)}`
  const codes = await Promise.all(
    contracts.map(async address => requireHex(await node.ask('eth_getCode', [address, tag]))),
  )
  return contracts.filter((_, index) => codes[index] === '0x')
}
