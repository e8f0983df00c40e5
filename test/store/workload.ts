import type { Row, Store, Tx } from '../../store/index.ts'
import type { Random } from '../random.ts'

type Pair = Row & { n: number; text: string }

/** What one writer knows: the last number that was acknowledged, and the one it was writing when all stopped. */
type Writer = {
  name: string
  sure: number
  attempt: number
  isDeleted: boolean
  mayDelete: boolean
  claims: string[]
}

/**
 * Writers that each raise a number of their own in one transaction: in two collections and in a log. Some also delete
 * and claim. `verify` finds in a store every acknowledged number, or the one under way, and nothing else.
 */
export type Workload = {
  /** Writes until something fails or nothing answers any more. */
  run(store: Store, random: Random, steps: number): Promise<void>
  verify(store: Store): Promise<void>
  acks(): number
}

const until = new Date('2999-01-01')
const padding = (n: number): string => 'é'.repeat(n % 97) + 'x'.repeat((n * 37) % 700)

const expectThat = (isSo: boolean, message: string): void => {
  if (!isSo) throw new Error(message)
}

/** A workload of `count` writers. */
export const workload = (count: number): Workload => {
  const writers = Array.from({ length: count }, (_, n): Writer => {
    return { name: `writer-${n}`, sure: 0, attempt: 0, isDeleted: false, mayDelete: false, claims: [] }
  })
  let acks = 0
  // The first checkpoint behind a write leaves it on disk: half of what is read and changed lies there.
  const archive = { afterHours: 0 }
  const left = (store: Tx) => store.collection<Pair>('left', [{ name: 'n', fields: ['n'] }], archive)
  const right = (store: Tx) => store.collection<Pair>('right', [], archive)

  const raise = async (store: Store, writer: Writer): Promise<void> => {
    const n = writer.sure + 1
    writer.attempt = n
    await store.transaction(async tx => {
      await left(tx).put({ id: writer.name, n, text: padding(n) })
      await right(tx).put({ id: writer.name, n, text: padding(n) })
      await tx.append('log', { writer: writer.name, n })
    })
    writer.sure = n
    writer.isDeleted = false
    writer.mayDelete = false
  }
  const step = async (store: Store, writer: Writer, random: Random): Promise<void> => {
    if (random.chance(0.7)) return raise(store, writer)
    if (random.chance(0.5)) {
      const key = `${writer.name}/${writer.sure}/${writer.claims.length}`
      await store.claim(key, until)
      writer.claims.push(key)
      return
    }
    writer.mayDelete = true
    await store.collection('left').delete(writer.name)
    writer.isDeleted = true
  }
  const check = async (store: Store, writer: Writer, log: ReadonlyMap<string, number>): Promise<void> => {
    const { name, sure, attempt } = writer
    const a = await left(store).get(name)
    const b = await right(store).get(name)
    const count = b?.n ?? 0
    const state = `acknowledged ${sure}, tried ${attempt}`
    expectThat(count === sure || count === attempt, `${name}: ${state}, found ${count}`)
    expectThat((log.get(name) ?? 0) === count, `${name}: log has ${log.get(name)}, row has ${count}`)
    expectThat(b === undefined || b.text === padding(count), `${name}: the text is torn`)
    if (a) expectThat(a.n === count && a.text === padding(count), `${name}: left ${a.n}, right ${count}`)
    else expectThat(count === 0 || (writer.mayDelete && count === sure), `${name}: the left row is lost`)
    if (a && count > 0)
      expectThat(!writer.isDeleted || count > sure, `${name}: an acknowledged delete came undone`)
    const { rows } = await left(store).find({ index: 'n', where: { n: count } })
    expectThat(!a || rows.some(row => row.id === name), `${name}: the index does not know it`)
    for (const key of writer.claims)
      expectThat(!(await store.claim(key, until)), `${name}: claim ${key} is lost`)
    Object.assign(writer, {
      sure: count,
      attempt: count,
      isDeleted: count > 0 && !a,
      mayDelete: count > 0 && !a,
    })
  }
  const readLog = async (store: Store): Promise<Map<string, number>> => {
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
    acks: () => acks,
    run: async (store, random, steps) => {
      left(store)
      right(store)
      await Promise.all(
        writers.map(async writer => {
          for (let done = 0; done < steps; done++) {
            await step(store, writer, random)
            acks++
          }
        }),
      )
    },
    verify: async store => {
      const log = await readLog(store)
      for (const writer of writers) await check(store, writer, log)
      expectThat((await right(store).count()) <= writers.length, 'rows that nobody wrote')
    },
  }
}
