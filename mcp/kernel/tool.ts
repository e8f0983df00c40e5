import type { z } from 'zod'
import type { BalanceAccount } from '../ports/payment/port.ts'
import type { Asker, Resource } from '../ports/scheduler/port.ts'
import type { Index, Json, Tx } from '../ports/store/port.ts'
import type { ToolError } from './error.ts'
import type { Need, Provided } from './need.ts'
import type { Service } from './service.ts'

export type Channel = 'mcp' | 'a2a' | 'rest'

/**
 * How plain words become input: `begins` tells which text is meant for the tool, `read` what a text says of the input beside what is
 * known already. What it does not say is left out, never guessed: the caller is asked for it.
 */
export type Prose = {
  begins: RegExp
  read(text: string, known: Readonly<Record<string, unknown>>): Record<string, unknown>
}

/** Price of one call: a decimal string and its unit, never a number. `network` names where a USD price is paid. */
export type Price = {
  readonly amount: string
  readonly unit: 'usd' | 'sat' | 'credit'
  readonly network?: string
  /** Terms of the call itself for its payment, where the list price is not all of it. */
  readonly terms?: PriceTerms
  /** Addition to a refusal: how the call costs nothing, and when. */
  readonly note?: { readonly hint: string; readonly params?: Readonly<Record<string, unknown>> }
  /** Why a quote asks for it, where that is not plain from the list price; the refusal tells it as a problem. */
  readonly reason?: {
    readonly reason: string
    readonly detail: string
    readonly params: Readonly<Record<string, unknown>>
    readonly hint?: string
  }
}

/**
 * Terms of one call: only methods of `kind` take it; `payTo` and `amount` (atomic units) are exact. `order` names what is
 * bought where that is not the call itself, so that every call for the order meets the same payment.
 */
export type PriceTerms = {
  readonly kind?: string
  readonly payTo?: string
  readonly amount?: string
  readonly order?: string
  /** Data the kind needs, such as the nonce of an authorization. */
  readonly data?: Readonly<Record<string, unknown>>
  /** A payment that the input of the call names, such as a transaction that the payer broadcast. */
  readonly payment?: Readonly<Record<string, unknown>>
  readonly collector?: Collector
  readonly journal?: Journal
}

/**
 * A contract collects the payment to `payTo` itself and does the work in the same transaction. It is called with `selector`, the
 * struct `(address from, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)` of what the payer
 * signed, and a second struct: `argument` is its ABI encoding. It must take each authorization once. All of it is hex.
 */
export type Collector = { readonly contract: string; readonly selector: string; readonly argument: string }

/**
 * A row of the service's own, written together with the payment's record before its money can move. Its id is that of the receipt,
 * and JournalFields stand beside what is in `row`.
 */
export type Journal = {
  readonly collection: string
  readonly indexes: readonly Index[]
  readonly row: Readonly<Record<string, Json>>
}

/** Payment fields of a journal row: `identity` names the money, `collector` is as the payer accepted it. */
export type JournalFields = {
  id: string
  identity: string
  network: string
  payer: string
  payTo: string
  /** Atomic units. */
  value: string
  collector: { contract: string; selector: string; argument: string } | null
  created: string
}

export const free: Price = { amount: '0', unit: 'usd' }
export const usd = (amount: string, network = 'base'): Price => ({ amount, unit: 'usd', network })
/** A list price in credits of the service; `quote` says what a call really costs its caller, in USD or nothing. */
export const credits = (amount: string): Price => ({ amount, unit: 'credit' })
/** A price in sats: over Lightning, and on `network` where a rate to dollars is configured. */
export const sats = (amount: string, network = 'base'): Price => ({ amount, unit: 'sat', network })
export const isFree = (price: Price): boolean => /^0*(\.0*)?$/.test(price.amount)

