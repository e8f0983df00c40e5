import { openEmbedded } from '../../store/embedded/open.ts'
import { StoreFailure } from '../../store/index.ts'

/** A flood of writes into a small heap, by many writers at once, until it is refused; then what still goes. */
type Blob = { id: string; text: string; n: number }

const store = await openEmbedded({ dir: process.argv[2] ?? '' })
const blobs = store.collection<Blob>('blobs', [
  { name: 'n', fields: ['n'] },
  { name: 'text', fields: ['text'], words: true },
])
let writes = 0
let refusals = 0
let last = ''
const writer = async (lane: number): Promise<void> => {
  for (let n = 0; n < 20_000 && refusals < 2000; n++) {
    const text = Array.from({ length: 60 }, (_, word) => `w${(n * 31 + word * 7) % 5000}`).join(' ')
    try {
      await blobs.insert({ id: `${lane}-${n}`, text: `${text} ${'x'.repeat(400)}`, n })
      writes++
    } catch (problem) {
      if (!(problem instanceof StoreFailure)) throw problem
      last = problem.message
      refusals++
      await new Promise(resolve => setImmediate(resolve))
    }
  }
}
await Promise.all(Array.from({ length: 64 }, (_, lane) => writer(lane)))
const read = await blobs.get('0-0')
const { ok } = await store.health()
let deletions = 0
for (let n = 0; n < 50; n++) if (await blobs.delete(`1-${n}`)) deletions++
console.log(JSON.stringify({ writes, refusals, last, read: read?.id, ok, deletions, use: store.use() }))
await store.close()
