import { setTimeout as wait } from 'node:timers/promises'
import type { Express } from 'express'
import { fetchPaid, type Market, network, openBuyer, openShop, type Shop, type Stock } from './shop.ts'

/** What a scenario is given: a market of its own, and the middleware that is judged. */
type Stage = { market: Market; stock: Stock | undefined }

export type Scenario = {
  /** The row of docs/express.md. */
  title: string
  /** Whether nobody lost by it: neither the buyer their money, nor the seller their work. */
  survives(stage: Stage): Promise<boolean>
}

type Handler = { runs: number; fail: boolean; pause: (() => Promise<void>) | undefined }

const price = '$0.01'

const build = (handler: Handler) => (app: Express) => {
  const answer = async (): Promise<{ run: number }> => {
    handler.runs += 1
    await handler.pause?.()
    if (handler.fail) throw new Error('the handler failed')
    return { run: handler.runs }
  }
  app.get(['/report', '/other'], async (_, res) => void res.json(await answer()))
  app.post(['/order', '/note'], async (_, res) => void res.json(await answer()))
  app.get('/ticks', async (_, res) => {
    res.set('content-type', 'text/event-stream')
    res.write('data: 1\n\n')
    await handler.pause?.()
    res.end('data: 2\n\n')
  })
  app.use((_thrown: unknown, _req: unknown, res: { status(code: number): { end(): void } }, _next: unknown) =>
    res.status(500).end(),
  )
}

const routes = (payTo: string) => {
  const accepts = { scheme: 'exact', payTo, price, network } as const
  return {
    'GET /report': { accepts },
    'GET /other': { accepts },
    'POST /order': { accepts: { ...accepts, extra: { paymentFlow: 'upfront' } } },
    'POST /note': { accepts },
    'GET /ticks': { accepts, mimeType: 'text/event-stream' },
  }
}

const open = async ({ market, stock }: Stage, more: Partial<{ dir: string; payTo: string }> = {}) => {
  market.calm()
  const handler: Handler = { runs: 0, fail: false, pause: undefined }
  const shop = await openShop(market, { routes, build: build(handler), stock, ...more })
  return { shop, handler, buyer: await openBuyer(market) }
}

const unit = 10_000n

/** Sends a payment again, as an honest buyer does, until there is an answer that is no "not yet". */
const insist = async (url: string, payment: string, init: RequestInit = {}): Promise<number> => {
  for (let i = 0; i < 20; i++) {
    const { status } = await fetchPaid(url, payment, init)
    if (status !== 202 && status < 500) return status
    await wait(100)
  }
  return 0
}

const ending =
  (work: (stage: Stage, scene: Awaited<ReturnType<typeof open>>) => Promise<boolean>) =>
  async (stage: Stage): Promise<boolean> => {
    const scene = await open(stage)
    try {
      return await work(stage, scene)
    } finally {
      stage.market.calm()
      await scene.shop.stop()
    }
  }

const isPaidOnce = async (shop: Shop): Promise<boolean> => (await shop.earned()) === unit

