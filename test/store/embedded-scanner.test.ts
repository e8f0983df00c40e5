import { describe, expect, test } from 'vitest'
import { indexValues } from '../../store/document.ts'
import { type Line, openArena } from '../../store/embedded/arena.ts'
import { fieldsOrdering } from '../../store/embedded/fields-ordering.ts'
import { entryKey } from '../../store/embedded/key.ts'
import { lineScanner } from '../../store/embedded/line-scanner.ts'
import { entryBytes, fieldsEntryBytes } from '../../store/embedded/memory.ts'
import { type PackedKeys, packedKeys, type TextBytes } from '../../store/embedded/packed-keys.ts'
import { emptyRows } from '../../store/embedded/rows.ts'
import { openSlices, sliceCost } from '../../store/embedded/slices.ts'
import { sortedBytesBuilder, sortedTexts } from '../../store/embedded/sorted.ts'
import type { Index } from '../../store/index.ts'
import { firstSeed, type Random, withSeed } from '../random.ts'
import { runs } from '../stress.ts'

const toText = ({ bytes, start, end }: TextBytes): string => bytes.toString('latin1', start, end)
const sortTexts = async (keys: PackedKeys): Promise<string[]> =>
  [...(await keys.sort(openSlices()))].map(place => toText(keys.at(place)))

/** The line that a journal holds of a document, in the middle of other bytes. */
const toLine = (id: string, text: string): Line => {
  const quotedId = Buffer.from(JSON.stringify(id))
  const head = Buffer.from('p\t"notes"\t')
  const before = Buffer.from('"}\t\n')
  const line = Buffer.concat([head, quotedId, Buffer.from(`\t${text}\n`)])
  return {
    bytes: Buffer.concat([before, line, Buffer.from(',"a":"behind"}\n')]),
    start: before.length,
    end: before.length + line.length,
    idAt: head.length,
    textAt: head.length + quotedId.length + 1,
    isAscii: false,
  }
}

const index: Index = { name: 'some', fields: ['a', 'ключ', 'b'] }

/** What the scanner makes of a text: its entry, undefined where it leaves that to JSON.parse. */
const scanEntry = (id: string, text: string): string | undefined => {
  const scanner = lineScanner(['b', 'other', 'a', 'ключ'])
  if (!scanner.scan(toLine(id, text))) return undefined
  const positions = scanner.positionsOf(index.fields)
  const keys = packedKeys()
  scanner.addEntry(keys, positions)
  const row = { ...JSON.parse(text), id }
  expect(fieldsEntryBytes(scanner.keyBytes(positions))).toBe(entryBytes([index], id, row))
  return toText(keys.at(0))
}
const parsedEntry = (id: string, text: string): string =>
  entryKey(indexValues('notes', index, JSON.parse(text)), id)

