import {
  decodeFunctionData,
  encodeAbiParameters,
  encodeErrorResult,
  encodeFunctionResult,
  type Hex,
  hexToBytes,
  pad,
  parseAbi,
} from 'viem'
import type { LocalAccount } from './evm-chain.ts'
import { plainCode } from './evm-tokens.ts'

const abi = parseAbi([
  'function resolveWithGateways(bytes name, bytes data, string[] gateways) view returns (bytes, address)',
  'function reverseWithGateways(bytes reverseName, uint256 coinType, string[] gateways) view returns (string, address, address)',
  'function callback(bytes response, bytes extraData) view returns (bytes, address)',
  'error ResolverNotFound(bytes name)',
  'error ReverseAddressMismatch(string primary, bytes primaryAddress)',
  'error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callbackFunction, bytes extraData)',
])

export const universalResolver: Hex = '0xeeeeeeee14d718c2b47d9923deab1335e144eeee'
const resolver: Hex = '0x231b0ee14048e9dccd1d247744d114a4eb5e8e63'

/** `kept` leads a name to an address, or to the gateways that know it. */
type Names = {
  forward: Readonly<Record<string, Hex | { gateways: string[] }>>
  reverse: Readonly<Record<string, string>>
}

const nameIn = (packet: Hex): string => {
  const bytes = hexToBytes(packet)
  const labels: string[] = []
  for (let at = 0; (bytes[at] ?? 0) > 0; at += (bytes[at] ?? 0) + 1)
    labels.push(Buffer.from(bytes.slice(at + 1, at + 1 + (bytes[at] ?? 0))).toString())
  return labels.join('.')
}

const resolved = (address: Hex) =>
  encodeFunctionResult({
    abi,
    functionName: 'resolveWithGateways',
    result: [pad(address, { size: 32 }), resolver],
  })

/** The universal resolver of ENS: it resolves both ways, checks that a name leads back, and sends clients to gateways. */
export const ensAccount = ({ forward, reverse }: Names): LocalAccount => ({
  code: plainCode,
  run: data => {
    const call = decodeFunctionData({ abi, data })
    if (call.functionName === 'callback') return resolved(`0x${call.args[0].slice(-40)}`)
    if (call.functionName === 'resolveWithGateways') {
      const name = nameIn(call.args[0])
      const kept = forward[name]
      if (kept === undefined)
        return { revert: encodeErrorResult({ abi, errorName: 'ResolverNotFound', args: [call.args[0]] }) }
      if (typeof kept === 'string') return resolved(kept)
      const args = [universalResolver, kept.gateways, call.args[1], '0x18aa5141', '0x'] as const
      return { revert: encodeErrorResult({ abi, errorName: 'OffchainLookup', args }) }
    }
    const name = reverse[call.args[0].toLowerCase()]
    const isBack = name !== undefined && String(forward[name]).toLowerCase() === call.args[0].toLowerCase()
    if (name !== undefined && !isBack)
      return { revert: encodeErrorResult({ abi, errorName: 'ReverseAddressMismatch', args: [name, '0x'] }) }
    return encodeFunctionResult({
      abi,
      functionName: 'reverseWithGateways',
      result: [name ?? '', resolver, resolver],
    })
  },
})

/** What a gateway answers with for an address. */
export const gatewayAnswer = (address: Hex): Hex => encodeAbiParameters([{ type: 'address' }], [address])
