import { accountKeysIn } from '../kernel/person.ts'
import type { AccountDeps } from './deps.ts'

/** Money that an operator has to decide on; `words` is the amount as people read it. */
type OpenMoney = { id: string; words: string; network: string; payer: string; transaction: string | null }

type Sums = { calls: number; refused: number; failed: number; p50: number | null; p95: number | null }

/** What the program lets its operators see and do. */
export type OperatorDesk = {
  /** Accounts, or wallets that sign in to them, which operate this installation. */
  operators: readonly string[]
  sales(
    from: string,
    to: string,
  ): Promise<{
    sales: readonly {
      date: string
      service: string
      tool: string
      method: string
      network: string
      state: string
      usd: string
      amount: string
      asset: string
    }[]
  }>
  owed(): Promise<readonly (OpenMoney & { service: string; tool: string; state: string; since: string })[]>
  /** Whether ledger, payments and spent transfers agree, and the chains too where `chain` asks them. */
  audit(chain: boolean): Promise<{
    ok: boolean
    ledger: { entries: number; balances: number; holds: number }
    payments: { records: number; settled: number; refunded: number }
    spent: number
    faults: readonly { where: string; id: string; detail: string }[]
  }>
  unexplained(): Promise<readonly (OpenMoney & { at: string })[]>
  /** Gives a payment back, to where the payer wants it, or one that was `served`; resolves to the transaction. Safe to repeat. */
  refund(id: string, to?: string, served?: boolean): Promise<string>
  /** Makes a transfer that nothing explains owed, or notes that it is the operator's own. */
  owe(id: string, own: boolean): Promise<string>
  calls: {
    since: Date
    hours(): readonly (Sums & { hour: string })[]
    tools(): readonly (Sums & { service: string; tool: string })[]
    refusals(): readonly { service: string; reason: string; calls: number }[]
  }
  /** The last calls with a `ref`, request, trace or receipt of this id; without one, the last that failed by an exception. */
  findCalls(id?: string): readonly {
    at: string
    service: string
    tool: string
    channel: string
    code: string
    reason: string | null
    ms: number
    request: string | null
    ref: string | null
    receipt: string | null
    cause: string | null
  }[]
  /** What is shared, and how much of it is in use; undefined where somebody else shares it out. */
  queues():
    | Readonly<
        Record<
          string,
          { places: number; running: number; waiting: number; refusals: number; longestSeconds: number }
        >
      >
    | undefined
  networks(): Promise<
    readonly {
      network: string
      ok: boolean
      checks: readonly { check: string; state: string; detail: string; settlements?: number }[]
    }[]
  >
  /** Agents that joined the networks of services here, the newest first, as they say of themselves. */
  peers(): Promise<
    readonly {
      url: string
      count: number
      members: readonly {
        name: string
        url: string | null
        registered_at: string
        seen: { ok: boolean; ms: number | null } | null
      }[]
    }[]
  >
  accounts(): Promise<Readonly<Record<string, number>>>
  /** Freezes an account or thaws it, in the name of another. */
  setFrozen(account: string, freeze: boolean, operator: string): Promise<void>
  /** Alerts that are raised now. */
  alerts(): Promise<readonly { name: string; summary: string; cure: string }[]>
  /** Capabilities that take more than a port, with the variables that turn them on. */
  capabilities(): Promise<
    readonly { capability: string; state: string; reason?: string; variables: readonly string[] }[]
  >
  /** Settings with what they are set to; what is secret is hidden. */
  settings(): readonly { title: string; settings: readonly { variable: string; value: string }[] }[]
  /** Keeps the store from writing for so many seconds; undefined where it is no files of ours. */
  freeze: ((seconds: number) => Promise<number>) | undefined
  /** True while this server tells load balancers to send it nothing. */
  isOut(): boolean
  setOut(isOut: boolean): void
}

/** True for an account that operates the installation, by its id or by a wallet that signs in to it. Names are its owner's to choose, so they prove nothing. */
export const isOperator = async (
  { store }: Pick<AccountDeps, 'store'>,
  { operators }: Pick<OperatorDesk, 'operators'>,
  account: string,
): Promise<boolean> => {
  if (operators.includes(account)) return true
  for (const operator of operators) {
    if (operator.startsWith('acct_')) continue
    const key = await accountKeysIn(store).get(`wallet:${operator.replace(/^eip155:/, '')}`)
    if (key?.account === account) return true
  }
  return false
}
