import { join } from 'node:path'
import { PaymentRequired } from '../../mcp/kernel/error.ts'
import type { Charge } from '../../mcp/payment/charge.ts'
import type { Requirements } from '../../mcp/payment/dialects/x402/payload.ts'
import { x402 } from '../../mcp/payment/dialects/x402/x402.ts'
import { openGate } from '../../mcp/payment/gate/open.ts'
import { openRates } from '../../mcp/payment/rates.ts'
import feed from '../../mcp/services/cat/feed.ts'
import cat from '../../mcp/services/cat/service.ts'
import { openEmbedded } from '../../store/embedded/open.ts'
import { contest } from '../contestant.ts'
import { newFolder } from '../folders.ts'
import { openMemoryMethod, paymentFor } from '../memory-method.ts'

/** The gate over a rail that costs nothing, on the embedded store. */
const store = await openEmbedded({ dir: join(await newFolder(), 'store') })
const clock = { now: () => new Date() }
const gate = openGate({
  methods: [openMemoryMethod()],
  dialects: [x402],
  rates: openRates([]),
  store,
  clock,
  hmacKey: Buffer.alloc(32, 7),
})

const charge: Charge = {
  service: cat,
  tool: feed,
  input: {},
  price: feed.price,
  caller: undefined,
  channel: 'rest',
  resource: 'http://127.0.0.1/cat/api/feed',
  method: 'POST',
  evidence: { headers: {}, meta: {} },
}

const payingWith = (offer: Requirements) => ({ headers: {}, meta: { 'x402/payment': paymentFor(offer) } })

const readQuote = async (): Promise<Requirements> => {
  const cause = await gate.charge(charge, async () => ({})).catch((error: unknown) => error)
  if (!(cause instanceof PaymentRequired)) throw cause
  const [offer] = (cause.parts.structured?.accepts ?? []) as Requirements[]
  if (!offer) throw new Error('no offer')
  return offer
}

const payFor = async (offer: Requirements): Promise<void> => {
  const answer = { fed: true }
  const { replayed } = await gate.charge({ ...charge, evidence: payingWith(offer) }, ({ seal }) =>
    store.transaction(async tx => {
      await seal(tx, answer)
      return answer
    }),
  )
  if (replayed) throw new Error('a new payment got an old answer')
}

let last = 0
const unpaid = (): Promise<void> => {
  last++
  const id = `meal-${last}`
  return store.transaction(async tx =>
    tx.collection<{ id: string; fed: boolean }>('bench.meals').put({ id, fed: true }),
  )
}

contest(
  undefined,
  {
    /** Milliseconds of one quote, of one paid call after it, and of the same work without the gate. */
    pay: async () => {
      const began = performance.now()
      const offer = await readQuote()
      const between = performance.now()
      await payFor(offer)
      const end = performance.now()
      await unpaid()
      return { quote: between - began, charge: end - between, bare: performance.now() - end }
    },
  },
  () => store.close(),
)
