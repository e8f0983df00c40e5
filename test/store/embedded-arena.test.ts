import { describe, expect, test } from 'vitest'
import { type Arena, openArena } from '../../store/embedded/arena.ts'
import { emptyRows, type Rows, rowKey } from '../../store/embedded/rows.ts'
import { firstSeed, type Random, withSeed } from '../random.ts'

const letters = ['a', 'é', '😀', '"', '\\', '\u0001', '\t']
const mebibyte = 1 << 20

const linesOf = (arena: Arena): string[] =>
  [...arena.lines()].map(({ bytes, start, end }) => bytes.toString('utf8', start, end))

const lineOf = (name: string, id: string, text: string): string =>
  `p\t${JSON.stringify(name)}\t${JSON.stringify(id)}\t${text}\n`

type Written = { key: string; id: string; place: number; before: string | undefined }

/** Commits to two collections whose last few may be taken back until they are durable. */
const live = (random: Random, arena: Arena, tables: readonly { name: string; rows: Rows }[]): void => {
  const models = tables.map(() => new Map<string, string>())
  const open: (Written & { at: number })[] = []
  let lsn = 0
  let durable = 0
  for (let step = 0; step < 9000; step++) {
    const at = random.below(tables.length)
    const rows = tables[at]?.rows as Rows
    const model = models[at] as Map<string, string>
    const id = `${random.below(900)}${random.pick(letters)}`
    const key = rowKey(id)
    const text = JSON.stringify({
      id,
      text: random.pick(letters).repeat(random.below(random.chance(0.01) ? 400_000 : 1500)),
    })
    const before = model.get(id)
    lsn++
    if (random.chance(0.85)) {
      open.push({ at, key, id, before, place: rows.point(key, rows.write(key, id, text)) })
      model.set(id, text)
    } else {
      open.push({ at, key, id, before, place: rows.point(key, 0) })
      model.delete(id)
    }
    arena.tidy(lsn, durable)
    if (random.chance(0.05)) {
      for (const one of open.splice(0).reverse()) {
        tables[one.at]?.rows.restore(one.key, one.place)
        if (one.before === undefined) models[one.at]?.delete(one.id)
        else models[one.at]?.set(one.id, one.before)
      }
      lsn = durable
    } else if (random.chance(0.1)) {
      durable = lsn
      open.length = 0
    }
    if (rows.get(id) !== model.get(id)) throw new Error(`step ${step}: "${id}" is not what was written`)
    if (step % 1500 !== 0) continue
    for (const [position, { rows: all }] of tables.entries()) {
      expect(all.size()).toBe(models[position]?.size)
      expect(new Map(all)).toEqual(models[position])
    }
    const expected = tables.flatMap(({ name }, position) =>
      [...(models[position] ?? [])].map(([one, json]) => lineOf(name, one, json)),
    )
    expect(linesOf(arena).sort()).toEqual(expected.sort())
  }
  durable = lsn
  for (let step = 0; step < 40; step++) arena.tidy(lsn, durable)
  const bytes = models
    .flatMap(model => [...model.values()])
    .reduce((sum, json) => sum + Buffer.byteLength(json) + 64, 0)
  expect(arena.bytes()).toBeLessThan((bytes * 4) / 3 + 5 * mebibyte)
}

describe('rows in an arena', () => {
  test('are what was written and not taken back, while pages are emptied and used again', async () => {
    const first = firstSeed()
    for (let run = 0; run < 3; run++)
      await withSeed(first + run, async random => {
        const arena = openArena()
        live(
          random,
          arena,
          ['first', 'second"'].map(name => ({ name, rows: emptyRows(arena, name) })),
        )
      })
  })

  test('are all met by a walk that began before others, behind it, were written anew', () => {
    const arena = openArena()
    const rows = emptyRows(arena, 'rows')
    const text = (n: number): string => JSON.stringify({ n, text: 'x'.repeat(2000) })
    for (let n = 0; n < 6000; n++) rows.set(`${n}`, text(n))
    const met = new Set<string>()
    let n = 0
    for (const { bytes, start, end } of arena.lines()) {
      met.add(bytes.toString('utf8', start, end))
      const behind = 5998 - 2 * n
      if (behind >= 0) rows.set(`${behind}`, text(behind))
      arena.tidy(n, n)
      n++
    }
    for (let odd = 1; odd < 6000; odd += 2) expect(met.has(lineOf('rows', `${odd}`, text(odd)))).toBe(true)
    for (let round = 0; round < 40; round++) arena.tidy(n, n)
    expect(arena.bytes()).toBeLessThan(18 * mebibyte)
  })
})
