import { writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Hex } from 'viem'
import { openChain } from '../../../mcp/ports/chain/chain.ts'
import { chainNetworks } from '../../../mcp/ports/chain/networks.ts'
import type { Chain, Wallet } from '../../../mcp/ports/chain/port.ts'
import { loadOperation } from '../../../mcp/services/money/gas/records.ts'
import { openSponsorChains } from '../../../mcp/services/money/gas/sponsor-chains.ts'
import { resumeDue, submitOperation, toStatus } from '../../../mcp/services/money/gas/submission.ts'
import { openEmbedded } from '../../../store/embedded/open.ts'
import { openPostgres } from '../../../store/postgres/open.ts'

/** Submits a sponsored operation, or goes on with it, in a process that is killed where it says that it is there. */
const [dir = '', mode = 'submit', stop = ''] = process.argv.slice(2)
const { GAS_DATABASE: url, GAS_SCHEMA: schema = '', GAS_LATER_MS: later = '0' } = process.env

const asleepAt = async (place: string): Promise<void> => {
  if (place !== stop) return
  writeSync(1, `${JSON.stringify({ here: true })}\n`)
  await new Promise(() => setInterval(() => undefined, 1_000))
}

type Input = { rpc: string; keys: Record<string, Hex>; id: string; signature: Hex; authorization: never }

const read = async (): Promise<Input> => {
  let text = ''
  for await (const chunk of process.stdin) text += chunk
  return JSON.parse(text)
}

const { rpc, keys, id, signature, authorization } = await read()
const store = url ? await openPostgres({ url, schema }) : await openEmbedded({ dir: join(dir, 'store') })
const clock = { now: () => new Date(Date.now() + Number(later)) }
const chain = openChain({ network: chainNetworks.base, rpc, devnet: true })

const mortalWallet = (wallet: Wallet): Wallet => ({
  ...wallet,
  async send(call) {
    await asleepAt('leased')
    const hash = await wallet.send({
      ...call,
      async onSigned(transaction) {
        await asleepAt('signed')
        await call.onSigned?.(transaction)
        await asleepAt('written')
      },
    })
    await asleepAt('broadcast')
    return hash
  },
})

const mortalChain: Chain = {
  ...chain,
  wallet: async key => mortalWallet(await chain.wallet(key)),
  async confirm(hash, ms) {
    const receipt = await chain.confirm(hash, ms)
    await asleepAt('mined')
    return receipt
  },
}

const secret = { reveal: () => '' as const }
const chains = openSponsorChains({
  chains: {
    local: true,
    open: () => mortalChain,
    relayer: () => Promise.reject(new Error('there is no relayer')),
    localKey: async role => keys[role] ?? '0x',
  },
  clock,
  sponsor: '',
  signer: secret,
  submitter: secret,
  feeds: {},
  owners: [],
  maxAgeSeconds: 1e9,
})
const deps = { store, clock, chains }
if (mode === 'submit') await submitOperation(deps, { id, signature, authorization })
else await resumeDue(deps, new AbortController().signal)
const row = await loadOperation(store, id)
writeSync(1, `${JSON.stringify({ ...toStatus(row), transactions: row.transactions.length })}\n`)
await store.close()
process.exit()
