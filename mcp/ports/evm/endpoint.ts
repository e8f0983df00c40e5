import { setMaxListeners } from 'node:events'
import { startCountdown } from '../countdown.ts'
import { type RpcPost, TooMuch } from './post.ts'
import { type RpcReply, readRpcReply, rests } from './reply.ts'

/** Limits of one request. `whole`: it is as long as any; a shorter one says nothing against the endpoint. */
type RequestLimit = { ms: number; whole: boolean; signal: AbortSignal | undefined }

/** Runs `work` under a signal that ends with its time or with the caller, and makes a failure of what it stops. */
const withTargetLimit = async (
  { ms, whole, signal }: RequestLimit,
  work: (signal: AbortSignal) => Promise<RpcReply>,
): Promise<RpcReply> => {
  const watch = new AbortController()
  const stop = () => watch.abort()
  const stopCountdown = startCountdown(ms, stop)
  // One call of a skill asks a dozen questions at once under the same signal.
  if (signal) setMaxListeners(0, signal)
  signal?.addEventListener('abort', stop, { once: true })
  if (signal?.aborted) stop()
  try {
    return await work(watch.signal)
  } catch (error) {
    if (!watch.signal.aborted) throw error
    return { kind: 'failed', why: `no answer in ${ms / 1000} s`, restMs: whole ? rests.fault : 0 }
  } finally {
    stopCountdown()
    signal?.removeEventListener('abort', stop)
  }
}

/** Result of `promise`; throws when the signal ends first. */
const unlessAborted = <T>(promise: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { once: true })
    promise.then(resolve, reject)
  })

/** An endpoint of another chain is a mistake in the configuration, and they last. */
const wrongChainMs = 600_000

const maxRestMs = 300_000

export type RpcEndpoint = {
  /** Its host, for answers to name: the whole address may hold a key. */
  host: string
  /** Milliseconds of `now` until which others are asked first. */
  restsUntil(): number
  ask(method: string, params: readonly unknown[], limits: AskLimits): Promise<RpcReply>
}

type AskLimits = RequestLimit & { bytes: number }

type Settings = {
  url: string
  chainId: number
  post: () => Promise<RpcPost>
  now: () => number
  checkMs: number
}

const parseRpcUrl = (text: string) => {
  const url = new URL(text)
  const { host, username, password } = url
  const secret = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const authorization = username ? `Basic ${Buffer.from(secret).toString('base64')}` : undefined
  url.username = ''
  url.password = ''
  return { host, rpc: { url: url.href, authorization } }
}

const tooLarge: RpcReply = {
  kind: 'unable',
  error: { code: -32000, message: 'the answer is too large', data: null },
}

/** One JSON-RPC endpoint of a chain. It rests longer with each fault in a row, up to five minutes. */
export const openEndpoint = ({ url, chainId, post, now, checkMs }: Settings): RpcEndpoint => {
  const { host, rpc } = parseRpcUrl(url)
  let faults = 0
  let restsUntil = 0
  let ids = 0
  let checked: Promise<RpcReply> | undefined

  const send = async (
    method: string,
    params: readonly unknown[],
    { bytes, signal }: { bytes: number; signal: AbortSignal },
  ): Promise<RpcReply> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: ++ids, method, params })
    try {
      return readRpcReply(method, await (await post())(rpc, body, { bytes, signal }))
    } catch (error) {
      if (error instanceof TooMuch) return tooLarge
      if (signal.aborted) throw error
      return { kind: 'failed', why: 'no connection', restMs: rests.fault }
    }
  }

  const identify = async (signal: AbortSignal): Promise<RpcReply> => {
    const reply = await send('eth_chainId', [], { bytes: 65_536, signal })
    if (reply.kind === 'failed' || (reply.kind === 'result' && Number(reply.result) === chainId)) return reply
    return { kind: 'failed', why: 'the id of another chain', restMs: wrongChainMs }
  }

  /** Asked once for all callers, so it ends with none of them. */
  const check = (): Promise<RpcReply> => {
    checked ??= withTargetLimit({ ms: checkMs, whole: true, signal: undefined }, identify).then(reply => {
      if (reply.kind === 'failed') checked = undefined
      return reply
    })
    return checked
  }

  const note = (reply: RpcReply) => {
    if (reply.kind !== 'failed') {
      faults = 0
      restsUntil = 0
      return
    }
    if (reply.restMs === 0) return
    const restMs = reply.restMs > rests.fault ? reply.restMs : Math.min(reply.restMs * 2 ** faults, maxRestMs)
    // Requests that were under way together fail together: that is one fault.
    if (restsUntil <= now()) faults++
    restsUntil = Math.max(restsUntil, now() + restMs)
  }

  const ask: RpcEndpoint['ask'] = async (method, params, limits) => {
    const reply = await withTargetLimit(limits, async signal => {
      const wasChecked = checked !== undefined
      const checking = check()
      const reply = await send(method, params, { bytes: limits.bytes, signal })
      if (reply.kind === 'failed') return reply
      const identity = await unlessAborted(checking, signal)
      if (identity.kind !== 'failed') return reply
      // Somebody else's question for the chain may have come too early; now the node answers.
      const again = wasChecked ? await unlessAborted(check(), signal) : identity
      return again.kind === 'failed' ? again : reply
    })
    if (!limits.signal?.aborted) note(reply)
    return reply
  }

  return { host, restsUntil: () => restsUntil, ask }
}
