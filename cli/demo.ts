import { join } from 'node:path'
import { readConfig } from '../app/config.ts'
import { services } from '../app/services.ts'
import { start } from '../app/start.ts'
import { ToolError } from '../mcp/kernel/error.ts'
import { usdcAbi } from '../mcp/lib/evm-abi.ts'
import { networks } from '../mcp/ports/chain/networks.ts'
import { openDevnetKeys } from '../mcp/ports/devnet/keys.ts'
import type { Purr } from '../mcp/services/cat/feeding.ts'
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

/** The stock x402 client with the demo wallet's key: five lines, as anybody would write them. */
const openPayer = async (key: `0x${string}`) => {
  const { wrapFetchWithPayment, x402Client } = await import('@x402/fetch')
  const { ExactEvmScheme } = await import('@x402/evm/exact/client')
  const { privateKeyToAccount } = await import('viem/accounts')
  const account = privateKeyToAccount(key)
  const pay = wrapFetchWithPayment(fetch, new x402Client().register('eip155:*', new ExactEvmScheme(account)))
  return { address: account.address, pay }
}

const thingsToShow = ['feed', 'money', 'tasks'] as const

const readThing = (positionals: readonly string[]): (typeof thingsToShow)[number] => {
  const [name = 'feed'] = positionals
  const thing = thingsToShow.find(thing => thing === name)
  if (thing) return thing
  throw new ToolError('invalid_input', `There is no demo "${name}".`, {
    hint: `The demos are: ${thingsToShow.join(', ')}.`,
  })
}

const noChain = (detail = 'There is no local chain.', hint?: string) =>
  new ToolError('unavailable', detail, { hint })

/** Bridge, sponsored gas and a vault, one after the other. */
const showMoney = async (url: string, rpc: string, dir: string, json: boolean): Promise<void> => {
  const { runMoneyDemo } = await import('./demo-money.ts')
  const { demo: key } = await openDevnetKeys(dir)
  const report = (line: string) => {
    if (!json) console.log(line)
  }
  const result = await runMoneyDemo(`${url}/money`, rpc, key, report)
  if (json) console.log(JSON.stringify(result, null, 2))
}

/** A task from publishing to the money in the worker's wallet. */
const showTasks = async (url: string, rpc: string, dir: string, json: boolean): Promise<void> => {
  const { runTasksDemo } = await import('./demo-tasks.ts')
  const { demo: key } = await openDevnetKeys(dir)
  const balance = await openBalances(rpc, networks.base.token.address)
  const report = (line: string) => {
    if (!json) console.log(line)
  }
  const result = await runTasksDemo(`${url}/tasks`, rpc, key, balance, report)
  if (json) console.log(JSON.stringify(result, null, 2))
}

/**
 * `octagent demo`: starts everything on local chains in a folder of its own, pays for a feed with the stock client, and
 * prints the balances before and after, the answer and the transaction. `demo money` bridges USDC, buys stocks without gas, and shows
 * the vault; `demo tasks` hires somebody.
 */
export const demo = async (args: string[] = []): Promise<number> => {
  const { values, positionals } = readArguments(args, {})
  const thing = readThing(positionals)
  const { OCTAGENT_DATA, ANVIL } = readConfig(process.env, services)
  const dir = join(OCTAGENT_DATA, 'demo')
  const config = readConfig({ PORT: '0', OCTAGENT_DATA: dir, OCTAGENT_LOG: 'silent', ANVIL }, services)
  const app = await start(config)
  try {
    const feed = `${app.url}/cat/api/feed`
    const paymentQuote = (await (await fetch(feed, { method: 'POST' })).json()) as Quote
    const payTo = paymentQuote.paymentRequired?.accepts[0]?.payTo
    const rpc = await app.devnetRpc('base')
    if (payTo === undefined || rpc === undefined) throw noChain(paymentQuote.detail, paymentQuote.hint)
    if (thing !== 'feed') {
      const show = thing === 'money' ? showMoney : showTasks
      await show(app.url, rpc, dir, values.json === true)
      return 0
    }
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
        `\n${result.purr} Feeding ${result.number}; the bowl is at ${result.kibble}%.\ntransaction ${result.transaction}`,
      )
    return 0
  } finally {
    await app.stop()
  }
}
