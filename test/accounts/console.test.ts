import { afterAll, beforeAll, expect, test } from 'vitest'
import { isOperator } from '../../mcp/accounts/operator.ts'
import { browserSessionsIn } from '../../mcp/accounts/session.ts'
import { signInByKey } from '../../mcp/accounts/sign-in.ts'
import { accountKeysIn } from '../../mcp/kernel/person.ts'
import { paymentRows } from '../../mcp/payment/gate/record.ts'
import { openKeys } from '../../mcp/ports/keys/keys.ts'
import { openPurseApp, type Person, type PurseApp } from './purse-app.ts'

const wallet = `0x${'ab'.repeat(20)}`
const smart = `0x${'cd'.repeat(20)}`

let app: PurseApp
let operator: Person
beforeAll(async () => {
  app = await openPurseApp({
    environment: {
      OCTAGENT_OPERATORS: `${wallet.toUpperCase().replace('0X', '0x')}, eip155:8453:${smart}`,
      OCTAGENT_METRICS_TOKEN: 'a-token-that-nobody-may-read',
    },
  })
  operator = await app.openPerson()
  await addWallet(operator, `wallet:${wallet}`)
})
afterAll(() => app.stop())

const addWallet = ({ account }: Person, id: string) =>
  accountKeysIn(app.store).insert({
    id,
    account,
    kind: 'wallet',
    name: 'Wallet',
    created_at: '',
    last_used: '',
  })

const text = async (response: Promise<Response>) => (await response).text()

/** A paid call of somebody with a dollar; the id of its receipt. */
const buy = async () => {
  const payer = await app.openPerson(1_000_000n)
  await payer.setLimits({ per_call: null })
  await payer.call()
  const { rows } = await paymentRows(app.store).find({ index: 'state', where: { state: 'done' }, limit: 100 })
  const row = rows.find(({ payer: account }) => account.includes(payer.account))
  if (!row) throw new Error('nothing was paid')
  return { payer, id: row.receipt }
}

const acts = ['refund', 'owe', 'freeze', 'drain', 'freeze-account', 'thaw'] as const

test('is no page to whoever is no operator, and does nothing for them', async () => {
  const { payer, id } = await buy()
  const strangers = [
    (path: string) => payer.get(path),
    (path: string) => fetch(app.origin + path, { redirect: 'manual' }),
  ]
  for (const get of strangers) {
    for (const path of ['/console', '/console/accounts', `/console/accounts/${operator.account}`]) {
      const page = await get(path)
      expect([page.status, await page.text()]).toEqual([404, expect.not.stringContaining('Last sign-in')])
    }
  }
  const seen = async (path: string) => {
    const page = await fetch(app.origin + path, { headers: { accept: 'text/html' } })
    return [page.status, (await page.text()).replaceAll(path, '')]
  }
  expect(await seen('/console')).toEqual(await seen('/nothing'))
  expect(await seen('/auth/nothing')).toEqual(await seen('/nothing'))
  for (const act of acts) {
    const fields = { id, served: '1', seconds: '30', out: '1' }
    expect((await payer.post(`/console/${act}`, fields)).status).toBe(404)
    const headers = { origin: app.origin }
    const body = new URLSearchParams(fields)
    const signedOut = await fetch(`${app.origin}/console/${act}`, { method: 'POST', headers, body })
    expect(signedOut.status).toBe(404)
  }
  expect((await payer.balance()).available).toBe('0.90')
  expect((await fetch(`${app.url}/readyz`)).status).toBe(200)
})

test('shows an operator what is sold, owed, called and set, and no secret', async () => {
  const { id } = await buy()
  const done = await paymentRows(app.store).find({ index: 'receipt', where: { receipt: id }, limit: 1 })
  const [row] = done.rows
  if (!row) throw new Error('nothing was paid')
  const owed = { ...row, id: 'owed', claim: 'owed', receipt: 'e'.repeat(32), state: 'owed' as const }
  await paymentRows(app.store).insert({ ...owed, payer: '<img src=x>' })
  const page = await text(operator.get('/console'))
  for (const part of [
    'Revenue by day',
    'shop.dime',
    '/console/refund',
    '&lt;img src=x&gt;',
    'Every transfer to the till is explained.',
    '95 % within',
    'OCTAGENT_METRICS_TOKEN',
    '[secret]',
    'Take it out of rotation',
  ])
    expect(page).toContain(part)
  for (const part of ['a-token-that-nobody-may-read', '<img src=x>', '<script'])
    expect(page).not.toContain(part)
  await paymentRows(app.store).delete('owed')
  expect(await text(operator.get('/auth/account'))).toContain('/console')
  expect(await text((await app.openPerson()).get('/auth/account'))).not.toContain('/console')
})

test('looks up a call by the id that its caller was told', async () => {
  const { payer } = await buy()
  app.knobs.fail = true
  const { status, body } = await payer.call('dime', 'fails')
  app.knobs.fail = false
  expect(status).toBe(502)
  const page = await text(operator.get(`/console?find=${String(body.requestId)}`))
  expect(page).toContain(`request ${String(body.requestId)}`)
  expect(page).toContain('</strong> · upstream · ')
  expect(await text(operator.get('/console?find=nothing'))).toContain('No call of this id')
})

