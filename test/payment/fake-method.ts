import { createHmac, randomBytes } from 'node:crypto'
import canonicalize from 'canonicalize'
import type {
  Attempt,
  FindResult,
  Offer,
  PaymentMethod,
  Refusal,
  SettleResult,
  VerifyResult,
} from '../../mcp/payment/method.ts'
import type { Payload, Requirements } from './x402.ts'

export type Authorization = {
  from: string
  to: string
  value: string
  validAfter: string
  validBefore: string
  nonce: string
}

type Transfer = {
  transaction: string
  log: string
  isConfirmed: boolean
  amount: bigint
  from: string
  at: number
}

/** A chain in memory: balances, keys of its payers, and every authorization that it has executed. It outlives processes. */
export const openChain = (network = 'eip155:84532') => {
  const balances = new Map<string, bigint>()
  const secrets = new Map<string, string>()
  const transfers = new Map<string, Transfer>()
  const refunds = new Map<string, string>()
  let height = 0
  const chain = {
    network,
    asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
    payTo: '0x00000000000000000000000000000000000000aA',
    balances,
    transfers,
    refunds,
    refundAmounts: new Map<string, bigint>(),
    /** Who got a refund, by its id. */
    refundPayees: new Map<string, string>(),
    /** Transfers are mined, and confirmed only when `confirm` is called. */
    slow: false,
    /** The next settlements are refused before anything is handed over. */
    refusing: undefined as Refusal | undefined,
    /** The facilitator takes what it is handed, moves nothing, and says this; `land` carries it out. */
    keeping: undefined as 'failed' | 'pending' | 'throws' | 'silent' | undefined,
    /** The facilitator is one elsewhere: it keeps what it is asked to verify, and calls it bad for this reason. */
    slandering: undefined as Refusal | undefined,
    /** What facilitators kept. */
    backlog: [] as Authorization[],
    /** The money moves and the facilitator says that it failed. */
    lying: false,
    /** The money moves and the facilitator breaks with this. */
    breaking: undefined as Error | undefined,
    /** Nothing answers. */
    down: false,
    /** Milliseconds for which it may take a transfer back. */
    settledMs: 0,
    settles: 0,
    finds: 0,
    now: () => Date.now(),
    /** Waited for before and after the money moves: where a process may die. */
    hooks: {} as { before?: () => Promise<void>; after?: () => Promise<void> },
    payer(balance = 1_000_000n) {
      const address = `0x${randomBytes(20).toString('hex')}`
      secrets.set(address, randomBytes(16).toString('hex'))
      balances.set(address, balance)
      return address
    },
    secretOf: (address: string) => secrets.get(address) ?? '',
    /** Knows a payer whose account was opened in another process. */
    adopt: (address: string, secret: string) => void secrets.set(address, secret),
    sign: (from: string, authorization: Authorization): string =>
      createHmac('sha256', secrets.get(from) ?? 'nobody')
        .update(canonicalize(authorization) ?? '')
        .digest('hex'),
    signText: (from: string, text: string): string =>
      createHmac('sha256', secrets.get(from) ?? 'nobody')
        .update(text)
        .digest('hex'),
    confirm() {
      for (const transfer of transfers.values()) transfer.isConfirmed = true
    },
    /** Carries out what facilitators kept, as far as the chain takes it. */
    land() {
      for (const authorization of chain.backlog.splice(0)) {
        const { from, nonce, validBefore } = authorization
        if (!transfers.has(`${from}:${nonce}`) && chain.now() / 1000 < Number(validBefore))
          chain.execute(authorization)
      }
    },
    /** Executes an authorization, as anybody may who has it. */
    execute({ from, value, nonce }: Authorization): Transfer {
      const amount = BigInt(value)
      const transaction = `0x${randomBytes(32).toString('hex')}`
      balances.set(from, (balances.get(from) ?? 0n) - amount)
      balances.set(chain.payTo, (balances.get(chain.payTo) ?? 0n) + amount)
      height++
      const log = `${network}:${transaction}:${height}`
      const transfer = { transaction, log, isConfirmed: !chain.slow, amount, from, at: chain.now() }
      transfers.set(`${from}:${nonce}`, transfer)
      return transfer
    },
    /** A transfer to the till that belongs to no call. */
    deposit(from: string, amount: bigint): Transfer {
      const nonce = randomBytes(8).toString('hex')
      return chain.execute({ from, value: String(amount), nonce } as Authorization)
    },
    /** Takes the transfers of all refunds back. */
    reorganizeRefunds() {
      for (const [id, payer] of chain.refundPayees) {
        if (!refunds.delete(id)) continue
        balances.set(payer, (balances.get(payer) ?? 0n) - (chain.refundAmounts.get(id) ?? 0n))
      }
    },
    /** Takes every transfer back that is no older; with `again` it is carried out in another block at once, under another name. */
    reorganize(again = false, since = 0) {
      for (const [key, { amount, from, ...transfer }] of [...transfers]) {
        if (transfer.at < since) continue
        transfers.delete(key)
        if (again) {
          height++
          transfers.set(key, {
            ...transfer,
            amount,
            from,
            log: `${network}:${transfer.transaction}:${height}`,
          })
          continue
        }
        balances.set(from, (balances.get(from) ?? 0n) + amount)
        balances.set(chain.payTo, (balances.get(chain.payTo) ?? 0n) - amount)
      }
    },
    debits: (): bigint => [...transfers.values()].reduce((sum, { amount }) => sum + amount, 0n),
  }
  return chain
}

