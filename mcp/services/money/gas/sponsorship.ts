import { numberToHex } from 'viem'
import { ToolError } from '../../../kernel/error.ts'
import type { Call, Price } from '../../../kernel/tool.ts'
import { dayMs } from '../../../lib/time.ts'
import { formatUsd } from '../../../lib/usd.ts'
import type { Clock } from '../../../ports/clock/port.ts'
import type { Store, Tx } from '../../../ports/store/port.ts'
import { parseDelegate } from '../stablecoin/token.ts'
import { accountFor, type Draft, draftOperation, readSenderAccount } from './draft.ts'
import type { GasNetwork } from './networks.ts'
import {
  fromWire,
  operationHash,
  operationTypedData,
  type SponsoredOperation,
  signSponsorship,
  toWire,
} from './operation.ts'
import { minPrice, weiToUsdc } from './price.ts'
import {
  loadOperation,
  newOperationId,
  noOperation,
  type OperationRow,
  operationsIn,
  quotesIn,
  type StoredDraft,
  toRequestKey,
  toSlot,
} from './records.ts'
import { readSponsorRequest, type SponsorRequest } from './request.ts'
import type { SponsorChain, SponsorChains } from './sponsor-chains.ts'
import { settleEnded } from './submission.ts'

export type SponsorDeps = {
  store: Store
  clock: Clock
  chains: SponsorChains
  maxUsd: number
}

type Input = Parameters<typeof readSponsorRequest>[0] & { id?: string | undefined }

/** Milliseconds for which a draft is quoted again, and for which it is sold: a 402 of its last second holds for 300 s more. */
const quotedMs = 240_000
const soldMs = 600_000
const rowMs = dayMs
/** Seconds that the word of the sponsor holds, and that a record is looked at after its end. */
const validSeconds = 300
const graceSeconds = 30

const toStored = ({ operation, delegation, capWei, price }: Draft, now: Date): StoredDraft => ({
  operation: toWire(operation),
  delegate: delegation.needed,
  current: delegation.current,
  authorizationNonce: delegation.nonce,
  capWei: String(capWei),
  price: String(price),
  at: now.toISOString(),
})

const ageMs = ({ at }: StoredDraft, now: Date): number => now.getTime() - new Date(at).getTime()

const sameAddress = (one: string | null, other: string | null): boolean =>
  one?.toLowerCase() === other?.toLowerCase()

/** True when the account is still as a draft has it. */
const isCurrent = async (
  chain: SponsorChain,
  request: SponsorRequest,
  { operation, delegate, current, authorizationNonce }: StoredDraft,
): Promise<boolean> => {
  const { sender, key } = accountFor(request)
  const account = await readSenderAccount(chain.reader, sender, key)
  return (
    numberToHex(account.nonce) === operation.nonce &&
    sameAddress(parseDelegate(account.code) ?? null, current) &&
    (delegate === null || account.transactions === authorizationNonce)
  )
}

const operationOpen = (chainId: number, { validUntil }: OperationRow): ToolError =>
  new ToolError('conflict', 'Another operation with this nonce of the account is sponsored and not over.', {
    reason: 'operation_open',
    params: { chainId, validUntil: new Date(validUntil * 1_000).toISOString() },
    hint: 'Submit that one, wait until it is over, or send a userOperation with another key of its nonce. Nothing was charged.',
  })

/** Refuses while another operation has the nonce of this one. What is over is put away. */
const requireFreeSlot = async (
  deps: SponsorDeps,
  chain: SponsorChain,
  { operation }: Pick<StoredDraft, 'operation'>,
  ownId?: string,
): Promise<void> => {
  const { chainId } = chain.network
  const slot = toSlot(chainId, operation.sender, operation.nonce ?? '0x0')
  const { rows } = await operationsIn(deps.store).find({ index: 'slot', where: { slot }, limit: 1 })
  const [row] = rows
  if (!row || row.id === ownId) return
  const now = await settleEnded(deps, chain, row)
  if (now.slot !== null) throw operationOpen(chainId, now)
}

