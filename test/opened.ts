import { afterAll, beforeAll } from 'vitest'

/**
 * Opens something before the tests of a file and closes it after them. What comes back stands for it, so it can be used
 * within tests and in functions that they call, and not before.
 */
export const opened = <T extends { stop(): unknown } | { close(): unknown }>(
  open: () => Promise<T> | T,
  timeoutMs?: number,
): T => {
  let it: T | undefined
  beforeAll(async () => {
    it = await open()
  }, timeoutMs)
  afterAll(async () => {
    if (it) await ('stop' in it ? it.stop() : it.close())
  })
  return new Proxy({} as T, {
    get: (_, key) => {
      if (!it) throw new Error('it is opened before the tests, and this is no test')
      return Reflect.get(it, key, it)
    },
  })
}
