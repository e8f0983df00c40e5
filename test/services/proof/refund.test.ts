import { describe, expect, test } from 'vitest'
import { paymentRows } from '../../../mcp/payment/gate/record.ts'
import { openDevelopmentLightning } from '../../../mcp/ports/lightning/devnet.ts'
import { openLightningKey } from '../../../mcp/ports/lightning/key.ts'
import { opened } from '../../opened.ts'
import { openAccountsApp } from './accounts-app.ts'

const shop = opened(openAccountsApp)

/** A paid call whose work failed, as its record says; the credential is the one that paid. */
const owe = async (artifact: string) => {
  const body = { artifact, artifact_type: 'shell_command' }
  const { response, credential } = await shop.payByLightning('/review', body)
  const header = response.headers.get('payment-receipt') ?? ''
  const { receipt } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { receipt: string }
  const rows = paymentRows(shop.store)
  const { rows: records } = await rows.find({ index: 'receipt', where: { receipt }, limit: 1 })
  await rows.update(records[0]?.id ?? '', row => ({ ...row, state: 'owed', answer: null }))
  return { receipt, credential }
}

const ask = async (receipt: string, body: unknown, headers: Record<string, string> = {}) => {
  const response = await fetch(`${shop.site}/receipts/${receipt}/refund`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': shop.newAddress(), ...headers },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

const invoiceOver = async (msat: bigint) => {
  const node = await openDevelopmentLightning({ key: () => openLightningKey(shop.dir) })
  return (await node.createInvoice({ msat, memo: 'refund', expirySeconds: 600 })).invoice
}

describe('POST /receipts/{id}/refund', () => {
  test('credits the account whose key comes beside the credential, once, and its statement says so', async () => {
    const { receipt, credential } = await owe('ls one')
    const { headers } = await shop.register()
    for (let time = 0; time < 2; time++)
      expect(await ask(receipt, { to: 'balance' }, { ...headers, ...credential })).toEqual({
        status: 200,
        body: { id: receipt, state: 'refunded', amount: '200000', asset: 'BTC', refund: `refund:${receipt}` },
      })
    expect((await shop.get('/balance', headers)).body).toMatchObject({ balance_sats: 200 })
    const { body } = await shop.get('/balance/statement', headers)
    expect(body.lines).toMatchObject([{ kind: 'refund', receipt }])
    expect((await shop.audit()).faults).toEqual([])
  })

  test('pays an invoice of the payer', async () => {
    const { receipt, credential } = await owe('ls two')
    const { status, body } = await ask(receipt, { to: await invoiceOver(200_000n) }, credential)
    expect([status, body.state]).toEqual([200, 'refunded'])
    const read = await (await fetch(`${shop.site}/receipts/${receipt}`)).json()
    expect(read).toMatchObject({ state: 'refunded', refund: body.refund })
  })

  test('refuses strangers, accounts that nobody has, and what is no destination', async () => {
    const { receipt, credential } = await owe('ls three')
    const { headers } = await shop.register()
    const unknown = { 'x-api-key': `prf_${'a'.repeat(43)}` }
    const other = await owe('ls four')
    const statuses = [
      await ask(receipt, { to: 'balance' }),
      await ask(receipt, { to: 'balance' }, headers),
      await ask(receipt, { to: 'balance' }, { ...headers, ...other.credential }),
      await ask(receipt, { to: 'balance' }, credential),
      await ask(receipt, { to: 'balance' }, { ...unknown, ...credential }),
      await ask(receipt, { to: '' }, credential),
      await ask(receipt, {}, credential),
      await ask(receipt, { to: await invoiceOver(100_000n) }, credential),
      await ask(receipt, { to: 'payer' }, credential),
      await ask(receipt, { to: 'payer', signature: 'x' }, credential),
      await ask(receipt, { to: 'payer' }),
      await ask(receipt, { to: 'payer', signature: 'a'.repeat(64) }),
      await ask('0'.repeat(32), { to: 'balance' }, { ...headers, ...credential }),
    ].map(({ status }) => status)
    expect(statuses).toEqual([401, 401, 403, 401, 401, 422, 422, 422, 422, 422, 401, 403, 404])
    expect((await shop.get('/balance', headers)).body).toMatchObject({ balance_sats: 0 })
  })

  test('asks ten times a minute at most from one address', async () => {
    const from = { 'x-forwarded-for': '203.0.113.9' }
    const statuses: number[] = []
    for (let time = 0; time < 11; time++)
      statuses.push((await ask('0'.repeat(32), { to: 'balance' }, from)).status)
    expect(statuses).toEqual([...Array(10).fill(401), 429])
  })
})