/** Loads the credit that an earlier operation left. Throws where it is none of the caller's, or not over. */
const loadCredit = async (
  deps: SponsorDeps,
  chain: SponsorChain,
  request: SponsorRequest,
  id: string,
): Promise<OperationRow> => {
  const row = await loadOperation(deps.store, id)
  const { sender } = accountFor(request)
  if (row.chainId !== chain.network.chainId || !sameAddress(row.sender, sender)) throw noOperation()
  const now = await settleEnded(deps, chain, row)
  if (now.state === 'credited') return now
  throw new ToolError('conflict', `The operation ${id} is not over: it is ${now.state}.`, {
    reason: 'not_credited',
    params: { state: now.state, validUntil: new Date(now.validUntil * 1_000).toISOString() },
    hint: 'Its money pays for another one once its time is over and it was not carried out. Nothing was charged.',
  })
}

const toStoredWithSlot = async (
  deps: SponsorDeps,
  chain: SponsorChain,
  request: SponsorRequest,
  ownId: string | undefined,
): Promise<StoredDraft> => {
  const draft = await draftOperation(chain, request, deps.maxUsd)
  const stored = toStored(draft, deps.clock.now())
  await requireFreeSlot(deps, chain, stored, ownId)
  return stored
}

/** The draft that is quoted for a request: one that was quoted just now, or a new one, which is written down. */
const quotedDraft = async (
  deps: SponsorDeps,
  chain: SponsorChain,
  request: SponsorRequest,
  { key, ownId }: { key: string; ownId: string | undefined },
): Promise<StoredDraft> => {
  const now = deps.clock.now()
  const row = await quotesIn(deps.store).get(key)
  const last = row?.drafts.at(-1)
  if (last && ageMs(last, now) < quotedMs && (await isCurrent(chain, request, last))) {
    await requireFreeSlot(deps, chain, last, ownId)
    return last
  }
  const draft = await toStoredWithSlot(deps, chain, request, ownId)
  await deps.store.transaction(async tx => {
    const before = await quotesIn(tx).get(key)
    const prices = [draft.price, ...(before ? [before.lowest] : [])].map(BigInt)
    await quotesIn(tx).put({
      id: key,
      drafts: [...(before?.drafts.filter(each => ageMs(each, now) < soldMs) ?? []), draft].slice(-4),
      lowest: String(prices.reduce((low, price) => (price < low ? price : low))),
      expires: new Date(now.getTime() + rowMs).toISOString(),
    })
  })
  return draft
}

const open = async (deps: SponsorDeps, input: Input) => {
  const request = await readSponsorRequest(input)
  const chain = await deps.chains.open(request.network)
  const { network, ...what } = request
  const key = toRequestKey({ chainId: network.chainId, id: input.id ?? null, ...what })
  const credit = input.id === undefined ? undefined : await loadCredit(deps, chain, request, input.id)
  return { request, chain, key, credit }
}

const toDelegationText = ({ current, delegate }: StoredDraft) => ({
  current,
  needed: delegate,
})

/** Facts of a quote for an operation. */
const toQuoteFacts = (
  { chainId }: GasNetwork,
  draft: StoredDraft,
  coin: { answer: bigint; decimals: number },
  credit = 0n,
) => {
  const { operation, capWei } = draft
  const price = BigInt(draft.price)
  const number = (value: string | undefined) => String(BigInt(value ?? 0))
  return {
    chainId,
    sender: operation.sender,
    nonce: number(operation.nonce),
    price: formatUsd(price > credit ? price - credit : 0n),
    credit: formatUsd(credit),
    cap_wei: capWei,
    cap_usd: formatUsd(weiToUsdc(BigInt(capWei), coin)),
    limits: {
      callGasLimit: number(operation.callGasLimit),
      verificationGasLimit: number(operation.verificationGasLimit),
      preVerificationGas: number(operation.preVerificationGas),
      paymasterVerificationGasLimit: number(operation.paymasterVerificationGasLimit),
      paymasterPostOpGasLimit: number(operation.paymasterPostOpGasLimit),
    },
    fees: {
      maxFeePerGas: number(operation.maxFeePerGas),
      maxPriorityFeePerGas: number(operation.maxPriorityFeePerGas),
    },
    delegation: toDelegationText(draft),
    valid_for: validSeconds,
  }
}

/** Quotes the cost of an operation, tried out; nothing is written. */
export const quoteOperation = async (deps: SponsorDeps, input: Input) => {
  const { request, chain, credit } = await open(deps, input)
  const draft = await toStoredWithSlot(deps, chain, request, credit?.id)
  return toQuoteFacts(chain.network, draft, await chain.coinPrice(), BigInt(credit?.paid ?? 0))
}