describe('the fields of a line', () => {
  const usual = [
    '{}',
    '{"a":1}',
    '{"b":null,"a":true,"ключ":false}',
    '{"a":-0,"b":0}',
    '{"a":1e400,"b":-1e400}',
    '{"a":1e-400,"b":5e-324}',
    '{"a":999999999999999,"b":-999999999999999}',
    '{"a":9007199254740993,"b":123456789012345678901234567890}',
    '{"a":-1.5E+3,"b":0.1}',
    '{"a":"","b":"\\"","ключ":"\\\\"}',
    '{"a":"\\u0001\\u0002","b":"\\t\\n\\r\\b\\f\\/"}',
    '{"a":"Γειά σου","b":"\\u00e9é","ключ":"😀\\ud83d\\ude00"}',
    '{"a":1,"a":"later","b":2,"b":null}',
    '{"x":{"a":1,"y":[{"b":"}]"},"\\\\\\"]}"]},"a":2}',
    '{"x":[],"y":{},"z":[[]],"a":"{"}',
    '{"aa":1,"":2,"A":3}',
    '{"__proto__":1,"toString":2,"a":3}',
    `{"a":"${'long '.repeat(40_000)}","b":1}`,
  ]
  test.each(usual)('are those of JSON.parse: %.60s', text => {
    expect(scanEntry('id', text)).toBe(parsedEntry('id', text))
  })
  test('of one line are not those of the line before', async () => {
    const scanner = lineScanner(index.fields)
    const keys = packedKeys()
    const texts = ['{"a":"\\t","ключ":1}', '{"b":"plain"}', '{"a":"x"}']
    for (const [n, text] of texts.entries()) {
      expect(scanner.scan(toLine(n === 0 ? '\t' : 'id', text))).toBe(true)
      scanner.addEntry(keys, scanner.positionsOf(index.fields))
    }
    expect(await sortTexts(keys)).toEqual(
      texts.map((text, n) => parsedEntry(n === 0 ? '\t' : 'id', text)).sort(),
    )
  })
  const ids = ['n-1', 'é', 'a"b', 'back\\slash', 'tab\tand\u0001', '😀', '\u2028', 'x'.repeat(512)]
  test.each(ids)('stand before the id %j', id => {
    expect(scanEntry(id, '{"a":7}')).toBe(parsedEntry(id, '{"a":7}'))
  })
  const unusual = [
    '{"\\u0061":1,"a":2}',
    '{"a":1,"\\u0061":2}',
    '{"x\\n":1}',
    ' {"a":1}',
    '{ "a":1}',
    '{"a" :1}',
    '{"a": 1}',
    '{"a":1 }',
    '{"a":1 ,"b":2}',
    '{"a":[1]}',
    '{"b":{"a":1}}',
    '[]',
    '{"a":1',
    '{"a":"',
    '{"a":1}}',
    '{"a"',
    '{',
    '',
    '"a"',
  ]
  test.each(unusual)('are left to JSON.parse where a text is out of the ordinary: %s', text => {
    expect(scanEntry('id', text)).toBeUndefined()
  })

  const pieces = [
    'a',
    'b',
    'ключ',
    'id',
    'é',
    '😀',
    '"',
    '\\',
    '\n',
    '\u0001',
    '\u0002',
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
  ]
  const makeText = (random: Random): string =>
    Array.from({ length: random.below(random.chance(0.05) ? 400 : 6) }, () => random.pick(pieces)).join('')
  const makeNumber = (random: Random): number =>
    random.pick([0, -0, 1, -1, 0.1, 1e21, -1e-7, 2 ** 53, 1.7976931348623157e308, 5e-324]) *
    random.pick([1, random.below(1e9)])
  const makeScalar = (random: Random): unknown =>
    random.pick([null, true, false, makeNumber(random), makeText(random), undefined])
  const makeValue = (random: Random, depth: number): unknown => {
    if (depth > 3 || random.chance(0.7)) return makeScalar(random)
    const values = Array.from({ length: random.below(4) }, () => makeValue(random, depth + 1))
    if (random.chance(0.5)) return values
    return Object.fromEntries(values.map(value => [makeText(random), value]))
  }
  test('are those of JSON.parse in documents of any kind, and most of these need none', () =>
    withSeed(firstSeed(), async random => {
      let scanned = 0
      const total = runs(40_000, 6000)
      for (let step = 0; step < total; step++) {
        const row: Record<string, unknown> = {}
        for (let field = random.below(6); field > 0; field--) {
          const name = random.chance(0.6) ? random.pick(index.fields) : makeText(random)
          row[name] =
            random.chance(0.95) && index.fields.includes(name) ? makeScalar(random) : makeValue(random, 0)
        }
        const text = JSON.stringify(row)
        const id = `${makeText(random)}${step}`
        const entry = scanEntry(id, text)
        if (entry === undefined) continue
        scanned++
        expect(entry, text).toBe(parsedEntry(id, text))
      }
      expect(scanned).toBeGreaterThan(total / 4)
    }))
})

