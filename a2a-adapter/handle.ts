import { randomUUID } from 'node:crypto'
import type { World } from '../mcp/kernel/call.ts'
import { echo } from '../mcp/kernel/echo.ts'
import { isExplained, type ToolError, toToolError } from '../mcp/kernel/error.ts'
import type { Request, Response } from '../mcp/kernel/http.ts'
import { leaving, type Route, readEvidence } from '../mcp/kernel/http.ts'
import type { Service } from '../mcp/kernel/service.ts'
import { toIdentity } from './caller.ts'
import type { A2aDeps, Agent } from './exchange.ts'
import { activationHeaders } from './extensions.ts'
import { operationHandlers } from './operations.ts'
import { compileSkills } from './skills/choose.ts'
import { openContexts } from './tasks/context.ts'
import { openTaskStore } from './tasks/store.ts'
import { type Id, readEnvelope, readRequest, readRequestId, writeAnswer } from './wire/envelope.ts'
import { A2aError, encodeFailure, httpStatus } from './wire/failure.ts'
import type { Version } from './wire/fields.ts'
import { methods } from './wire/methods.ts'
import { checkVersion, decideVersion, readVersion } from './wire/version.ts'

/** Makes a failure of anything but a tool an `internal` one that the log knows; `call` has recorded its own. */
const toRecordedError = (world: World, service: Service, method: string, cause: unknown): ToolError => {
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
export const a2aHandler = (world: World, service: Service, agent?: Agent): Route['handle'] => {
  const contexts = openContexts(world)
  const deps: A2aDeps = {
    world,
    skills: compileSkills(service),
    taskStore: openTaskStore(world, service, contexts),
    contexts,
    agent,
  }
  const toHeaders = (version: Version, req: Request): readonly string[] => [
    'Cache-Control',
    'no-store',
    'A2A-Version',
    version,
    ...activationHeaders(world, service, req),
  ]
  return async (req: Request, res: Response) => {
    const requestedVersion = readVersion(req)
    let version: Version = requestedVersion === '1.0' ? '1.0' : '0.3'
    let id: Id = null
    let operation = 'a2a'
    try {
      const body = await readRequest(req, res)
      id = readRequestId(body)
      const { method: name, params } = readEnvelope(body)
      const method = methods.get(name)
      version = decideVersion(
        requestedVersion,
        method?.grammar ?? (name.includes('/') ? '0.3' : '1.0'),
        params,
      )
      checkVersion(requestedVersion)
      if (!method) throw new A2aError('methodNotFound', `There is no method "${echo(name)}".`)
      operation = method.operation
      const evidence = readEvidence(req)
      const exchange = {
        version,
        params,
        evidence,
        identity: toIdentity(world, service, evidence),
        gone: () => leaving(res),
      }
      const result = await operationHandlers[method.operation](deps, exchange)
      writeAnswer(res, 200, { jsonrpc: '2.0', id, result }, toHeaders(version, req))
    } catch (reason) {
      const failure = toRecordedError(world, service, operation, reason)
      const error = encodeFailure(version, failure, world.site.url, req.id)
      const headers = [...toHeaders(version, req), ...Object.entries(failure.headers).flat()]
      writeAnswer(res, httpStatus(failure), { jsonrpc: '2.0', id, error }, headers)
    }
  }
}
