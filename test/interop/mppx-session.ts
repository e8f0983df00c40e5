import { randomBytes } from 'node:crypto'
import { encodeAbiParameters, type Hex, keccak256, zeroAddress } from 'viem'
import { loadJudge } from './judges.ts'

/** A wallet of viem, whichever copy of it. */
type Signer = { address: Hex; signTypedData(data: never): Promise<Hex> }

type Challenge = {
  request: {
    amount: string
    currency: Hex
    recipient: Hex
    suggestedDeposit: string
    methodDetails: { chainId: number; escrowContract: Hex; channelId?: Hex }
  }
}

type Mppx = {
  Method: {
    from(method: object): object
    toClient(
      method: object,
      options: { createCredential(given: { challenge: Challenge }): Promise<string> },
    ): object
  }
  Credential: { from(fields: object): object; serialize(credential: object): string }
}

type Step =
  | { action: 'open'; deposit?: bigint }
  | { action: 'voucher' | 'close'; cumulative: bigint }
  | { action: 'topUp'; amount: bigint }

const hash = (types: string[], values: unknown[]): Hex =>
  keccak256(
    encodeAbiParameters(
      types.map(type => ({ type })),
      values,
    ),
  )

const salted = (): Hex => `0x${randomBytes(32).toString('hex')}`

/**
 * evm/session as a method of the stock client, which has the tempo kind only: what a wallet signs, by the text of the draft and not by our
 * code. `next` says what the coming request does.
 */
export const openMppxSession = async (account: Signer) => {
  const { Method, Credential } = await loadJudge<Mppx>('mppx')
  const { Fetch } = await loadJudge<{ Fetch: { from(options: object): typeof fetch } }>('mppx/client')
  const { z } = await loadJudge<typeof import('zod/mini')>('mppx')
  let channelId: Hex | undefined
  let next: Step = { action: 'open' }

  const deposit = async ({ request }: Challenge, value: bigint, nonce: Hex) => {
    const { chainId, escrowContract: to } = request.methodDetails
    const validBefore = BigInt(Math.floor(Date.now() / 1000) + 300)
    const message = { from: account.address, to, value, validAfter: 0n, validBefore, nonce }
    const signature = await account.signTypedData({
      domain: { name: 'USD Coin', version: '2', chainId, verifyingContract: request.currency },
      types: {
        ReceiveWithAuthorization: [
          { name: 'from', type: 'address' },
          { name: 'to', type: 'address' },
          { name: 'value', type: 'uint256' },
          { name: 'validAfter', type: 'uint256' },
          { name: 'validBefore', type: 'uint256' },
          { name: 'nonce', type: 'bytes32' },
        ],
      },
      primaryType: 'ReceiveWithAuthorization',
      message,
    } as never)
    const texts = { value: String(value), validAfter: '0', validBefore: String(validBefore) }
    return { type: 'authorization', authorization: { ...message, ...texts }, signature }
  }

  const voucher = ({ request }: Challenge, cumulativeAmount: bigint) =>
    account.signTypedData({
      domain: {
        name: 'EVM Payment Channel',
        version: '1',
        chainId: request.methodDetails.chainId,
        verifyingContract: request.methodDetails.escrowContract,
      },
      types: {
        Voucher: [
          { name: 'channelId', type: 'bytes32' },
          { name: 'cumulativeAmount', type: 'uint128' },
        ],
      },
      primaryType: 'Voucher',
      message: { channelId: channelId ?? '0x', cumulativeAmount },
    } as never)

  const pay = async (challenge: Challenge): Promise<object> => {
    const { recipient, currency, suggestedDeposit, methodDetails } = challenge.request
    const { escrowContract, chainId } = methodDetails
    const { address } = account
    if (next.action === 'open') {
      const salt = salted()
      const parties = [address, recipient, currency, salt, zeroAddress]
      channelId = hash(
        ['address', 'address', 'address', 'bytes32', 'address', 'address', 'uint256'],
        [...parties, escrowContract, BigInt(chainId)],
      )
      const nonce = hash(['address', 'address', 'address', 'bytes32', 'address'], parties)
      return {
        action: 'open',
        ...(await deposit(challenge, next.deposit ?? BigInt(suggestedDeposit), nonce)),
        channelId,
        salt,
        cumulativeAmount: '0',
        voucherSignature: await voucher(challenge, 0n),
      }
    }
    if (next.action === 'topUp') {
      const salt = salted()
      const nonce = hash(
        ['bytes32', 'uint128', 'address', 'bytes32'],
        [channelId, next.amount, address, salt],
      )
      const additionalDeposit = String(next.amount)
      return {
        action: 'topUp',
        channelId,
        salt,
        additionalDeposit,
        ...(await deposit(challenge, next.amount, nonce)),
      }
    }
    const { action, cumulative } = next
    const signature = await voucher(challenge, cumulative)
    return { action, channelId, cumulativeAmount: String(cumulative), signature }
  }

  const method = Method.from({
    name: 'evm',
    intent: 'session',
    schema: { credential: { payload: z.any() }, request: z.any() },
  })
  const client = Method.toClient(method, {
    async createCredential({ challenge }) {
      const payload = await pay(challenge)
      const source = `did:pkh:eip155:${challenge.request.methodDetails.chainId}:${account.address}`
      return Credential.serialize(Credential.from({ challenge, payload, source }))
    },
  })
  return {
    fetch: Fetch.from({ fetch, methods: [client] }),
    next: (step: Step) => {
      next = step
    },
    channelId: () => channelId,
  }
}

/** What a receipt says. */
export const readReceipt = (response: Response): Record<string, unknown> =>
  JSON.parse(Buffer.from(response.headers.get('payment-receipt') ?? '', 'base64url').toString() || '{}')
