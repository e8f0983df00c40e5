import type { Service } from '../kernel/service.ts'
import type { AnyTool, Call, Caller, Price, Receipt } from '../kernel/tool.ts'
import type { Tx } from '../ports/index.ts'

/** One priced call as the gate sees it. */
export type Charge = {
  service: Service
  tool: AnyTool
  /** Checked input, or undefined for a probe whose input does not parse: such a call is quoted, never run. */
  input: Readonly<Record<string, unknown>> | undefined
  price: Price
  caller: Caller | undefined
  channel: Call['channel']
  /** What the quote is for: a URL over REST, `mcp://tool/…`, `a2a://…`. */
  resource: string
  /** The HTTP method the call came with. */
  method: string
  /** The payment as the transport carried it; undefined asks for the quote. */
  payment: unknown
  /** `Authorization: L402 …`, where it came. */
  l402: string | undefined
}

/** What a paid handler is told, and how its answer is sealed together with the payment's record. */
export type Paid = { receipt: Receipt | undefined; seal(tx: Tx, answer: object): Promise<void> }

/**
 * The one gate around priced calls; every rail lies behind it. `charge` throws PaymentRequired with the quote, or proves
 * the payment and runs `work` at most once for it: a repeated payload gets the stored answer.
 */
export type Gate = {
  charge<R extends object>(
    charge: Charge,
    work: (paid: Paid) => Promise<R>,
  ): Promise<{ answer: R; receipt: Receipt; replayed?: boolean }>
}
