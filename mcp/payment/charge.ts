import type { PaymentParts, ToolError } from '../kernel/error.ts'
import type { PaymentEvidence } from '../kernel/http.ts'
import type { Service } from '../kernel/service.ts'
import type { AnyTool, Call, Caller, Price, Receipt } from '../kernel/tool.ts'
import type { Span } from '../lib/trace/span.ts'
import type { Tx } from '../ports/store/port.ts'
import type { KeptCalls } from './gate/kept-call.ts'
import type { Offer } from './method.ts'

/** One priced call as the gate sees it. */
export type Charge = {
  service: Service
  tool: AnyTool
  /** Checked input, or undefined for an empty probe of a tool that needs some: such a call is quoted, never run. */
  input: Readonly<Record<string, unknown>> | undefined
  price: Price
  caller: Caller | undefined
  channel: Call['channel']
  /** Subject of the quote: a URL over REST, `mcp://tool/…`, `a2a://…`. */
  resource: string
  /** Address for JSON over HTTP, whatever the call came by; undefined for what is no tool. */
  address?: string | undefined
  /** The HTTP method the call came with. */
  method: string
  /** Evidence with the call that may pay it; without a payment in it the answer is the quote. */
  evidence: PaymentEvidence
  /** The id of the HTTP request that brought it, which its receipt names. */
  requestId?: string | undefined
  /** The step of a traced call that it is. */
  span?: Span | undefined
  /** Sender, beside what the payment proves. Without it, a payment that others could send again is answered once. */
  sender?: {
    /** Network address, as limits count it. */
    address: string
    idempotencyKey?: string | undefined
    /** The A2A task that it goes on with; 128 bits that only its client knows. */
    task?: string | undefined
  }
  /** The payer's own name for the call: with the same one, a second payment is not taken but answered as the first. */
  idempotencyKey?: string | undefined
  /** Offers that may pay it, where the call brings its own instead of a price that methods make offers of. */
  offers?: readonly Offer[]
  /** Refuses a payer before any money moves; it throws. `network` is CAIP-2. */
  admit?: (payer: { address: string; network: string }) => Promise<void>
  /** A quote's facts of the resource, where that is not what the tool says of itself. */
  quoteFacts?: QuoteFacts
}

/** A resource that is no tool, in the words of an x402 quote; `error` is why a payment was refused, in words of its seller. */
export type QuoteFacts = {
  resource: Readonly<Record<string, unknown>>
  extensions?: Readonly<Record<string, unknown>> | undefined
  error?: string | undefined
}

/** A part of a price: so many of so many, in any unit. */
export type Used = { part: bigint; of: bigint }

/** Facts for a paid handler, and how its answer is sealed together with the payment's record. */
export type Paid = {
  receipt: Receipt | undefined
  /** The receipt in the dialect that paid. */
  parts: PaymentParts
  /** The money is taken together with the answer: what fails costs nothing. */
  isHeld?: true
  /**
   * Set when this payment was answered before, with a secret that is not kept: the tool makes it anew (`reissue`). `refused` is what
   * the answer was, where it was a refusal.
   */
  again?: { refused: ToolError | undefined }
  /** Takes the money now, where it is not here yet: before the transaction that writes. Throws where it does not come. */
  collect?(): Promise<void>
  /** `used` is what the work came to, where the money is held and that is less than what was quoted. */
  seal(tx: Tx, answer: object, used?: Used): Promise<void>
  /** Ends the payment with a refusal, once its money has become something else. One that holds a secret is not kept whole. */
  decline(tx: Tx, refusal: ToolError, secret: boolean): Promise<void>
}

/** An answer that was paid for. `parts` tell the receipt in the dialect that paid. */
export type Charged<R> = { answer: R; receipt: Receipt; parts: PaymentParts; replayed?: boolean }

/**
 * The one gate around priced calls; every method lies behind it. `charge` throws PaymentRequired with the quote, or proves
 * the payment and runs `work` at most once for it: a repeated payment gets the stored answer.
 */
export type Gate = {
  charge<R extends object>(charge: Charge, work: (paid: Paid) => Promise<R>): Promise<Charged<R>>
  /**
   * What is known of the payment that a call brings: `settled` for this very call before, so that nothing is left to be quoted, or
   * `open`, its money may have moved. Undefined for one that nothing has happened with.
   */
  findPayment(charge: Charge): Promise<'settled' | 'open' | undefined>
  /** True when there is any way to pay for a call here, or would be for a caller with a balance. */
  isPayable(charge: Charge): boolean
  /**
   * What a call without input would be asked for by transfers that are carried out here, in the words of x402: what catalogues list.
   * Undefined where nothing of the kind is offered.
   */
  findQuote(charge: Charge): Promise<Readonly<Record<string, unknown>> | undefined>
  /** Calls whose payment is being confirmed, for their clients to collect. */
  calls?: KeptCalls
  /** True when a call brings anything that one of the dialects takes for a payment. */
  hasPayment(evidence: PaymentEvidence): boolean
  /** Members of MCP `_meta` and A2A metadata that hold payments, which are never stored. */
  members: readonly string[]
  /** Extensions of MCP that calls can be paid by. */
  extensions: readonly string[]
}
