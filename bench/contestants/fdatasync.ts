import { open } from 'node:fs/promises'
import { contest } from '../contestant.ts'
import { makeNote } from '../documents.ts'

/** The least that a durable store can do: the JSON of documents at the end of a file, and a sync for each group of them. */
const [path = '', count = '0'] = process.argv.slice(2)
const documents = Number(count)
const file = await open(path, 'a')

contest(
  undefined,
  {
    write: async ({ ms, group = 1 }: { ms: number; group?: number }) => {
      const began = performance.now()
      let writes = 0
      let at = Date.now()
      while (performance.now() - began < ms) {
        let text = ''
        for (let n = 0; n < group; n++)
          text += `${JSON.stringify(makeNote(Math.floor(Math.random() * documents), ++at))}\n`
        await file.write(text)
        await file.datasync()
        writes += group
      }
      return { writes, seconds: (performance.now() - began) / 1000 }
    },
  },
  () => file.close(),
)
