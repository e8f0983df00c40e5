import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { openBooks } from '../../../mcp/accounts/ports.ts'
import { sendSats } from '../../../mcp/accounts/withdrawal/send.ts'
import { audit } from '../../../mcp/payment/ledger/audit.ts'
import { openLedger } from '../../../mcp/payment/ledger/index.ts'
import { openLightningPayouts } from '../../../mcp/payment/lightning-payouts.ts'
import { decodeInvoice } from '../../../mcp/ports/lightning/bolt11.ts'
import { openLightningNode } from '../../../mcp/ports/lightning/node.ts'
import { accountsIn } from '../../../mcp/services/proof/account/account.ts'
import { toWalletAccount, toWalletBook, walletUnit } from '../../../mcp/services/proof/account/wallet.ts'
import { openEmbedded } from '../../../store/embedded/open.ts'
import { openPostgres } from '../../../store/postgres/open.ts'

/** Sends what is due to a node, and says how things stand; with an invoice, a withdrawal to it is made first. */
const [dir = '', nodeUrl = '', invoice = ''] = process.argv.slice(2)
const {
  WITHDRAWAL_DATABASE: url,
  WITHDRAWAL_SCHEMA: schema = '',
  WITHDRAWAL_LATER_MS: later = '0',
} = process.env
const store = url ? await openPostgres({ url, schema }) : await openEmbedded({ dir: join(dir, 'store') })
const clock = { now: () => new Date(Date.now() + Number(later)) }
const ledger = openLedger(clock.now)
const books = openBooks({ store, clock, ledger })
const account = 'a'.repeat(24)

const lightning = openLightningPayouts({
  network: 'lightning:regtest',
  open: () => openLightningNode({ kind: 'phoenixd', url: nodeUrl, password: 'secret' }),
})
if (invoice !== '') {
  const now = clock.now().toISOString()
  const { msat = 0n, paymentHash, expiresAt } = decodeInvoice(invoice)
  await store.transaction(async tx => {
    const row = {
      id: account,
      label: null,
      created_at: now,
    }
    await accountsIn(tx).insert(row)
    const source = 'world:proof-lightning'
    const book = toWalletBook(account)
    await books.credit(tx, { id: 'top-up', book, value: 10_000_000n, source, memo: 'top_up' })
    await books.withdrawSats(tx, lightning, { book, invoice, msat, paymentHash, expiresAt })
  })
}

await sendSats.run({ store, clock, ledger, lightning, signal: new AbortController().signal })

const [row] = (await books.listWithdrawals(store, toWalletBook(account), { limit: 1 })).rows
const { available } = await ledger.balance(store, walletUnit, toWalletAccount(account))
const { faults } = await audit(store)
const line = { state: row?.state, preimage: row?.proof, sats: Number(available.value / 1000n), faults }
writeSync(1, `${JSON.stringify(line)}\n`)
await store.close()
process.exit(0)
