import { startApp } from '../../app.ts'
import { cardAt, quoteOf } from './town.ts'

export type App = Awaited<ReturnType<typeof startApp>>
type Answer = { status: number; headers: Headers; text: string; body: Record<string, never> }

export const host = 'seller.example.com'
const candidate_identifier = `https://${host}/work`
export const asked = { need: 'translation', candidate_identifier }
const path = '/commercial/route-intelligence/purchase'

/** The whole program, one provider to sell routes to, and registries that are silent. */
export const startSelling = async (environment: Record<string, string> = {}): Promise<App> => {
  const app = await startApp({
    TRUST_PROXY: '1',
    GATEWAY_A2A_REGISTRY: 'http://silent.example.net/a2a',
    GATEWAY_MCP_REGISTRY: 'http://silent.example.net/mcp',
    GATEWAY_X402_BAZAAR: 'http://silent.example.net/x402',
    ...environment,
  })
  const page = (value: unknown, status = 200) => ({
    status,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(value),
  })
  app.internet.web.site(host, '/.well-known/agent-card.json', page(cardAt(host)))
  app.internet.web.site(host, '/work', page(quoteOf(), 402))
  return app
}

/** Asks as a new client each time. */
export const asking = (app: App) => {
  let clients = 0
  const read = async (response: Response): Promise<Answer> => {
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) }
  }
  const get = async (path: string) => read(await fetch(`${app.url}/gateway${path}`))
  const post = async (path: string, body: object) =>
    read(
      await fetch(`${app.url}/gateway${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': `192.0.2.${++clients}` },
        body: JSON.stringify(body),
      }),
    )
  return { get, post, buy: (more: object = {}) => post(path, { ...asked, ...more }) }
}
