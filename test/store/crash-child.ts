import { writeSync } from 'node:fs'
import { openEmbedded } from '../../store/embedded/open.ts'
import type { Row } from '../../store/index.ts'

type Count = Row & { n: number; text: string }

const [dir = '', writers = '0'] = process.argv.slice(2)
const say = (line: object): void => void writeSync(1, `${JSON.stringify(line)}\n`)

const store = await openEmbedded({ dir, checkpointAt: 200_000 })
const left = store.collection<Count>('left', [{ name: 'n', fields: ['n'] }], { afterHours: 0 })
const right = store.collection<Count>('right', [], { afterHours: 0 })

const log: Record<string, number> = {}
let at = 0
for (;;) {
  const entries = await store.read('log', at, 1000)
  for (const { payload } of entries) {
    const { writer, n } = payload as { writer: string; n: number }
    if (n !== (log[writer] ?? 0) + 1) say({ wrong: `log of ${writer} goes from ${log[writer]} to ${n}` })
    log[writer] = n
    at++
  }
  if (entries.length === 0) break
}

const counts: Record<string, [left: number, right: number, log: number]> = {}
for (let w = 0; w < Number(writers); w++) {
  const writer = `writer-${w}`
  const rows = [await left.get(writer), await right.get(writer)]
  for (const row of rows)
    if (row && row.text !== 'x'.repeat(row.n % 500)) say({ wrong: `a row of ${writer} is torn` })
  counts[writer] = [rows[0]?.n ?? 0, rows[1]?.n ?? 0, log[writer] ?? 0]
}
say({ counts })

const write = async (writer: string, from: number): Promise<never> => {
  for (let n = from + 1; ; n++) {
    const row = { id: writer, n, text: 'x'.repeat(n % 500) }
    await store.transaction(async tx => {
      await tx.collection<Count>('left').put(row)
      await tx.append('log', { writer, n })
      await tx.collection<Count>('right').put(row)
    })
    say({ writer, n })
  }
}
await Promise.all(Object.entries(counts).map(([writer, [n]]) => write(writer, n)))
