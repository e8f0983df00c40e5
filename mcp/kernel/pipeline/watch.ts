import { type Abort, abortRun, type DisconnectSignal } from './abort.ts'

/** A run under way: what ends it early, and when. */
type Watched = {
  readonly abort: Abort
  readonly client: DisconnectSignal | undefined
  readonly timeoutMs: number
  readonly began: number
  readonly tooSlow: () => unknown
  readonly gone: () => unknown
  isOver: boolean
  timer: NodeJS.Timeout | undefined
  leave: (() => void) | undefined
}

/** Ends a watch. */
export const endWatch = (watched: Watched): void => {
  watched.isOver = true
  if (watched.timer) clearTimeout(watched.timer)
  if (watched.leave) watched.client?.removeEventListener('abort', watched.leave)
}

const arm = (watched: Watched): void => {
  const { abort, client, timeoutMs, began, tooSlow, gone } = watched
  const elapsed = performance.now() - began
  watched.timer = setTimeout(() => abortRun(abort, tooSlow()), Math.max(0, timeoutMs - elapsed))
  if (!client) return
  if (client.aborted) {
    abortRun(abort, gone())
    return
  }
  watched.leave = () => abortRun(abort, gone())
  client.addEventListener('abort', watched.leave)
}

/** Milliseconds for which nobody minds that a run goes on for a client that has left. */
const soonMs = 10

let fresh: Watched[] = []

const armFresh = (): void => {
  const watches = fresh
  fresh = []
  for (const watched of watches) if (!watched.isOver) arm(watched)
}

/**
 * Aborts a run when its time is over or its client leaves. Timer and listener are made for runs that are still under way after some
 * milliseconds, all at once: most are over by then.
 */
export const watch = (
  abort: Abort,
  client: DisconnectSignal | undefined,
  timeoutMs: number,
  reasons: Pick<Watched, 'tooSlow' | 'gone'>,
): Watched => {
  const watched: Watched = {
    abort,
    client,
    timeoutMs,
    began: performance.now(),
    tooSlow: reasons.tooSlow,
    gone: reasons.gone,
    isOver: false,
    timer: undefined,
    leave: undefined,
  }
  if (fresh.push(watched) === 1) setTimeout(armFresh, soonMs)
  return watched
}
