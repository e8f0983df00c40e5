import type { Config } from '../app/config.ts'
import { ToolError } from '../mcp/kernel/error.ts'
import { openDevnetKeys } from '../mcp/ports/devnet/keys.ts'
import { fromBase58 } from '../mcp/ports/solnet/base58.ts'
import { openSolnetKeys } from '../mcp/ports/solnet/keys.ts'

type Fetch = (target: string, init: RequestInit) => Promise<Response>

type EvmKey = `0x${string}`

const readEvmKey = async (text: string | undefined, folder: string): Promise<EvmKey> => {
  if (!text) return (await openDevnetKeys(folder)).demo
  const key = text.startsWith('0x') ? text : `0x${text}`
  if (/^0x[0-9a-f]{64}$/i.test(key)) return key as EvmKey
  throw new ToolError(
    'invalid_input',
    'PRIVATE_KEY: must be 32 bytes as hex, such as 0x followed by 64 digits.',
  )
}

const readSolanaKey = async (text: string | undefined, folder: string): Promise<Uint8Array<ArrayBuffer>> => {
  const bytes = fromBase58(text || (await openSolnetKeys(folder)).demo)
  if (bytes?.length === 64) return new Uint8Array(bytes)
  throw new ToolError(
    'invalid_input',
    'SOLANA_PRIVATE_KEY: must be 64 bytes as base58, as wallets export it.',
  )
}

type PayerOptions = {
  config: Config
  environment: NodeJS.ProcessEnv
  /** The most that one call may cost, in USD; $1 unless told. */
  max?: string | undefined
  solanaRpc: () => Promise<string | undefined>
  report: (line: string) => void
}

const openSolanaScheme = async (key: Uint8Array, rpcUrl: string | undefined) => {
  const { createKeyPairSignerFromBytes } = await import('@solana/kit')
  const { ExactSvmScheme } = await import('@x402/svm/exact/client')
  return new ExactSvmScheme(await createKeyPairSignerFromBytes(key), rpcUrl ? { rpcUrl } : {})
}

/**
 * A fetch that pays what it is asked for, up to $1 or `max`, with the stock x402 client: from PRIVATE_KEY and SOLANA_PRIVATE_KEY, or from
 * the demo wallets of the local chains. What it paid is reported in a line.
 */
export const openPayingFetch = async (
  fetchOne: Fetch,
  { config: { OCTAGENT_DATA }, environment, max, solanaRpc, report }: PayerOptions,
): Promise<Fetch> => {
  const { wrapFetchWithPayment, x402Client } = await import('@x402/fetch')
  const { ExactEvmScheme } = await import('@x402/evm/exact/client')
  const { privateKeyToAccount } = await import('viem/accounts')
  const account = privateKeyToAccount(await readEvmKey(environment.PRIVATE_KEY, OCTAGENT_DATA))
  const rpcUrl = environment.SOLANA_RPC_URL || (await solanaRpc())
  const solana = await openSolanaScheme(
    await readSolanaKey(environment.SOLANA_PRIVATE_KEY, OCTAGENT_DATA),
    rpcUrl,
  )
  const client = x402Client.fromConfig({
    schemes: [
      { network: 'eip155:*', client: new ExactEvmScheme(account) },
      ...(solana ? [{ network: 'solana:*' as const, client: solana }] : []),
    ],
    ...(max !== undefined && { spendControls: { maxAmountPerPayment: `$${max}` } }),
  })
  const pay = wrapFetchWithPayment(async (target, init) => {
    const request = new Request(target, init)
    const body = request.body === null ? undefined : await request.text()
    const headers = Object.fromEntries(request.headers)
    return fetchOne(request.url, { method: request.method, headers, ...(body !== undefined && { body }) })
  }, client)
  return async (target, init) => {
    const response = await pay(target, init)
    const receipt = response.headers.get('payment-response')
    if (receipt) report(paidLine(receipt))
    return response
  }
}

const paidLine = (header: string): string => {
  try {
    const { transaction, network } = JSON.parse(Buffer.from(header, 'base64').toString()) as Record<
      string,
      string
    >
    return `paid on ${network} in ${transaction}`
  } catch {
    return 'paid'
  }
}
