import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PaymentRequired } from '@x402/core/types'
import { readConfig } from '../../app/config.ts'
import { services } from '../../app/services.ts'
import { start } from '../../app/start.ts'
import { networks } from '../../mcp/ports/chain/networks.ts'
import { startInternet } from '../internet/internet.ts'
import { anvilBinary, onAnvil } from '../payment/evm-chain.ts'
import { describeJudged, loadJudge } from './judges.ts'

type Hex = `0x${string}`

/** Tests in which stock clients pay on local chains. */
export const paying = (name: string, body: () => void): void =>
  describeJudged('clients', name, () => onAnvil('on local chains', body))

/** A wallet as an application has it that pays with the stock x402 client, with its default spend controls. */
export const openPayer = async (key: Hex) => {
  const { wrapFetchWithPayment, x402Client, x402HTTPClient } =
    await loadJudge<typeof import('@x402/fetch')>('@x402/fetch')
  const { ExactEvmScheme } =
    await loadJudge<typeof import('@x402/evm/exact/client')>('@x402/evm/exact/client')
  const { privateKeyToAccount } = await loadJudge<typeof import('viem/accounts')>('viem/accounts')
  const account = privateKeyToAccount(key)
  const client = new x402Client().register('eip155:*', new ExactEvmScheme(account))
  const http = new x402HTTPClient(client)
  return {
    address: account.address,
    /** `fetch` that pays what it is asked to. */
    fetch: wrapFetchWithPayment(fetch, client),
    /** A signed payment for a quote, which is read as the SDK's type says it is. */
    sign: (quote: unknown) => client.createPaymentPayload(quote as PaymentRequired),
    /** The header that a signed payment travels in. */
    header: http.encodePaymentSignatureHeader.bind(http),
    receiptIn: ({ headers }: Response) => http.getPaymentSettleResponse(name => headers.get(name)),
    quoteIn: ({ headers }: Response) => http.getPaymentRequiredResponse(name => headers.get(name)),
  }
}

export type Payer = Awaited<ReturnType<typeof openPayer>>

const balanceAbi = [
  {
    type: 'function',
    name: 'balanceOf',
    stateMutability: 'view',
    inputs: [{ name: 'account', type: 'address' }],
    outputs: [{ name: '', type: 'uint256' }],
  },
] as const

/** The whole program with its local chains: the demo wallet, a wallet that holds nothing, and a look at the chain. */
export const startPaidApp = async () => {
  const dir = await mkdtemp(join(tmpdir(), 'octagent-payer-'))
  const internet = await startInternet()
  const settings = { PORT: '0', OCTAGENT_DATA: dir, OCTAGENT_LOG: 'silent', OCTAGENT_RATE_LIMIT: '1000000' }
  const config = readConfig({ ...settings, ...(anvilBinary && { ANVIL: anvilBinary }) }, services)
  const app = await start(config, { ports: internet.ports() })
  const rpc = await app.devnetRpc('base')
  const keys = JSON.parse(await readFile(join(dir, 'devnet.json'), 'utf8')) as Record<'demo' | 'payTo', Hex>
  const { createPublicClient, http } = await loadJudge<typeof import('viem')>('viem')
  const { generatePrivateKey } = await loadJudge<typeof import('viem/accounts')>('viem/accounts')
  const [demo, till, poor] = await Promise.all([keys.demo, keys.payTo, generatePrivateKey()].map(openPayer))
  if (!demo || !till || !poor) throw new Error('three keys make three wallets')
  const reader = createPublicClient({ transport: http(rpc), cacheTime: 0 })
  const { address } = networks.base.token
  const holds = (account: Hex): Promise<bigint> =>
    reader.readContract({ address, abi: balanceAbi, functionName: 'balanceOf', args: [account] })
  return {
    url: app.url,
    demo,
    /** For clients that make a wallet of their own of it. */
    demoKey: keys.demo,
    poor,
    /** Atomic USDC on base that left the demo wallet and that came to the service, since `before`. */
    async moved(before = { demo: 0n, till: 0n }) {
      const [demoBalance, tillBalance] = await Promise.all([holds(demo.address), holds(till.address)])
      return { demo: demoBalance - before.demo, till: tillBalance - before.till }
    },
    receipt: (hash: Hex) => reader.getTransactionReceipt({ hash }),
    /** Atomic USDC of an address on base. */
    holds,
    async stop() {
      await app.stop()
      await internet.stop()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

export type PaidApp = Awaited<ReturnType<typeof startPaidApp>>

/** What `moved` says when a number of feedings were paid. */
export const paidFor = (feedings: number) => {
  const price = 100_000n * BigInt(feedings)
  return { demo: -price, till: price }
}

/** What a feeding returns, as far as tests look at it. */
export type Purr = { kibble: number; feeder: string; transaction: Hex; number: number; network: string }