/** False for a tool that never costs anything. */
export const isPriced = ({ price, quote }: Pick<AnyTool, 'price' | 'quote'>): boolean =>
  quote !== undefined || !isFree(price)

/** How a caller may prove who is calling; `public` asks for no proof. */
export type Auth = 'public' | 'bearer' | 'apiKey' | 'erc8128' | 'l402'

/**
 * Who is calling, proven by a credential, or `isPayer` by the wallet that pays this call; by nothing else. `id` is stable and safe to log. `balance` is the prepaid account that its
 * priced calls are paid from, where it has one.
 */
export type Caller = { id: string; via: Auth; balance?: BalanceAccount; isPayer?: true }

/** Proof that a call was paid, as the buyer can look it up. */
export type Receipt = {
  id: string
  /** Id of the payment method. */
  method: string
  network: string
  transaction: string
  payer: string
  /** Rate that the price was converted by, if any. */
  rate?: { rate: string; source: string; at: string }
}

/** The receipt of a call that is always paid. Throws when the pipeline let an unpaid one through. */
export const paidBy = (receipt: Receipt | undefined): Receipt => {
  if (receipt) return receipt
  throw new Error('a priced handler ran without a receipt')
}

/**
 * Calls that cost nothing although the tool has a price: on these channels or with the flag, `perMinute` of one network address,
 * whatever keys it has, and of one key, wherever it comes from, over all tools of the service; and `keyed` a UTC day for a
 * caller that is known. The call past both is quoted.
 */
export type FreeTier = {
  channels?: readonly Channel[]
  flag?: boolean
  perMinute: number
  keyed?: number
  /** How many calls this one counts as. Default 1. */
  weight?: (input: never) => number
}

/** Remainder of the tier that covers a call. */
export type Quota = { tier: 'free' | 'ally'; limit: number; remaining: number; resetAt: string }

/**
 * At most so many calls a minute or a UTC day, over all replicas, counted per client (its network address, and its key where it
 * has one) or per what the input aims at. A limit by the day is for what stays: only calls that did their work count. One of all is
 * shared between networks: none has more of it than it leaves to others.
 */
export type Limit =
  | (({ perMinute: number } | { perDay: number }) & { per: 'client' | ((input: never) => string) })
  | { perDay: number; per: 'all' }

/** Members of one call, next to the ports the tool asked for. */
export type Call = {
  channel: Channel
  caller: Caller | undefined
  receipt: Receipt | undefined
  /** True when the call brings a payment, of which nothing is verified yet. */
  isPaying: boolean
  /** The free tier that covers the call; undefined for a call that is paid, or always free. */
  quota: Quota | undefined
  /** Priced calls that the caller's key still has for nothing. */
  freeCallsLeft(): Promise<number>
  /** The caller's Idempotency-Key; only tools that keep their own account of it look at it. */
  idempotencyKey: string | undefined
  /** Network address of the client, as limits count it. */
  client: string
  /** The asker, for ports shared out between clients. */
  asker: Asker
  /** The service that was asked, and its absolute address without a trailing slash. */
  service: Service
  base: string
  /** Tells a waiting client how far the work is. */
  progress(done: number, total?: number, note?: string): void
  /** Aborts when the client has gone or the tool's time is over, unless the call is paid for. */
  signal: AbortSignal
  /**
   * The last step of a handler that writes: `work` writes through `tx` and returns the answer, which is sealed with the
   * call's idempotency and payment records in the same transaction. May run again on conflict.
   */
  commit<R extends object>(work: (tx: Tx) => Promise<R>): Promise<R>
  /**
   * Says what the work came to, in the unit of the price and at most that, before its answer is written. The rest is given back at
   * once where the money is held until then; false where it is not, or nothing is paid.
   */
  spend(used: Price): boolean
  /**
   * Ends a paid call that cannot be done any more: `work` turns its money into something else and returns the refusal, which the
   * same payment gets again. Rejects with it. A `secret` within its params is told once.
   */
  decline(work: (tx: Tx) => Promise<{ refusal: ToolError; secret?: boolean }>): Promise<never>
}

