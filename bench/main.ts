import { parseArgs } from 'node:util'
import { a2a } from './a2a.ts'
import { balance } from './balance.ts'
import { besideOthers } from './beside.ts'
import { bridge } from './bridge.ts'
import { broker } from './broker.ts'
import { browsing } from './browse.ts'
import { asClients } from './clients.ts'
import { connecting } from './connect.ts'
import { dataPages } from './data-pages.ts'
import { dataText } from './data-text.ts'
import { expressRoutes } from './express.ts'
import { feeds } from './feeds.ts'
import { guardedFetch } from './fetch.ts'
import { forecasts } from './forecast.ts'
import { gas } from './gas.ts'
import { gateway } from './gateway.ts'
import { ledger } from './ledger.ts'
import { marketplace } from './marketplace.ts'
import { mcp } from './mcp.ts'
import { memory } from './memory.ts'
import { metadataAccuracy } from './metadata.ts'
import { money } from './money.ts'
import { payments } from './payments.ts'
import { postgres } from './postgres.ts'
import { proofs } from './proofs.ts'
import { refusals } from './refusals.ts'
import { exitCode, json, table } from './report.ts'
import { rest } from './rest.ts'
import { pick, run } from './run.ts'
import { sandboxes } from './sandbox.ts'
import { searching } from './search.ts'
import { sessions } from './sessions.ts'
import { signIn } from './sign-in.ts'
import { size } from './size.ts'
import { start } from './start.ts'
import { store } from './store.ts'
import { verdicts } from './verdicts.ts'

// Leaving in order removes the folders, and lets the contestants go.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const { values } = parseArgs({ options: { json: { type: 'boolean' }, only: { type: 'string' } } })
const groups = pick(
  [
    rest,
    refusals,
    mcp,
    a2a,
    besideOthers,
    asClients,
    store,
    memory,
    ledger,
    postgres,
    payments,
    connecting,
    balance,
    gas,
    marketplace,
    money,
    expressRoutes,
    dataPages,
    metadataAccuracy,
    dataText,
    feeds,
    guardedFetch,
    gateway,
    broker,
    searching,
    bridge,
    proofs,
    verdicts,
    browsing,
    sandboxes,
    sessions,
    signIn,
    forecasts,
    start,
    size,
  ],
  values.only,
)
if (groups.length === 0) throw new Error(`no row matches "${values.only}"`)
const lines = await run(groups, name => console.error(`measuring ${name}`))
console.log(values.json ? json(lines) : table(lines))
process.exitCode = exitCode(lines)
