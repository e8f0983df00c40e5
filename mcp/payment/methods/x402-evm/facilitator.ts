import { AsyncLocalStorage } from 'node:async_hooks'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import type { Hash, Hex, TransactionReceipt } from 'viem'
import { authorizationAbi } from '../../../lib/evm-abi.ts'
import type { Chain } from '../../../ports/chain/port.ts'
import { openRemoteFacilitator, type RemoteOptions } from '../../../ports/facilitator/remote.ts'
import { joinFacilitators } from '../../../ports/facilitator/several.ts'
import { readAuthorization } from './authorization.ts'
import { toRefusal } from './refusal.ts'

/** The two calls of an x402 facilitator that payments need. */
export type Facilitator = {
  verify(
    payload: PaymentPayload,
    requirements: PaymentRequirements,
  ): Promise<{ isValid: boolean; invalidReason?: string | undefined }>
  settle(payload: PaymentPayload, requirements: PaymentRequirements): Promise<FacilitatorAnswer>
}

export type FacilitatorAnswer = {
  success: boolean
  errorReason?: string | undefined
  transaction: string
  /** The one elsewhere that answered. */
  facilitator?: string
  /** Only where it is sure that the authorization left this process for nobody. */
  unsent?: boolean
  /** Receipt that a facilitator of ours has read from our own node. */
  receipt?: TransactionReceipt | undefined
}

/** True when a wallet threw before it signed anything: a node that tried the call saw it revert. */
export const isUnsent = (cause: unknown): boolean => {
  for (let error = cause; error instanceof Error; error = error.cause)
    if (error.name === 'ExecutionRevertedError') return true
  return false
}

/** The scheme's own memory of what it sent would never send a dropped transaction again; the payment's record remembers. */
const forgetful = { get: async () => undefined, set: async () => undefined, delete: async () => undefined }

const faults = new Set([
  'HttpRequestError',
  'TimeoutError',
  'LimitExceededRpcError',
  'ResourceUnavailableRpcError',
])

/** True when the node did not answer, rather than that the call reverts. */
const isBroken = (cause: unknown): boolean =>
  cause instanceof Error && (faults.has(cause.name) || isBroken(cause.cause))

const codeLifeMs = 5_000
const maxCodes = 1_000

/** The code at an address, asked once for the checks of one payment. Were it outdated: the token looks for itself. */
const openCodes = (ask: (address: Hex) => Promise<Hex | undefined>) => {
  const codes = new Map<string, { at: number; code: Promise<Hex | undefined> }>()
  return (address: Hex): Promise<Hex | undefined> => {
    const id = address.toLowerCase()
    const before = codes.get(id)
    if (before && performance.now() - before.at < codeLifeMs) return before.code
    if (codes.size >= maxCodes) codes.clear()
    const code = ask(address)
    codes.set(id, { at: performance.now(), code })
    code.catch(() => codes.delete(id))
    return code
  }
}

/**
 * A facilitator in this process: it checks with the chain's node and pays the gas from the wallet of `key`. A payer's account that is
 * not deployed is deployed by one of `factories` or not at all: whatever else a payment names would be called at our expense.
 */
