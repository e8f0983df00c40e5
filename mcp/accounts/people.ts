import { formatUsd } from '../lib/usd.ts'
import type { Clock } from '../ports/clock/port.ts'
import type { Ledger, People } from '../ports/payment/port.ts'
import type { Store } from '../ports/store/port.ts'
import { toEscrow } from './books.ts'
import { findSetAside, openCallRequest, paymentRequestsIn } from './payment-requests.ts'

type Deps = {
  store: Store
  clock: Clock
  ledger: Ledger
  /** The address that people open. */
  origin(): string
  /** True when anybody can sign in. */
  isOpen(): boolean
  /** Milliseconds that a call waits for its person; clients wait a minute for an answer. Default 25,000. */
  waitMs?: number
}

const pollMs = 500

/** Calls that one process lets wait at once, of everybody and of one account. */
const maxWaiting = 500
const maxWaitingEach = 10

const walletPrefix = 'agent:account:'

const pause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))

/** The people whom signed-in clients act for: what they set aside for a call, and the pages that ask them to. */
export const openPeople = ({ store, clock, ledger, origin, isOpen, waitMs = 25_000 }: Deps): People => {
  const waiting = new Map<string, number>()
  let all = 0

  const page = () => `${origin()}/auth/balance`

  const wait = async (id: string, signal: { readonly aborted: boolean } | undefined): Promise<boolean> => {
    for (let left = waitMs / pollMs; left > 0 && !signal?.aborted; left--) {
      const row = await paymentRequestsIn(store).get(id)
      if (!row) return false
      if (row.state !== 'open') return true
      await pause(pollMs)
    }
    return false
  }

  return {
    page,
    invitation: () =>
      isOpen()
        ? `Or sign in to this server with your client, and it is paid from your balance: ${page()} .`
        : undefined,
    async findReserved({ account }, call) {
      const row = await findSetAside(store, ledger, account.slice(walletPrefix.length), call)
      return row && { account: toEscrow(row.id), amount: row.amount }
    },
    async openRequest(request) {
      const row = await openCallRequest(
        { store, clock },
        request.balance.account.slice(walletPrefix.length),
        request,
      )
      if (!row) return undefined
      return {
        id: row.id,
        url: `${origin()}/auth/pay/${row.id}`,
        expiresAt: row.expires_at,
        message: `${request.service.name}: ${request.tool.title}, for ${formatUsd(BigInt(row.amount))} USD.`,
      }
    },
    async awaitCover(id, signal) {
      const account = (await paymentRequestsIn(store).get(id))?.account
      const mine = account === undefined ? maxWaitingEach : (waiting.get(account) ?? 0)
      if (account === undefined || all >= maxWaiting || mine >= maxWaitingEach) return false
      all++
      waiting.set(account, mine + 1)
      try {
        return await wait(id, signal)
      } finally {
        all--
        const rest = (waiting.get(account) ?? 1) - 1
        if (rest > 0) waiting.set(account, rest)
        else waiting.delete(account)
      }
    },
  }
}
