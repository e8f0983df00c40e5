import { ToolError } from '../../../kernel/error.ts'
import { isRecord, type JsonRecord, parseJson } from '../../../lib/json.ts'

export type Address = `0x${string}`
export type Hex = `0x${string}`

/** An EIP-7702 authorization: the code of `address` becomes that of the account that signs it. Chain 0 is every chain. */
export type DelegationAuthorization = { chainId: bigint; address: string; nonce: bigint | undefined }

/** Gas as a transaction states it, in gas and wei. */
export type Gas = {
  limit: bigint | undefined
  feePerGas: bigint | undefined
  priorityFee: bigint | undefined
}

export type UnsignedTransaction = {
  to: string | undefined
  data: Hex
  value: bigint
  gas: Gas
  authorizations: readonly DelegationAuthorization[]
}

export type TypedData = {
  domain: Readonly<JsonRecord>
  types: Readonly<Record<string, readonly { name: string; type: string }[]>>
  primaryType: string
  message: Readonly<JsonRecord>
}

export type UserOperation = {
  sender: string
  callData: Hex
  factory: string | undefined
  paymaster: string | undefined
  entryPoint: string | undefined
  gas: Gas
  authorization: DelegationAuthorization | undefined
}

/** Content to sign. */
export type SigningSubject =
  | { kind: 'transaction'; transaction: UnsignedTransaction }
  | { kind: 'raw_transaction'; raw: Hex }
  | { kind: 'typed_data'; typedData: TypedData }
  | { kind: 'user_operation'; operation: UserOperation }
  | { kind: 'authorization'; authorization: DelegationAuthorization }
  | { kind: 'message'; message: string }
  | { kind: 'hash'; hash: Hex }

/** The signer's intent, as far as it says so. Amounts in atomic units. */
export type Intent = {
  chainId: number | undefined
  recipient: string | undefined
  amount: bigint | undefined
  maxValue: bigint | undefined
  amountOut: bigint | undefined
  /** Addresses that the signer has dealt with. */
  contacts: readonly string[]
  /** Contracts that the signer trusts with its assets. */
  trusted: readonly string[]
}

/** Something that is about to be signed, by whom, on which chain, and what for. */
export type SigningAction = {
  subject: SigningSubject
  from: string | undefined
  chainId: number | undefined
  intent: Intent
}

const subjectKinds = [
  'transaction',
  'raw_transaction',
  'typed_data',
  'user_operation',
  'authorization',
  'message',
  'hash',
] as const

const maxDepth = 12

/** Both spellings of a field: wallets write camelCase, this service snake_case. */
const field = (record: Readonly<JsonRecord>, ...names: readonly string[]): unknown => {
  for (const name of names) if (record[name] !== undefined && record[name] !== null) return record[name]
  return undefined
}

/** A refusal that names the field. */
export const refuseField = (path: string, message: string, hint?: string): ToolError =>
  new ToolError('invalid_input', `${path} ${message}.`, { issues: [{ path, message }], hint })

const readAddress = (value: unknown, path: string): string => {
  if (typeof value === 'string' && /^0x[0-9a-f]{40}$/i.test(value)) return value
  throw refuseField(path, 'must be an address: 0x and 40 hex digits')
}

const readHex = (value: unknown, path: string): Hex => {
  if (typeof value === 'string' && /^0x(?:[0-9a-f]{2})*$/i.test(value)) return value.toLowerCase() as Hex
  throw refuseField(path, 'must be whole bytes in hex, beginning with 0x')
}

const maxQuantity = 2n ** 256n

/** A quantity: decimal or hex text, or a number that JSON carries exactly. */
const readQuantity = (value: unknown, path: string): bigint => {
  const isNumber = typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
  const isText = typeof value === 'string' && /^(?:\d{1,78}|0x[0-9a-f]{1,64})$/i.test(value)
  if (!isNumber && !isText)
    throw refuseField(path, 'must be a whole number: decimal digits or hex with 0x, without unit')
  const quantity = BigInt(value as string | number)
  if (quantity >= maxQuantity) throw refuseField(path, 'must be less than 2^256')
  return quantity
}

