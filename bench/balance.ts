import { createHash } from 'node:crypto'
import { z } from 'zod'
import { createApp } from '../app/app.ts'
import { readConfig } from '../app/config.ts'
import { balanceUnit, toWallet } from '../mcp/accounts/account.ts'
import { limitsIn } from '../mcp/accounts/limits.ts'
import { identify, type Service, service } from '../mcp/kernel/service.ts'
import { free, type Price, sats, tool, usd } from '../mcp/kernel/tool.ts'
import { openLedger } from '../mcp/payment/ledger/index.ts'
import { openDevelopmentLightning, payDevelopmentInvoice } from '../mcp/ports/lightning/devnet.ts'
import { openLightningKey } from '../mcp/ports/lightning/key.ts'
import { openEmbedded } from '../store/embedded/open.ts'
import { newFolder, removeFolders } from './folders.ts'
import { median } from './median.ts'
import type { Bench, Group } from './row.ts'

const clients = 32
const rounds = 9
const roundMs = 600

const hints = { readOnly: false, destructive: false, idempotent: false, openWorld: false } as const
const write = (name: string, price: Price) =>
  tool({
    name,
    title: 'Write',
    description: 'Writes a row.',
    input: z.object({ text: z.string().describe('What') }),
    output: z.object({ id: z.string().describe('Name of the row') }),
    needs: ['store'],
    price,
    settle: 'before',
    hints,
    a2a: {},
    examples: [{ text: 'a' }],
  }).run(({ commit }, { text }) =>
    commit(async tx => {
      const id = crypto.randomUUID()
      await tx.collection<{ id: string; text: string }>('pier.rows').insert({ id, text })
      return { id }
    }),
  )

/** An invoice by itself: it is made, paid, and the preimage is taken once, with a row that stays. */
const invoiceTools = (dir: string) => {
  const node = openDevelopmentLightning({ key: () => openLightningKey(dir) })
  const facts = {
    description: 'An invoice by itself.',
    needs: ['store'],
    price: free,
    hints,
    a2a: {},
  } as const
  return [
    tool({
      ...facts,
      name: 'invoice',
      title: 'Invoice',
      input: z.object({}),
      output: z.object({ invoice: z.string().describe('BOLT 11') }),
      examples: [{}],
    }).run(async () => (await node).createInvoice({ msat: 100_000n, memo: 'Write', expirySeconds: 600 })),
    tool({
      ...facts,
      name: 'take',
      title: 'Take',
      input: z.object({ preimage: z.string().describe('Hex'), hash: z.string().describe('Hex') }),
      output: z.object({ id: z.string().describe('Name of the row') }),
      examples: [{ preimage: '', hash: '' }],
    }).run(({ commit }, { preimage }) =>
      commit(async tx => {
        const id = createHash('sha256').update(Buffer.from(preimage, 'hex')).digest('hex')
        if (!(await tx.collection<{ id: string }>('pier.paid').insert({ id }))) throw new Error('twice')
        return { id }
      }),
    ),
  ]
}

const pier = (dir: string): Service =>
  service({
    label: 'P',
    slug: 'pier',
    name: 'Pier',
    description: 'Writes rows.',
    version: '1.0.0',
    interfaces: [{ binding: 'JSONRPC', path: '/a2a', version: '1.0' }],
    card: {
      path: '/.well-known/agent-card.json',
      inputModes: ['application/json'],
      outputModes: ['application/json'],
    },
    auth: ['public'],
    identify: {
      bearer: identify({ needs: [] }).run(async (_, { value }) => ({
        id: value,
        via: 'bearer',
        balance: value.startsWith('acct_')
          ? { account: toWallet(value), unit: balanceUnit, spender: `grant of ${value}` }
          : { account: `agent:pier:${value}`, unit: 'msat' },
      })),
    },
    prepaid: { unit: 'msat', register: 'help', topUps: ['help'], freeCalls: 0 },
    tools: [
      write('paid', sats('1')),
      write('bought', usd('0.001')),
      write('unpaid', free),
      write('sold', sats('100')),
      ...invoiceTools(dir),
    ],
    fallback: 'unpaid',
  })

type Ask = (name: string, body: object, headers?: Record<string, string>) => Promise<Response>

type Shop = { dir: string; ask: Ask; close(): Promise<void> }