/** What may happen between buyer, seller, facilitator and chain. */
export const scenarios: readonly Scenario[] = [
  {
    title: 'the handler of a POST fails: nothing is taken',
    survives: ending(async (_, { shop, buyer, handler }) => {
      handler.fail = true
      const init = { method: 'POST' }
      const payment = await buyer.signFor(`${shop.url}/note`, init)
      const { status } = await fetchPaid(`${shop.url}/note`, payment, init)
      return status === 500 && (await shop.earned()) === 0n
    }),
  },
  {
    title: 'a stock buyer pays and is answered',
    survives: ending(async (_, { shop, buyer, handler }) => {
      const payment = await buyer.signFor(`${shop.url}/report`)
      const { status } = await fetchPaid(`${shop.url}/report`, payment)
      return status === 200 && handler.runs === 1 && (await isPaidOnce(shop))
    }),
  },
  {
    title: 'the handler of a reading route fails: nothing is taken',
    survives: ending(async (_, { shop, buyer, handler }) => {
      handler.fail = true
      const payment = await buyer.signFor(`${shop.url}/report`)
      const { status } = await fetchPaid(`${shop.url}/report`, payment)
      return status === 500 && (await shop.earned()) === 0n
    }),
  },
  {
    title: 'the facilitator refuses to settle: the work is not handed over',
    survives: ending(async ({ market }, { shop, buyer }) => {
      const payment = await buyer.signFor(`${shop.url}/report`)
      market.mood.settle = async () => ({
        success: false,
        errorReason: 'insufficient_funds',
        transaction: '',
        network,
      })
      const answer = await fetchPaid(`${shop.url}/report`, payment)
      return answer.status !== 200 && !(await answer.text()).includes('run')
    }),
  },
  {
    title: 'the same payment comes three times at once: one run, three answers',
    survives: ending(async (_, { shop, buyer, handler }) => {
      const payment = await buyer.signFor(`${shop.url}/report`)
      const all = await Promise.all([1, 2, 3].map(() => fetchPaid(`${shop.url}/report`, payment)))
      return all.every(({ status }) => status === 200) && handler.runs === 1 && (await isPaidOnce(shop))
    }),
  },
  {
    title: 'one payment for two routes at once: one of them works',
    survives: ending(async (_, { shop, buyer, handler }) => {
      const payment = await buyer.signFor(`${shop.url}/report`)
      await Promise.all(['report', 'other'].map(path => fetchPaid(`${shop.url}/${path}`, payment)))
      return handler.runs === 1 && (await isPaidOnce(shop))
    }),
  },
  {
    title: 'the buyer leaves before the answer and asks again with the same payment',
    survives: ending(async (_, { shop, buyer, handler }) => {
      const payment = await buyer.signFor(`${shop.url}/order`, { method: 'POST' })
      const leaving = new AbortController()
      handler.pause = async () => {
        leaving.abort()
        await wait(50)
      }
      const init = { method: 'POST' }
      await fetchPaid(`${shop.url}/order`, payment, { ...init, signal: leaving.signal }).catch(
        () => undefined,
      )
      handler.pause = undefined
      return (await insist(`${shop.url}/order`, payment, init)) === 200 && handler.runs === 1
    }),
  },
  {
    title: 'the handler fails after the money moved: the same payment runs it again',
    survives: ending(async (_, { shop, buyer, handler }) => {
      const init = { method: 'POST' }
      const payment = await buyer.signFor(`${shop.url}/order`, init)
      handler.fail = true
      await fetchPaid(`${shop.url}/order`, payment, init)
      handler.fail = false
      return (await insist(`${shop.url}/order`, payment, init)) === 200 && (await isPaidOnce(shop))
    }),
  },
  {
    title: 'the facilitator says "failed", and the transaction lands',
    survives: ending(async ({ market }, { shop, buyer }) => {
      const payment = await buyer.signFor(`${shop.url}/report`)
      market.mood.settle = async real => ({
        ...(await real()),
        success: false,
        errorReason: 'unexpected_settle_error',
        transaction: '',
      })
      return (await insist(`${shop.url}/report`, payment)) === 200 && (await isPaidOnce(shop))
    }),
  },
  {
    title: 'the connection to the facilitator breaks while it settles',
    survives: ending(async ({ market }, { shop, buyer }) => {
      const payment = await buyer.signFor(`${shop.url}/report`)
      market.mood.settle = async real => {
        await real()
        market.calm()
        throw new TypeError('fetch failed')
      }
      return (await insist(`${shop.url}/report`, payment)) === 200 && (await isPaidOnce(shop))
    }),
  },
  {
    title: 'the chain is slow: the facilitator says "pending"',
    survives: ending(async ({ market }, { shop, buyer }) => {
      const payment = await buyer.signFor(`${shop.url}/report`)
      market.mood.settle = async real => {
        const { transaction } = await real()
        return { success: false, errorReason: 'settlement_pending', transaction, network }
      }
      return (await insist(`${shop.url}/report`, payment)) === 200 && (await isPaidOnce(shop))
    }),
  },
  {
    title: 'the facilitator says "settled", and no money moved',
    survives: ending(async ({ market }, { shop, buyer }) => {
      const payment = await buyer.signFor(`${shop.url}/report`)
      market.mood.settle = async () => ({ success: true, transaction: `0x${'ab'.repeat(32)}`, network })
      const answer = await fetchPaid(`${shop.url}/report`, payment)
      return !(await answer.text()).includes('run')
    }),
  },
  {
    title: 'the application restarts between a payment and the next ask for its answer',
    survives: async stage => {
      const { shop, buyer, handler } = await open(stage)
      const payment = await buyer.signFor(`${shop.url}/report`)
      await fetchPaid(`${shop.url}/report`, payment)
      await shop.stop(true)
      const next = await open(stage, { dir: shop.dir, payTo: shop.payTo })
      try {
        const status = await insist(`${next.shop.url}/report`, payment)
        return status === 200 && handler.runs + next.handler.runs === 1
      } finally {
        await next.shop.stop()
      }
    },
  },
  {
    title: 'HEAD of a priced GET is not free',
    survives: ending(async (_, { shop, handler }) => {
      const { status } = await fetch(`${shop.url}/report`, { method: 'HEAD' })
      return status === 402 && handler.runs === 0
    }),
  },
  {
    title: 'a stream is sent as it is written',
    survives: ending(async (_, { shop, buyer, handler }) => {
      let release = () => {}
      handler.pause = () =>
        new Promise<void>(resolve => {
          release = resolve
        })
      const payment = await buyer.signFor(`${shop.url}/ticks`)
      const giveUp = new AbortController()
      const timer = setTimeout(() => giveUp.abort(), 5_000)
      try {
        const answer = await fetchPaid(`${shop.url}/ticks`, payment, { signal: giveUp.signal })
        const reader = answer.body?.getReader()
        const first = new TextDecoder().decode((await reader?.read())?.value)
        return first.includes('1') && !first.includes('2')
      } catch {
        return false
      } finally {
        clearTimeout(timer)
        release()
      }
    }),
  },
  {
    title: 'the facilitator answers junk: refused as its failure, nothing is taken',
    survives: ending(async ({ market }, { shop, buyer, handler }) => {
      const payment = await buyer.signFor(`${shop.url}/report`)
      market.mood.verify = async () => {
        throw Object.assign(new Error('not json'), { name: 'FacilitatorResponseError' })
      }
      const { status } = await fetchPaid(`${shop.url}/report`, payment)
      return status >= 400 && handler.runs === 0 && (await shop.earned()) === 0n
    }),
  },
]
