import { parseTransaction, recoverTransactionAddress } from 'viem'
import { type Gas, type Hex, refuseField, type SigningAction, type UnsignedTransaction } from './action.ts'
import type { Reading } from './decode/functions.ts'
import { enterCall, openReading } from './decode/reading.ts'
import { readTypedData } from './decode/typed-data.ts'
import { lower, type Scene } from './scene.ts'
import { unreadChain } from './state/chain-state.ts'

const noGas: Gas = { limit: undefined, feePerGas: undefined, priorityFee: undefined }

const openScene = (action: SigningAction, now: Date): Scene => ({
  action,
  now: BigInt(Math.floor(now.getTime() / 1000)),
  signer: action.from === undefined ? undefined : lower(action.from),
  chainId: action.chainId,
  calls: [],
  grants: [],
  payments: [],
  trades: [],
  sweeps: [],
  orders: [],
  controls: [],
  delegations: [],
  mentions: [],
  unknowns: [],
  lures: [],
  typedData: undefined,
  message: undefined,
  isBlindHash: false,
  isReplayable: false,
  recovered: undefined,
  isCreation: false,
  gas: noGas,
  value: 0n,
  problems: [],
  understood: 0,
  chain: unreadChain('nothing was asked of a node'),
})

const addTransaction = (
  reading: Reading,
  { to, data, value, gas, authorizations }: UnsignedTransaction,
  path: string,
) => {
  const { scene } = reading
  scene.gas = gas
  scene.value = value
  for (const [index, { chainId, address }] of authorizations.entries()) {
    const place = `${path}.authorization_list[${index}]`
    scene.delegations.push({ chainId, address: reading.mention(address, 'delegate', place), path: place })
  }
  scene.understood += authorizations.length
  if (to === undefined) {
    scene.isCreation = data !== '0x'
    return
  }
  enterCall(reading, { to, data, value, path })
}

type Parsed = {
  to?: string | null
  data?: Hex
  value?: bigint
  gas?: bigint
  gasPrice?: bigint
  maxFeePerGas?: bigint
  maxPriorityFeePerGas?: bigint
  chainId?: number
  r?: Hex
  authorizationList?: readonly {
    chainId: number
    address?: string
    contractAddress?: string
    nonce: number
  }[]
}

const addRaw = async (reading: Reading, raw: Hex) => {
  const { scene } = reading
  let parsed: Parsed
  try {
    parsed = parseTransaction(raw) as unknown as Parsed
  } catch {
    throw refuseField('raw_transaction', 'is no transaction: it cannot be decoded')
  }
  if (parsed.r !== undefined) {
    try {
      scene.recovered = lower(await recoverTransactionAddress({ serializedTransaction: raw as never }))
    } catch {
      throw refuseField('raw_transaction', 'has a signature that is none')
    }
    scene.signer ??= scene.recovered
  }
  scene.isReplayable = parsed.chainId === undefined
  const isOther =
    scene.chainId !== undefined && parsed.chainId !== undefined && parsed.chainId !== scene.chainId
  if (isOther)
    scene.action = {
      ...scene.action,
      intent: { ...scene.action.intent, chainId: scene.action.intent.chainId ?? scene.chainId },
    }
  scene.chainId = parsed.chainId ?? scene.chainId
  addTransaction(
    reading,
    {
      to: parsed.to ?? undefined,
      data: parsed.data ?? '0x',
      value: parsed.value ?? 0n,
      gas: {
        limit: parsed.gas,
        feePerGas: parsed.maxFeePerGas ?? parsed.gasPrice,
        priorityFee: parsed.maxPriorityFeePerGas,
      },
      authorizations: (parsed.authorizationList ?? []).map(
        ({ chainId, address, contractAddress, nonce }) => ({
          chainId: BigInt(chainId),
          address: address ?? contractAddress ?? '0x0000000000000000000000000000000000000000',
          nonce: BigInt(nonce),
        }),
      ),
    },
    'raw_transaction',
  )
}

/** The text that a wallet would show for bytes, where they are one. */
const toText = (message: string): string => {
  if (!/^0x(?:[0-9a-f]{2})+$/i.test(message)) return message
  const text = Buffer.from(message.slice(2), 'hex').toString('utf8')
  return text.includes('\ufffd') ? message : text
}

/** Reads an action as a scene. Throws `invalid_input` for a raw transaction that is none. */
export const readScene = async (action: SigningAction, now: Date): Promise<Scene> => {
  const scene = openScene(action, now)
  const reading = openReading(scene)
  const { subject } = action
  if (action.from !== undefined) reading.mention(action.from, 'signer', 'from')
  if (subject.kind === 'transaction') addTransaction(reading, subject.transaction, 'transaction')
  else if (subject.kind === 'raw_transaction') await addRaw(reading, subject.raw)
  else if (subject.kind === 'typed_data') {
    scene.typedData = subject.typedData
    const { chainId } = subject.typedData.domain
    if (scene.chainId === undefined && /^(?:\d{1,15}|0x[0-9a-f]{1,12})$/i.test(String(chainId)))
      scene.chainId = Number(chainId)
    readTypedData(subject.typedData, reading)
  } else if (subject.kind === 'user_operation') {
    const { sender, callData, factory, paymaster, gas, authorization } = subject.operation
    scene.signer ??= lower(sender)
    scene.gas = gas
    if (factory !== undefined) reading.mention(factory, 'factory', 'user_operation.factory')
    if (paymaster !== undefined) reading.mention(paymaster, 'paymaster', 'user_operation.paymaster')
    if (authorization)
      scene.delegations.push({
        chainId: authorization.chainId,
        address: reading.mention(authorization.address, 'delegate', 'user_operation.authorization'),
        path: 'user_operation.authorization',
      })
    if (callData === '0x') scene.understood++
    else enterCall(reading, { to: sender, data: callData, value: 0n, path: 'user_operation.callData' })
  } else if (subject.kind === 'authorization') {
    const { chainId, address } = subject.authorization
    scene.delegations.push({
      chainId,
      address: reading.mention(address, 'delegate', 'authorization'),
      path: 'authorization',
    })
    scene.understood++
  } else if (subject.kind === 'message') {
    const text = toText(subject.message)
    scene.isBlindHash =
      /^(?:0x)?[0-9a-f]{64}$/i.test(text) || (text === subject.message && /^0x[0-9a-f]+$/i.test(text))
    scene.message = text
    if (!scene.isBlindHash) scene.understood++
  } else scene.isBlindHash = true
  return scene
}
