import { article, readArticle, whole } from '../mcp/lib/page/article/article.ts'
import type { Extractor } from '../mcp/lib/page/extractor.ts'
import { metadata } from '../mcp/lib/page/metadata.ts'
import { parsePage } from '../mcp/lib/page/parse-page.ts'
import { openWorkers } from '../mcp/ports/workers/workers.ts'
import { extract } from '../mcp/services/data/page/fetch-page.ts'
import { structuredExtractor } from '../mcp/services/data/structured/structured.ts'
import { tables } from '../mcp/services/data/table/tables.ts'
import { median } from './median.ts'
import { hostilePages, newsPage, stuckPage } from './pages.ts'
import type { Bench, Group, Measurement } from './row.ts'

export type { readInWorker } from '../mcp/lib/page/in-worker.ts'
// Workers load these by their addresses; this is what has them compiled with the rest.
export type { WorkerEntry } from '../mcp/ports/workers/entry.ts'

const url = 'http://example.com/news/1'

const workers = openWorkers()

const makeTask = (markup: string) => ({
  markup,
  page: { url, status: 200, headers: {} },
  mostNodes: undefined,
})

const tableWishes = { links: false, displayed_only: true, max_rows: 5000 }

const readers: Readonly<Record<string, () => Promise<unknown>>> = {
  readability: () => read(article, newsPage, { markdown: false }),
  'html-table': () => read(tables, newsPage, tableWishes),
  'structured-data': () => read(structuredExtractor, newsPage, {}),
  'url-metadata': () => read(metadata, newsPage, {}),
}

const read = <Options, Result>(extractor: Extractor<Options, Result>, markup: string, options: Options) =>
  extract(workers, extractor, { ...makeTask(markup), options })

const rounds = 60

const p95 = (name: string, once: () => Promise<unknown>): Bench => ({
  name: `${name}, page of ${Math.round(newsPage.length / 1024)} KB, p95 above the network`,
  unit: 'ms',
  aim: { below: 50 },
  async measure() {
    for (let warm = 0; warm < 15; warm++) await once()
    const times: number[] = []
    while (times.length < rounds) {
      const began = performance.now()
      await once()
      times.push(performance.now() - began)
    }
    times.sort((a, b) => a - b)
    return {
      value: times[Math.floor(rounds * 0.95)] ?? Number.NaN,
      note: `median ${median(times).toFixed(1)} ms`,
    }
  },
})

const measureCpu = async (work: () => unknown): Promise<number> => {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** Processor time of the peer over ours, round by round. */
const ratio = async (ours: () => unknown, peer: () => unknown): Promise<Measurement> => {
  const pairs: { ours: number; peer: number }[] = []
  for (let round = 0; round < 60; round++) {
    const pair = { ours: await measureCpu(ours), peer: await measureCpu(peer) }
    if (round >= 30) pairs.push(pair)
  }
  const [mine, theirs] = [median(pairs.map(({ ours }) => ours)), median(pairs.map(({ peer }) => peer))]
  return {
    value: median(pairs.map(({ ours, peer }) => peer / ours)),
    note: `ours ${mine.toFixed(1)} ms of CPU, peer ${theirs.toFixed(1)} ms`,
  }
}

type Jsdom = { JSDOM: new (markup: string, options: { url: string }) => { window: { document: unknown } } }

// A peer of the benchmark only, so that nothing else needs it to be there.
const jsdomName: string = 'jsdom'
const openJsdom = async () => (await import(jsdomName)) as Jsdom

const against: readonly Bench[] = [
  {
    name: 'page to document',
    unit: 'x',
    against: 'jsdom 29.1.1',
    aim: { atLeast: 3 },
    async measure() {
      const { JSDOM } = await openJsdom()
      return ratio(
        () => parsePage(newsPage),
        () => new JSDOM(newsPage, { url }),
      )
    },
  },
  {
    name: 'page to document, by the standard',
    unit: 'x',
    against: 'linkedom 0.18.14 alone, not by the standard',
    aim: { atLeast: 0.7 },
    async measure() {
      const { parseHTML } = await import('linkedom')
      return ratio(
        () => parsePage(newsPage),
        () => parseHTML(newsPage).document,
      )
    },
  },
  {
    name: 'article of a page',
    unit: 'x',
    against: 'Readability on jsdom 29.1.1',
    aim: { atLeast: 3 },
    async measure() {
      const [{ JSDOM }, { Readability }] = await Promise.all([openJsdom(), import('@mozilla/readability')])
      return ratio(
        () => readArticle(newsPage, url),
        () => new Readability(new JSDOM(newsPage, { url }).window.document as never).parse(),
      )
    },
  },
]

/** A page read by the standard and asked for what a skill wants of it, against the page alone, and not by the standard. */
const skillOf = <Options>(
  name: string,
  { read }: Pick<Extractor<Options, unknown>, 'read'>,
  options: Options,
): Bench => ({
  name: `${name} of a page, read in this thread`,
  unit: 'x',
  against: 'linkedom 0.18.14 alone, not by the standard, asked nothing',
  aim: { atLeast: 1 },
  async measure() {
    const { parseHTML } = await import('linkedom')
    return ratio(
      async () => {
        const { document } = await parsePage(newsPage)
        return read({ document, url, status: 200, headers: {}, markup: newsPage }, options)
      },
      () => parseHTML(newsPage).document,
    )
  },
})

const skills: readonly Bench[] = [
  skillOf('url-metadata', metadata, {}),
  skillOf('html-table', tables, tableWishes),
  skillOf('structured-data', structuredExtractor, {}),
]

/** How long nothing else could run while `work` did, at most. */
const measureHold = async (work: () => Promise<unknown>): Promise<number> => {
  let maxMs = 0
  let last = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    maxMs = Math.max(maxMs, now - last - 2)
    last = now
  }, 2)
  await work().catch(() => undefined)
  await new Promise(resolve => setTimeout(resolve, 5))
  clearInterval(timer)
  return maxMs
}

const hold: Bench = {
  name: `event loop while ${Object.keys(hostilePages).length} hostile pages are read, longest hold`,
  unit: 'ms',
  aim: { below: 50 },
  async measure() {
    const holds: { name: string; ms: number }[] = []
    for (const [name, markup] of Object.entries(hostilePages)) {
      for (const work of [
        () => read(metadata, markup, {}),
        () => read(tables, markup, tableWishes),
        () => read(structuredExtractor, markup, {}),
        () => read(whole, markup, { markdown: false }),
      ])
        holds.push({ name, ms: await measureHold(work) })
    }
    const [worst] = holds.sort((a, b) => b.ms - a.ms)
    return {
      value: worst?.ms ?? Number.NaN,
      note: `by ${worst?.name}; median ${median(holds.map(({ ms }) => ms)).toFixed(1)} ms`,
    }
  },
}

const hang: Bench = {
  name: `page of ${Math.round(stuckPage.length / 1024)} KB that hangs Readability, until its text is there`,
  unit: 'ms',
  aim: { below: 3000 },
  async measure() {
    const began = performance.now()
    const page = await read(article, stuckPage, { markdown: false }).catch(() => undefined)
    if (page) throw new Error('the page does not hang Readability any more')
    const { result } = await read(whole, stuckPage, { markdown: false })
    return { value: performance.now() - began, note: `${result.word_count} words` }
  },
}

/** Pages as the data skills read them: parsed, searched and turned into data, in threads. */
export const dataPages: Group = {
  name: 'data pages',
  benches: [
    ...Object.entries(readers).map(([name, once]) => p95(name, once)),
    ...against,
    ...skills,
    hold,
    hang,
  ],
  close: () => workers.close(),
}
