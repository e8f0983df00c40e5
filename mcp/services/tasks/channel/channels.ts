import {
  BaseError,
  ContractFunctionRevertedError,
  concatHex,
  decodeErrorResult,
  ExecutionRevertedError,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  keccak256,
  numberToHex,
  type PublicClient,
  pad,
  parseAbi,
  stringToHex,
  zeroAddress,
} from 'viem'
import { channelEscrow } from '../../../../contracts/channel-escrow.ts'
import { ToolError } from '../../../kernel/error.ts'
import { addressOf, deployCall, isCodeOf } from '../../../lib/contract.ts'
import { authorizationFields } from '../../../lib/evm-abi.ts'
import { recoverSigner } from '../../../lib/recover-signer.ts'
import type { Chain, Chains } from '../../../ports/chain/port.ts'
import {
  type ChannelTerms,
  type Closing,
  Reverted,
  type SessionNetwork,
  type SignedDeposit,
} from '../session.ts'

/** The domain and the type that vouchers are signed under (EIP-712). */
const voucherDomain = { name: 'EVM Payment Channel', version: '1' } as const

const voucherTypes = {
  Voucher: [
    { name: 'channelId', type: 'bytes32' },
    { name: 'cumulativeAmount', type: 'uint128' },
  ],
} as const

export const depositTypes = { ReceiveWithAuthorization: authorizationFields } as const

const halfOrder = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

const hash = (text: string): Hex => keccak256(stringToHex(text))
const domainHash = hash('EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)')
const voucherHash = hash('Voucher(bytes32 channelId,uint128 cumulativeAmount)')
const nameHash = hash(voucherDomain.name)
const versionHash = hash(voucherDomain.version)

const word = (value: bigint): Hex => numberToHex(value, { size: 32 })

const separators = new Map<string, Hex>()

const domainSeparator = ({ chain_id, escrow }: Pick<ChannelTerms, 'chain_id' | 'escrow'>): Hex => {
  const key = `${chain_id} ${escrow}`
  const before = separators.get(key)
  if (before) return before
  const separator = keccak256(
    concatHex([domainHash, nameHash, versionHash, word(BigInt(chain_id)), pad(escrow)]),
  )
  separators.set(key, separator)
  return separator
}

/** The id of a channel, as the escrow computes it. */
const computeChannelId = (terms: ChannelTerms): Hex =>
  keccak256(
    encodeAbiParameters(
      [
        { type: 'address' },
        { type: 'address' },
        { type: 'address' },
        { type: 'bytes32' },
        { type: 'address' },
        { type: 'address' },
        { type: 'uint256' },
      ],
      [
        terms.payer,
        terms.payee,
        terms.token,
        terms.salt,
        terms.authorized_signer,
        terms.escrow,
        BigInt(terms.chain_id),
      ],
    ),
  )

/** The nonce under which a deposit opens this channel and no other. */
const openNonce = ({ payer, payee, token, salt, authorized_signer }: ChannelTerms): Hex =>
  keccak256(
    encodeAbiParameters(
      [
        { type: 'address' },
        { type: 'address' },
        { type: 'address' },
        { type: 'bytes32' },
        { type: 'address' },
      ],
      [payer, payee, token, salt, authorized_signer],
    ),
  )

/** The nonce under which a deposit goes to this channel and no other. */
export const topUpNonce = (channelId: Hex, amount: bigint, from: Hex, salt: Hex): Hex =>
  keccak256(
    encodeAbiParameters(
      [{ type: 'bytes32' }, { type: 'uint128' }, { type: 'address' }, { type: 'bytes32' }],
      [channelId, amount, from, salt],
    ),
  )

/** The digest of a voucher. */
const voucherDigest = (terms: ChannelTerms, channelId: Hex, cumulative: bigint): Hex =>
  keccak256(
    concatHex([
      '0x1901',
      domainSeparator(terms),
      keccak256(concatHex([voucherHash, channelId, word(cumulative)])),
    ]),
  )

