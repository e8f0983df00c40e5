import { encodeFunctionData, type Hex, parseSignature } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { authorizationAbi } from '../../../mcp/lib/evm-abi.ts'
import { openChain } from '../../../mcp/ports/chain/chain.ts'
import { networks } from '../../../mcp/ports/chain/networks.ts'
import { openDevnetKeys } from '../../../mcp/ports/devnet/keys.ts'
import type { startApp } from '../../app.ts'

/** The parts of a 402 of a purchase that a buyer needs. */
export type Prepared = {
  purchase_id: string
  prepared_result_digest: string
  prepared_at: string
  expires_at: string
  quote: Record<string, string>
  authorization: {
    domain: { name: string; version: string; chainId: number; verifyingContract: Hex }
    types: Record<string, { name: string; type: string }[]>
    primaryType: string
    message: Record<'from' | 'to' | 'value' | 'validAfter' | 'validBefore' | 'nonce', string>
  }
  contract_call: { to: Hex; selector: string; chain_id: number }
}

type Changes = { message?: Partial<Prepared['authorization']['message']>; to?: Hex; gas?: bigint }

/** The demo wallet of an installation, as a stranger who reads the 402 and broadcasts the transfer by hand. */
export const openBuyer = async (app: Pick<Awaited<ReturnType<typeof startApp>>, 'devnetRpc' | 'dir'>) => {
  const rpc = await app.devnetRpc('base')
  if (rpc === undefined) throw new Error('there is no local Base')
  const chain = openChain({ network: networks.base, rpc, devnet: true })
  const { demo } = await openDevnetKeys(app.dir)
  const account = privateKeyToAccount(demo)
  const [reader, wallet] = await Promise.all([chain.reader(), chain.wallet(demo)])

  /** Sends a call and waits until it is mined. */
  const send = async (to: Hex, data: Hex, gas?: bigint): Promise<Hex> => {
    const hash = await wallet.send({ to, data, ...(gas !== undefined && { gas }) })
    await reader.waitForTransactionReceipt({ hash })
    return hash
  }

  /** Signs what a 402 asks for, with changes of the test's choosing, and broadcasts it. */
  const broadcast = async (prepared: Prepared, { message, to, gas }: Changes = {}): Promise<Hex> => {
    const { domain, types, primaryType, message: asked } = prepared.authorization
    const told = { ...asked, from: account.address, ...message }
    const terms = {
      ...told,
      value: BigInt(told.value),
      validAfter: BigInt(told.validAfter),
      validBefore: BigInt(told.validBefore),
    }
    const signature = await account.signTypedData({ domain, types, primaryType, message: terms })
    const { r, s, v = 27n } = parseSignature(signature)
    const data = encodeFunctionData({
      abi: authorizationAbi,
      functionName: 'transferWithAuthorization',
      args: [
        account.address,
        terms.to as Hex,
        terms.value,
        terms.validAfter,
        terms.validBefore,
        terms.nonce as Hex,
        Number(v),
        r,
        s,
      ],
    })
    if (!data.startsWith(prepared.contract_call.selector))
      throw new Error('another selector than the 402 names')
    return send(to ?? prepared.contract_call.to, data, gas)
  }

  return { account, chain, reader, send, broadcast }
}

export type Buyer = Awaited<ReturnType<typeof openBuyer>>