const optional = <value>(
  value: unknown,
  path: string,
  read: (value: unknown, path: string) => value,
): value | undefined => (value === undefined || value === null ? undefined : read(value, path))

const readChainId = (value: unknown, path: string): number => {
  const text = typeof value === 'string' ? value.replace(/^eip155:/, '') : value
  const id = readQuantity(text, path)
  if (id <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(id)
  throw refuseField(path, 'must be the EIP-155 id of a chain')
}

const requireRecord = (value: unknown, path: string): JsonRecord => {
  if (isRecord(value)) return value
  throw refuseField(path, 'must be a JSON object')
}

const readAuthorization = (value: unknown, path: string): DelegationAuthorization => {
  const record = requireRecord(value, path)
  return {
    chainId: readQuantity(
      typeof field(record, 'chain_id', 'chainId') === 'string'
        ? String(field(record, 'chain_id', 'chainId')).replace(/^eip155:/, '')
        : field(record, 'chain_id', 'chainId'),
      `${path}.chain_id`,
    ),
    address: readAddress(field(record, 'address', 'contractAddress', 'delegate'), `${path}.address`),
    nonce: optional(record.nonce, `${path}.nonce`, readQuantity),
  }
}

const readGas = (record: Readonly<JsonRecord>, path: string): Gas => ({
  limit: optional(field(record, 'gas', 'gas_limit', 'gasLimit', 'callGasLimit'), `${path}.gas`, readQuantity),
  feePerGas: optional(
    field(record, 'max_fee_per_gas', 'maxFeePerGas', 'gas_price', 'gasPrice'),
    `${path}.max_fee_per_gas`,
    readQuantity,
  ),
  priorityFee: optional(
    field(record, 'max_priority_fee_per_gas', 'maxPriorityFeePerGas'),
    `${path}.max_priority_fee_per_gas`,
    readQuantity,
  ),
})

const maxAuthorizations = 20

const readTransaction = (value: unknown, path: string): UnsignedTransaction => {
  const record = requireRecord(value, path)
  const authorizations = field(record, 'authorization_list', 'authorizationList') ?? []
  if (!Array.isArray(authorizations) || authorizations.length > maxAuthorizations)
    throw refuseField(`${path}.authorization_list`, `must be a list of at most ${maxAuthorizations}`)
  const to = optional(
    field(record, 'to', 'contract_address', 'contractAddress') || undefined,
    `${path}.to`,
    readAddress,
  )
  const data =
    optional(field(record, 'data', 'input', 'calldata', 'callData') || undefined, `${path}.data`, readHex) ??
    '0x'
  if (to === undefined && data === '0x' && authorizations.length === 0)
    throw refuseField(`${path}.to`, 'must be the address that is called')
  return {
    to,
    data,
    value: optional(record.value, `${path}.value`, readQuantity) ?? 0n,
    gas: readGas(record, path),
    authorizations: authorizations.map((one, index) =>
      readAuthorization(one, `${path}.authorization_list.${index}`),
    ),
  }
}

const isTypes = (value: unknown): value is TypedData['types'] =>
  isRecord(value) &&
  Object.values(value).every(
    fields =>
      Array.isArray(fields) &&
      fields.every(one => isRecord(one) && typeof one.name === 'string' && typeof one.type === 'string'),
  )

const measureDepth = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? 1 + Math.max(0, ...Object.values(value).map(inner => measureDepth(inner)))
    : 0

const readTypedData = (value: unknown, path: string): TypedData => {
  const record = requireRecord(typeof value === 'string' ? parseJson(value) : value, path)
  const { domain = {}, types = {}, message } = record
  const primaryType = field(record, 'primary_type', 'primaryType')
  if (typeof primaryType !== 'string' || !/^[A-Za-z_$][\w$]{0,99}$/.test(primaryType))
    throw refuseField(`${path}.primaryType`, 'must be the name of the type that is signed')
  if (!isTypes(types)) throw refuseField(`${path}.types`, 'must be lists of fields with name and type')
  if (measureDepth(message) > maxDepth) throw refuseField(`${path}.message`, 'is nested too deeply')
  return {
    domain: requireRecord(domain, `${path}.domain`),
    types,
    primaryType,
    message: requireRecord(message, `${path}.message`),
  }
}

const firstAddress = (value: unknown): string | undefined =>
  typeof value === 'string' && /^0x[0-9a-f]{40}/i.test(value) ? value.slice(0, 42) : undefined

const readOperation = (value: unknown, path: string): UserOperation => {
  const record = requireRecord(value, path)
  const authorization = field(record, 'eip7702Auth', 'authorization')
  return {
    sender: readAddress(record.sender, `${path}.sender`),
    callData: optional(field(record, 'callData', 'call_data'), `${path}.callData`, readHex) ?? '0x',
    factory: firstAddress(field(record, 'factory', 'initCode', 'init_code')),
    paymaster: firstAddress(field(record, 'paymaster', 'paymasterAndData', 'paymaster_and_data')),
    entryPoint: optional(field(record, 'entryPoint', 'entry_point'), `${path}.entryPoint`, readAddress),
    gas: readGas(record, path),
    authorization: optional(authorization, `${path}.authorization`, readAuthorization),
  }
}

const readHash = (value: unknown, path: string): Hex => {
  const hash = readHex(value, path)
  if (hash.length === 66) return hash
  throw refuseField(path, 'must be 32 bytes in hex')
}

const readMessage = (value: unknown, path: string): string => {
  if (typeof value === 'string' && value !== '') return value
  throw refuseField(path, 'must be the text that is signed')
}

type Reader = (value: unknown, path: string) => SigningSubject

const readers: Readonly<Record<(typeof subjectKinds)[number], Reader>> = {
  transaction: (value, path) => ({ kind: 'transaction', transaction: readTransaction(value, path) }),
  raw_transaction: (value, path) => ({ kind: 'raw_transaction', raw: readHex(value, path) }),
  typed_data: (value, path) => ({ kind: 'typed_data', typedData: readTypedData(value, path) }),
  user_operation: (value, path) => ({ kind: 'user_operation', operation: readOperation(value, path) }),
  authorization: (value, path) => ({ kind: 'authorization', authorization: readAuthorization(value, path) }),
  message: (value, path) => ({ kind: 'message', message: readMessage(value, path) }),
  hash: (value, path) => ({ kind: 'hash', hash: readHash(value, path) }),
}

const maxAddresses = 200

const readAddresses = (value: unknown, path: string): string[] => {
  if (!Array.isArray(value) || value.length > maxAddresses)
    throw refuseField(path, `must be a list of at most ${maxAddresses} addresses`)
  return value.map((address, index) => readAddress(address, `${path}.${index}`))
}

const intentFields = [
  'chain_id',
  'chainId',
  'recipient',
  'amount',
  'max_value',
  'maxValue',
  'amount_out',
  'amountOut',
  'contacts',
  'trusted',
]

const readIntent = (value: unknown): Intent => {
  const record = value === undefined || value === null ? {} : requireRecord(value, 'intent')
  const path = (name: string) => `intent.${name}`
  // A misspelt wish would be a check that is never made.
  const strange = Object.keys(record).find(name => !intentFields.includes(name))
  if (strange !== undefined) throw refuseField(path(strange.slice(0, 40)), 'is not known here')
  return {
    chainId: optional(field(record, 'chain_id', 'chainId'), path('chain_id'), readChainId),
    recipient: optional(record.recipient, path('recipient'), readAddress),
    amount: optional(record.amount, path('amount'), readQuantity),
    maxValue: optional(field(record, 'max_value', 'maxValue'), path('max_value'), readQuantity),
    amountOut: optional(field(record, 'amount_out', 'amountOut'), path('amount_out'), readQuantity),
    contacts: optional(record.contacts, path('contacts'), readAddresses) ?? [],
    trusted: optional(record.trusted, path('trusted'), readAddresses) ?? [],
  }
}

/** Requests of wallets (EIP-1193), which agents often hold already. */
const fromWalletRequest = (method: string, params: readonly unknown[]): JsonRecord | undefined => {
  const [first, second] = params
  if (method === 'eth_sendTransaction' || method === 'eth_signTransaction') return { transaction: first }
  if (method === 'eth_sendRawTransaction') return { raw_transaction: first }
  if (method.startsWith('eth_signTypedData')) return { typed_data: second, from: first }
  if (method === 'eth_sendUserOperation') {
    if (!isRecord(first)) return undefined
    return { user_operation: { ...first, ...(second !== undefined && { entryPoint: second }) } }
  }
  if (method === 'eth_sign')
    return /^0x[0-9a-f]{64}$/i.test(String(second))
      ? { hash: second, from: first }
      : { message: second, from: first }
  if (method === 'personal_sign') return { message: first, from: second }
  return undefined
}

/** Guesses the kind of a JSON object that names none by fields that only one kind has. */
const guessKind = (record: Readonly<JsonRecord>): JsonRecord => {
  if (subjectKinds.some(kind => record[kind] !== undefined)) return record
  const { method, params } = record
  if (typeof method === 'string' && Array.isArray(params)) {
    const request = fromWalletRequest(method, params)
    if (request) return { ...record, ...request }
  }
  const outer = {
    from: record.from,
    chain_id: field(record, 'chain_id', 'chainId'),
    intent: record.intent,
  }
  if (field(record, 'primaryType', 'primary_type') !== undefined)
    return { typed_data: record, from: record.from, intent: record.intent }
  if (record.sender !== undefined && field(record, 'callData', 'call_data') !== undefined)
    return { user_operation: record, ...outer }
  if (record.address !== undefined && record.to === undefined && record.data === undefined)
    return { authorization: record, from: record.from, intent: record.intent }
  return { transaction: record, ...outer }
}

/** Reads an action from JSON. Throws `invalid_input` that names the field. */
export const readAction = (value: unknown): SigningAction => {
  const record = guessKind(requireRecord(value, 'action'))
  const [kind, ...others] = subjectKinds.filter(kind => record[kind] !== undefined && record[kind] !== null)
  if (kind === undefined)
    throw refuseField('transaction', `is missing: give one of ${subjectKinds.join(', ')}`)
  if (others.length > 0)
    throw refuseField(others[0] ?? kind, `comes beside ${kind}: give one thing to be signed at a time`)
  const subject = readers[kind](record[kind], kind)
  const inner = asInner(record[kind])
  return {
    subject,
    from: optional(field(record, 'from', 'signer') ?? inner.from ?? inner.sender, 'from', readAddress),
    chainId: optional(
      field(record, 'chain_id', 'chainId') ??
        (kind === 'authorization' ? undefined : field(inner, 'chain_id', 'chainId')),
      'chain_id',
      readChainId,
    ),
    intent: readIntent(record.intent),
  }
}

const asInner = (value: unknown): JsonRecord => (isRecord(value) ? value : {})

/** Source of bare calldata, as `artifact_source` gives it. */
export type CalldataSource = { chainId: number | undefined; contract: string | undefined }

/**
 * Reads an action from the text of an artifact: JSON, a wallet request, a signed raw transaction, a hash, or calldata of the
 * contract that the source names. Throws `invalid_input` for what is none of them.
 */
export const readActionText = (
  text: string,
  { chainId, contract }: CalldataSource = { chainId: undefined, contract: undefined },
): SigningAction => {
  const trimmed = text.trim()
  if (/^0x[0-9a-f]*$/i.test(trimmed)) {
    if (trimmed.length === 66) return readAction({ hash: trimmed, chain_id: chainId })
    if (contract !== undefined)
      return readAction({ transaction: { to: contract, data: trimmed }, chain_id: chainId })
    return readAction({ raw_transaction: trimmed, chain_id: chainId })
  }
  const value = parseJson(trimmed)
  if (!isRecord(value))
    throw refuseField(
      'artifact',
      'is no on-chain action that can be read',
      'Send JSON with transaction, typed_data, user_operation or authorization, or a signed raw transaction in hex.',
    )
  const action = readAction(value)
  return { ...action, chainId: action.chainId ?? chainId }
}