/** The signer of a channel's vouchers. */
const signerOf = ({ authorized_signer, payer }: ChannelTerms): Hex =>
  authorized_signer === zeroAddress ? payer : authorized_signer

/** True when a key signed a digest: 65 bytes, v of 27 or 28, the lower s, as the escrow takes it. */
const isSignedByKey = async (address: Hex, digest: Hex, signature: Hex): Promise<boolean> => {
  if (signature.length !== 2 + 65 * 2) return false
  const [s, v] = [BigInt(`0x${signature.slice(66, 130)}`), Number(`0x${signature.slice(130)}`)]
  if ((v !== 27 && v !== 28) || s > halfOrder) return false
  return (await recoverSigner(digest, signature))?.toLowerCase() === address
}

/** Common terms of a network's channels. */
export type ChannelNetwork = Pick<ChannelTerms, 'network' | 'chain_id' | 'escrow' | 'token' | 'payee'> & {
  title: string
  tokenName: string
  tokenVersion: string
}

/** A channel as the chain has it. */
export type ChannelState = {
  deposit: bigint
  settled: bigint
  closeRequestedAt: number
  isFinalized: boolean
}

type OnSigned = (hash: Hex) => Promise<void>

const { abi } = channelEscrow
const carryMs = 20_000
const magic = '0x1626ba7e'.padEnd(66, '0')
const erc1271 = parseAbi(['function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)'])

const lower = (address: string): Hex => address.toLowerCase() as Hex

/** Reads a refusal of the chain, without the words of its node; undefined for a node that does not answer. */
const readRevert = (cause: unknown): Reverted | undefined => {
  if (!(cause instanceof BaseError)) return undefined
  const revert = cause.walk(
    error => error instanceof ExecutionRevertedError || error instanceof ContractFunctionRevertedError,
  )
  const data = cause.walk(error => typeof (error as { data?: unknown }).data === 'string') as unknown as {
    data: Hex
  } | null
  if (!revert && !data) return undefined
  const name = data && readErrorName(data.data)
  const words = cause.message
  if (/exceeds balance/i.test(words))
    return new Reverted('insufficient_balance', 'The payer has less USDC than it signed for.')
  return new Reverted(
    'transaction_reverted',
    name ? `The escrow refuses it: ${name}.` : 'The token or the escrow refuses it.',
  )
}

const readErrorName = (data: Hex): string | undefined => {
  try {
    return decodeErrorResult({ abi, data }).errorName
  } catch {
    return undefined
  }
}

/** Runs what asks a chain; a node that does not answer is `upstream`, to be tried again. */
const onChain = async <T>({ network }: Chain, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof ToolError || cause instanceof Reverted) throw cause
    const reverted = readRevert(cause)
    if (reverted) throw reverted
    throw new ToolError('upstream', `${network.title} does not answer just now.`, {
      hint: 'Nothing is lost. Repeat the call in a few seconds.',
      retryAfter: 5,
      cause: new Error(cause instanceof Error ? cause.name : 'unknown failure'),
    })
  }
}

const hasCode = async (reader: PublicClient, address: Hex): Promise<boolean> =>
  ((await reader.getCode({ address })) ?? '0x') !== '0x'

