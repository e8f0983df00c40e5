import { openLimits } from '../../mcp/kernel/pipeline/limits.ts'
import { cardAt, quoteOf, startTown } from '../../test/services/gateway/town.ts'
import { contest } from '../contestant.ts'

const real = openLimits()
/** Counted as ever, and never used up. */
const limits: typeof real = { ...real, take: (key, _, ...rest) => real.take(key, 1e9, ...rest) }
const town = await startTown({}, { limits })
const server = await town.serve()

const need = 'translation'
const later = (ms: number, body: object, status: number) => ({
  ms,
  page: town.json(body, status) as { status: number; headers: Record<string, string>; body: string },
})

/** A provider whose every page takes `ms`: card, quote and manifest. */
const slowProvider = (nth: number, ms: number) => {
  const host = `slow-${nth}.example.com`
  const pages = {
    '/.well-known/agent-card.json': later(ms, cardAt(host), 200),
    '/work': later(ms, quoteOf(), 402),
    '/.well-known/x402': later(ms, { payTo: quoteOf().accepts[0]?.payTo }, 200),
  }
  for (const [path, { page }] of Object.entries(pages))
    town.internet.web.site(host, path, (_, response) => {
      setTimeout(() => response.writeHead(page.status, page.headers).end(page.body), ms)
    })
  return {
    name: host,
    url: `https://${host}/work`,
    wellKnownURI: `https://${host}/.well-known/agent-card.json`,
    is_healthy: true,
  }
}

const slowest = 200
const agents = [80, 110, 140, 170, slowest].map((ms, nth) => slowProvider(nth, ms))
town.internet.web.site('registry.example.net', '/a2a/agents', town.json({ agents, total: agents.length }))

/** Milliseconds that some work takes. */
const measureMs = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now()
  await work()
  return performance.now() - began
}

contest(
  server.url,
  {
    /** Has so many members join for one capability. */
    join: async (count: number) => {
      const join = (nth: number) =>
        town.ask('join_svc', { external_id: `member-${nth}`, name: `Member ${nth}`, capabilities: ['crowd'] })
      for (let nth = 0; nth < count; nth += 50)
        await Promise.all(Array.from({ length: Math.min(50, count - nth) }, (_, more) => join(nth + more)))
    },
    /** Milliseconds of a preflight over five candidates, and of the slowest candidate's own answer. */
    preflight: async () => {
      const last = agents.at(-1)?.url ?? ''
      const own = await measureMs(() => town.world.ports.fetch?.(last, { fresh: true }) ?? Promise.reject())
      let checks = 0
      const ours = await measureMs(async () => {
        const answer = await town.ask('pre_spend_preflight', { need })
        if ((answer.assessed as object[]).length !== agents.length) throw new Error('not all were checked')
        checks = (answer.checks as object[]).length
      })
      return { own, ours, checks }
    },
  },
  async () => {
    await server.stop()
    await town.stop()
  },
)
