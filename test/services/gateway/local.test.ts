// Costs: the program as `npm start` serves it, with a local chain and its own guard.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../../app/config.ts'
import { services } from '../../../app/services.ts'
import { start } from '../../../app/start.ts'
import { onAnvil } from '../../payment/evm-chain.ts'
import { openBuyer, type Prepared } from './buyer.ts'

onAnvil('the gateway of an installation that nobody configured', () => {
  let dir: string
  let app: Awaited<ReturnType<typeof start>>
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'octagent-local-'))
    // Names of the public registries lead nowhere, as on a machine without a network.
    const environment = { PORT: '0', OCTAGENT_DATA: dir, OCTAGENT_LOG: 'silent', DNS_SERVERS: '127.0.0.1:9' }
    app = await start(readConfig(environment, services))
    // The first list of what is sold starts the local chains.
    await fetch(`${app.url}/discovery/resources`)
  })
  afterAll(async () => {
    await app.stop()
    await rm(dir, { recursive: true, force: true })
  })

  const ask = async (path: string, body: object) => {
    const response = await fetch(`${app.url}/gateway${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
    return { status: response.status, body: (await response.json()) as any }
  }

  test('finds its own services where no registry answers, and holds what is not encrypted', async () => {
    const { body } = await ask('/tools/discover_external', { capability: 'feed the cat' })
    expect(body, JSON.stringify(body)).toMatchObject({ partial: false })
    const { body: verdict } = await ask('/tools/pre_spend_preflight', {
      need: 'feed the cat',
      candidate_identifier: `${app.url}/cat/.well-known/agent-card.json`,
    })
    expect(verdict).toMatchObject({ verdict: 'HOLD' })
    const checks = verdict.checks as { id: string; status: string }[]
    expect(checks.filter(({ status }) => status === 'fail')).toEqual([])
  })

  test('opens its guard to itself alone', async () => {
    const port = Number(new URL(app.url).port)
    for (const url of [`http://127.0.0.1:${port + 1}/`, `http://127.0.0.2:${port}/`]) {
      const { body } = await ask('/tools/pre_spend_preflight', { need: 'x', candidate_identifier: url })
      expect(body).toMatchObject({ verdict: 'STOP' })
    }
  })

  test('sells routes to itself, and the buyer pays with play money', async () => {
    const path = '/commercial/route-intelligence/purchase'
    const buyer = await openBuyer({ ...app, dir })
    const quoted = await ask(path, { need: 'feed the cat' })
    expect(quoted, JSON.stringify(quoted.body)).toMatchObject({ status: 402 })
    const prepared = quoted.body.params as Prepared
    const transaction_hash = await buyer.broadcast(prepared)
    const { purchase_id } = prepared
    const { status, body } = await ask(path, { need: 'feed the cat', purchase_id, transaction_hash })
    expect([status, body.state]).toEqual([200, 'entitled'])
    const { routes } = body.result as { routes: { candidate: { identifier: string } }[] }
    const named = routes.map(({ candidate }) => candidate.identifier)
    expect(named).toContain(`${app.url}/cat/.well-known/agent-card.json`)
    expect(named.every(identifier => identifier.startsWith(app.url))).toBe(true)
  })
})