test('gives a payment back once, however often the button is pressed', async () => {
  const { payer, id } = await buy()
  const press = () => operator.post('/console/refund', { id, served: '1' })
  const answers = await Promise.all([press(), press(), press()])
  for (const { status } of answers) expect([303, 409]).toContain(status)
  expect(answers.map(({ status }) => status)).toContain(303)
  expect((await press()).headers.get('location')).toBe(`/console?refunded=${id}#owed`)
  expect((await payer.balance()).available).toBe('1.00')
  expect(await text(operator.get(`/console?refunded=${id}`))).toContain(`/receipts/${id}`)
})

test('moves nothing after a sign-in that is some minutes old, nor for a page of another site', async () => {
  const { payer, id } = await buy()
  const stale = await app.openPerson()
  await addWallet(stale, `wallet:8453:${smart}`)
  const where = { account: stale.account }
  const { rows } = await browserSessionsIn(app.store).find({ index: 'account', where, limit: 1 })
  const [session] = rows
  if (!session) throw new Error('nobody is signed in')
  const created_at = new Date(Date.now() - 6 * 60_000).toISOString()
  await browserSessionsIn(app.store).put({ ...session, created_at })
  expect((await stale.get('/console')).status).toBe(200)
  for (const act of acts) {
    const answer = await stale.post(`/console/${act}`, { id, served: '1', seconds: '30', out: '1' })
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      '/auth/sign-in?return=%2Fconsole&again=1',
    ])
  }
  const forged = await operator.post(
    '/console/refund',
    { id, served: '1' },
    { origin: 'https://evil.example' },
  )
  expect(forged.status).toBe(403)
  expect((await payer.balance()).available).toBe('0.90')
  expect((await fetch(`${app.url}/readyz`)).status).toBe(200)
})

test('finds an account, shows no more of its keys than their beginning, and freezes it until it is thawed', async () => {
  const keys = openKeys(Buffer.alloc(32, 7))
  const person = await app.openPerson(1_000_000n)
  await person.setLimits({ per_call: null })
  const now = new Date()
  const issued = await app.store.transaction(tx =>
    keys.issue(tx, { prefix: 'oct', holder: 'key_1', person: person.account, now }),
  )
  const own = `0x${'34'.repeat(20)}`
  await addWallet(person, `wallet:${own}`)
  const link = `/console/accounts/${person.account}`
  const find = (words: string) => text(operator.get(`/console/accounts?find=${encodeURIComponent(words)}`))
  for (const words of ['', person.account, own, issued.key_preview.slice(0, 8)])
    expect(await find(words)).toContain(link)
  expect(await find(`0x${'56'.repeat(20)}`)).toContain('No account fits.')
  const page = await text(operator.get(link))
  expect(page).toContain(issued.key_preview)
  expect(page).not.toContain(issued.api_key)
  expect(page).not.toContain(issued.api_key.slice(9))
  const use = () => keys.find({ store: app.store, clock: { now: () => now } }, 'oct', issued.api_key)
  expect(await use()).toMatchObject({ person: person.account })

  const freeze = await operator.post('/console/freeze-account', { id: person.account })
  expect(freeze.headers.get('location')).toBe(link)
  expect(await text(operator.get(link))).toContain('frozen since')
  await expect(use()).rejects.toMatchObject({ code: 'forbidden' })
  expect((await person.get('/auth/account')).status).toBe(303)
  const enter = () =>
    signInByKey(
      { store: app.store, clock: { now: () => now } },
      { id: `wallet:${own}` },
      { previousToken: undefined },
    )
  await expect(enter()).rejects.toMatchObject({ code: 'forbidden' })
  expect((await operator.post('/console/thaw', { id: person.account })).status).toBe(303)
  expect(await enter()).toBeTypeOf('string')
  expect(await use()).toMatchObject({ person: person.account })
  expect(await person.balance()).toMatchObject({ available: '1.00' })

  expect((await operator.post('/console/freeze-account', { id: operator.account })).status).toBe(409)
  expect((await operator.get('/console/accounts/acct_nobody')).status).toBe(404)
})

test('takes the server out of rotation and back', async () => {
  expect((await operator.post('/console/drain', { out: '1' })).status).toBe(303)
  expect((await fetch(`${app.url}/readyz`)).status).toBe(503)
  expect(await text(operator.get('/console'))).toContain('out of rotation')
  expect((await operator.post('/console/drain', { out: '0' })).status).toBe(303)
  expect((await fetch(`${app.url}/readyz`)).status).toBe(200)
})

test('knows an operator by the account or a wallet that signs in to it, and a smart account on its own chain only', async () => {
  const person = await app.openPerson()
  const is = (operators: string[]) => isOperator({ store: app.store }, { operators }, person.account)
  const own = `0x${'12'.repeat(20)}`
  await addWallet(person, `wallet:10:${own}`)
  expect(await is([person.account])).toBe(true)
  expect(await is([`eip155:10:${own}`])).toBe(true)
  for (const stranger of [[], ['Ada'], [own], [`eip155:1:${own}`], [wallet]])
    expect(await is(stranger)).toBe(false)
})