/** A handler's context: the call, exactly what it needs, and what it wants where that is configured. */
export type Context<needs extends Need, wants extends Need = never> = Call &
  Provided<needs> &
  Partial<Provided<wants>>

/** Where the public may not come in, there is a caller. */
export type Called<auth extends Auth> = 'public' extends auth ? unknown : { caller: Caller }

type Fields = z.ZodObject

export type Facts<
  input extends Fields,
  output extends Fields,
  needs extends Need,
  wants extends Need = never,
  auth extends Auth = Auth,
> = {
  /** Unique within its service; the MCP tool name and, by default, the A2A skill id. */
  name: string
  title: string
  /** Its effect, when to use it, and its price. At most 400 characters; read by models. */
  description: string
  /**
   * Up to six English words that it is asked for by and that its name, title and description do not say. find_tool searches them; no
   * list shows them.
   */
  keywords?: readonly string[]
  input: input
  /** Other names that a field is accepted under, such as short ones, or those that answers have for it; no schema lists them. */
  aliases?: Readonly<Record<string, readonly string[]>>
  output: output
  /** Ports the handler may touch, and settings it reads. A tool that lacks one answers `unavailable`. */
  /** Default: nothing but the call. */
  needs?: readonly needs[]
  /** Refusal in place of `unavailable` where a need is not configured: for a tool that can name what would help. */
  withoutNeeds?: () => ToolError
  /** Needs that the handler uses where configured, and does without elsewhere. */
  wants?: readonly wants[]
  /** The list price: what cards, OpenAPI and documents show. */
  price: Price
  /**
   * Refuses a call that its schema takes and that cannot be served: for want of a grant, of what runs it, for the state of what it
   * names. It throws, for every caller alike, before a free call or a quota is taken and before there is a price. It writes nothing.
   */
  check?(ctx: Context<needs, wants> & Called<auth>, input: z.output<input>): unknown
  /** The exact price of a call that was checked, where it depends on the input, the caller or the world. It refuses nothing. */
  quote?(ctx: Context<needs, wants> & Called<auth>, input: z.output<input>): Price | Promise<Price>
  /**
   * What the call needs and all callers share. A call that pays has its turn before any money moves, and starts at once when it has paid;
   * where it gets none, neither price nor charge: `too_many_requests` or `unavailable`, with when to come back.
   */
  reserves?: Resource | ((input: z.output<input>) => Resource | undefined)
  /** Refuses a payer before any money moves, where that depends on which wallet pays; it throws. `network` is CAIP-2. */
  admit?(
    ctx: Context<needs, wants> & Called<auth>,
    input: z.output<input>,
    payer: { address: string; network: string },
  ): Promise<void>
  /**
   * `before`: settle, run; for work that cannot be undone. `after`: verify, run, settle; for what only reads. `commit`: verify, run,
   * settle, write; for work that may fail and writes by `commit` alone. Default: after.
   */
  settle?: 'before' | 'after' | 'commit'
  free?: FreeTier
  /** False for what no balance and no free first call pays for, such as adding to a balance. */
  prepaid?: false
  /**
   * What is paid is credited to the account of the call. An authorization names no account, and whoever reads one could send it as
   * their own: it has to come with the quote that was made for this call, or from the wallet that the caller is.
   */
  credits?: true
  /** Any one suffices. Default: the service's. */
  auth?: readonly auth[]
  limits?: readonly Limit[]
  /**
   * It makes somebody known here, always or when this says so of the answer. One network address may do so 20 times a UTC day, over
   * all services together. Its handler answers with `commit`.
   */
  registers?: true | ((output: z.output<output>) => boolean)
  /** MCP hints; all four are stated, always. */
  hints: { readOnly: boolean; destructive: boolean; idempotent: boolean; openWorld: boolean }
  /**
   * Which A2A messages reach this tool. `text` holds templates of literals and `<field>`s, the first one in examples. `group` names
   * the skill of the service that this tool is one operation of; its own name reaches it, too.
   */
  a2a?: {
    skill?: string
    group?: string
    text?: readonly string[]
    prose?: Prose
    tags?: readonly string[]
    inputModes?: readonly string[]
    outputModes?: readonly string[]
  }
  /** False keeps the tool off MCP; `unlisted` keeps it off the list of a service whose contract fixes the list; it answers by name all the same. */
  mcp?: false | 'unlisted'
  /**
   * Routes of the spec next to the mirror, `METHOD /path/:field`. `status` is that of success, 200 by default and for a dry run,
   * which makes nothing; `value` names the field that a parameter `value` fills.
   */
  rest?: { routes: readonly string[]; status?: number; value?: string }
  /** Inputs that work: cards, OpenAPI and the contract test use them. */
  examples: readonly [z.input<input>, ...z.input<input>[]]
  /** True when examples name what needs setup: they show the form and answer `not_found`. */
  needsSetup?: true
  /** One human line. Default: the title. */
  summary?: (output: z.output<output>) => string
  /** The answer holds something shown once, always or when this says so; it is never stored for a replay. */
  secret?: true | ((output: z.output<output>) => boolean)
  /**
   * For a tool that has a price and a secret: makes the secret of a paid answer anew, for a payer whose answer was lost. It
   * runs with the receipt of that payment and charges nothing. Throws `conflict` once what was shown has been used;
   * `refused` is what the payment was answered with, where that was a refusal.
   */
  reissue?(
    ctx: Context<needs, wants> & Called<auth>,
    input: z.output<input>,
    refused: ToolError | undefined,
  ): Promise<z.input<output>>
  /** Default 30,000. */
  timeoutMs?: number
}

