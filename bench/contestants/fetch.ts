import { openFetch } from '../../mcp/ports/fetch/fetch.ts'
import { contest } from '../contestant.ts'

export type FetchRound = { path: string; ms: number; together: number; distinct: boolean }

const [which = '', origin = ''] = process.argv.slice(2)
const { port } = new URL(origin)

/** The guard is on, for a name with a public address; only the dialling is turned to this machine. */
const guardedFetch = openFetch({
  userAgent: 'Octagent/bench',
  resolve: async () => [{ address: '93.184.216.34', family: 4 }],
  connect: () => ({ address: '127.0.0.1', port: Number(port) }),
})

const clients: Readonly<Record<string, (path: string) => Promise<string>>> = {
  guarded: async path => (await guardedFetch(`http://example.com${path}`)).text().text,
  global: async path => (await fetch(`${origin}${path}`)).text(),
}

const client = clients[which]
if (!client) throw new Error(`there is no client ${which}`)

let nth = 0

contest(
  undefined,
  {
    page: (path: string) => client(path),
    /** Pages that were read in `ms`, with `together` under way at once; each at an address of its own where `distinct`. */
    read: async ({ path, ms, together, distinct }: FetchRound) => {
      const until = performance.now() + ms
      let pages = 0
      const reader = async () => {
        while (performance.now() < until) {
          await client(distinct ? `${path}?${nth++}` : path)
          pages++
        }
      }
      await Promise.all(Array.from({ length: together }, reader))
      return pages
    },
  },
  () => guardedFetch.close(),
)
