import {
  type Address,
  concatHex,
  encodeAbiParameters,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  keccak256,
  numberToHex,
  parseEventLogs,
  sliceHex,
  stringToHex,
} from 'viem'
import { privateKeyToAccount, sign } from 'viem/accounts'
import { stablecoinBridge } from '../../../../contracts/stablecoin-bridge.ts'
import { testMessageTransmitter } from '../../../../contracts/test-message-transmitter.ts'
import { testTokenMessenger } from '../../../../contracts/test-token-messenger.ts'
import { testTokenMessengerWithFees } from '../../../../contracts/test-token-messenger-with-fees.ts'
import { addressOf, deployCall } from '../../../lib/contract.ts'
import type { Chain, Chains, Wallet } from '../../../ports/chain/port.ts'
import { cctpAbi } from './abi.ts'
import {
  type BridgeChain,
  type BridgeRoute,
  chainNamed,
  chainOfDomain,
  messengerAddress,
  messengerWithFeesAddress,
  sources,
  transmitterAddress,
} from './chains.ts'
import type { AskIris } from './iris.ts'
import { laneArguments, laneCost } from './lane-arguments.ts'
import { readBurnMessage } from './message.ts'
import { forwardHook } from './route-argument.ts'

/** Faults of the attestation service of local chains; tests turn these. */
export type Troubles = {
  /** Says that it has seen nothing. */
  unseen: boolean
  /** Has seen the burn and does not attest it. */
  pending: string | undefined
  /** Outcome of the forwarder's mint. */
  forward: 'mint' | 'wait' | 'fail'
  /** Blocks of the destination that an attestation is good for; 0 for ever. */
  expiresIn: bigint
  /** Gives no signed quotes. */
  quoteless: boolean
  /** Answers with this status instead. */
  status: number | undefined
}

/** The bridge of local chains: Circle's contracts by stand-ins, lanes, and an attestation service in this process. */
export type LocalBridge = {
  /** The lane of a route; undefined for one that is not on local chains. */
  lane(route: BridgeRoute): Promise<Address | undefined>
  /** The attestation service, in the wire format of Circle's. */
  ask: AskIris
  troubles: Troubles
}

const forwardFee = 20_000n
const bps = 1n

const code = (artifact: { deployedBytecode: string }) => artifact.deployedBytecode as Hex

const carryAll = async (wallet: Wallet, calls: readonly { to: Hex; data: Hex }[]): Promise<void> => {
  for (const call of calls) {
    const { receipt } = await wallet.carry(call, 10_000)
    if (receipt?.status !== 'success') throw new Error('the local bridge could not be set up')
  }
}

const deployLane = async (chain: Chain, relayer: Wallet, route: BridgeRoute): Promise<Hex> => {
  const data = encodeDeployData({
    ...stablecoinBridge,
    args: laneArguments(relayer.address, route, laneCost),
  })
  const address = addressOf(data)
  const reader = await chain.reader()
  const there = (await reader.getCode({ address })) ?? '0x'
  if (there !== '0x') return address
  await carryAll(relayer, [
    deployCall(data),
    {
      to: address,
      data: encodeFunctionData({
        abi: stablecoinBridge.abi,
        functionName: 'setRelayer',
        args: [relayer.address, true],
      }),
    },
  ])
  return address
}

const setUpCircle = async (chain: Chain, relayer: Wallet, { domain, usdc }: BridgeChain, attester: Hex) => {
  const reader = await chain.reader()
  if (((await reader.getCode({ address: transmitterAddress })) ?? '0x') !== '0x') return
  const contracts = [
    [messengerWithFeesAddress, testTokenMessengerWithFees],
    [messengerAddress, testTokenMessenger],
    [transmitterAddress, testMessageTransmitter],
  ] as const
  for (const [address, artifact] of contracts)
    await reader.request({ method: 'anvil_setCode' as never, params: [address, code(artifact)] as never })
  await carryAll(relayer, [
    {
      to: transmitterAddress,
      data: encodeFunctionData({
        abi: testMessageTransmitter.abi,
        functionName: 'initialize',
        args: [domain, attester],
      }),
    },
    {
      to: messengerAddress,
      data: encodeFunctionData({
        abi: testTokenMessenger.abi,
        functionName: 'initialize',
        args: [transmitterAddress, usdc],
      }),
    },
    {
      to: messengerWithFeesAddress,
      data: encodeFunctionData({
        abi: testTokenMessengerWithFees.abi,
        functionName: 'initialize',
        args: [messengerAddress],
      }),
    },
  ])
}

