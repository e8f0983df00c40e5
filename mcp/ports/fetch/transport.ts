import '../own-dispatcher.ts'
import { Agent, Client, interceptors, Pool, request } from 'undici'
import { openAnswerCache } from './answer-cache.ts'
import type { TargetBudget } from './budget.ts'
import { isAnonymous, type Step } from './carry.ts'
import { type ConnectorSettings, checkedAddress, openConnector } from './connector.ts'
import type { Guard } from './guard.ts'
import type { NamedBy } from './port.ts'

export { readText } from './charset.ts'

/** Milliseconds: to connect, until the headers are there, and between two pieces of a body. */
export type Timeouts = { connectMs: number; headersMs: number; idleMs: number }

type Settings = Omit<ConnectorSettings, 'connectMs' | 'budget'> & {
  /** For hosts that the operator names. */
  operatorGuard: Guard
  budget: TargetBudget
  timeouts: Timeouts
  perOrigin: number
}

/** Filled when a connection takes the request: tells the address of that connection. */
type DispatchOptions = { address?: () => string | null }

/** A client that tells each request which address it is connected to. */
const openClient = (origin: URL, options: Client.Options): Client => {
  const { connect } = options
  let address: string | null = null
  const client = new Client(origin, {
    ...options,
    connect(connectOptions, callback) {
      if (typeof connect !== 'function') throw new TypeError('a connector is needed')
      connect(connectOptions, (...results) => {
        if (results[1]) address = checkedAddress(results[1])
        callback(...results)
      })
    },
  })
  const dispatch = client.dispatch.bind(client)
  client.dispatch = (options, handler) => {
    const { opaque } = options as { opaque?: DispatchOptions }
    if (opaque) opaque.address = () => address
    return dispatch(options, handler)
  }
  return client
}

/**
 * Opens the connections of one fetch port: those to hosts that the operator names are counted by no budget, so they are shared
 * with nobody else's. Answers to requests that say nothing about who asks are kept as HTTP allows (RFC
 * 9111); one that has to be asked about again does so under the same guard. The body of an answer has an error listener
 * already: without, it could kill the process.
 */
export const openTransport = ({ timeouts, perOrigin, operatorGuard, ...settings }: Settings) => {
  const openAgent = (guard: Guard, budget?: TargetBudget) =>
    new Agent({
      factory: (origin, options) => new Pool(origin, { ...options, factory: openClient }),
      connect: openConnector({ ...settings, guard, budget, connectMs: timeouts.connectMs }),
      headersTimeout: timeouts.headersMs,
      bodyTimeout: timeouts.idleMs,
      maxHeaderSize: 32 * 1024,
      keepAliveTimeout: 4000,
      keepAliveMaxTimeout: 15_000,
      connections: perOrigin,
      pipelining: 1,
    })
  const agent = openAgent(settings.guard, settings.budget)
  const operatorAgent = openAgent(operatorGuard)
  const answers = openAnswerCache()
  const toKeeping = (dispatcher: Agent) =>
    dispatcher.compose(interceptors.cache({ store: answers, methods: ['GET'] }))
  const keeping = toKeeping(agent)
  const keepingOperators = toKeeping(operatorAgent)

  const forget = ({ url: { origin, pathname, search }, method }: Step, status: number) => {
    if (method === 'POST' && status < 400)
      void answers.delete({ method: 'GET', origin, path: pathname + search })
  }

  return {
    /** The answer as it is on the wire, and the address that gave it; null when it was a kept one. */
    async send(step: Step, signal: AbortSignal, fresh: boolean, namedBy: NamedBy) {
      const { url, method, headers, body = null } = step
      const isOperators = namedBy === 'operator'
      const direct = isOperators ? operatorAgent : agent
      const dispatcher = fresh || !isAnonymous(step) ? direct : isOperators ? keepingOperators : keeping
      const opaque: DispatchOptions = {}
      // undici closes a connection after HEAD, against servers that send a body all the same; the operator's own do not.
      const stay = isOperators && { reset: false }
      const response = await request(url, { dispatcher, method, headers, body, signal, opaque, ...stay })
      response.body.on('error', () => {})
      forget(step, response.statusCode)
      return { response, ip: opaque.address?.() ?? null }
    },
    close: async () => {
      await Promise.all([agent.destroy(), operatorAgent.destroy()])
    },
  }
}

export type Transport = ReturnType<typeof openTransport>
