import { randomUUID } from 'node:crypto'
import type { World } from '../mcp/kernel/call.ts'
import { isExplained, type ToolError, toToolError } from '../mcp/kernel/error.ts'
import type { Request, Response } from '../mcp/kernel/http.ts'
import { evidenceOf, leaving, type Route } from '../mcp/kernel/http.ts'
import { quote } from '../mcp/kernel/quote.ts'
import type { Service } from '../mcp/kernel/service.ts'
import { whoOf } from './caller.ts'
import type { Bench } from './exchange.ts'
import { activated } from './extensions.ts'
import { operations } from './operations.ts'
import { skillsOf } from './skills/choose.ts'
import { openContexts } from './tasks/context.ts'
import { openDesk } from './tasks/desk.ts'
import { type Id, idOf, readEnvelope, readRequest, writeAnswer } from './wire/envelope.ts'
import { A2aError, encodeFailure, httpStatus } from './wire/failure.ts'
import { methods } from './wire/methods.ts'
import { askedVersion, checkVersion, spokenVersion, type Version } from './wire/version.ts'

/** Makes a failure of anything but a tool an `internal` one that the log knows; `call` has recorded its own. */
const failureOf = (world: World, service: Service, method: string, cause: unknown): ToolError => {
  if (isExplained(cause)) return toToolError(cause)
  const ref = randomUUID()
  world.record({
    service: service.slug,
    tool: method,
    channel: 'a2a',
    caller: undefined,
    price: undefined,
    receipt: undefined,
    ms: 0,
    code: 'internal',
    ref,
    cause,
  })
  return toToolError(cause, ref)
}

/** Answers JSON-RPC requests of A2A 0.3 and 1.0 for one service (spec §4.1). */
export const a2aHandler = (world: World, service: Service): Route['handle'] => {
  const contexts = openContexts(world)
  const bench: Bench = {
    world,
    skills: skillsOf(service),
    desk: openDesk(world, service, contexts),
    contexts,
  }
  return async (req: Request, res: Response) => {
    const asked = askedVersion(req)
    let version: Version = asked === '1.0' ? '1.0' : '0.3'
    let id: Id = null
    let operation = 'a2a'
    try {
      const body = await readRequest(req, res)
      id = idOf(body)
      const { method: name, params } = readEnvelope(body)
      const method = methods.get(name)
      version = spokenVersion(asked, method?.grammar ?? (name.includes('/') ? '0.3' : '1.0'), params)
      checkVersion(asked)
      if (!method) throw new A2aError('methodNotFound', `There is no method "${quote(name)}".`)
      operation = method.operation
      const evidence = evidenceOf(req)
      const exchange = {
        version,
        params,
        evidence,
        who: whoOf(world, service, evidence),
        gone: () => leaving(res),
      }
      const result = await operations[method.operation](bench, exchange)
      const headers = { 'A2A-Version': version, ...activated(world, service, req) }
      writeAnswer(res, 200, { jsonrpc: '2.0', id, result }, headers)
    } catch (thrown) {
      const failure = failureOf(world, service, operation, thrown)
      const error = encodeFailure(version, failure, world.site.url)
      const headers = { 'A2A-Version': version, ...activated(world, service, req), ...failure.headers }
      writeAnswer(res, httpStatus(failure), { jsonrpc: '2.0', id, error }, headers)
    }
  }
}
