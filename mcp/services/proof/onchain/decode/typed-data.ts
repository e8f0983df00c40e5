import { asList, asRecord } from '../../../../lib/json.ts'
import type { TypedData } from '../action.ts'
import { isSame, lower } from '../scene.ts'
import type { Reading } from './functions.ts'

const isAddress = (value: unknown): value is string =>
  typeof value === 'string' && /^0x[0-9a-f]{40}$/i.test(value)

/** A quantity in a message; wallets take numbers, decimal and hex texts. Undefined for anything else. */
const quantity = (value: unknown): bigint | undefined => {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return BigInt(Math.trunc(value))
  if (typeof value === 'string' && /^(?:\d{1,78}|0x[0-9a-f]{1,64})$/i.test(value)) return BigInt(value)
  return undefined
}

const toAddress = (value: unknown) => (isAddress(value) ? lower(value) : undefined)

const noLimit = 2n ** 128n

type Fact = Readonly<Record<string, unknown>>
type Reader = (message: Fact, domain: Fact, reading: Reading) => boolean

/** A quantity that the message says, or the whole of what there is where it cannot be read. */
const amountOr = (value: unknown, otherwise = 2n ** 256n - 1n): bigint => quantity(value) ?? otherwise

const path = (rest = '') => `typed_data.message${rest}`

const readPermit: Reader = (message, domain, { grant }) => {
  if (!isAddress(message.spender)) return false
  const isDai = message.allowed !== undefined
  grant({
    kind: 'token',
    by: 'signature',
    via: 'permit',
    token: toAddress(domain.verifyingContract),
    spender: message.spender,
    amount: isDai
      ? message.allowed === true || message.allowed === 'true'
        ? 2n ** 256n - 1n
        : 0n
      : amountOr(message.value),
    expires: quantity(message.deadline ?? message.expiry),
    path: path(),
  })
  return true
}

const readPermit2Details = (details: unknown, spender: string, at: string, { grant }: Reading) => {
  const { token, amount, expiration } = asRecord(details)
  grant({
    kind: 'token',
    by: 'signature',
    via: 'Permit2',
    token: toAddress(token),
    spender,
    amount: amountOr(amount),
    unlimitedFrom: noLimit,
    expires: quantity(expiration),
    path: at,
  })
}

const readPermitSingle: Reader = (message, _, reading) => {
  if (!isAddress(message.spender)) return false
  readPermit2Details(message.details, message.spender, path('.details'), reading)
  return true
}

const readPermitBatch: Reader = (message, _, reading) => {
  const details = asList(message.details)
  if (!isAddress(message.spender) || details.length === 0) return false
  for (const [index, one] of details.entries())
    readPermit2Details(one, message.spender, path(`.details[${index}]`), reading)
  return true
}

/** SignatureTransfer: whoever the spender is takes the tokens with this one signature. */
const readPermitTransfer: Reader = (message, _, { grant, mention }) => {
  const all = Array.isArray(message.permitted) ? message.permitted : [message.permitted]
  if (!isAddress(message.spender) || all.length === 0) return false
  for (const [index, one] of all.entries()) {
    const { token, amount } = asRecord(one)
    grant({
      kind: 'token',
      by: 'signature',
      via: 'Permit2 transfer',
      token: toAddress(token),
      spender: message.spender,
      amount: amountOr(amount),
      expires: quantity(message.deadline),
      path: path(`.permitted[${index}]`),
    })
  }
  const witness = asRecord(message.witness)
  for (const name of ['recipient', 'to', 'receiver'])
    if (isAddress(witness[name])) mention(String(witness[name]), 'recipient', path(`.witness.${name}`))
  return true
}

/** Transfers with authorization (EIP-3009): the signature is the payment. */
const readAuthorization: Reader = (message, domain, { pay }) => {
  if (!isAddress(message.to) || !isAddress(message.from)) return false
  pay({
    by: 'signature',
    token: toAddress(domain.verifyingContract),
    from: lower(message.from),
    to: message.to,
    amount: amountOr(message.value),
    path: path(),
  })
  return true
}

/** Reads what an order pays to whom, in its largest part: amounts at the end of an auction count. */
const readSeaport: Reader = (message, _, { scene, mention }) => {
  const offers = asList(message.offer)
  const considerations = asList(message.consideration)
  if (!isAddress(message.offerer) || (offers.length === 0 && considerations.length === 0)) return false
  const { offerer } = message
  let toSigner = 0n
  let toOthers = 0n
  for (const [index, one] of considerations.entries()) {
    const { recipient, startAmount, endAmount } = asRecord(one)
    const amounts = [quantity(startAmount) ?? 0n, quantity(endAmount) ?? 0n]
    const amount =
      amounts[0] !== undefined && amounts[1] !== undefined && amounts[0] < amounts[1]
        ? amounts[0]
        : (amounts[1] ?? 0n)
    if (isAddress(recipient)) mention(recipient, 'recipient of a sale', path(`.consideration[${index}]`))
    if (isSame(String(recipient), scene.signer ?? offerer)) toSigner += amount
    else toOthers += amount
  }
  scene.orders.push({ venue: 'Seaport', offers: offers.length, toSigner, toOthers, path: path() })
  return true
}

