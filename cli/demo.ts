import { join } from 'node:path'
import { readConfig } from '../config.ts'
import { ToolError } from '../mcp/kernel/error.ts'
import { usdcAbi } from '../mcp/lib/evm-abi.ts'
import { networks } from '../mcp/ports/chain/networks.ts'
import { openDevnetKeys } from '../mcp/ports/devnet/keys.ts'
import { services } from '../services.ts'
import { start } from '../start.ts'
import { readArguments } from './arguments.ts'

/** Reads what wallets hold of a chain's USDC, as decimal text. */
const openBalances = async (rpc: string, token: `0x${string}`) => {
  const { createPublicClient, formatUnits, http } = await import('viem')
  const client = createPublicClient({ transport: http(rpc) })
  return async (account: string): Promise<string> => {
    const args = [account as `0x${string}`] as const
    const atoms = await client.readContract({
      address: token,
      abi: usdcAbi,
      functionName: 'balanceOf',
      args,
    })
    return `${formatUnits(atoms, 6)} USDC`
  }
}

type Quote = { paymentRequired?: { accepts: { payTo: string }[] }; detail?: string; hint?: string }
type Purr = { text: string; kibble: number; number: number; transaction: string }

/** The stock x402 client with the demo wallet's key: five lines, as anybody would write them. */
const openPayer = async (key: `0x${string}`) => {
  const { wrapFetchWithPayment, x402Client } = await import('@x402/fetch')
  const { ExactEvmScheme } = await import('@x402/evm/exact/client')
  const { privateKeyToAccount } = await import('viem/accounts')
  const account = privateKeyToAccount(key)
  const pay = wrapFetchWithPayment(fetch, new x402Client().register('eip155:*', new ExactEvmScheme(account)))
  return { address: account.address, pay }
}

/**
 * `octagent demo`: starts everything on local chains in a folder of its own, pays for a feed with the stock client, and
 * prints the balances before and after, the answer and the transaction.
 */
export const demo = async (args: string[] = []): Promise<number> => {
  const { values } = readArguments(args, {})
  const { OCTAGENT_DATA, ANVIL } = readConfig(process.env, services)
  const dir = join(OCTAGENT_DATA, 'demo')
  const config = readConfig({ PORT: '0', OCTAGENT_DATA: dir, OCTAGENT_LOG: 'silent', ANVIL }, services)
  const app = await start(config)
  try {
    const feed = `${app.url}/cat/api/feed`
    const paymentQuote = (await (await fetch(feed, { method: 'POST' })).json()) as Quote
    const payTo = paymentQuote.paymentRequired?.accepts[0]?.payTo
    const rpc = await app.devnetRpc('base')
    if (payTo === undefined || rpc === undefined)
      throw new ToolError('unavailable', paymentQuote.detail ?? 'There is no local chain.', {
        hint: paymentQuote.hint,
      })
    const { address, pay } = await openPayer((await openDevnetKeys(dir)).demo)
    const balance = await openBalances(rpc, networks.base.token.address)
    const balances: Record<string, { wallet: string; cat: string }> = {}
    const show = async (when: 'before' | 'after') => {
      const both = { wallet: await balance(address), cat: await balance(payTo) }
      balances[when] = both
      if (!values.json) console.log(`${when.padEnd(7)} wallet ${both.wallet}   cat ${both.cat}`)
    }
    await show('before')
    const response = await pay(feed, { method: 'POST' })
    const result = (await response.json()) as Purr
    if (!response.ok) throw new ToolError('upstream', `The feed answered ${response.status}.`)
    await show('after')
    if (values.json) console.log(JSON.stringify({ ...balances, result }, null, 2))
    else
      console.log(
        `\n${result.text} Feeding ${result.number}; the bowl is at ${result.kibble}%.\ntransaction ${result.transaction}`,
      )
    return 0
  } finally {
    await app.stop()
  }
}
