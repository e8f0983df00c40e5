import type { PageNode } from './dom.ts'

/** A page as an extractor sees it: the document, where it was found, and the headers it came with. */
export type PageView = {
  document: PageNode
  url: string
  status: number
  headers: Readonly<Record<string, string>>
  /** The markup as text; extractors that need it only for a figure should not keep it. */
  markup: string
}

/**
 * Reads facts out of a page, on the main thread or in a worker: `read` takes and gives plain data and may change the document.
 * `module` is its own `import.meta.url`, `name` the export it has there.
 */
export type Extractor<Options, Result> = {
  module: string
  name: string
  /** True for work that can be slow on small pages too: it always runs in a worker. */
  heavy: boolean
  /** Milliseconds that a worker may take for the page. */
  ms: number
  read(page: PageView, options: Options): Result | Promise<Result>
}

type Cost = { heavy?: true; ms?: number }

export const extractor = <Options, Result>(
  module: string,
  name: string,
  readPage: (page: PageView, options: Options) => Result | Promise<Result>,
  { heavy, ms = 3000 }: Cost = {},
): Extractor<Options, Result> => ({ module, name, heavy: heavy === true, ms, read: readPage })