export type Tool<
  input extends Fields,
  output extends Fields,
  needs extends Need,
  wants extends Need = never,
  auth extends Auth = Auth,
> = Facts<input, output, needs, wants, auth> & {
  needs: readonly needs[]
  run(ctx: Context<needs, wants> & Called<auth>, input: z.output<input>): Promise<z.input<output>>
}

/** A tool of any shape, as adapters see it. */
export type AnyTool = Tool<any, any, any, any>

const required = ['name', 'title', 'description', 'input', 'output', 'hints', 'examples'] as const

/** Says of a declaration in plain JavaScript, which no compiler has seen, what it lacks. */
const requireFacts = (facts: { readonly [name in (typeof required)[number]]?: unknown }): void => {
  const missing = required.filter(name => facts[name] === undefined)
  if (missing.length > 0)
    throw new TypeError(`the tool ${JSON.stringify(facts.name)} lacks ${missing.join(', ')}`)
}

/**
 * Facts first, then behaviour: the schemas are fixed before `run` is typed, so results are checked to the literal. An
 * input field that the schema does not name is an error, never ignored.
 */
export const tool = <
  input extends Fields,
  output extends Fields,
  const needs extends Need = never,
  const wants extends Need = never,
  const auth extends Auth = Auth,
>(
  facts: Facts<input, output, needs, wants, auth>,
) => ({
  run(run: Tool<input, output, needs, wants, auth>['run']): Tool<input, output, needs, wants> {
    requireFacts(facts)
    return { needs: [], ...facts, input: facts.input.strict() as unknown as input, run }
  },
})

/** True when an answer holds something that is shown once. */
export const isSecret = ({ secret }: AnyTool, output: object): boolean =>
  typeof secret === 'function' ? secret(output) : secret === true

/** The id of a tool's A2A skill, or of the one that it is an operation of; undefined when no message reaches it. */
export const skillId = (tool: AnyTool): string | undefined =>
  tool.a2a && (tool.a2a.group ?? tool.a2a.skill ?? tool.name)
