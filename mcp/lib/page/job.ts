import { unreadable } from '../unreadable.ts'
import type { Extractor, PageView } from './extractor.ts'
import type { CutReason } from './limits.ts'
import { type ParsedPage, parsePage } from './parse-page.ts'

/** The folder that all extractors are in, those of services too. */
export const sourceRoot = new URL('../..', import.meta.url).href

/** A module's path under `sources` as a worker finds it, which runs compiled code. */
export const compiledPath = (module: string): string =>
  module.slice(sourceRoot.length).replace(/\.ts$/, '.js')

/** The module of `warm` and `readInWorker`. */
export const pageWorker = new URL(`./in-worker${import.meta.url.slice(-3)}`, import.meta.url).href

/** All that a worker needs to read a page: plain data. */
export type PageTask = {
  markup: string
  page: Omit<PageView, 'document' | 'markup'>
  mostNodes: number | undefined
  /** The module's path under `sources`, and the name it exports the extractor by. */
  extractor: { module: string; name: string }
  options: unknown
}

export type PageRead<Result> = { result: Result; cut: CutReason | null }

type PageReader<Options, Result> = Pick<Extractor<Options, Result>, 'read'>

/** Runs an extractor over a page that was parsed. */
export const readFrom = async <Options, Result>(
  { document, cut }: ParsedPage,
  { read }: PageReader<Options, Result>,
  { markup, page, options }: PageTask,
): Promise<PageRead<Result>> => {
  try {
    return { result: await read({ ...page, document, markup }, options as Options), cut }
  } catch (error) {
    throw unreadable('The page', error)
  }
}

/** Parses a page and runs an extractor over it. */
export const readPage = async <Options, Result>(
  extractor: PageReader<Options, Result>,
  task: PageTask,
): Promise<PageRead<Result>> => readFrom(await parsePage(task.markup, task.mostNodes), extractor, task)
