import type { Store } from '../../mcp/ports/store/port.ts'

const never = new Promise<never>(() => undefined)

/**
 * A process that may die: once it has, nothing that it waits for ever comes back, as after kill -9. What it had handed
 * to the store or the chain by then may have happened.
 */
export const openLife = () => {
  let dead = false
  const mortal =
    <A extends unknown[], R>(verb: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      if (dead) return never
      try {
        const result = await verb(...args)
        return dead ? await never : result
      } catch (error) {
        if (dead) return never
        throw error
      }
    }
  const wrap = <T extends object>(thing: T, inner: (name: string, result: unknown) => unknown): T =>
    new Proxy(thing, {
      get(target, name) {
        const value = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        const verb = value.bind(target)
        if (name === 'identify' || name === 'takes' || name === 'signedAmount' || name === 'toWords')
          return verb
        if (name === 'collection') return (...args: unknown[]) => inner(String(name), verb(...args))
        return mortal(verb)
      },
    })
  const rows = (name: string, result: unknown) =>
    name === 'collection' ? wrap(result as object, rows) : result
  return {
    die: () => {
      dead = true
    },
    get dead() {
      return dead
    },
    mortal,
    store: (store: Store): Store => {
      const wrapper = wrap(store, rows)
      return new Proxy(wrapper, {
        get(target, name) {
          if (name !== 'transaction') return Reflect.get(target, name)
          return mortal((work: (tx: never) => Promise<unknown>) =>
            store.transaction(async tx => {
              if (dead) throw new Error('dead')
              const result = await work(tx as never)
              if (dead) throw new Error('dead')
              return result
            }),
          )
        },
      })
    },
    method: <T extends object>(method: T): T => wrap(method, (_, result) => result),
  }
}