/** The service over the embedded store, with money on the account of each client. */
const openShop = async (): Promise<Shop> => {
  const dir = await newFolder()
  const store = await openEmbedded({ dir: `${dir}/store` })
  const ledger = openLedger()
  for (let n = 0; n < clients; n++)
    await store.transaction(async tx => {
      await ledger.post(tx, {
        id: `fund:${n}`,
        unit: 'msat',
        memo: '',
        postings: [
          { account: 'world:bench', amount: { unit: 'msat', value: -1_000_000_000n } },
          { account: `agent:pier:c${n}`, amount: { unit: 'msat', value: 1_000_000_000n } },
        ],
      })
      const account = `acct_${n}`
      await ledger.post(tx, {
        id: `fund:${account}`,
        unit: balanceUnit,
        memo: '',
        postings: [
          { account: 'world:bench', amount: { unit: balanceUnit, value: -10_000_000_000n } },
          { account: toWallet(account), amount: { unit: balanceUnit, value: 10_000_000_000n } },
        ],
      })
      await limitsIn(tx).put({
        id: `grant of ${account}`,
        account,
        client: { id: 'bench', name: 'Bench' },
        per_call: '1.00',
        per_day: '10000.00',
        services: ['pier'],
        updated_at: '',
      })
    })
  const own = pier(dir)
  const config = readConfig(
    { PORT: '0', OCTAGENT_DATA: dir, OCTAGENT_LOG: 'silent', OCTAGENT_RATE_LIMIT: '100000000' },
    [own],
  )
  const app = await createApp({ services: [own], config, ports: { store } })
  const url = await app.listen()
  return {
    dir,
    ask: (name, body, headers = {}) =>
      fetch(`${url}/pier/tools/${name}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    async close() {
      await app.close(true)
    },
  }
}

const readAnswer = async (asked: Promise<Response>): Promise<Record<string, unknown>> => {
  const response = await asked
  const body = (await response.json()) as Record<string, unknown>
  if (!response.ok) throw new Error(`answered ${response.status}: ${JSON.stringify(body)}`)
  return body
}

/** How often all clients together do something in a second. */
const measureRate = async (count: number, work: (client: number) => Promise<unknown>): Promise<number> => {
  const began = performance.now()
  let done = 0
  const run = async (client: number) => {
    while (performance.now() - began < roundMs) {
      await work(client)
      done++
    }
  }
  await Promise.all(Array.from({ length: count }, (_, client) => run(client)))
  return (done * 1000) / (performance.now() - began)
}

/** Measures two kinds of work in turn, so that both meet the same machine; the first rounds warm up. */
const compareRates = async (
  count: number,
  ours: (client: number) => Promise<unknown>,
  other: (client: number) => Promise<unknown>,
) => {
  const own: number[] = []
  const theirs: number[] = []
  for (let round = -2; round < rounds; round++) {
    const mine = await measureRate(count, ours)
    const peer = await measureRate(count, other)
    if (round < 0) continue
    own.push(mine)
    theirs.push(peer)
  }
  return {
    value: median(own.map((rate, n) => rate / (theirs[n] ?? Number.NaN))),
    note: `${median(own).toFixed(0)}/s against ${median(theirs).toFixed(0)}/s`,
  }
}

const paidWrite: Bench = {
  name: `write paid from a balance, over REST, ${clients} clients`,
  unit: 'x',
  against: 'the same durable write for nothing',
  aim: { atLeast: 0.67 },
  async measure() {
    const { ask, close } = await openShop()
    const body = { text: 'It rained.' }
    const send = (name: string) => (client: number) =>
      readAnswer(ask(name, body, { 'x-api-key': `c${client}` }))
    try {
      return await compareRates(clients, send('paid'), send('unpaid'))
    } finally {
      await close()
    }
  },
}

const personsWrite: Bench = {
  name: `write of a signed-in client paid from its person's balance, over REST, ${clients} clients`,
  unit: 'x',
  against: 'the same durable write for nothing',
  aim: { atLeast: 0.67 },
  async measure() {
    const { ask, close } = await openShop()
    const body = { text: 'It rained.' }
    const send = (name: string) => (client: number) =>
      readAnswer(ask(name, body, { authorization: `Bearer acct_${client}` }))
    try {
      return await compareRates(clients, send('bought'), send('unpaid'))
    } finally {
      await close()
    }
  },
}

const l402Call: Bench = {
  name: 'call paid by L402 end to end, development backend',
  unit: 'x',
  against: 'an invoice made, paid and taken by itself',
  aim: { atLeast: 0.77 },
  async measure() {
    const { dir, ask, close } = await openShop()
    const key = await openLightningKey(dir)
    const pay = (invoice: string): string => {
      const paid = payDevelopmentInvoice(invoice, key, new Date())
      if (paid.state === 'failed') throw new Error(paid.detail)
      return paid.preimage
    }
    const buy = async () => {
      const body = { text: crypto.randomUUID() }
      const refusal = await ask('sold', body)
      await refusal.arrayBuffer()
      const challenge = refusal.headers.get('www-authenticate') ?? ''
      const [, token = ''] = / token="([^"]+)"/.exec(challenge) ?? []
      const [, invoice = ''] = /invoice="([^"]+)"/.exec(challenge) ?? []
      await readAnswer(ask('sold', body, { authorization: `L402 ${token}:${pay(invoice)}` }))
    }
    const bare = async () => {
      const { invoice } = await readAnswer(ask('invoice', {}))
      await readAnswer(ask('take', { preimage: pay(String(invoice)), hash: '' }))
    }
    try {
      return await compareRates(4, buy, bare)
    } finally {
      await close()
    }
  },
}

export const balance: Group = {
  name: 'balance',
  benches: [paidWrite, personsWrite, l402Call],
  close: removeFolders,
}
