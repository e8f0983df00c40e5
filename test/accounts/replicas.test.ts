import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { disconnect, listConnections } from '../../mcp/accounts/oauth/connections.ts'
import { openKeys } from '../../mcp/ports/keys/keys.ts'
import { makeSigningKey } from '../../mcp/ports/sign/sign.ts'
import { membersIn } from '../../mcp/services/gateway/member/member.ts'
import { accountsIn } from '../../mcp/services/proof/account/account.ts'
import type { Store } from '../../store/index.ts'
import { openPostgres } from '../../store/postgres/open.ts'
import { openLife } from '../payment/mortal.ts'
import { postgresIsHere, withDatabase } from '../store/database.ts'
import { allowed, bearer, callMcp, redeem, refresh, type Signing, startSigning, visit } from './fixture.ts'

const pepper = 'p'.repeat(43)
const keys = openKeys(Buffer.from(pepper))

/** What both call themselves, as behind a load balancer. */
const address = 'http://127.0.0.1:9'
const together = { issuer: 'http://localhost:9/auth', url: address }

const signInAt = async ({ issuer }: Signing, cookie: string) => {
  const via = ({ pathname, search }: URL) => new URL(`${pathname}${search}`, issuer)
  const params = await visit(together, cookie, {}, allowed, via)
  return redeem({ issuer }, params.get('code') ?? '')
}

describe.runIf(postgresIsHere)('two replicas on one PostgreSQL', () => {
  const database = withDatabase()
  let replicas: [Signing, Signing]
  beforeAll(async () => {
    const environment = {
      PUBLIC_URL: address,
      OCTAGENT_PEPPER: pepper,
      OCTAGENT_SIGNING_KEY: makeSigningKey(),
    }
    const start = async () => startSigning({ environment, store: await openPostgres({ url: database() }) })
    replicas = [await start(), await start()]
  })
  afterAll(async () => {
    for (const replica of replicas) await replica.stop()
  })

  const call = (replica: Signing, slug: string, name: string, token = '') =>
    callMcp(`${replica.url}/${slug}/mcp`, 'tools/call', { name, arguments: {} }, bearer(token))

  /** Each request of the browser goes to the other replica. */
  const codeFor = async (cookie: string, slug: string): Promise<string> => {
    let nth = 0
    const via = ({ pathname, search }: URL) =>
      new URL(`${pathname}${search}`, replicas[nth++ % 2 === 0 ? 0 : 1].issuer)
    const resource = `${address}/${slug}/mcp`
    return (await visit(together, cookie, { resource }, allowed, via)).get('code') ?? ''
  }

  test('sign a person in together: a code, a refresh and an account are one, whoever is asked', async () => {
    const [one, other] = replicas
    const { cookie, account } = await one.person()
    const code = await codeFor(cookie, 'broker')
    const redeemed = await Promise.all([redeem(one, code), redeem(other, code)])
    expect(redeemed.map(({ status }) => status).sort()).toEqual([200, 400])
    const first = redeemed.find(({ status }) => status === 200)

    const refreshed = await Promise.all(
      [one, other, one].map(replica => refresh(replica, first?.refresh_token)),
    )
    expect(refreshed.map(({ status }) => status).sort()).toEqual([200, 400, 400])
    const { access_token, refresh_token } = refreshed.find(({ status }) => status === 200) ?? {}

    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, nth) =>
        call(nth % 2 ? one : other, 'broker', 'get_account', access_token),
      ),
    )
    const ids = new Set(answers.map(({ body }) => body.result?.structuredContent?.account_id))
    expect([...ids]).toEqual([expect.stringMatching(/^acc_/)])

    const deps = { store: one.store, keys, clock: { now: () => new Date() } }
    const [connection] = await listConnections(deps, account)
    const [ended] = await Promise.all([
      disconnect(deps, account, connection?.grant ?? ''),
      refresh(other, refresh_token),
    ])
    expect(ended).toBe(true)
    for (const replica of replicas)
      expect((await call(replica, 'broker', 'get_account', access_token)).status).toBe(401)
    const { rows } = await one.store
      .collection<{ id: string; model: string }>('accounts.oauth')
      .find({ index: 'account', where: { account } })
    expect(rows.filter(({ model }) => model !== 'Session')).toEqual([])
  })

  test.each(['proof', 'gateway'])('make one account of %s for calls at the same time', async slug => {
    const [one, other] = replicas
    const rowsIn = slug === 'proof' ? accountsIn : membersIn
    const before = await rowsIn(one.store).count()
    const { cookie, account } = await one.person()
    const { access_token = '' } = await redeem(one, await codeFor(cookie, slug))
    const statuses = await Promise.all(
      Array.from({ length: 6 }, async (_, nth) => {
        const { url } = nth % 2 ? one : other
        const headers = bearer(access_token)
        return (await fetch(`${url}/${slug}/tools/help`, { method: 'POST', headers })).status
      }),
    )
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect((await keys.listOf(one.store, account)).profiles).toHaveLength(1)
    expect(await rowsIn(one.store).count()).toBe(before + 1)
  })
})

test('a process that is killed between using a refresh token and issuing its successor lets nobody in twice', async () => {
  const environment = { PUBLIC_URL: address, OCTAGENT_PEPPER: pepper }
  const survivor = await startSigning({ environment })
  const { store } = survivor
  const life = openLife()
  let isArmed = false
  const mortal = life.store(store)
  const doomedStore = new Proxy(mortal, {
    get(target, name) {
      if (name === 'close') return async () => undefined
      if (name !== 'transaction') return Reflect.get(target, name)
      return async (work: never) => {
        const result = await target.transaction(work)
        if (!isArmed) return result
        // The token is used, durably; nothing of what comes after it ever is.
        life.die()
        return new Promise(() => undefined)
      }
    },
  }) as Store
  const doomed = await startSigning({ environment, store: doomedStore })
  try {
    const { cookie } = await survivor.person()
    const first = await signInAt(survivor, cookie)
    expect(first.status).toBe(200)
    isArmed = true
    await expect(
      fetch(`${doomed.issuer}/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'refresh_token',
          refresh_token: first.refresh_token ?? '',
          client_id: 'https://client.example/cli',
        }),
        signal: AbortSignal.timeout(2000),
      }),
    ).rejects.toThrow()
    expect(life.dead).toBe(true)
    expect(await refresh(survivor, first.refresh_token)).toMatchObject({ error: 'invalid_grant' })
    survivor.wait(11)
    expect(await refresh(survivor, first.refresh_token)).toMatchObject({ error: 'invalid_grant' })
    const again = await signInAt(survivor, cookie)
    expect(again.status).toBe(200)
    expect(await refresh(survivor, again.refresh_token)).toMatchObject({ status: 200 })
  } finally {
    // It waits for what never comes back.
    void doomed.stop().catch(() => undefined)
    await survivor.stop()
  }
})