/** Opens channels on the chains of this installation. */
export const openChannels = (
  chains: Chains,
  configuredEscrows: Readonly<Partial<Record<SessionNetwork, Hex>>>,
) => {
  const soundEscrows = new Set<string>()

  const deployLocally = async (network: SessionNetwork): Promise<Hex> => {
    const address = addressOf(channelEscrow.bytecode)
    const reader = await chains.open(network).reader()
    if (await hasCode(reader, address)) return lower(address)
    const relayer = await chains.relayer(network)
    await relayer.carry(deployCall(channelEscrow.bytecode), carryMs)
    if (!(await hasCode(reader, address))) throw new Error('the local escrow could not be deployed')
    return lower(address)
  }

  const findEscrow = async (network: SessionNetwork): Promise<Hex> => {
    const chain = chains.open(network)
    const configured = configuredEscrows[network]
    const unavailable = (detail: string) =>
      new ToolError('unavailable', detail, {
        hint: 'Use another network, or ask the operator.',
        retryable: false,
      })
    if (!configured && !chains.local)
      throw unavailable(`Sessions on ${chain.network.title} have no escrow here (TASKS_SESSION_ESCROWS).`)
    const escrow = configured ? lower(configured) : await deployLocally(network)
    if (soundEscrows.has(`${network} ${escrow}`) && !chains.local) return escrow
    const reader = await chain.reader()
    const code = await reader.getCode({ address: escrow })
    if (code === undefined)
      throw unavailable(`There is no escrow at ${escrow} on ${chain.network.title} (TASKS_SESSION_ESCROWS).`)
    if (!isCodeOf(channelEscrow, code))
      throw unavailable(
        `What stands at ${escrow} on ${chain.network.title} is no ChannelEscrow of this version (TASKS_SESSION_ESCROWS).`,
      )
    soundEscrows.add(`${network} ${escrow}`)
    return escrow
  }

  const chainOf = ({ network }: Pick<ChannelTerms, 'network'>): Chain => chains.open(network)

  const carry = async (terms: ChannelTerms, data: Hex, onSigned: OnSigned): Promise<Hex> => {
    const chain = chainOf(terms)
    return onChain(chain, async () => {
      const relayer = await chains.relayer(terms.network)
      const reader = await chain.reader()
      // A dry run tells a refusal of the contract from a node that does not answer, before anything is signed.
      await reader.call({ account: relayer.address, to: terms.escrow, data })
      const { hash, receipt } = await relayer.carry(
        { to: terms.escrow, data, onSigned: transaction => onSigned(transaction.hash) },
        carryMs,
      )
      if (receipt?.status === 'reverted')
        throw new Reverted('transaction_reverted', 'The transaction was mined and changed nothing.')
      return hash
    })
  }

  return {
    /** The network with its escrow. Throws `unavailable` where sessions are not possible. */
    network: async (name: SessionNetwork): Promise<ChannelNetwork> => {
      const chain = chains.open(name)
      return onChain(chain, async () => {
        const { chainId, title, token } = chain.network
        const [escrow, relayer] = await Promise.all([findEscrow(name), chains.relayer(name)])
        return {
          network: name,
          chain_id: chainId,
          title,
          escrow,
          token: lower(token.address),
          tokenName: token.name,
          tokenVersion: token.version,
          payee: lower(relayer.address),
        }
      })
    },

    isLocal: chains.local,
    channelId: computeChannelId,
    openNonce,
    topUpNonce,

    /** Data to sign for a payer's deposit (EIP-712, EIP-3009 receiveWithAuthorization). */
    depositData: (
      { chain_id, token, tokenName, tokenVersion, escrow }: ChannelNetwork,
      { from, value, valid_before, nonce }: Pick<SignedDeposit, 'from' | 'value' | 'valid_before' | 'nonce'>,
    ) => ({
      domain: { name: tokenName, version: tokenVersion, chainId: chain_id, verifyingContract: token },
      types: depositTypes,
      primaryType: 'ReceiveWithAuthorization' as const,
      message: { from, to: escrow, value, validAfter: '0', validBefore: valid_before, nonce },
    }),

    /** Data to sign for a voucher (EIP-712). */
    voucherData: (terms: ChannelTerms, channelId: Hex, cumulative: string) => ({
      domain: { ...voucherDomain, chainId: terms.chain_id, verifyingContract: terms.escrow },
      types: voucherTypes,
      primaryType: 'Voucher' as const,
      message: { channelId, cumulativeAmount: cumulative },
    }),

    /** True when a voucher is signed by who signs for this channel: a key, else a smart account that is asked (ERC-1271). */
    isVoucherSigned: async (
      terms: ChannelTerms,
      channelId: Hex,
      cumulative: bigint,
      signature: Hex,
    ): Promise<boolean> => {
      const signer = signerOf(terms)
      const digest = voucherDigest(terms, channelId, cumulative)
      if (await isSignedByKey(signer, digest, signature)) return true
      const chain = chainOf(terms)
      return onChain(chain, async () => {
        const reader = await chain.reader()
        if (!(await hasCode(reader, signer))) return false
        const data = encodeFunctionData({
          abi: erc1271,
          functionName: 'isValidSignature',
          args: [digest, signature],
        })
        const answer = await reader.call({ to: signer, data }).catch((cause: unknown) => {
          if (readRevert(cause)) return { data: undefined }
          throw cause
        })
        return answer.data?.toLowerCase() === magic
      })
    },

    /** The channel on the chain; undefined when it knows none of this id. */
    read: async (terms: ChannelTerms, channelId: Hex): Promise<ChannelState | undefined> => {
      const chain = chainOf(terms)
      return onChain(chain, async () => {
        const reader = await chain.reader()
        if (chains.local && !(await hasCode(reader, terms.escrow))) return undefined
        const [payer, , , , deposit, settled, closeRequestedAt, isFinalized] = await reader.readContract({
          address: terms.escrow,
          abi,
          functionName: 'channels',
          args: [channelId],
        })
        if (BigInt(payer) === 0n) return undefined
        return { deposit, settled, closeRequestedAt: Number(closeRequestedAt), isFinalized }
      })
    },

    /** The time of the chain, in Unix seconds. */
    time: (network: SessionNetwork): Promise<number> => {
      const chain = chains.open(network)
      return onChain(chain, async () => Number((await (await chain.reader()).getBlock()).timestamp))
    },

    /** Opens a channel by the signature of its payer. Throws Reverted where the chain refuses it. */
    openChannel: (terms: ChannelTerms, deposit: SignedDeposit, onSigned: OnSigned): Promise<Hex> =>
      carry(
        terms,
        encodeFunctionData({
          abi,
          functionName: 'openWithAuthorization',
          args: [
            terms.payee,
            terms.token,
            BigInt(deposit.value),
            terms.salt,
            terms.authorized_signer,
            terms.payer,
            BigInt(deposit.valid_after),
            BigInt(deposit.valid_before),
            deposit.nonce,
            deposit.signature,
          ],
        }),
        onSigned,
      ),

    /** Adds a deposit that somebody has signed for. Throws Reverted where the chain refuses it. */
    topUp: (terms: ChannelTerms, channelId: Hex, deposit: SignedDeposit, onSigned: OnSigned): Promise<Hex> =>
      carry(
        terms,
        encodeFunctionData({
          abi,
          functionName: 'topUpWithAuthorization',
          args: [
            channelId,
            BigInt(deposit.value),
            deposit.from,
            deposit.salt,
            BigInt(deposit.valid_after),
            BigInt(deposit.valid_before),
            deposit.nonce,
            deposit.signature,
          ],
        }),
        onSigned,
      ),

    /** Settles and closes, which gives the rest to the payer. Throws Reverted where the chain refuses it. */
    close: (terms: ChannelTerms, channelId: Hex, closing: Closing, onSigned: OnSigned): Promise<Hex> =>
      carry(
        terms,
        encodeFunctionData({
          abi,
          functionName: 'close',
          args: [channelId, BigInt(closing.cumulative), closing.signature],
        }),
        onSigned,
      ),

    /** Calls with which the payer gets its rest back without us. */
    exitCalls: ({ escrow }: ChannelTerms, channelId: Hex) => ({
      request_close: {
        to: escrow,
        data: encodeFunctionData({ abi, functionName: 'requestClose', args: [channelId] }),
      },
      withdraw: {
        to: escrow,
        data: encodeFunctionData({ abi, functionName: 'withdraw', args: [channelId] }),
      },
    }),
  }
}

export type Channels = ReturnType<typeof openChannels>
