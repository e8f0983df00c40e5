import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKeyPairSignerFromBytes, generateKeyPairSigner } from '@solana/kit'
import type { ClientSvmSigner } from '@x402/svm'
import { ExactSvmScheme } from '@x402/svm/exact/client'
import { openX402Svm, type X402SvmOptions } from '../../mcp/payment/methods/x402-svm/method.ts'
import { fromBase58 } from '../../mcp/ports/solnet/base58.ts'
import { toAddress } from '../../mcp/ports/solnet/keys.ts'
import { solanaNetworks } from '../../mcp/ports/solnet/network.ts'
import { openSolnet } from '../../mcp/ports/solnet/solnet.ts'
import { type Requirements as Offer, overX402, type Payload } from './x402.ts'

/** Whether litesvm runs here. In CI it has to. */
export const hasSolana = async (): Promise<boolean> => {
  try {
    const { LiteSVM } = await import('litesvm')
    return LiteSVM !== undefined
  } catch (error) {
    if (process.env.CI) throw error
    console.warn('SKIPPED: Solana payments are not tested, litesvm has no binary for this system')
    return false
  }
}

/** A local Solana in a folder of its own, with rails and stock clients for it. `clock.ms` moves its time on. */
export const openSvmWorld = async () => {
  const dir = await mkdtemp(join(tmpdir(), 'octagent-svm-'))
  const clock = { ms: 0 }
  const solnet = openSolnet({ dir, now: () => Date.now() + clock.ms })
  const keys = await solnet.keys()
  const payTo = toAddress(keys.payTo)

  const openMethod = (more: Partial<X402SvmOptions> = {}) =>
    overX402(
      openX402Svm({
        network: solanaNetworks.devnet,
        devnet: true,
        rpc: solnet.rpc,
        payTo: async () => payTo,
        facilitator: { key: async () => keys.feePayer },
        refundKey: async () => keys.payTo,
        confirmMs: 2_000,
        ...more,
      }),
    )

  /** What the stock x402 client of a wallet sends for an offer; `claims` is what it says that it accepted. */
  const pay = async (offer: Offer, signer: ClientSvmSigner, claims: Offer = offer): Promise<Payload> => {
    const client = new ExactSvmScheme(signer, { rpcUrl: await solnet.rpc() })
    type Asked = Parameters<typeof client.createPaymentPayload>[1]
    const { payload } = await client.createPaymentPayload(2, offer as Asked)
    return { x402Version: 2, accepted: claims, payload }
  }

  return {
    dir,
    clock,
    solnet,
    keys,
    payTo,
    openMethod,
    pay,
    demo: await createKeyPairSignerFromBytes(new Uint8Array(fromBase58(keys.demo) ?? [])),
    stranger: () => generateKeyPairSigner(),
    close: async () => {
      await solnet.close()
      await rm(dir, { recursive: true, force: true })
    },
  }
}
