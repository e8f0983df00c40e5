import { repair } from '../../mcp/lib/json-repair/repair.ts'
import { answerFor } from '../../mcp/services/data/entities/answer.ts'
import { contest } from '../contestant.ts'

type Peer = { jsonrepair(text: string): string }

const peer = async (name: string): Promise<Peer> => (await import(name)) as Peer

/** Milliseconds of processor time; what the others on this machine do does not count. */
const measureMs = async (work: () => unknown): Promise<number> => {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

const row = (nth: number) =>
  `{id: ${nth}, 'name': 'Item ${nth}', "tags": ["a" "b", "c",], price: ${nth}.50, active: True, note: "she said "hi" to me",}`
const rows = (count: number) => `[${Array.from({ length: count }, (_, nth) => row(nth)).join(',\n')}`

const sentence = (nth: number) =>
  `Write to user${nth}@example.com or call +32 2 555 ${String(nth % 10_000).padStart(4, '0')} before 2026-03-${String((nth % 28) + 1).padStart(2, '0')}; it costs €${nth}.500,75 at https://example.com/page/${nth} (10.0.${nth % 256}.1). #deal${nth} @ada${nth}\n`
const sentences = (bytes: number) =>
  Array.from({ length: Math.ceil(bytes / 150) }, (_, nth) => sentence(nth))
    .join('')
    .slice(0, bytes)

contest(undefined, {
  /** Milliseconds to repair so many rows of broken JSON, by us or by the peer of that name. */
  repair: async ({ count, by }: { count: number; by?: string }) => {
    const text = rows(count)
    if (by === undefined) return { ms: await measureMs(() => repair(text)), bytes: text.length }
    const { jsonrepair } = await peer(by)
    return { ms: await measureMs(() => jsonrepair(text)), bytes: text.length }
  },
  /** Milliseconds to find the entities of a text of so many characters. */
  entities: async (bytes: number) => {
    const text = sentences(bytes)
    return measureMs(() => answerFor({ text, each: false }))
  },
})
