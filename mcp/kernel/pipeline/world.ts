import type { Tracer } from '../../lib/trace/span.ts'
import type { Gate } from '../../payment/charge.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Request } from '../http.ts'
import type { OwnNeed } from '../need.ts'
import type { Shell } from '../page.ts'
import type { Service } from '../service.ts'
import type { SignIn, Visitor } from '../sign-in.ts'
import type { AnyTool, Call, Price } from '../tool.ts'
import type { Limits } from './limits.ts'

/** One line of the log, one tick of the metrics. */
export type CallRecord = {
  service: string
  tool: string
  channel: Call['channel']
  caller: string | undefined
  /** The signed-in person for whom it was made, and the client that made it. */
  person?: { account: string; client: string } | undefined
  /** Whoever paid it, as a network and an address there. */
  payer?: string | undefined
  /** Network address that it came from. */
  address?: string
  price: Price | undefined
  receipt: string | undefined
  ms: number
  code: string
  /** The finer code of a refusal. */
  reason?: string | undefined
  /** The id of the HTTP request, and of the trace that the call belongs to. */
  request?: string | undefined
  trace?: string | undefined
  ref?: string
  cause?: unknown
}

/** Everything a call runs in: ports, the gate where payments are configured, limits, and who is told of it. */
export type World = {
  ports: Partial<Ports>
  /** Ports and settings of the services' own. */
  own: ReadonlyMap<OwnNeed, unknown>
  gate?: Gate | undefined
  /** Absolute address of a service, without a trailing slash. */
  base(service: Service): string
  /** The operator, as cards name it, and the installation's absolute address without a trailing slash. */
  site: {
    organization: string
    url: string
    /** Entries of the installation, and of its services by their slugs, in identity registries (ERC-8004). */
    registrations?:
      | readonly { slug: string | undefined; agentId: number; agentRegistry: string }[]
      | undefined
  }
  /** The layout of pages for people. */
  shell: Shell
  /** Tools that fit a question, best first, in the one ranking that there is. */
  findTools?(question: string): readonly { service: Service; tool: AnyTool }[]
  /** Signed-in person of the browser that asks. */
  visitor?(req: Request): Promise<Visitor | undefined>
  /** Pays a quote of ours from the demo wallet of the local chains, whose money is worth nothing; absent elsewhere. */
  demoPayment?(quote: object): Promise<string>
  /** How people sign in; undefined where nobody can. */
  signIn?: SignIn
  limits: Limits
  /** Calls one client may make in a minute, over all tools. */
  perMinute: number
  /** Records spans; undefined where nobody collects them. */
  tracer?: Tracer | undefined
  record(entry: CallRecord): void
}
