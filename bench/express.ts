import { randomBytes } from 'node:crypto'
import { Agent, request } from 'undici'
import { type Child, openChild } from './child.ts'
import { median } from './median.ts'
import type { Bench, Group } from './row.ts'

const rounds = 12
const perRound = 120
const crowd = 8

type Seller = { child: Child; url: string; accepted: Record<string, unknown> }
type Round = { cpu: number; perSecond: number }

const agent = new Agent({ connections: crowd })

const openSeller = async (which: 'ours' | 'stock', facilitator: string): Promise<Seller> => {
  const child = await openChild('paid-routes', [which, facilitator])
  const url = `${String(child.ready)}/report`
  const { statusCode, headers, body } = await request(url, { dispatcher: agent })
  await body.dump()
  const header = headers['payment-required']
  if (statusCode !== 402 || typeof header !== 'string') throw new Error(`${which} answered ${statusCode}`)
  const { accepts } = JSON.parse(Buffer.from(header, 'base64').toString('utf8')) as {
    accepts: Record<string, unknown>[]
  }
  return { child, url, accepted: accepts[0] ?? {} }
}

/** A payment as a stock buyer sends it; the facilitator looks at no signature. */
const newPayment = (accepted: Record<string, unknown>): string => {
  const now = Math.floor(Date.now() / 1000)
  const authorization = {
    from: `0x${'11'.repeat(20)}`,
    to: accepted.payTo,
    value: accepted.amount,
    validAfter: String(now - 600),
    validBefore: String(now + 300),
    nonce: `0x${randomBytes(32).toString('hex')}`,
  }
  const payload = { authorization, signature: `0x${'ab'.repeat(65)}` }
  return Buffer.from(JSON.stringify({ x402Version: 2, accepted, payload })).toString('base64')
}

const pay = async ({ url, accepted }: Seller): Promise<void> => {
  const headers = { 'payment-signature': newPayment(accepted) }
  const { statusCode, headers: responseHeaders, body } = await request(url, { dispatcher: agent, headers })
  const text = await body.text()
  if (statusCode !== 200 || !responseHeaders['payment-response'])
    throw new Error(`not paid: ${statusCode} ${text.slice(0, 400)}`)
}

const round = async (seller: Seller): Promise<Round> => {
  const before = await seller.child.ask<number>('cpu')
  const began = performance.now()
  let remaining = perRound
  const buyer = async () => {
    while (remaining-- > 0) await pay(seller)
  }
  await Promise.all(Array.from({ length: crowd }, buyer))
  const seconds = (performance.now() - began) / 1000
  const cpu = ((await seller.child.ask<number>('cpu')) - before) / perRound
  return { cpu, perSecond: perRound / seconds }
}

type Outcome = { ours: Round[]; stock: Round[] }

const measureBoth = async (): Promise<Outcome> => {
  const facilitator = await openChild('facilitator')
  const sellers: Child[] = []
  try {
    const ours = await openSeller('ours', String(facilitator.ready))
    sellers.push(ours.child)
    const stock = await openSeller('stock', String(facilitator.ready))
    sellers.push(stock.child)
    const outcome: Outcome = { ours: [], stock: [] }
    for (let at = -3; at < rounds; at++) {
      const [mine, peer] = [await round(ours), await round(stock)]
      if (at < 0) continue
      outcome.ours.push(mine)
      outcome.stock.push(peer)
    }
    return outcome
  } finally {
    await Promise.all([...sellers, facilitator].map(child => child.stop()))
  }
}

let bothOutcomes: Promise<Outcome> | undefined
const both = (): Promise<Outcome> => {
  bothOutcomes ??= measureBoth()
  return bothOutcomes
}

const middle = (list: readonly Round[], field: keyof Round): number => median(list.map(each => each[field]))

const facts = `${rounds} rounds of ${perRound} paid calls in turn, ${crowd} at once, one facilitator in a process of its own`

const cpu: Bench = {
  name: 'paid route of an Express application, processor time',
  unit: 'times as much',
  against: '@x402/express paymentMiddleware',
  aim: { below: 1.1 },
  async measure() {
    const { ours, stock } = await both()
    const [mine, peer] = [middle(ours, 'cpu'), middle(stock, 'cpu')]
    return {
      value: mine / peer,
      note: `ours / stock, less is better: ${mine.toFixed(0)} µs a call against ${peer.toFixed(0)}; ${facts}`,
    }
  },
}

const throughput: Bench = {
  name: 'paid route of an Express application, calls a second',
  unit: 'x',
  against: '@x402/express paymentMiddleware',
  aim: { atLeast: 0.9 },
  async measure() {
    const { ours, stock } = await both()
    const [mine, peer] = [middle(ours, 'perSecond'), middle(stock, 'perSecond')]
    return {
      value: mine / peer,
      note: `ours / stock, more is better: ${mine.toFixed(0)} against ${peer.toFixed(0)}; ours writes each to disk`,
    }
  },
}

/** Our middleware for paid routes against the one that it takes the place of. */
export const expressRoutes: Group = {
  name: 'express',
  benches: [cpu, throughput],
  close: () => agent.close(),
}
