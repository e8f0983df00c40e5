/** A wait is counted in this many parts, but none shorter than `minPartMs`. */
const maxParts = 8
const minPartMs = 10

/**
 * Calls `onEnd` once this process has listened for `ms`; the function that it returns calls it off. The wait is a chain of
 * short timers and then one more look at the sockets, so that time in which the process stood still counts as next to
 * nothing: an answer that came meanwhile lies there unread, and one long timer would go off before it is read.
 */
export const startCountdown = (ms: number, onEnd: () => void): (() => void) => {
  const parts = Math.max(1, Math.min(maxParts, Math.floor(ms / minPartMs)))
  let partsLeft = parts
  let timer: NodeJS.Timeout
  let look: NodeJS.Immediate | undefined
  const listen = (): void => {
    timer = setTimeout(() => {
      partsLeft -= 1
      if (partsLeft > 0) listen()
      else look = setImmediate(onEnd)
    }, ms / parts)
  }
  listen()
  return () => {
    clearTimeout(timer)
    clearImmediate(look)
  }
}
