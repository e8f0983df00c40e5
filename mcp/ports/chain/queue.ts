/**
 * Runs steps one after the other; one that fails does not stop the next. A wallet needs it: its transactions are numbered,
 * and two that are prepared at once take the same number. A counter instead would leave a gap after a refused one.
 */
export const makeQueue = () => {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(step: () => Promise<T>): Promise<T> => {
    const turn = last.then(step)
    last = turn.catch(() => undefined)
    return turn
  }
}
