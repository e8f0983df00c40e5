import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { encodeFunctionData, getAddress, type Hex, type PrivateKeyAccount } from 'viem'
import { entryPoint08Address } from 'viem/account-abstraction'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { createApp } from '../../../app/app.ts'
import { readConfig } from '../../../app/config.ts'
import { testUsdc } from '../../../contracts/test-usdc.ts'
import { openChain } from '../../../mcp/ports/chain/chain.ts'
import { chainNetworks } from '../../../mcp/ports/chain/networks.ts'
import { openDevnetKeys } from '../../../mcp/ports/devnet/keys.ts'
import type { Ports } from '../../../mcp/ports/ports.ts'
import money from '../../../mcp/services/money/service.ts'

const { abi } = testUsdc
const anvilBinary = process.env.ANVIL || undefined

export type Answer = { status: number; headers: Headers; body: Record<string, unknown> }

/** A stranger who only watches. */
export const shop: Hex = getAddress('0x209693bc6afc0c5328ba36faf03c514ef312287c')

/** A fetch that pays what it is asked for, as the stock client does it with its default limits. */
export const payingFetch = (account: PrivateKeyAccount): typeof fetch =>
  wrapFetchWithPayment(fetch, new x402Client().register('eip155:*', new ExactEvmScheme(account)))

type Options = {
  dir?: string
  environment?: Record<string, string>
  ports?: Partial<Ports>
}

/** The program with its local chains, wallets on Base, and requests to /v1/gas. */
export const startGas = async ({ dir: given, environment = {}, ports }: Options = {}) => {
  const dir = given ?? (await mkdtemp(join(tmpdir(), 'octagent-gas-')))
  const config = readConfig(
    {
      PORT: '0',
      OCTAGENT_DATA: dir,
      OCTAGENT_LOG: 'silent',
      OCTAGENT_RATE_LIMIT: '1000000',
      TRUST_PROXY: '1',
      ...(anvilBinary && { ANVIL: anvilBinary }),
      ...environment,
    },
    [money],
  )
  const app = await createApp({ services: [money], config, ...(ports && { ports }) })
  const url = `${await app.listen()}/money`
  const rpc = await app.devnetRpc('base')
  if (rpc === undefined) throw new Error('there is no local chain')
  const chain = openChain({ network: chainNetworks.base, rpc, devnet: true })
  const reader = await chain.reader()
  const facilitator = await chain.wallet((await openDevnetKeys(dir)).facilitator)
  const usdc = chain.network.token.address

  const mint = async (to: Hex, amount: bigint): Promise<void> => {
    const data = encodeFunctionData({ abi, functionName: 'mint', args: [to, amount] })
    await reader.waitForTransactionReceipt({ hash: await facilitator.send({ to: usdc, data }) })
  }
  const balance = (owner: Hex): Promise<bigint> =>
    reader.readContract({ address: usdc, abi, functionName: 'balanceOf', args: [owner] })

  /** A wallet with USDC and not a wei of ether. */
  const makeUser = async (amount = 20_000_000n) => {
    const account = privateKeyToAccount(generatePrivateKey())
    await mint(account.address, amount)
    return { account, address: account.address, fetch: payingFetch(account) }
  }

  let clients = 0
  // Each call is of another client: limits are by their addresses.
  const from = () => `2001:db8:${(++clients).toString(16)}::1`

  const send = async (
    method: string,
    path: string,
    body?: object,
    fetchWith: typeof fetch = fetch,
    headers: Record<string, string> = {},
  ): Promise<Answer> => {
    const response = await fetchWith(`${url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', 'x-forwarded-for': from(), ...headers },
      ...(body && {
        body: JSON.stringify(body, (_, value) => (typeof value === 'bigint' ? String(value) : value)),
      }),
    })
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as Record<string, unknown>,
    }
  }

  // What gas is sponsored with is put on the chain by the first use.
  const params = [{ sender: shop, callData: '0x' }, entryPoint08Address, '0x2105', {}]
  await send('POST', '/v1/gas', { jsonrpc: '2.0', id: 1, method: 'pm_getPaymasterStubData', params })

  return {
    app,
    dir,
    url,
    chain,
    reader,
    usdc,
    mint,
    balance,
    makeUser,
    /** POST /v1/gas. */
    post: (body: object, fetchWith?: typeof fetch, headers?: Record<string, string>) =>
      send('POST', '/v1/gas', body, fetchWith, headers),
    get: (path: string) => send('GET', path),
    postTo: (path: string, body: object) => send('POST', path, body),
    call: (tool: string, body: object) => send('POST', `/tools/${tool}`, body),
    /** Sends as anybody, which only a local chain allows. */
    facilitator,
    async stop() {
      await app.close(true)
      if (given === undefined) await rm(dir, { recursive: true, force: true })
    },
  }
}

export type Gas = Awaited<ReturnType<typeof startGas>>

/** Two transfers of the user's own dollars. */
export const twoTransfers = (
  usdc: Hex,
  to: Hex = shop,
  amounts: readonly [bigint, bigint] = [1_000_000n, 2_000_000n],
) =>
  amounts.map(amount => ({
    to: usdc,
    data: encodeFunctionData({ abi, functionName: 'transfer', args: [to, amount] }),
  }))

type Sold = {
  id: string
  typed_data: { domain: object; types: object; primaryType: string; message: object }
  authorization: { address: Hex; chainId: number; nonce: number } | null
}

/** What the owner of an account sends back: its signatures over what was sold. */
export const signSold = async (account: PrivateKeyAccount, body: object) => {
  const { id, typed_data: typedData, authorization } = body as Sold
  const signature = await account.signTypedData(typedData as Parameters<typeof account.signTypedData>[0])
  return {
    id,
    signature,
    ...(authorization && {
      authorization: await account.signAuthorization(authorization),
    }),
  }
}
