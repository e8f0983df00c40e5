import type { Row, Store } from '../../store/index.ts'
import type { Random } from './random.ts'

type Pair = Row & { n: number; text: string }

/** What one writer knows: the last number that was acknowledged, and the one it was writing when all stopped. */
type Writer = {
  name: string
  sure: number
  tried: number
  deleted: boolean
  mayDelete: boolean
  claimed: string[]
}

/**
 * Writers that each raise a number of their own in one transaction: in two collections and in a log. Some also delete
 * and claim. `verify` finds in a store every acknowledged number, or the one under way, and nothing else.
 */
export type Workload = {
  /** Writes until something fails or nothing answers any more. */
  run(store: Store, random: Random, steps: number): Promise<void>
  verify(store: Store): Promise<void>
  acknowledged(): number
}

const until = new Date('2999-01-01')
const padding = (n: number): string => 'é'.repeat(n % 97) + 'x'.repeat((n * 37) % 700)

const expectThat = (isSo: boolean, message: string): void => {
  if (!isSo) throw new Error(message)
}

/** A workload of `count` writers. */
export const workload = (count: number): Workload => {
  const writers = Array.from({ length: count }, (_, n): Writer => {
    return { name: `writer-${n}`, sure: 0, tried: 0, deleted: false, mayDelete: false, claimed: [] }
  })
  let acknowledged = 0
  const left = (store: Store) => store.collection<Pair>('left', [{ name: 'n', fields: ['n'] }])
  const right = (store: Store) => store.collection<Pair>('right')

  const raise = async (store: Store, writer: Writer): Promise<void> => {
    const n = writer.sure + 1
    writer.tried = n
    await store.transaction(async tx => {
      await tx.collection<Pair>('left').put({ id: writer.name, n, text: padding(n) })
      await tx.collection<Pair>('right').put({ id: writer.name, n, text: padding(n) })
      await tx.append('log', { writer: writer.name, n })
    })
    writer.sure = n
    writer.deleted = false
    writer.mayDelete = false
  }
  const step = async (store: Store, writer: Writer, random: Random): Promise<void> => {
    if (random.chance(0.7)) return raise(store, writer)
    if (random.chance(0.5)) {
      const key = `${writer.name}/${writer.sure}/${writer.claimed.length}`
      await store.claim(key, until)
      writer.claimed.push(key)
      return
    }
    writer.mayDelete = true
    await store.collection('left').delete(writer.name)
    writer.deleted = true
  }
  const check = async (store: Store, writer: Writer, logged: ReadonlyMap<string, number>): Promise<void> => {
    const { name, sure, tried } = writer
    const a = await left(store).get(name)
    const b = await right(store).get(name)
    const found = b?.n ?? 0
    const known = `acknowledged ${sure}, tried ${tried}`
    expectThat(found === sure || found === tried, `${name}: ${known}, found ${found}`)
    expectThat((logged.get(name) ?? 0) === found, `${name}: log has ${logged.get(name)}, row has ${found}`)
    expectThat(b === undefined || b.text === padding(found), `${name}: the text is torn`)
    if (a) expectThat(a.n === found && a.text === padding(found), `${name}: left ${a.n}, right ${found}`)
    else expectThat(found === 0 || (writer.mayDelete && found === sure), `${name}: the left row is lost`)
    if (a && found > 0)
      expectThat(!writer.deleted || found > sure, `${name}: an acknowledged delete came undone`)
    const { rows } = await left(store).find({ index: 'n', where: { n: found } })
    expectThat(!a || rows.some(row => row.id === name), `${name}: the index does not know it`)
    for (const key of writer.claimed)
      expectThat(!(await store.claim(key, until)), `${name}: claim ${key} is lost`)
    Object.assign(writer, { sure: found, tried: found, deleted: found > 0 && !a, mayDelete: found > 0 && !a })
  }
  const logOf = async (store: Store): Promise<Map<string, number>> => {
    const last = new Map<string, number>()
    let at = 0
    for (;;) {
      const entries = await store.read('log', at, 1000)
      for (const entry of entries) {
        const { writer, n } = entry.payload as { writer: string; n: number }
        expectThat(entry.at === ++at, `log: entry ${entry.at} where ${at} was due`)
        expectThat(n === (last.get(writer) ?? 0) + 1, `log: ${writer} goes from ${last.get(writer)} to ${n}`)
        last.set(writer, n)
      }
      if (entries.length === 0) return last
    }
  }
  return {
    acknowledged: () => acknowledged,
    run: async (store, random, steps) => {
      left(store)
      await Promise.all(
        writers.map(async writer => {
          for (let done = 0; done < steps; done++) {
            await step(store, writer, random)
            acknowledged++
          }
        }),
      )
    },
    verify: async store => {
      const logged = await logOf(store)
      for (const writer of writers) await check(store, writer, logged)
      expectThat((await right(store).count()) <= writers.length, 'rows that nobody wrote')
    },
  }
}
