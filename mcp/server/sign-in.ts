import type { World } from '../kernel/call.ts'
import type { ToolError } from '../kernel/error.ts'
import { type Request, type Response, readEvidence } from '../kernel/http.ts'
import { readPerson } from '../kernel/pipeline/identify.ts'
import { overLimit, takeAll } from '../kernel/pipeline/limits.ts'
import type { Service } from '../kernel/service.ts'
import type { Person } from '../kernel/sign-in.ts'
import { isRecord } from '../lib/json.ts'

/** Facts of a request before any era reads it, and how a call of it says that somebody must sign in. */
export type SignInVisit = {
  readonly audience?: string
  readonly person?: Person
  /** Answers the whole request with HTTP 401, where that can still be done: clients look for a sign-in nowhere else. */
  readonly onChallenge?: (error: ToolError) => void
}

const nothing: SignInVisit = Object.freeze({})
const visits = new WeakMap<Request, SignInVisit>()

/** Visit of a request as read by `openVisits`. */
export const visitOf = (req: Request): SignInVisit => visits.get(req) ?? nothing

type Refuse = (res: Response, error: ToolError, body: unknown) => void

/** ChatGPT asks its user to sign in by `_meta["mcp/www_authenticate"]` of a result, and by no status. */
const readsResults = ({ headers }: Request): boolean => /^openai-mcp\b/i.test(headers['user-agent'] ?? '')

/**
 * Holds the head of an answer back until the first byte of its body, because SDKs send that of a stream before the call has run. The
 * returned function sends another answer instead; false once it is too late.
 */
const openAnswer = (res: Response): ((answer: () => void) => boolean) => {
  const { writeHead, write, end, flushHeaders } = res
  let head: unknown[] | undefined
  const restore = () => Object.assign(res, { writeHead, write, end, flushHeaders })
  const release = () => {
    restore()
    if (head) Reflect.apply(writeHead, res, head)
  }
  Object.assign(res, {
    writeHead(...args: unknown[]) {
      head = args
      return res
    },
    flushHeaders() {},
    write(...args: unknown[]) {
      release()
      return Reflect.apply(write, res, args)
    },
    end(...args: unknown[]) {
      release()
      return Reflect.apply(end, res, args)
    },
  })
  return answer => {
    if (res.headersSent || res.destroyed || res.write === write) return false
    restore()
    answer()
    // What the SDK still has to say of it goes nowhere.
    Object.assign(res, { writeHead: () => res, flushHeaders() {}, write: () => true, end: () => res })
    return true
  }
}

/**
 * Reads who signed in, before any era is asked. Throws `unauthenticated` for an access token that is no good at this endpoint, whatever
 * the request is. `audience` is the endpoint's resource where it is not that of its one service.
 */
export const openVisits = (
  world: World,
  services: readonly Service[],
  { resource, audience }: { resource: () => string; audience?: () => string },
  refuse: Refuse,
) => {
  const readToken = async (req: Request): Promise<Person | undefined> => {
    if (req.headers.authorization === undefined) return undefined
    const evidence = readEvidence(req)
    try {
      return await readPerson(world, services, evidence, resource())
    } catch (error) {
      // Calls count in the pipeline; whoever guesses tokens never gets there.
      const standing = await takeAll(world.limits, [{ key: evidence.client, quota: world.perMinute }])
      throw standing?.ok === false ? overLimit('This server', standing) : error
    }
  }

  return async (req: Request, res: Response, body: unknown): Promise<void> => {
    if (!world.signIn) return
    const person = await readToken(req)
    const isCall = isRecord(body) && body.method === 'tools/call'
    const mayAsk = isCall && req.headers.authorization === undefined && !readsResults(req)
    const replace = mayAsk ? openAnswer(res) : undefined
    visits.set(req, {
      ...(audience && { audience: audience() }),
      ...(person && { person }),
      ...(replace && { onChallenge: (error: ToolError) => void replace(() => refuse(res, error, body)) }),
    })
  }
}
