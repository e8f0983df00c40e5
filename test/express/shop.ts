import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { x402Client } from '@x402/core/client'
import type { FacilitatorClient, PaywallConfig, PaywallProvider, RoutesConfig } from '@x402/core/server'
import { x402HTTPResourceServer, x402ResourceServer } from '@x402/core/server'
import type { PaymentRequired } from '@x402/core/types'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { ExactEvmScheme as ServerScheme } from '@x402/evm/exact/server'
import express, { type Express, type NextFunction, type Request, type Response } from 'express'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { readConfig } from '../../app/config.ts'
import type { RoutePaymentOptions } from '../../app/route-payments.ts'
import { paymentMiddlewareFromHTTPServer } from '../../express.ts'
import { openLocalFacilitator } from '../../mcp/payment/methods/x402-evm/facilitator.ts'
import { networks } from '../../mcp/ports/chain/networks.ts'
import { balanceOf, makePayer, openTestDevnet } from '../payment/evm-chain.ts'

export const network = networks['base-sepolia'].id

type VerifyAnswer = Awaited<ReturnType<FacilitatorClient['verify']>>
type SettleAnswer = Awaited<ReturnType<FacilitatorClient['settle']>>

/** How a facilitator misbehaves, one call long or until it is told otherwise. */
export type Mood = {
  verify?: (real: () => Promise<VerifyAnswer>) => Promise<VerifyAnswer>
  settle?: (real: () => Promise<SettleAnswer>) => Promise<SettleAnswer>
}

/** A local chain with a real facilitator in this process, whose word tests may twist; the chain does what it does. */
export const openMarket = async () => {
  const { devnet, close } = await openTestDevnet()
  const chain = devnet.chain('base-sepolia')
  const local = await openLocalFacilitator(chain, (await devnet.keys()).facilitator, 15_000)
  const calls = { verify: 0, settle: 0 }
  const mood: Mood = {}
  const facilitator: FacilitatorClient = {
    verify: async (payload, requirements) => {
      calls.verify += 1
      const real = async () => (await local.verify(payload, requirements)) as VerifyAnswer
      return mood.verify ? mood.verify(real) : real()
    },
    settle: async (payload, requirements) => {
      calls.settle += 1
      // What our own facilitator says beside the standard's fields is for our own methods only.
      const real = async (): Promise<SettleAnswer> => {
        const { success, errorReason, transaction } = await local.settle(payload, requirements)
        return { success, ...(errorReason !== undefined && { errorReason }), transaction, network }
      }
      return mood.settle ? mood.settle(real) : real()
    },
    getSupported: async () => ({
      kinds: [{ x402Version: 2, scheme: 'exact', network }],
      extensions: [],
      signers: {},
    }),
  }
  const rpc = (await devnet.network('base-sepolia')).rpc
  const refundKey = (await devnet.keys()).demo
  return {
    chain,
    rpc,
    facilitator,
    calls,
    mood,
    calm() {
      delete mood.verify
      delete mood.settle
    },
    server: ({ x402ResourceServer: Server } = { x402ResourceServer } as Stock) =>
      new Server(facilitator).register(network, new ServerScheme()),
    payer: () => makePayer(chain),
    refundKey,
    earned: (address: string) => balanceOf(chain, address),
    close,
  }
}

export type Market = Awaited<ReturnType<typeof openMarket>>

type Middleware = (req: Request, res: Response, next: NextFunction) => unknown

/** The stock package, or what has its exports. */
export type Stock = {
  x402HTTPResourceServer: typeof x402HTTPResourceServer
  x402ResourceServer: typeof x402ResourceServer
  paymentMiddlewareFromHTTPServer(
    http: x402HTTPResourceServer,
    paywallConfig?: PaywallConfig,
    paywall?: PaywallProvider,
    sync?: boolean,
  ): Middleware
}

export type ShopOptions = {
  routes: (payTo: string) => RoutesConfig
  build: (app: Express) => void
  /** The stock middleware; ours when left out. */
  stock?: Stock | undefined
  before?: readonly Middleware[]
  prepare?: (http: x402HTTPResourceServer) => void
  paywall?: PaywallProvider
  paywallConfig?: PaywallConfig
  options?: RoutePaymentOptions
  environment?: Record<string, string>
  /** The data folder of a shop before it. */
  dir?: string
  payTo?: string
}

/** An Express application with paid routes, on a port of its own. */
export const openShop = async (market: Market, options: ShopOptions) => {
  const dir = options.dir ?? (await mkdtemp(join(tmpdir(), 'octagent-shop-')))
  const payTo = options.payTo ?? privateKeyToAccount(generatePrivateKey()).address
  const Http = options.stock?.x402HTTPResourceServer ?? x402HTTPResourceServer
  const http = new Http(market.server(options.stock), options.routes(payTo))
  options.prepare?.(http)
  const config = readConfig({ OCTAGENT_DATA: dir, OCTAGENT_LOG: 'silent', ...options.environment })
  const ours = options.stock
    ? undefined
    : paymentMiddlewareFromHTTPServer(http, options.paywallConfig, options.paywall, true, {
        config,
        rpc: { [network]: market.rpc },
        ...options.options,
      })
  const middleware =
    ours ?? options.stock?.paymentMiddlewareFromHTTPServer(http, options.paywallConfig, options.paywall)
  const app = express()
  for (const each of options.before ?? []) app.use(each)
  if (middleware) app.use((req, res, next) => middleware(req, res, next))
  if (ours) app.use(ours.operations)
  options.build(app)
  const server = app.listen(0, '127.0.0.1')
  await new Promise(listening => server.once('listening', listening))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  let isOpen = true
  return {
    url,
    dir,
    payTo,
    payments: ours,
    earned: () => market.earned(payTo),
    async stop(keep = false) {
      if (!isOpen) return
      isOpen = false
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
      await ours?.close()
      if (!keep) await rm(dir, { recursive: true, force: true })
    },
  }
}

export type Shop = Awaited<ReturnType<typeof openShop>>

export const quoteIn = (response: globalThis.Response): PaymentRequired =>
  JSON.parse(Buffer.from(response.headers.get('payment-required') ?? '', 'base64').toString('utf8'))

export const receiptIn = (response: globalThis.Response): Record<string, unknown> | undefined => {
  const header = response.headers.get('payment-response')
  return header === null ? undefined : JSON.parse(Buffer.from(header, 'base64').toString('utf8'))
}

/** Signs what a response asks for, as the stock client does, into the header to send. */
export const sign = async (account: PrivateKeyAccount, quote: PaymentRequired): Promise<string> => {
  const client = new x402Client().register('eip155:*', new ExactEvmScheme(account))
  const payload = await client.createPaymentPayload(quote)
  return Buffer.from(JSON.stringify(payload)).toString('base64')
}

/** A buyer that asks, signs once, and can send the very same payment again. */
export const openBuyer = async (market: Market) => {
  const { account, address } = await market.payer()
  return {
    account,
    address,
    balance: () => balanceOf(market.chain, address),
    async signFor(url: string, init: RequestInit = {}): Promise<string> {
      const response = await fetch(url, init)
      if (response.status !== 402) throw new Error(`${url} answered ${response.status}`)
      return sign(account, quoteIn(response))
    },
  }
}

export const fetchPaid = (url: string, payment: string, init: RequestInit = {}) =>
  fetch(url, { ...init, headers: { ...init.headers, 'payment-signature': payment } })