/** The exact price of an operation, with its parts. */
export const priceSponsorship = async (deps: SponsorDeps, input: Input): Promise<Price> => {
  const { request, chain, key, credit } = await open(deps, input)
  const draft = await quotedDraft(deps, chain, request, { key, ownId: credit?.id })
  const facts = toQuoteFacts(chain.network, draft, await chain.coinPrice(), BigInt(credit?.paid ?? 0))
  return {
    amount: facts.price,
    unit: 'usd',
    network: 'base',
    note: {
      hint: 'The price is fixed for this very request. Paid, it answers with the operation to sign.',
      params: { quote: facts },
    },
  }
}

/** The product: an operation with the word of the sponsor. */
const toSold = (row: OperationRow) => {
  const operation = fromWire(row.operation)
  const { signature: _, ...unsigned } = toWire(operation)
  const { delegate, chainId, authorizationNonce } = row
  return {
    id: row.id,
    state: 'paid' as const,
    chainId,
    userOperation: unsigned,
    user_op_hash: row.userOpHash,
    typed_data: operationTypedData(operation, delegate, chainId),
    authorization: delegate === null ? null : { address: delegate, chainId, nonce: authorizationNonce },
    cap_wei: row.capWei,
    price: formatUsd(BigInt(row.paid)),
    expires_at: new Date(row.validUntil * 1_000).toISOString(),
  }
}

type Sale = { draft: StoredDraft; paid: bigint }

/** Chooses what is sold to whoever has paid: the draft of the quote, or one of now that costs no more. */
const chooseSale = async (
  deps: SponsorDeps,
  chain: SponsorChain,
  request: SponsorRequest,
  { key, credit }: { key: string; credit: OperationRow | undefined },
): Promise<Sale> => {
  const now = deps.clock.now()
  const row = await quotesIn(deps.store).get(key)
  const live = row?.drafts.filter(each => ageMs(each, now) < soldMs) ?? []
  const lowest = live
    .map(({ price }) => BigInt(price))
    .reduce((low, price) => (low === undefined || price < low ? price : low), undefined as bigint | undefined)
  const before = BigInt(credit?.paid ?? 0)
  const quoted = lowest ?? BigInt(row?.lowest ?? minPrice)
  const paid = quoted > before ? quoted : before
  const chosen = live.findLast(({ price }) => BigInt(price) === lowest)
  if (chosen && (await isCurrent(chain, request, chosen))) {
    await requireFreeSlot(deps, chain, chosen, credit?.id)
    return { draft: chosen, paid }
  }
  const draft = await toStoredWithSlot(deps, chain, request, credit?.id)
  if (BigInt(draft.price) <= paid) return { draft, paid }
  throw new ToolError('conflict', 'The operation costs more by now than was paid for it.', {
    reason: 'price_moved',
    params: { price: formatUsd(BigInt(draft.price)) },
  })
}

/** True for passing failures: the same payment is good for another try. */
const isPassing = (error: unknown): boolean =>
  !(error instanceof ToolError) ||
  error.code === 'upstream' ||
  error.code === 'unavailable' ||
  error.code === 'timeout'

const toCredited = (error: ToolError, id: string): ToolError =>
  new ToolError('conflict', `${error.message} The payment is kept for another operation of this account.`, {
    reason: 'credited',
    params: { id, cause: error.extra.reason ?? error.code, ...error.extra.params },
    hint: `Send the request again with "id": "${id}": what was paid counts for it.`,
  })

const blankRow = {
  slot: null,
  delegate: null,
  authorizationNonce: 0,
  authorization: null,
  capWei: '0',
  validUntil: 0,
  sinceBlock: '0',
  transactions: [],
  lease: null,
  due: null,
  mined: null,
} satisfies Partial<OperationRow>

/** The record of a payment that no operation was made for. */
const toCreditRow = (
  request: SponsorRequest,
  { id, paid, failure, now }: { id: string; paid: bigint; failure: string; now: Date },
): OperationRow => ({
  ...blankRow,
  id,
  state: 'credited',
  chainId: request.network.chainId,
  sender: accountFor(request).sender,
  userOpHash: '0x',
  operation: { sender: accountFor(request).sender, callData: '0x' },
  paid: String(paid),
  failure,
  created: now.toISOString(),
})

