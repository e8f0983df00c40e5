import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Internet, startInternet } from '../../internet/internet.ts'
import { refusalOf, startMoney } from './run.ts'
import { asking, brokenShops, offer, quote, soundShops } from './shops.ts'

let internet: Internet
let money: Awaited<ReturnType<typeof startMoney>>
beforeAll(async () => {
  internet = await startInternet()
  const { fetch, dns } = internet.ports()
  money = await startMoney({ fetch, dns })
})
afterAll(async () => {
  await money.stop()
  await internet.stop()
})

let shops = 0

/** Opens a server and probes it. */
const probe = (page: Parameters<Internet['web']['site']>[2], input: object = {}) => {
  const host = `shop-${++shops}.example.com`
  internet.web.site(host, '/paid', page)
  return money.ask('x402_probe', { url: `http://${host}/paid`, ...input })
}

test('at least fifteen broken servers are tried', () => expect(brokenShops.length).toBeGreaterThanOrEqual(15))

test.each(brokenShops)('names the fault of a server that %s', async (_fault, code, path, page) => {
  const answer = await probe(page)
  expect(answer).toMatchObject({ healthy: false, first: { severity: 'error', code, path } })
})

test.each(soundShops)('finds nothing wrong with a quote %s', async (_name, page, pays) => {
  const answer = await probe(page)
  expect(answer).toMatchObject({ healthy: true, first: null, default_client: { pays } })
})

test('tells a domain name that is wrong together with the right one', async () => {
  const { first } = await probe(asking(quote([{ ...offer, extra: { name: 'USDC', version: '2' } }])))
  expect(first).toMatchObject({ message: expect.stringContaining('"USD Coin"') })
})

test('tells the limit of the stock client in its own words', async () => {
  const { default_client: defaultClient, findings } = await probe(
    asking(quote([{ ...offer, amount: '1000001' }])),
  )
  expect(defaultClient).toMatchObject({ pays: false, reason: expect.stringContaining('maxAmountPerPayment') })
  expect(findings).toMatchObject([{ severity: 'warning', code: 'above_client_limit' }])
})

test('tells of an offer among others that is wrong', async () => {
  const answer = await probe(asking(quote([offer, { ...offer, amount: 10000 }])))
  expect(answer).toMatchObject({
    healthy: false,
    first: { code: 'amount_not_text', path: 'PAYMENT-REQUIRED.accepts[1].amount' },
  })
})

test('posts a body for servers that read it first', async () => {
  let seen = ''
  const answer = await probe(
    (request, response) => {
      request.setEncoding('utf8').on('data', chunk => {
        seen += chunk
      })
      request.on('end', () => {
        const status = seen === '{"q":1}' ? 402 : 422
        response.writeHead(status, {
          'PAYMENT-REQUIRED': Buffer.from(JSON.stringify(quote())).toString('base64'),
        })
        response.end()
      })
    },
    { method: 'POST', body: '{"q":1}' },
  )
  expect(answer).toMatchObject({ status: 402, healthy: true })
})

test.each([
  'http://127.0.0.1/paid',
  'http://169.254.169.254/latest',
  'http://[::1]/',
  'file:///etc/passwd',
  'nonsense',
])('asks nobody for %s', async url => {
  expect(await refusalOf(money.ask('x402_probe', { url }))).toMatchObject({
    code: 'invalid_input',
    extra: { issues: [{ path: 'url' }] },
  })
})

test('tells of a host that does not answer', async () => {
  expect(await money.ask('x402_probe', { url: 'http://nobody-at-all.example.com/paid' })).toMatchObject({
    status: null,
    healthy: false,
    first: { code: 'no_answer' },
  })
})

test('refuses a body with GET by its name', async () => {
  expect(
    await refusalOf(money.ask('x402_probe', { url: 'http://shop.example.com/', body: '{}' })),
  ).toMatchObject({ code: 'invalid_input', extra: { issues: [{ path: 'body' }] } })
})

test.each([
  [
    'a huge body',
    { status: 402, headers: { 'content-type': 'application/json' }, body: '['.repeat(400_000) },
    'no_quote',
  ],
  [
    'deep JSON',
    asking({ x402Version: 2, accepts: JSON.parse(`${'['.repeat(500)}${']'.repeat(500)}`) }),
    'no_resource',
  ],
  ['a thousand offers', asking({ ...quote(), accepts: Array(100).fill({ scheme: 1 }) }), 'no_scheme'],
  ['text that turns around', asking(quote([{ ...offer, network: '\u202eeip155' }])), 'network_not_caip2'],
] as const)('survives %s', async (_what, page, code) => {
  const answer = await probe(page as never)
  expect(answer).toMatchObject({ healthy: false, first: { code } })
  expect(JSON.stringify(answer)).not.toContain('\u202e')
  expect(JSON.stringify(answer).length).toBeLessThan(60_000)
})