type Attested = { message: Hex; attestation: Hex; forwarded: Promise<Hex | undefined> | undefined }

const put = (message: Hex, at: number, value: Hex): Hex =>
  concatHex([
    sliceHex(message, 0, at),
    value,
    ...(at + (value.length - 2) / 2 < (message.length - 2) / 2
      ? [sliceHex(message, at + (value.length - 2) / 2)]
      : []),
  ])

const word = (value: bigint): Hex => numberToHex(value, { size: 32 })

/** Opens the bridge of local chains. Its chains start, and its contracts are deployed, with the first use of each. */
export const openLocalBridge = async (chains: Chains): Promise<LocalBridge> => {
  const attesterKey = await chains.localKey('bridge attester')
  const forwarderKey = await chains.localKey('bridge forwarder')
  const attester = privateKeyToAccount(attesterKey)
  const troubles: Troubles = {
    unseen: false,
    pending: undefined,
    forward: 'mint',
    expiresIn: 0n,
    quoteless: false,
    status: undefined,
  }
  let settingUp: Promise<void> | undefined

  const setUpChain = async (name: (typeof sources)[number]) => {
    const chain = chains.open(name)
    const relayer = await chains.relayer(name)
    await setUpCircle(chain, relayer, chainNamed(name), attester.address)
    // The forwarder pays for its own transactions, as Circle's does.
    const reader = await chain.reader()
    const forwarder = privateKeyToAccount(forwarderKey).address
    await reader.request({
      method: 'anvil_setBalance' as never,
      params: [forwarder, numberToHex(10n ** 20n)] as never,
    })
  }
  const setUp = (): Promise<void> => {
    settingUp ??= Promise.all(sources.map(setUpChain))
      .then(() => undefined)
      .catch(error => {
        settingUp = undefined
        throw error
      })
    return settingUp
  }

  const lanes = new Map<string, Promise<Hex>>()
  const lane = async (route: BridgeRoute): Promise<Hex | undefined> => {
    if (route.to.name !== 'base' && route.to.name !== 'arc') return undefined
    await setUp()
    const chain = chains.open(route.from.name)
    const before = lanes.get(route.name)
    // A local chain that was started again has nothing on it.
    if (before) {
      const [address, reader] = await Promise.all([before, chain.reader()])
      if (((await reader.getCode({ address })) ?? '0x') !== '0x') return address
      settingUp = undefined
      lanes.delete(route.name)
      return lane(route)
    }
    const deployed = chains.relayer(route.from.name).then(relayer => deployLane(chain, relayer, route))
    lanes.set(route.name, deployed)
    deployed.catch(() => lanes.delete(route.name))
    return deployed
  }

  const attested = new Map<string, Attested>()
  const attest = (message: Hex): Promise<Hex> =>
    sign({ hash: keccak256(message), privateKey: attesterKey, to: 'hex' })

  /** Fills in what Circle fills in: the message's number, what was executed, the fee, and until when it holds. */
  const complete = async (message: Hex, id: string): Promise<Hex> => {
    const burn = readBurnMessage(message)
    const to = burn && chainOfDomain(burn.destination)
    if (!burn || !to?.send) return message
    const wished = burn.maxFee > 0n ? forwardFee + (burn.amount * bps + 9_999n) / 10_000n : 0n
    const fee = wished < burn.maxFee ? wished : burn.maxFee
    const reader = await chains.open(to.send).reader()
    const head = await reader.getBlockNumber({ cacheTime: 0 })
    const expiration = troubles.expiresIn === 0n ? 0n : head + troubles.expiresIn
    return [
      [12, keccak256(stringToHex(id))] as const,
      [144, numberToHex(1000, { size: 4 })] as const,
      [148 + 164, word(fee)] as const,
      [148 + 196, word(expiration)] as const,
    ].reduce((current, [at, value]) => put(current, at, value), message)
  }

  const forward = async (message: Hex, attestation: Hex): Promise<Hex | undefined> => {
    const to = chainOfDomain(readBurnMessage(message)?.destination ?? -1)
    if (!to?.send) return undefined
    const wallet = await chains.open(to.send).wallet(forwarderKey)
    const args = [message, attestation] as const
    const data = encodeFunctionData({ abi: cctpAbi, functionName: 'receiveMessage', args })
    const { hash } = await wallet.carry({ to: transmitterAddress, data }, 10_000)
    return hash
  }

  const readMessages = async (domain: number, hash: Hex): Promise<{ id: string; message: Hex }[]> => {
    const from = chainOfDomain(domain)
    if (!from?.send || (from.send !== 'base' && from.send !== 'arc')) return []
    const reader = await chains.open(from.send).reader()
    const receipt = await reader.getTransactionReceipt({ hash }).catch(() => undefined)
    return parseEventLogs({ abi: cctpAbi, eventName: 'MessageSent', logs: receipt?.logs ?? [] }).map(
      ({ args, logIndex }) => ({ id: `${hash}:${logIndex}`, message: args.message }),
    )
  }

  const answerFor = async ({ id, message: sent }: { id: string; message: Hex }) => {
    if (troubles.pending !== undefined)
      return {
        message: '0x',
        attestation: 'PENDING',
        eventNonce: null,
        cctpVersion: 2,
        status: 'pending_confirmations',
        delayReason: troubles.pending || null,
      }
    const attestation = attested.get(id)
    const message = attestation?.message ?? (await complete(sent, id))
    const record: Attested = attestation ?? {
      message,
      attestation: await attest(message),
      forwarded: undefined,
    }
    attested.set(id, record)
    const asksForward = readBurnMessage(message)?.hookData.startsWith(forwardHook.slice(0, 26)) === true
    if (asksForward && troubles.forward === 'mint')
      record.forwarded ??= forward(message, record.attestation).catch(() => undefined)
    const forwardTxHash = (await record.forwarded) ?? null
    const forwardState = forwardTxHash ? 'COMPLETE' : troubles.forward === 'fail' ? 'FAILED' : 'CONFIRMED'
    return {
      message,
      attestation: record.attestation,
      eventNonce: sliceHex(message, 12, 44),
      cctpVersion: 2,
      status: 'complete',
      delayReason: null,
      ...(asksForward && { forwardState, forwardTxHash }),
    }
  }

  const answerMessages = async (domain: number, hash: Hex) => {
    const messages = troubles.unseen ? [] : await readMessages(domain, hash)
    if (messages.length === 0) return { status: 404, body: { error: 'Message not found' } }
    return { status: 200, body: { messages: await Promise.all(messages.map(answerFor)) } }
  }

  /** A new attestation of the same message: final now, so that it does not expire. */
  const reattest = async (nonce: string) => {
    for (const [id, { message }] of attested) {
      if (sliceHex(message, 12, 44) !== nonce) continue
      const again = put(message, 148 + 196, word(0n))
      attested.set(id, { message: again, attestation: await attest(again), forwarded: undefined })
      return { status: 200, body: { message: 'Re-attestation successfully requested for nonce.', nonce } }
    }
    return { status: 404, body: { error: 'Nonce not found' } }
  }

  const giveQuote = async (body: object | undefined) => {
    if (troubles.quoteless) return { status: 503, body: { code: 'SERVICE_NOT_ENABLED' } }
    const amount = BigInt(String((body as { amount?: unknown } | undefined)?.amount ?? 0))
    const fee = forwardFee + (amount * bps + 9_999n) / 10_000n
    const deadline = BigInt(Math.floor(Date.now() / 1000) + 600)
    const digest = keccak256(encodeAbiParameters([{ type: 'uint256' }, { type: 'uint256' }], [fee, deadline]))
    const signature = await attester.signMessage({ message: { raw: digest } })
    const signedQuote = encodeAbiParameters(
      [{ type: 'uint256' }, { type: 'uint256' }, { type: 'bytes' }],
      [fee, deadline, signature],
    )
    const expiresAt = new Date(Number(deadline) * 1000).toISOString()
    return { status: 200, body: { signedQuote, totalFee: String(fee), expiresAt } }
  }

  const ask: AskIris = async (method, path, body) => {
    if (troubles.status !== undefined) return { status: troubles.status, body: undefined }
    const { pathname, searchParams } = new URL(path, 'http://iris.invalid')
    const [, , what = '', ...rest] = pathname.split('/')
    if (method === 'GET' && what === 'burn') {
      const forwardFees = { low: 12_000, med: 16_000, high: Number(forwardFee) }
      const list = [
        { finalityThreshold: 1000, minimumFee: Number(bps), forwardFee: forwardFees },
        { finalityThreshold: 2000, minimumFee: 0, forwardFee: forwardFees },
      ]
      return { status: 200, body: list }
    }
    if (method === 'GET' && what === 'messages')
      return answerMessages(Number(rest[0]), searchParams.get('transactionHash') as Hex)
    if (method === 'POST' && what === 'reattest') return reattest(rest[0] ?? '')
    if (method === 'POST' && what === 'quote') return giveQuote(body)
    return { status: 404, body: { error: 'Not found' } }
  }

  return { lane, ask, troubles }
}
