import { concat, type Hex, keccak256, numberToHex, size, toRlp } from 'viem'

/** A block as `eth_getBlockByNumber` gives it. */
export type HeaderFields = Readonly<Record<string, unknown>> & { hash: Hex; receiptsRoot: Hex }

/** A receipt as `eth_getBlockReceipts` gives it; a chain of the OP stack adds two fields to its deposits. */
export type ReceiptFields = {
  type: Hex
  status: Hex
  cumulativeGasUsed: Hex
  logsBloom: Hex
  logs: readonly { address: Hex; topics: readonly Hex[]; data: Hex; logIndex: Hex }[]
  depositNonce?: Hex
  depositReceiptVersion?: Hex
}

/** `Delivery.Proof` of `contracts/bridge/Delivery.sol` but for the log: header, key and nodes from root to leaf. */
export type ReceiptProof = { header: Hex; key: Hex; nodes: Hex[] }

type Rlp = Hex | readonly Rlp[]
type Entry = { path: string; value: Hex }

const headerNumbers = new Set([
  'difficulty',
  'number',
  'gasLimit',
  'gasUsed',
  'timestamp',
  'baseFeePerGas',
  'blobGasUsed',
  'excessBlobGas',
])

/** In the order of the header; what an older or younger chain does not have is missing from some point on. */
const headerNames = [
  ...['parentHash', 'sha3Uncles', 'miner', 'stateRoot', 'transactionsRoot', 'receiptsRoot', 'logsBloom'],
  ...['difficulty', 'number', 'gasLimit', 'gasUsed', 'timestamp', 'extraData', 'mixHash', 'nonce'],
  ...['baseFeePerGas', 'withdrawalsRoot', 'blobGasUsed', 'excessBlobGas', 'parentBeaconBlockRoot'],
  ...['requestsHash', 'blockAccessListHash'],
]

const toInteger = (quantity: Hex): Hex => (BigInt(quantity) === 0n ? '0x' : numberToHex(BigInt(quantity)))

const encodeHeader = (block: HeaderFields): Hex => {
  const fields: Hex[] = []
  for (const name of headerNames) {
    const value = block[name]
    if (typeof value !== 'string') break
    fields.push(headerNumbers.has(name) ? toInteger(value as Hex) : (value as Hex))
  }
  return toRlp(fields)
}

const encodeReceipt = (receipt: ReceiptFields): Hex => {
  const { type, status, cumulativeGasUsed, logsBloom, logs, depositNonce, depositReceiptVersion } = receipt
  const fields: Rlp[] = [
    toInteger(status),
    toInteger(cumulativeGasUsed),
    logsBloom,
    logs.map(({ address, topics, data }) => [address, topics, data]),
  ]
  if (depositNonce !== undefined) fields.push(toInteger(depositNonce))
  if (depositReceiptVersion !== undefined) fields.push(toInteger(depositReceiptVersion))
  const body = toRlp(fields)
  return BigInt(type) === 0n ? body : concat([numberToHex(Number(type), { size: 1 }), body])
}

/** The hex-prefix encoding of a path of nibbles (Yellow Paper, appendix C). */
const encodePath = (path: string, isLeaf: boolean): Hex => {
  const flag = (isLeaf ? 2 : 0) + (path.length % 2)
  return `0x${flag.toString(16)}${path.length % 2 === 1 ? '' : '0'}${path}`
}

const commonPrefix = (entries: readonly Entry[]): string => {
  const [first = { path: '' }, ...rest] = entries
  let length = first.path.length
  for (const { path } of rest) while (!path.startsWith(first.path.slice(0, length))) length--
  return first.path.slice(0, length)
}

/**
 * A node of the trie of these entries; the nodes from it towards the one whose path is wanted are put in front of `nodes`.
 * No key of a receipt is the beginning of another, so no branch has a value.
 */
const buildNode = (entries: readonly Entry[], wanted: string | undefined, nodes: Hex[]): Rlp => {
  const node = buildFields(entries, wanted, nodes)
  const encoded = toRlp(node as never)
  const isHashed = size(encoded) >= 32
  if (wanted !== undefined && isHashed) nodes.unshift(encoded)
  return isHashed ? keccak256(encoded) : node
}

const buildFields = (entries: readonly Entry[], wanted: string | undefined, nodes: Hex[]): Rlp => {
  const [only] = entries
  if (only && entries.length === 1) return [encodePath(only.path, true), only.value]
  const below = (prefix: string): Rlp => {
    const inside = entries.filter(({ path }) => path.startsWith(prefix))
    if (inside.length === 0) return '0x'
    const isOnTheWay = wanted?.startsWith(prefix)
    return buildNode(
      inside.map(({ path, value }) => ({ path: path.slice(prefix.length), value })),
      isOnTheWay ? wanted?.slice(prefix.length) : undefined,
      nodes,
    )
  }
  const prefix = commonPrefix(entries)
  if (prefix !== '') return [encodePath(prefix, false), below(prefix)]
  return [...Array.from({ length: 16 }, (_, nibble) => below(nibble.toString(16))), '0x']
}

const toKey = (index: number): Hex => toRlp(index === 0 ? '0x' : numberToHex(index))

/**
 * Proves a transaction's receipt against the hash of its block. Undefined when the header or the receipts do not have the
 * hashes that the block names: they are not of this block, or of a form that is not known here.
 */
export const proveReceipt = (
  block: HeaderFields,
  receipts: readonly ReceiptFields[],
  index: number,
): ReceiptProof | undefined => {
  const header = encodeHeader(block)
  const entries = receipts.map((receipt, i) => ({
    path: toKey(i).slice(2),
    value: encodeReceipt(receipt),
  }))
  const key = toKey(index)
  const nodes: Hex[] = []
  const root = buildNode(entries, key.slice(2), nodes)
  if (keccak256(header) !== block.hash || root !== block.receiptsRoot) return undefined
  return { header, key, nodes }
}
