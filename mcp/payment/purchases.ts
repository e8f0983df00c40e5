import type { Hash, Hex, TransactionReceipt } from 'viem'
import { ToolError } from '../kernel/error.ts'
import { authorizationAbi, usdcAbi } from '../lib/evm-abi.ts'
import { onChain } from '../ports/chain/failure.ts'
import type { DirectPayment, DirectProof, Purchases } from '../ports/index.ts'
import { spendLog } from './gate/spent.ts'
import type { TipChain } from './tips.ts'

const rejected = (reason: string): DirectProof => ({ state: 'rejected', reason })

const same = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

type Sent = { to: Hex | null; input: Hex }

/** Who authorized exactly this payment in the calldata; a string says what is wrong with it. */
const authorizerIn = async (
  sent: Sent,
  token: string,
  expected: DirectPayment,
): Promise<{ from: Hex } | string> => {
  const { decodeFunctionData } = await import('viem')
  if (sent.to === null || !same(sent.to, token)) return 'the transaction does not call USDC itself'
  const decoded = (() => {
    try {
      return decodeFunctionData({ abi: authorizationAbi, data: sent.input })
    } catch {
      return undefined
    }
  })()
  if (!decoded) return 'the transaction is no transferWithAuthorization'
  const [from, to, value, validAfter, validBefore, nonce] = decoded.args
  if (!same(nonce, expected.nonce)) return 'the nonce is not the one of this purchase'
  if (!same(to, expected.payTo)) return 'the payment goes to another recipient'
  if (value !== expected.value) return 'the amount is not the quoted one'
  if (validAfter !== BigInt(expected.validAfter) || validBefore !== BigInt(expected.validBefore))
    return 'the time window is not the quoted one'
  return { from }
}

/** The index of the log that moved the money, where both logs are there. */
const transferIn = async (
  { logs }: TransactionReceipt,
  token: string,
  from: Hex,
  expected: DirectPayment,
) => {
  const { parseEventLogs } = await import('viem')
  const own = logs.filter(({ address }) => same(address, token))
  const moved = parseEventLogs({ abi: usdcAbi, eventName: 'Transfer', logs: own }).find(
    ({ args }) => same(args.from, from) && same(args.to, expected.payTo) && args.value === expected.value,
  )
  const used = parseEventLogs({ abi: usdcAbi, eventName: 'AuthorizationUsed', logs: own }).some(
    ({ args }) => same(args.authorizer, from) && same(args.nonce, expected.nonce),
  )
  return moved && used ? moved.logIndex : undefined
}

const isMissing = (thrown: unknown): boolean =>
  thrown instanceof Error && /^Transaction(?:Receipt)?NotFoundError$/.test(thrown.name)

const proveOn = async (tip: TipChain, hash: Hash, expected: DirectPayment): Promise<DirectProof> => {
  const { chain, confirmations: needed } = tip
  const { network } = chain
  const reader = await chain.reader()
  const [transaction, receipt] = await Promise.all([
    reader.getTransaction({ hash }),
    reader.getTransactionReceipt({ hash }),
  ]).catch(thrown => {
    if (isMissing(thrown)) return []
    throw thrown
  })
  if (!transaction || !receipt) return { state: 'pending', confirmations: 0, needed }
  const authorizer = await authorizerIn(transaction, network.token.address, expected)
  if (typeof authorizer === 'string') return rejected(authorizer)
  if (receipt.status !== 'success') return rejected('the transaction was reverted; it may have come too late')
  const logIndex = await transferIn(receipt, network.token.address, authorizer.from, expected)
  if (logIndex === undefined) return rejected('the logs do not show the transfer and the used authorization')
  const [head, block] = await Promise.all([
    reader.getBlockNumber({ cacheTime: 0 }),
    reader.getBlock({ blockNumber: receipt.blockNumber }).catch(() => undefined),
  ])
  const confirmations = Number(head - receipt.blockNumber) + 1
  if (block?.hash !== receipt.blockHash) return { state: 'pending', confirmations: 0, needed }
  if (confirmations < needed) return { state: 'pending', confirmations, needed }
  return {
    state: 'confirmed',
    log: `${network.id}:${hash.toLowerCase()}:${logIndex}`,
    payer: authorizer.from.toLowerCase(),
    block: receipt.blockNumber.toString(),
    at: new Date(Number(block.timestamp) * 1000).toISOString(),
  }
}

/** Direct payments in USDC on Base; without a configured Base that answers they are blocked, and say so. */
export const openPurchases = (base: TipChain | undefined): Purchases => {
  const blocking: Purchases['blocking'] = async () => {
    if (!base) return ['network_base_not_configured']
    try {
      if (!/^0x[0-9a-f]{40}$/i.test(await base.wallet())) return ['pay_to_address_not_configured']
      const found = await (await base.chain.reader()).getChainId()
      return found === base.chain.network.chainId ? [] : ['payment_network_is_another_chain']
    } catch {
      return ['payment_network_unavailable']
    }
  }
  const ready = async (): Promise<TipChain> => {
    const why = await blocking()
    if (base && why.length === 0) return base
    throw new ToolError('unavailable', `Direct payments cannot be taken here: ${why.join(', ')}.`)
  }
  return {
    blocking,
    async offer() {
      const { chain, wallet } = await ready()
      const { id, chainId, token } = chain.network
      return {
        network: id,
        chainId,
        asset: token.address,
        assetName: token.name,
        assetVersion: token.version,
        payTo: await wallet(),
        devnet: chain.devnet,
      }
    },
    async prove(hash, expected) {
      const tip = await ready()
      if (!/^0x[0-9a-f]{64}$/i.test(hash)) return rejected('it is no transaction hash')
      return onChain(tip.chain.network, () => proveOn(tip, hash.toLowerCase() as Hash, expected))
    },
    spend: spendLog,
  }
}
