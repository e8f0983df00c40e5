import { setTimeout as sleep } from 'node:timers/promises'
import type { PrivateKeyAccount, TypedDataDefinition } from 'viem'
import { ToolError } from '../mcp/kernel/error.ts'
import { openWalletWithoutEther } from './demo-wallet.ts'

type Fetch = (url: string, init?: RequestInit) => Promise<Response>

type Transfer = { id: string; state: string; paid: string; received: string | null; mint: string | null }
type Purchase = { calls: { to: string; data: string; value: string }[] }
type Sold = {
  id: string
  price: string
  typed_data: TypedDataDefinition
  authorization: { address: `0x${string}`; chainId: number; nonce: number } | null
}
type Submitted = { state: string; transaction_hash: string | null }
type Vault = { vault: string; value: string | null; holdings: { symbol: string; amount: string }[] }

/** The outcome, for people and as JSON. */
export type MoneyDemo = {
  bridge: { paid: string; received: string; mint: string | null }
  gas: { calls: number; price: string; transaction: string | null }
  vault: Vault
}

const readBody = async <T>(what: string, response: Response): Promise<T> => {
  const body = (await response.json()) as T & { detail?: string; hint?: string }
  if (response.ok) return body
  throw new ToolError('upstream', body.detail ?? `${what} answered ${response.status}.`, { hint: body.hint })
}

const toPost = (body: object): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

/** Brings one USDC to Arc, and waits until it is there. */
const bridgeOne = async (base: string, pay: Fetch): Promise<MoneyDemo['bridge']> => {
  const url = `${base}/v1/bridge?from=base&to=arc&amount=1`
  const { transfer, status_url: statusUrl } = await readBody<{ transfer: Transfer; status_url: string }>(
    'The bridge',
    await pay(url),
  )
  let now = transfer
  for (let n = 0; n < 60 && now.state !== 'minted'; n++) {
    await sleep(1_000)
    now = (await readBody<{ transfer: Transfer }>('The bridge', await fetch(statusUrl))).transfer
  }
  if (now.state !== 'minted') throw new ToolError('upstream', `The transfer is ${now.state} after a minute.`)
  return { paid: now.paid, received: now.received ?? '', mint: now.mint }
}

/** Buys stocks for five USDC by calls whose gas is sponsored: opens the vault, approves and deposits in one transaction. */
const buyWithoutGas = async (base: string, pay: Fetch, account: PrivateKeyAccount) => {
  const order = toPost({ owner: account.address, amount: '5' })
  const { calls } = await readBody<Purchase>('The vault', await fetch(`${base}/v1/buy-stocks`, order))
  const sponsorRequest = toPost({
    sender: account.address,
    calls: calls.map(({ to, data, value }) => ({ to, data, value })),
  })
  const sponsorship = await readBody<Sold>('Gas', await pay(`${base}/v1/gas`, sponsorRequest))
  const signature = await account.signTypedData(sponsorship.typed_data)
  const signed = sponsorship.authorization && (await account.signAuthorization(sponsorship.authorization))
  const authorization = signed && {
    address: signed.address,
    chainId: signed.chainId,
    nonce: signed.nonce,
    r: signed.r,
    s: signed.s,
    yParity: signed.yParity,
  }
  const submission = toPost({ id: sponsorship.id, signature, ...(authorization && { authorization }) })
  const { state, transaction_hash: transactionHash } = await readBody<Submitted>(
    'Gas',
    await fetch(`${base}/v1/gas`, submission),
  )
  if (state !== 'mined') throw new ToolError('upstream', `The operation is ${state}.`)
  return { calls: calls.length, price: sponsorship.price, transaction: transactionHash }
}

/** Bridges, pays for gas and buys stocks on local chains, from a wallet that holds USDC and no ether. */
export const runMoneyDemo = async (
  base: string,
  rpc: string,
  key: `0x${string}`,
  report: (line: string) => void,
): Promise<MoneyDemo> => {
  const { wrapFetchWithPayment, x402Client } = await import('@x402/fetch')
  const { ExactEvmScheme } = await import('@x402/evm/exact/client')
  const account = await openWalletWithoutEther(rpc, key)
  // The stock client pays $1 at most until its owner says more.
  const client = new x402Client()
    .register('eip155:*', new ExactEvmScheme(account))
    .setSpendControls({ maxAmountPerPayment: '$5' })
  const pay = wrapFetchWithPayment(fetch, client) as Fetch
  report(`wallet   ${account.address} holds 10 USDC, and no ETH`)
  const bridge = await bridgeOne(base, pay)
  report(
    `bridge   paid ${bridge.paid} USDC on Base; ${bridge.received} USDC arrived on Arc in ${bridge.mint}`,
  )
  const gas = await buyWithoutGas(base, pay, account)
  report(`gas      ${gas.calls} calls in one transaction, for ${gas.price} USDC: ${gas.transaction}`)
  const query = `${base}/v1/vault-status?owner=${account.address}`
  const { vault: place, value, holdings } = await readBody<Vault>('The vault', await fetch(query))
  const vault = { vault: place, value, holdings }
  const stocks = holdings.map(({ symbol, amount }) => `${amount} ${symbol}`).join(', ')
  report(`vault    ${place} holds ${stocks}: worth ${value} USDC at made-up prices`)
  return { bridge, gas, vault }
}
