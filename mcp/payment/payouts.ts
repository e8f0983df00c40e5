import type { Hex } from 'viem'
import { ToolError } from '../kernel/error.ts'
import { authorizationAbi, authorizationFields, usdcAbi } from '../lib/evm-abi.ts'
import { onChain } from '../ports/chain/failure.ts'
import type { Chain } from '../ports/chain/port.ts'
import type { Payout, Payouts } from '../ports/payouts/port.ts'

/** A chain that money is paid out on: whose wallet pays, and the blocks that make a payout certain. */
export type PayoutChain = { chain: Chain; key: () => Promise<Hex>; confirmations: number }

/** A payout is good for ever: what makes it happen once is its nonce. */
const validBefore = 2n ** 48n

const confirmMs = 30_000
const logSpan = 9000n

/** The nonce of the transfer's authorization (EIP-3009), from the id alone: the token itself refuses it the second time. */
const nonceFor = async (id: string): Promise<Hex> => {
  const { keccak256, toBytes } = await import('viem')
  return keccak256(toBytes(`payout ${id}`))
}

/** Reads an authorization's use off the chain: not used, used in a block that may yet go, or for good. */
const readUse = async ({ chain, confirmations }: PayoutChain, from: Hex, nonce: Hex) => {
  const reader = await chain.reader()
  const head = await reader.getBlockNumber()
  const isUsedAt = (blockNumber: bigint) =>
    reader.readContract({
      address: chain.network.token.address,
      abi: usdcAbi,
      functionName: 'authorizationState',
      args: [from, nonce],
      blockNumber,
    })
  if (!(await isUsedAt(head))) return 'unused'
  const depth = BigInt(confirmations - 1)
  return depth === 0n || (await isUsedAt(head > depth ? head - depth : 0n)) ? 'final' : 'mined'
}

/** The transaction that used an authorization lately; null when that is longer ago than nodes like to look. */
const findTransaction = async ({ chain }: PayoutChain, from: Hex, nonce: Hex): Promise<string | null> => {
  const reader = await chain.reader()
  const head = await reader.getBlockNumber()
  const logs = await reader.getContractEvents({
    address: chain.network.token.address,
    abi: usdcAbi,
    eventName: 'AuthorizationUsed',
    args: { authorizer: from, nonce },
    fromBlock: head > logSpan ? head - logSpan : 0n,
    toBlock: head,
  })
  return logs[0]?.transactionHash ?? null
}

const tooLittle = ({ network }: Chain) =>
  new ToolError('conflict', `The wallet that payouts come from holds too little on ${network.title}.`, {
    reason: 'wallet_empty',
    hint: 'Fund it; the payout is tried again.',
  })

const transfer = async (payoutChain: PayoutChain, payout: Payout, nonce: Hex): Promise<void> => {
  const { encodeFunctionData } = await import('viem')
  const { privateKeyToAccount } = await import('viem/accounts')
  const { chain } = payoutChain
  const { address, name, version } = chain.network.token
  const key = await payoutChain.key()
  const [reader, wallet] = await Promise.all([chain.reader(), chain.wallet(key)])
  const from = payout.from as Hex
  const balance = await reader.readContract({
    address,
    abi: usdcAbi,
    functionName: 'balanceOf',
    args: [from],
  })
  if (balance < payout.amount) throw tooLittle(chain)
  const message = {
    from,
    to: payout.to as Hex,
    value: payout.amount,
    validAfter: 0n,
    validBefore,
    nonce,
  }
  const signature = await privateKeyToAccount(key).signTypedData({
    domain: { name, version, chainId: chain.network.chainId, verifyingContract: address },
    types: { TransferWithAuthorization: authorizationFields },
    primaryType: 'TransferWithAuthorization',
    message,
  })
  const [r, s, v] = [signature.slice(0, 66), `0x${signature.slice(66, 130)}`, signature.slice(130)]
  const data = encodeFunctionData({
    abi: authorizationAbi,
    functionName: 'transferWithAuthorization',
    args: [from, message.to, payout.amount, 0n, validBefore, nonce, Number(`0x${v}`), r as Hex, s as Hex],
  })
  await wallet.carry({ to: address, data, idempotent: true }, confirmMs)
}

/** The port `payouts`: USDC out of the wallet of the installation, by authorizations that the token takes once. */
export const openPayouts = (payoutChain: PayoutChain): Payouts => {
  const { chain, key } = payoutChain
  const wallet = async () => (await chain.wallet(await key())).address.toLowerCase()
  return {
    network: chain.network.id,
    wallet: () => onChain(chain.network, wallet),
    send: payout =>
      onChain(chain.network, async () => {
        const { id, from } = payout
        if (from !== (await wallet()))
          throw new ToolError('conflict', 'This payout was begun from another wallet.', {
            reason: 'wallet_changed',
            hint: 'Whether it was paid can be seen at the token, by the authorization of its id.',
          })
        const nonce = await nonceFor(id)
        if ((await readUse(payoutChain, from as Hex, nonce)) === 'unused')
          await transfer(payoutChain, payout, nonce)
        const use = await readUse(payoutChain, from as Hex, nonce)
        if (use !== 'final') return { state: 'pending' }
        return { state: 'sent', transaction: await findTransaction(payoutChain, from as Hex, nonce) }
      }),
  }
}