/** Signs for the sponsor, and makes the record. Whoever calls this has been paid. */
const signSale = async (
  chain: SponsorChain,
  { draft, paid }: Sale,
  { id, now }: { id: string; now: Date },
): Promise<OperationRow> => {
  const { chainId } = chain.network
  const seconds = Math.floor(now.getTime() / 1_000)
  const validUntil = seconds + validSeconds
  const [operation, sinceBlock] = await Promise.all([
    signSponsorship(
      chain.signer,
      fromWire(draft.operation),
      // From the beginning of time: the newest block of a chain on which nothing happens is old.
      { validAfter: 0, validUntil },
      chainId,
    ),
    chain.reader.getBlockNumber({ cacheTime: 0 }),
  ])
  const unsigned: SponsoredOperation = { ...operation, signature: '0x' }
  return {
    id,
    state: 'paid',
    chainId,
    sender: operation.sender,
    slot: toSlot(chainId, operation.sender, numberToHex(operation.nonce)),
    userOpHash: operationHash(unsigned, draft.delegate ?? draft.current, chainId),
    operation: toWire(unsigned),
    delegate: draft.delegate,
    authorizationNonce: draft.authorizationNonce,
    authorization: null,
    capWei: draft.capWei,
    paid: String(paid),
    validUntil,
    sinceBlock: String(sinceBlock),
    transactions: [],
    lease: null,
    due: new Date((validUntil + graceSeconds) * 1_000).toISOString(),
    mined: null,
    failure: null,
    created: now.toISOString(),
  }
}

/** Writes a sale; false where another operation took the nonce meanwhile, or somebody used the credit. */
const writeSale = async (
  tx: Pick<Tx, 'collection'>,
  row: OperationRow,
  credit: OperationRow | undefined,
): Promise<boolean> => {
  const operations = operationsIn(tx)
  if (!credit) return operations.insert(row)
  const before = await operations.get(row.id)
  if (before?.state !== 'credited') return false
  const { rows } = await operations.find({ index: 'slot', where: { slot: row.slot }, limit: 1 })
  if (rows.length > 0) return false
  await operations.put(row)
  return true
}

class SlotTaken extends Error {}

/**
 * Sells an operation that was paid for, by money or by what an earlier one left: the sponsor signs it, and the record is sealed with
 * the payment. What cannot be sold any more becomes a credit.
 */
export const sellSponsorship = async (
  deps: SponsorDeps,
  { commit, decline, receipt }: Pick<Call, 'commit' | 'decline' | 'receipt'>,
  input: Input,
) => {
  const request = await readSponsorRequest(input)
  const chain = await deps.chains.open(request.network)
  const { network, ...what } = request
  const key = toRequestKey({ chainId: network.chainId, id: input.id ?? null, ...what })
  const now = deps.clock.now()
  const isPaid = receipt !== undefined
  let credit: OperationRow | undefined
  const toCredit = async (error: ToolError): Promise<never> => {
    // Only money that came with this very call can become a credit; an earlier credit stays what it is.
    if (!isPaid) throw error
    const row = await quotesIn(deps.store).get(key)
    const quoted = BigInt(row?.lowest ?? minPrice)
    const before = BigInt(credit?.paid ?? 0)
    const id = newOperationId()
    const paid = quoted > before ? quoted - before : minPrice
    return decline(async tx => {
      await operationsIn(tx).insert(toCreditRow(request, { id, paid, failure: error.message, now }))
      return { refusal: toCredited(error, id) }
    })
  }
  try {
    credit = input.id === undefined ? undefined : await loadCredit(deps, chain, request, input.id)
    const sale = await chooseSale(deps, chain, request, { key, credit })
    if (!isPaid && BigInt(sale.draft.price) > BigInt(credit?.paid ?? 0))
      throw new ToolError('conflict', 'What an earlier operation left does not pay for this one any more.', {
        reason: 'price_moved',
        hint: 'Send the request again for a new quote. Nothing was charged.',
      })
    const row = await signSale(chain, sale, { id: credit?.id ?? newOperationId(), now })
    return await commit(async tx => {
      if (!(await writeSale(tx, row, credit))) throw new SlotTaken()
      return toSold(row)
    })
  } catch (error) {
    if (error instanceof SlotTaken)
      return toCredit(
        new ToolError(
          'conflict',
          'Another operation with this nonce of the account was sponsored meanwhile.',
          {
            reason: 'operation_open',
          },
        ),
      )
    if (error instanceof ToolError && !isPassing(error)) return toCredit(error)
    throw error
  }
}
