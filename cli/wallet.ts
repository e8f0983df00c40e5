import {
  openPaymentLimits,
  parseLimits,
  readLimitTexts,
  toLimitTexts,
  writeLimits,
} from '../connect/limits.ts'
import { type ClaimRow, openPaymentRecord, recordFile } from '../connect/record.ts'
import { openSigningWallet, walletFile } from '../connect/wallet.ts'
import { ToolError } from '../mcp/kernel/error.ts'
import { dayMs } from '../mcp/lib/time.ts'
import { formatUsd } from '../mcp/lib/usd.ts'
import { readArguments } from './arguments.ts'
import { limitOptions, readVariable, toOptionLimits, walletFolder } from './connect.ts'
import { toTable } from './table.ts'

const print = (isJson: boolean | undefined, value: object, text: string): void =>
  console.log(isJson ? JSON.stringify(value, null, 2) : text)

/** `octagent wallet`: the address that `connect` pays from on real networks; makes the wallet where there is none. */
export const showWallet = async (args: string[]): Promise<number> => {
  const { values } = readArguments(args, {})
  const folder = walletFolder()
  const key = readVariable('OCTAGENT_WALLET_KEY')
  const { address } = await openSigningWallet(folder, key)
  const { networks } = await openPaymentLimits(folder, {})()
  const place = key === undefined ? walletFile(folder) : 'OCTAGENT_WALLET_KEY'
  const where =
    networks.length === 0
      ? 'It pays on no real network. To allow one: octagent limits --network base'
      : `It pays in USDC on ${networks.join(', ')}; send USDC there to this address, no ether is needed.`
  print(
    values.json,
    { address, key: place, networks },
    `${address}\nThe key is in ${place}; whoever has it has the money.\n${where}`,
  )
  return 0
}

/** `octagent limits`: what `connect` may pay, and changes it for every connect that was started without limits of its own. */
export const showLimits = async (args: string[]): Promise<number> => {
  const { values } = readArguments(args, limitOptions)
  const folder = walletFolder()
  const changes = Object.fromEntries(
    Object.entries(toOptionLimits(values)).filter(([, text]) => text !== undefined),
  )
  const limits = parseLimits({ ...(await readLimitTexts(folder)), ...changes })
  if (Object.keys(changes).length > 0) await writeLimits(folder, limits)
  const texts = toLimitTexts(limits)
  const rows = [
    ['budget', `${texts.budget} USD`, 'in any 24 hours'],
    ['per-call', `${texts.perCall} USD`, 'for one call'],
    ['total', texts.total === 'none' ? 'none' : `${texts.total} USD`, 'over everything ever paid'],
    ['network', texts.network ?? '', 'real networks that it may pay on'],
  ]
  print(values.json, texts, toTable(rows))
  return 0
}

const release = (rows: readonly ClaimRow[], id: string, now: number): ClaimRow => {
  const row = rows.find(({ claim }) => claim.id === id)
  if (!row)
    throw new ToolError('not_found', `There is no payment ${id.slice(0, 60)}.`, {
      hint: 'octagent spent lists them with their ids.',
    })
  if (row.state === 'settled' || row.state === 'released')
    throw new ToolError('conflict', `This payment is ${row.state}.`)
  const end = Number(row.claim.authorization.validBefore) * 1000
  if (now <= end)
    throw new ToolError('conflict', 'This payment can still be taken.', {
      hint: `It ends at ${new Date(end).toISOString()}.`,
    })
  return row
}

/**
 * `octagent spent [--release id]`: every payment that `connect` has claimed, with what became of it. `--release` gives one back to the
 * budget that has ended and that, as the person knows, moved no money.
 */
export const showSpent = async (args: string[]): Promise<number> => {
  const { values } = readArguments(args, { release: { type: 'string' } })
  const folder = walletFolder()
  const record = openPaymentRecord(folder)
  try {
    const now = Date.now()
    if (values.release !== undefined) {
      const { claim } = release(record.rows(), values.release, now)
      record.mark(claim.id, 'released', { reason: 'by hand' })
    }
    const rows = record.rows()
    const wallets = [...new Set(rows.map(({ claim }) => claim.wallet))]
    const sums = wallets.map(wallet => {
      const { window, total } = record.spent(wallet, now - dayMs)
      return { wallet, day: formatUsd(window), total: formatUsd(total) }
    })
    const payments = rows.map(({ claim, state, transaction, reason }) => ({
      id: claim.id,
      at: new Date(claim.at).toISOString(),
      usd: formatUsd(claim.micros),
      state,
      tool: claim.tool,
      server: claim.server,
      wallet: claim.wallet,
      ...(transaction && { transaction }),
      ...(reason && { reason }),
    }))
    const table = [
      ['at', 'USD', 'state', 'tool', 'server', 'id'],
      ...payments.map(({ at, usd, state, tool, server, id }) => [at, usd, state, tool, server, id]),
    ]
    const lines = sums.map(({ wallet, day, total }) => `${wallet}: ${day} USD in 24 hours, ${total} in total`)
    const text =
      rows.length === 0
        ? 'nothing was spent'
        : `${toTable(table)}\n\n${lines.join('\n')}\n${recordFile(folder)}`
    print(values.json, { wallets: sums, payments }, text)
    return 0
  } finally {
    record.close()
  }
}
