import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createTestClient, defineChain, type Hex, http, publicActions, walletActions } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { startAnvil } from '../../../../mcp/ports/devnet/anvil.ts'
import { findAnvil } from '../../../../mcp/ports/devnet/binary.ts'
import { openEvm } from '../../../../mcp/ports/evm/evm.ts'
import { anvilBinary } from '../../../payment/evm-chain.ts'
import { traps } from './contracts.ts'

/** The port over one node that stands in for Base. */
export const evmAt = (url: string, attemptMs = 1_500) =>
  openEvm({ rpc: { base: [{ reveal: () => url }] } as never, attemptMs })

/** A real EVM with the id of Base. */
export const startBase = async () => {
  const anvil = await startAnvil(await findAnvil(anvilBinary), 8453)
  const account = privateKeyToAccount(generatePrivateKey())
  const chain = defineChain({
    id: 8453,
    name: 'Base',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [anvil.rpc] } },
  })
  const client = createTestClient({ account, chain, mode: 'anvil', transport: http(), pollingInterval: 25 })
    .extend(publicActions)
    .extend(walletActions)
  await client.setBalance({ address: account.address, value: 10n ** 20n })

  return {
    rpc: anvil.rpc,
    evm: evmAt(anvil.rpc),
    client,
    account,
    async deploy(name: string, args: readonly unknown[] = []): Promise<Hex> {
      const contract = traps()[name]
      if (!contract) throw new Error(`no contract ${name}`)
      const hash = await client.deployContract({ ...contract, args } as never)
      const { contractAddress } = await client.waitForTransactionReceipt({ hash })
      if (!contractAddress) throw new Error(`${name} was not deployed`)
      return contractAddress.toLowerCase() as Hex
    },
    async write(name: string, address: Hex, functionName: string, args: readonly unknown[]): Promise<void> {
      const abi = traps()[name]?.abi
      const hash = await client.writeContract({ abi, address, functionName, args } as never)
      await client.waitForTransactionReceipt({ hash })
    },
    stop: () => anvil.stop(),
  }
}

type Reply = unknown | 'hang'

/** A node between: `answer` says what a method is answered with instead, undefined for what the real one says. */
export const startNode = async (
  rpc: string,
  answer: (method: string, params: readonly unknown[]) => Reply | undefined,
) => {
  const server: Server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString()
    })
    request.on('end', async () => {
      const { id, method, params } = JSON.parse(body) as { id: number; method: string; params: unknown[] }
      const own = answer(method, params)
      if (own === 'hang') return
      response.setHeader('content-type', 'application/json')
      if (own !== undefined) {
        response.end(
          typeof own === 'string' ? own : JSON.stringify({ jsonrpc: '2.0', id, ...(own as object) }),
        )
        return
      }
      const real = await fetch(rpc, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
      response.end(await real.text())
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise<void>(resolve => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
