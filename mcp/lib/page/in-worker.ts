import type { Extractor } from './extractor.ts'
import { type PageRead, type PageTask, readPage, sourceRoot } from './job.ts'
import { loadParser } from './parse-page.ts'

// Loaded before the first page comes.
await loadParser()

/** Reads a page in a worker, where the extractor is found by its module and name. */
export const readInWorker = async (task: PageTask): Promise<PageRead<unknown>> => {
  const module = new URL(task.extractor.module, sourceRoot).href
  const loaded = (await import(module)) as Record<string, Extractor<unknown, unknown> | undefined>
  const extractor = loaded[task.extractor.name]
  if (!extractor) throw new Error(`${task.extractor.module} exports no extractor ${task.extractor.name}`)
  return readPage(extractor, task)
}
