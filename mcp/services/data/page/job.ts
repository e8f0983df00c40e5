import type { Extractor, PageView } from './extractor.ts'
import type { Cut } from './limits.ts'
import { parsePage } from './parse-page.ts'

/** All that a worker needs to read a page: plain data. */
export type PageTask = {
  markup: string
  page: Omit<PageView, 'document' | 'markup'>
  mostNodes: number | undefined
  /** The module's path within the service, and the name it exports the extractor by. */
  extractor: { module: string; name: string }
  options: unknown
}

export type PageRead<Result> = { result: Result; cut: Cut | null }

/** Parses a page and runs one extractor over it. */
export const readPage = async <Options, Result>(
  { read }: Pick<Extractor<Options, Result>, 'read'>,
  { markup, page, mostNodes, options }: PageTask,
): Promise<PageRead<Result>> => {
  const { document, cut } = await parsePage(markup, mostNodes)
  return { result: read({ ...page, document, markup }, options as Options), cut }
}

/** The same in a worker, where the extractor is found by its module and name. */
export const readInWorker = async (task: PageTask): Promise<PageRead<unknown>> => {
  const module = new URL(`../${task.extractor.module}`, import.meta.url).href
  const loaded = (await import(module)) as Record<string, Extractor<unknown, unknown> | undefined>
  const found = loaded[task.extractor.name]
  if (!found) throw new Error(`${task.extractor.module} exports no extractor ${task.extractor.name}`)
  return readPage(found, task)
}