describe('packed keys', () => {
  const makeKey = (random: Random): string => {
    const beginning = random.pick(['', '\0', 'owner-', '\xff\xff', 'm'.repeat(300), 'm'.repeat(301)])
    const end = Array.from({ length: random.below(9) }, () =>
      String.fromCharCode(random.pick([0, 1, 2, 97, 98, 128, 254, 255])),
    ).join('')
    return beginning + end
  }
  test('are sorted by their bytes, whatever they share and wherever they end', () =>
    withSeed(firstSeed(), async random => {
      for (let run = 0; run < runs(40, 8); run++) {
        const texts = new Set(Array.from({ length: random.below(20_000) }, () => makeKey(random)))
        const keys = packedKeys()
        for (const text of texts) keys.add(text)
        expect(keys.size()).toBe(texts.size)
        expect(await sortTexts(keys)).toEqual([...texts].sort())
      }
    }))
  test('may be longer than a page, and stay whole beside those of others', async () => {
    const lengths = [3, 1 << 20, (1 << 20) - 4, (1 << 20) - 3, 2 << 20, 5, 600_000, 600_000, 1]
    const texts = lengths.map((length, n) => `${'l'.repeat(length - 1)}${n}`)
    const keys = packedKeys()
    for (const text of texts) keys.add(text)
    expect((await sortTexts(keys)).map(text => lengths[Number(text.at(-1))])).toEqual(
      [...texts].sort().map(({ length }) => length),
    )
  })
  test('are nothing without any, and begin anew once they are cleared', async () => {
    const keys = packedKeys()
    expect(await sortTexts(keys)).toEqual([])
    keys.add('a')
    keys.clear()
    expect(keys.size()).toBe(0)
    keys.add('b')
    expect(await sortTexts(keys)).toEqual(['b'])
  })
  test('are sorted in slices, none of which is much longer than one should be', async () => {
    const keys = packedKeys()
    for (let n = 0; n < 100_000; n++) keys.add(`${'same '.repeat(20)}${(n * 7919) % 100_000}`)
    const costs: number[] = []
    await keys.sort(openSlices(cost => costs.push(cost)))
    expect(costs.length).toBeGreaterThan(20)
    expect(Math.max(...costs)).toBeLessThan(5 * sliceCost)
  })
  test('make the same set as texts do, which then takes more and lets go', () =>
    withSeed(firstSeed(), async random => {
      const texts = [...new Set(Array.from({ length: 8000 }, () => makeKey(random)))]
      texts.push('q'.repeat(70_000), 'q'.repeat(127), 'q'.repeat(128))
      const keys = packedKeys()
      for (const text of texts) keys.add(text)
      const builder = sortedBytesBuilder()
      for (const place of await keys.sort(openSlices())) builder.push(keys.at(place))
      const set = builder.done()
      keys.clear()
      const naive = new Set(texts)
      for (let step = 0; step < 4000; step++) {
        const text = random.chance(0.5) ? random.pick(texts) : makeKey(random)
        expect(set.has(text)).toBe(naive.has(text))
        if (random.chance(0.5)) {
          set.add(text)
          naive.add(text)
        } else {
          set.remove(text)
          naive.delete(text)
        }
      }
      const all = [...naive].sort()
      expect(set.scan('', undefined, 'asc', Number.MAX_SAFE_INTEGER)).toEqual(all)
      expect(set.size()).toBe(all.length)
      expect(sortedTexts(all).count('m', 'n')).toBe(set.count('m', 'n'))
    }))
})

describe('an index that is built', () => {
  const unique: Index = { name: 'serial', fields: ['serial', 'kind'], unique: true }
  const build = (rows: readonly Record<string, unknown>[]) => {
    const building = fieldsOrdering('notes', unique)
    for (const row of rows) building.gather(String(row.id), row)
    return building.build(openSlices())
  }
  test('is refused where two rows have the same values, by the name of one', async () => {
    await expect(
      build([
        { id: 'é1', serial: 'a\u0001', kind: 1 },
        { id: 'é2', serial: 'a\u0001', kind: 1 },
      ]),
    ).rejects.toThrow('index "serial" is unique, but the stored row "é2" repeats another')
  })
  test('takes values that only begin alike, and rows that have none', async () => {
    const ordering = await build([
      { id: '1', serial: 'a', kind: 1 },
      { id: '2', serial: 'a', kind: 2 },
      { id: '3', serial: 'a\u0001', kind: 1 },
      { id: '4', serial: 'aa', kind: 1 },
      { id: '5', serial: null },
      { id: '6' },
      { id: '7', serial: 'a' },
      { id: '8', serial: 'a', kind: true },
      { id: '9', serial: 'a', kind: false },
    ])
    expect(ordering.count({ from: '', to: undefined })).toBe(9)
    await expect(
      build([
        { id: '1', serial: false },
        { id: '2', serial: false },
      ]),
    ).rejects.toThrow('repeats')
  })
})

test('the lines of rows are all there once, though the arena moves them meanwhile', () =>
  withSeed(firstSeed(), async random => {
    const arena = openArena()
    const rows = emptyRows(arena, 'notes')
    const others = emptyRows(arena, 'others')
    const filling = 'f'.repeat(600)
    for (let n = 0; n < 12_000; n++) {
      rows.set(`n${n}`, `{"n":${n},"filling":"${filling}"}`)
      others.set(`o${n}`, `{"filling":"${filling}"}`)
    }
    const placesBefore = Array.from({ length: 12_000 }, (_, n) => rows.place(`"n${n}"`))
    const ids: number[] = []
    for (const { bytes, start, end, textAt } of rows.lines()) {
      ids.push(JSON.parse(bytes.toString('utf8', start + textAt, end - 1)).n)
      others.delete(`o${random.below(12_000)}`)
      arena.tidy(1, 1)
    }
    expect(ids.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 12_000 }, (_, n) => n))
    expect(placesBefore.some((place, n) => place !== rows.place(`"n${n}"`))).toBe(true)
  }))
