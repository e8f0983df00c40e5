import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openBrowsers } from '../mcp/ports/browser/open.ts'
import { openFetch } from '../mcp/ports/fetch/fetch.ts'
import { type GuardSettings, openGuard } from '../mcp/ports/fetch/guard.ts'
import { openWorkers } from '../mcp/ports/workers/workers.ts'
import { fetchText } from '../mcp/services/proof/browsing.ts'
import { median } from './median.ts'
import { articlePage } from './pages.ts'
import type { Bench, Group } from './row.ts'

export type { readInWorker } from '../mcp/lib/page/in-worker.ts'
// Workers load these by their addresses; this is what has them compiled with the rest.
export type { WorkerEntry } from '../mcp/ports/workers/entry.ts'

const server = createServer((_, response) =>
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(articlePage),
)

const listen = async (): Promise<{ url: string; guard: GuardSettings }> => {
  if (!server.listening) await new Promise<void>(resolve => server.listen(0, '127.0.0.2', resolve))
  const { port } = server.address() as AddressInfo
  const guard: GuardSettings = {
    resolve: async () => [{ address: '127.0.0.2', family: 4 }],
    allow: (address, to) => address === '127.0.0.2' && to === port,
  }
  return { url: `http://site.example:${port}/`, guard }
}

const kilobytes = Math.round(articlePage.length / 1000)

const measureCpu = async (work: () => Promise<unknown>): Promise<number> => {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

const text: Bench = {
  name: `text of a page of ${kilobytes} kB, processor time above the bare fetch`,
  unit: 'ms',
  aim: { below: 10 },
  async measure() {
    const { url, guard } = await listen()
    const budget = { host: 1_000_000, domain: 1_000_000, address: 1_000_000 }
    const fetch = openFetch({ ...guard, userAgent: 'bench', budget })
    const workers = openWorkers()
    const { signal } = new AbortController()
    const whole: number[] = []
    const bare: number[] = []
    for (let round = 0; round < 160; round++) {
      const address = `${url}?${round}`
      const reading = await measureCpu(() =>
        fetchText(
          { fetch, workers },
          { action: 'extract_text', url: address, selector: undefined, maxBytes: 65_536, signal },
        ),
      )
      const fetched = await measureCpu(() => fetch(`${address}b`))
      if (round < 60) continue
      whole.push(reading)
      bare.push(fetched)
    }
    await fetch.close()
    await workers.close()
    const [mine, plain] = [median(whole), median(bare)]
    return {
      value: mine - plain,
      note: `${mine.toFixed(1)} ms with the reader, ${plain.toFixed(1)} ms without`,
    }
  },
}

const screenshot: Bench = {
  name: `screenshot of a page of ${kilobytes} kB, a browser of its own, p50`,
  unit: 'ms',
  async measure() {
    const { url, guard } = await listen()
    const browsers = openBrowsers({ guard: openGuard(guard), path: 'auto', concurrency: 1 })
    try {
      const browser = await browsers.get()
      const times: number[] = []
      while (times.length < 15) {
        const began = performance.now()
        await browser.visit({
          url,
          steps: [{ action: 'screenshot' }],
          viewport: { width: 1280, height: 900 },
          settleMs: 0,
          maxTextBytes: 65_536,
          deadlineMs: 60_000,
        })
        times.push(performance.now() - began)
      }
      const sorted = times.toSorted((a, b) => a - b)
      return { value: median(times), note: `${sorted[0]?.toFixed(0)} to ${sorted.at(-1)?.toFixed(0)} ms` }
    } finally {
      await browsers.close()
    }
  },
}

/** What looking at pages costs: their text, and a picture of them. */
export const browsing: Group = {
  name: 'browsing',
  benches: [text, screenshot],
  close: async () => {
    server.closeAllConnections()
    server.close()
  },
}