/** Orders of one maker who sells one thing for another (0x, CoW, 1inch and their like). */
const readLimitOrder: Reader = (message, _, { scene, trade }) => {
  const minOut = quantity(
    message.buyAmount ??
      message.takerAmount ??
      message.takingAmount ??
      message.takerAssetAmount ??
      message.buyTokenAmount,
  )
  const amountIn = quantity(
    message.sellAmount ?? message.makerAmount ?? message.makingAmount ?? message.makerAssetAmount,
  )
  if (minOut === undefined || amountIn === undefined) return false
  const receiver = toAddress(message.receiver ?? message.recipient)
  const isSelf = receiver === undefined || /^0x0{40}$/.test(receiver)
  trade({
    tokenIn: toAddress(message.sellToken ?? message.makerToken ?? message.makerAsset),
    tokenOut: toAddress(message.buyToken ?? message.takerToken ?? message.takerAsset),
    amountIn,
    minOut,
    recipient: isSelf ? scene.signer : receiver,
    deadline: quantity(message.validTo ?? message.expiry ?? message.deadline ?? message.expiration),
    router:
      toAddress(asRecord(scene.typedData?.domain).verifyingContract) ??
      '0x0000000000000000000000000000000000000000',
    path: path(),
  })
  return true
}

/** A transaction that a Safe would execute with this signature. */
const readSafeTransaction: Reader = (message, domain, { scene, follow }) => {
  const { to, data, value, operation } = message
  if (!isAddress(to)) return false
  const safe = toAddress(domain.verifyingContract)
  if (quantity(operation) === 1n) scene.controls.push({ what: 'delegatecall', to: lower(to), path: path() })
  const calldata = typeof data === 'string' && /^0x(?:[0-9a-f]{2})*$/i.test(data) ? data.toLowerCase() : '0x'
  follow(
    { to, data: calldata as `0x${string}`, value: quantity(value) ?? 0n, from: safe, path: path('.data') },
    {
      to: safe ?? lower(to),
      data: '0x',
      value: 0n,
      from: safe,
      depth: -1,
      path: path(),
      name: undefined,
      args: {},
    },
  )
  return true
}

/** Requests that a relayer carries out for the signer (ERC-2771). */
const readForward: Reader = (message, _, { follow }) => {
  const { to, data, value, from } = message
  if (!isAddress(to) || typeof data !== 'string' || !/^0x(?:[0-9a-f]{2})*$/i.test(data)) return false
  const signer = toAddress(from)
  follow(
    {
      to,
      data: data.toLowerCase() as `0x${string}`,
      value: quantity(value) ?? 0n,
      from: signer,
      path: path('.data'),
    },
    {
      to: lower(to),
      data: '0x',
      value: 0n,
      from: signer,
      depth: -1,
      path: path(),
      name: undefined,
      args: {},
    },
  )
  return true
}

/** Votes, sessions and the like, which move nothing. */
const harmless: Reader = () => true

const readers: readonly [name: RegExp, read: Reader][] = [
  [/^Permit$/, readPermit],
  [/^PermitSingle$/, readPermitSingle],
  [/^PermitBatch$/, readPermitBatch],
  [/^Permit(?:Batch)?(?:Witness)?TransferFrom$/, readPermitTransfer],
  [/^(?:Transfer|Receive)WithAuthorization$/, readAuthorization],
  [/^CancelAuthorization$/, harmless],
  [/^OrderComponents$/, readSeaport],
  [/^(?:Order|LimitOrder|OtcOrder|RfqOrder)$/, readLimitOrder],
  [/^SafeTx$/, readSafeTransaction],
  [/^ForwardRequest$/, readForward],
  [/^(?:Vote|Ballot|ExtendedBallot|Login|SignIn|Session|Mail|Message|Registration|Attest)$/, harmless],
]

/** Reads a structured message (EIP-712). What no reader takes is unknown. */
export const readTypedData = ({ domain, primaryType, message }: TypedData, reading: Reading): void => {
  const { scene } = reading
  const contract = domain.verifyingContract
  if (isAddress(contract)) reading.mention(contract, 'verifying contract', 'typed_data.domain')
  const reader = readers.find(([name]) => name.test(primaryType))
  if (reader?.[1](message, domain, reading)) {
    scene.understood++
    return
  }
  for (const [name, value] of Object.entries(message))
    if (isAddress(value)) reading.mention(value, name, path(`.${name}`))
  scene.unknowns.push({
    what: 'is a type that is not known',
    selector: primaryType,
    to: toAddress(contract),
    path: path(),
    isTop: true,
  })
}