export const openLocalFacilitator = async (
  chain: Chain,
  key: Hex,
  confirmMs: number,
  factories: readonly string[] = [],
): Promise<Facilitator> => {
  const [
    { x402Facilitator },
    { toFacilitatorEvmSigner },
    { ExactEvmScheme },
    { concatHex, encodeFunctionData, parseErc6492Signature },
  ] = await Promise.all([
    import('@x402/core/facilitator'),
    import('@x402/evm'),
    import('@x402/evm/exact/facilitator'),
    import('viem'),
  ])
  const wallet = await chain.wallet(key)
  const token = chain.network.token.address.toLowerCase()
  /** True when the settlement under way has let anything out of this process. */
  const settling = new AsyncLocalStorage<{ unsent: boolean }>()
  const trackingSend = async <T>(send: () => Promise<T>): Promise<T> => {
    const settlement = settling.getStore()
    try {
      if (settlement) settlement.unsent = false
      return await send()
    } catch (cause) {
      if (settlement) settlement.unsent = isUnsent(cause)
      throw cause
    }
  }
  let failures = 0
  const codes = openCodes(async address => (await chain.reader()).getCode({ address }))
  /** Receipts of the transactions that are being settled, under the hashes that the scheme asks for. */
  const receipts = new Map<Hash, TransactionReceipt | undefined>()
  type Client = Parameters<typeof toFacilitatorEvmSigner>[0]
  const client: Client = {
    address: wallet.address,
    getCode: async args => {
      // The scheme starts this check of the token and may drop it: were it to fail then, nobody would catch it and the
      // process would end. The token is configuration; a chain without it shows when it is asked for a balance.
      if (args.address.toLowerCase() === token) return '0xfe'
      try {
        return await codes(args.address)
      } catch (cause) {
        failures += 1
        throw cause
      }
    },
    readContract: async args => {
      try {
        return await (await chain.reader()).readContract(args as never)
      } catch (cause) {
        if (isBroken(cause)) failures += 1
        throw cause
      }
    },
    verifyTypedData: async args => (await chain.reader()).verifyTypedData(args as never),
    waitForTransactionReceipt: async ({ hash }) => {
      const receipt = receipts.has(hash) ? receipts.get(hash) : await chain.confirm(hash, confirmMs)
      if (!receipt) throw new Error('not mined in time')
      return receipt
    },
    sendTransaction: call => trackingSend(() => wallet.send(call)),
    // The token takes an authorization once, so that it may be sent again where another transaction took its place.
    writeContract: async ({ address, gas, dataSuffix, ...call }) => {
      const data = encodeFunctionData(call as never)
      const { hash, receipt } = await trackingSend(() =>
        wallet.carry(
          {
            to: address,
            data: dataSuffix ? concatHex([data, dataSuffix]) : data,
            ...(gas !== undefined && { gas }),
          },
          confirmMs,
        ),
      )
      receipts.set(hash, receipt)
      return hash
    },
  }
  const signer = toFacilitatorEvmSigner(client, { confirmationTimeoutMs: confirmMs })
  const facilitator = new x402Facilitator().register(
    chain.network.id,
    new ExactEvmScheme(signer, {
      pendingSettlementStore: forgetful,
      eip6492AllowedFactories: [...factories],
    }),
  ) as Facilitator

  /**
   * The call of the token that takes the signature of a smart account as that account made it (ERC-1271): the scheme splits 65 bytes into
   * a key's `v`, `r` and `s`, and gives a deployed account the wrapping of one that is not (ERC-6492). Undefined for other payers.
   */
  const toAccountCall = async ({ payload }: PaymentPayload): Promise<{ to: Hex; data: Hex } | undefined> => {
    const signed = readAuthorization({ data: payload })
    const code = signed && (await codes(signed.from))
    if (!signed || code === undefined || code === '0x') return undefined
    const { from, to, value, validAfter, validBefore, nonce } = signed
    const { signature } = parseErc6492Signature(signed.signature)
    const args = [from, to, value, validAfter, validBefore, nonce, signature] as const
    const data = encodeFunctionData({
      abi: authorizationAbi,
      functionName: 'transferWithAuthorization',
      args,
    })
    return { to: chain.network.token.address, data }
  }

  /** Has the token carry the call out without sending it. */
  const tryOut = async (call: { to: Hex; data: Hex }) => {
    try {
      await (await chain.reader()).call({ account: wallet.address, ...call })
      return { isValid: true }
    } catch (cause) {
      if (isBroken(cause) || !isUnsent(cause)) throw cause
      const isForged = /signature/i.test(cause instanceof Error ? cause.message : '')
      return { isValid: false, invalidReason: isForged ? 'invalid_signature' : 'transaction_failed' }
    }
  }

  const carryOut = async (call: { to: Hex; data: Hex }): Promise<FacilitatorAnswer> => {
    try {
      const { hash, receipt } = await wallet.carry(call, confirmMs)
      return { success: receipt?.status === 'success', transaction: hash, receipt }
    } catch (cause) {
      if (!isUnsent(cause)) throw cause
      const isUsed = /used/i.test(cause instanceof Error ? cause.message : '')
      const errorReason = isUsed ? 'nonce_already_used' : 'transaction_failed'
      return { success: false, unsent: true, errorReason, transaction: '' }
    }
  }

  // A node that does not answer makes the scheme call a good signature invalid.
  const unlessBroken = async <T>(work: () => Promise<T>, isGood: (answer: T) => boolean): Promise<T> => {
    const before = failures
    const answer = await work()
    if (failures > before && !isGood(answer)) throw new Error('the node failed during the check')
    return answer
  }
  return {
    verify: async (...requirements) => {
      const call = await toAccountCall(requirements[0])
      if (call) return tryOut(call)
      return unlessBroken(
        () => facilitator.verify(...requirements),
        ({ isValid }) => isValid,
      )
    },
    settle: async (...requirements) => {
      const call = await toAccountCall(requirements[0])
      if (call) return carryOut(call)
      const settlement = { unsent: true }
      const answer = await unlessBroken(
        () => settling.run(settlement, () => facilitator.settle(...requirements)),
        ({ success, transaction }) => success || transaction !== '',
      )
      const hash = answer.transaction as Hash
      const receipt = receipts.get(hash)
      receipts.delete(hash)
      return { ...answer, ...settlement, receipt }
    },
  }
}

/** Facilitators elsewhere, in order of preference. */
export const openRemoteFacilitators = (remotes: readonly RemoteOptions[], now: () => Date): Facilitator =>
  joinFacilitators(
    remotes.map(remote => openRemoteFacilitator({ now, ...remote })),
    { isVague: reason => toRefusal(reason) === 'settlement_failed', now },
  )