export type Chain = ReturnType<typeof openChain>

const read = ({
  data,
}: Pick<Attempt, 'data'>): { authorization: Authorization; signature: string } | undefined => {
  const { authorization, signature } = data as { authorization?: Authorization; signature?: string }
  return authorization && typeof signature === 'string' ? { authorization, signature } : undefined
}

/** A facilitator over the chain, as one process has it. */
export const openFakeMethod = (chain: Chain, name = 'base-sepolia'): PaymentMethod => {
  const atomic = (usd: string) => {
    const [whole = '0', part = ''] = usd.split('.')
    return String(BigInt(whole) * 1_000_000n + BigInt(part.padEnd(6, '0').slice(0, 6)))
  }
  const alive = () => {
    if (chain.down) throw new Error('rpc http://10.0.0.7:8545 refused the connection')
  }
  const readState = (attempt: Attempt): FindResult => {
    const payment = read(attempt)
    const transfer =
      payment && chain.transfers.get(`${payment.authorization.from}:${payment.authorization.nonce}`)
    const isOver = payment && chain.now() / 1000 >= Number(payment.authorization.validBefore) + 30
    if (!transfer) return isOver ? { state: 'failed', reason: 'expired' } : { state: 'unused' }
    const { transaction, log, isConfirmed, from } = transfer
    if (!isConfirmed) return { state: 'pending', transaction }
    return { state: 'settled', transaction, payer: from, log }
  }
  const judge = ({ from, to, value, validAfter, validBefore, nonce }: Authorization, offer: Offer) => {
    const now = chain.now() / 1000
    if (to.toLowerCase() !== offer.payTo.toLowerCase()) return 'wrong_recipient'
    if (BigInt(value) < BigInt(offer.amount)) return 'too_little'
    if (BigInt(value) > BigInt(offer.amount)) return 'too_much'
    if (now < Number(validAfter)) return 'not_yet_valid'
    if (now >= Number(validBefore)) return 'expired'
    if (chain.transfers.has(`${from}:${nonce}`)) return 'already_used'
    return (chain.balances.get(from) ?? 0n) < BigInt(value) ? 'insufficient_funds' : undefined
  }
  const check = (attempt: Attempt, offer: Offer): VerifyResult => {
    const payment = read(attempt)
    if (!payment) return { ok: false, reason: 'unreadable' }
    const { authorization, signature } = payment
    if (signature !== chain.sign(authorization.from, authorization))
      return { ok: false, reason: 'invalid_signature' }
    const reason = judge(authorization, offer)
    return reason ? { ok: false, reason } : { ok: true, payer: authorization.from }
  }
  return {
    id: 'x402-evm',
    kind: 'eip3009',
    isSignedBy: async (payer, text, signature) => signature === chain.signText(payer, text),
    network: chain.network,
    name,
    moves: 'us',
    takes: ({ unit, network }) => unit === 'usd' && (network === undefined || network === name),
    offer: async ({ price, settle }) => ({
      method: 'x402-evm',
      kind: 'eip3009',
      words: `${price.amount} USDC on ${name}`,
      network: chain.network,
      amount: price.terms?.amount ?? atomic(price.amount),
      asset: chain.asset,
      payTo: price.terms?.payTo ?? chain.payTo,
      maxTimeoutSeconds: 300,
      extra: { name: 'USDC', version: '2', ...(settle === 'before' && { paymentFlow: 'upfront' }) },
    }),
    identify(attempt) {
      const payment = read(attempt)
      if (!payment) return undefined
      const { from, nonce } = payment.authorization
      return `${chain.network}|${chain.asset.toLowerCase()}|${from.toLowerCase()}|${nonce.toLowerCase()}`
    },
    signedAmount: attempt => read(attempt)?.authorization.value,
    async verify(attempt, offer) {
      alive()
      await new Promise(setImmediate)
      if (!chain.slandering) return check(attempt, offer)
      const payment = read(attempt)
      if (payment) chain.backlog.push(payment.authorization)
      return { ok: false, reason: chain.slandering }
    },
    async inspect(attempt, offer) {
      alive()
      return check(attempt, offer)
    },
    async settle(attempt, offer): Promise<SettleResult> {
      alive()
      chain.settles++
      const before = readState(attempt)
      if (before.state !== 'unused') return before
      if (chain.refusing) return { state: 'refused', reason: chain.refusing }
      await chain.hooks.before?.()
      const payment = read(attempt)
      if (!payment) return { state: 'refused', reason: 'unreadable' }
      const reason = judge(payment.authorization, offer)
      if (reason === 'already_used') return readState(attempt) as SettleResult
      if (reason) return { state: 'refused', reason }
      if (chain.keeping) {
        chain.backlog.push(payment.authorization)
        if (chain.keeping === 'throws') throw new Error('HTTP 500 at http://10.0.0.7')
        if (chain.keeping === 'silent') return new Promise(() => undefined)
        return chain.keeping === 'failed'
          ? { state: 'failed', reason: 'insufficient_funds' }
          : { state: 'pending', transaction: '' }
      }
      chain.execute(payment.authorization)
      await chain.hooks.after?.()
      if (chain.breaking) throw chain.breaking
      if (chain.lying) return { state: 'failed', reason: 'settlement_failed' }
      return readState(attempt) as SettleResult
    },
    async find(attempt) {
      alive()
      chain.finds++
      return readState(attempt)
    },
    async minedAt(hash) {
      alive()
      const transfer = [...chain.transfers.values()].find(({ transaction }) => transaction === hash)
      return new Date(Math.floor((transfer?.at ?? 0) / 1000) * 1000)
    },
    refundsFrom: async () => chain.payTo,
    async refund(id, payer, amount, _to, _asset, notes) {
      await notes?.note(id)
      const before = chain.refunds.get(id)
      if (before) return { state: 'sent', transaction: before }
      const transaction = `0x${randomBytes(32).toString('hex')}`
      chain.refunds.set(id, transaction)
      chain.refundPayees.set(id, payer)
      chain.refundAmounts.set(id, BigInt(amount))
      chain.balances.set(payer, (chain.balances.get(payer) ?? 0n) + BigInt(amount))
      await chain.hooks.after?.()
      return { state: 'sent', transaction }
    },
    toWords: amount => `${amount} units on ${name}`,
    async movements(transaction) {
      alive()
      const transfer = [...chain.transfers.values()].find(transfer => transfer.transaction === transaction)
      if (transfer)
        return [{ log: transfer.log, from: transfer.from, to: chain.payTo, amount: String(transfer.amount) }]
      const back = [...chain.refunds.entries()].find(([, hash]) => hash === transaction)
      const [id = ''] = back ?? []
      const amount = String(chain.refundAmounts.get(id) ?? 0n)
      return back && [{ log: '', from: chain.payTo, to: chain.refundPayees.get(id) ?? '', amount }]
    },
    async incoming(after = '0') {
      alive()
      const place = ({ log }: Transfer) => Number(log.split(':').at(-1))
      const ahead = [...chain.transfers.values()]
        .filter(each => place(each) > Number(after))
        .sort((one, other) => place(one) - place(other))
      const end = ahead.findIndex(({ isConfirmed, at }) => !isConfirmed || at > chain.now() - chain.settledMs)
      const fresh = end < 0 ? ahead : ahead.slice(0, end)
      const places = fresh.map(place)
      return {
        upTo: String(Math.max(Number(after), ...places)),
        transfers: fresh.map(({ log, transaction, from, amount, at }) => ({
          ...{ log, transaction, asset: chain.asset, payTo: chain.payTo, payer: from },
          ...{ amount: String(amount), at: new Date(at) },
        })),
        isMore: false,
      }
    },
    close: async () => undefined,
  }
}

/** Pays an offer as a stock client does: signs an authorization and sends the whole offer back. */
export const pay = (
  chain: Chain,
  from: string,
  offer: Requirements,
  more: Partial<Authorization> = {},
): Payload => {
  const now = Math.floor(chain.now() / 1000)
  const authorization: Authorization = {
    from,
    to: offer.payTo,
    value: offer.amount,
    validAfter: String(now - 600),
    validBefore: String(now + offer.maxTimeoutSeconds),
    nonce: `0x${randomBytes(32).toString('hex')}`,
    ...more,
  }
  const payload = { authorization, signature: chain.sign(from, authorization) }
  return { x402Version: 2, accepted: offer, payload }
}
