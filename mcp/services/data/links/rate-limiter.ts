/** Turns at asking: `total` requests at once, few of them to one host, with a gap where a host is asked often. */
export type RateLimiter = {
  /** Waits for a turn at a host. Resolves with the way out; undefined when the time is up or the host is closed. */
  enter(host: string): Promise<(() => void) | undefined>
  /** Leaves a host alone for a while. */
  pause(host: string, ms: number): void
  /** Asks a host nothing more. */
  close(host: string): void
  isClosed(host: string): boolean
}

export type PaceSettings = {
  total: number
  perHost: number
  gapMs: number
  /** Requests to a host before the gap counts. */
  freely: number
  signal: AbortSignal
}

type Host = { inside: number; requests: number; notBefore: number; isClosed: boolean }

type Waiting = { host: string; go(leave: (() => void) | undefined): void }

export const openRateLimiter = ({ total, perHost, gapMs, freely, signal }: PaceSettings): RateLimiter => {
  const hosts = new Map<string, Host>()
  const waiting = new Set<Waiting>()
  let active = 0
  let timer: NodeJS.Timeout | undefined

  const hostAt = (name: string): Host => {
    const host = hosts.get(name) ?? { inside: 0, requests: 0, notBefore: 0, isClosed: false }
    hosts.set(name, host)
    return host
  }

  const admit = (one: Waiting, host: Host, now: number) => {
    waiting.delete(one)
    active++
    host.inside++
    host.requests++
    if (host.requests >= freely) host.notBefore = Math.max(host.notBefore, now + gapMs)
    one.go(() => {
      active--
      host.inside--
      admitReady()
    })
  }

  const reject = (one: Waiting) => {
    waiting.delete(one)
    one.go(undefined)
  }

  /** Lets in who may go, and comes back when the next host is ready. */
  const admitReady = () => {
    clearTimeout(timer)
    const now = performance.now()
    let next = Number.POSITIVE_INFINITY
    for (const one of waiting) {
      const host = hostAt(one.host)
      if (signal.aborted || host.isClosed) reject(one)
      else if (active >= total || host.inside >= perHost) continue
      else if (host.notBefore <= now) admit(one, host, now)
      else next = Math.min(next, host.notBefore - now)
    }
    if (next < Number.POSITIVE_INFINITY) timer = setTimeout(admitReady, next)
  }

  signal.addEventListener('abort', admitReady, { once: true })

  return {
    enter: host =>
      new Promise(go => {
        waiting.add({ host, go })
        admitReady()
      }),
    pause(name, ms) {
      const host = hostAt(name)
      host.notBefore = Math.max(host.notBefore, performance.now() + ms)
    },
    close(name) {
      hostAt(name).isClosed = true
      admitReady()
    },
    isClosed: name => hosts.get(name)?.isClosed === true,
  }
}
