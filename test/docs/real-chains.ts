import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createTestClient, type Hex, http, parseEther, zeroAddress } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { openChains } from '../../mcp/ports/chain/chains.ts'
import { openEvm } from '../../mcp/ports/evm/evm.ts'
import { routeNamed } from '../../mcp/services/money/bridge/chains.ts'
import { openLocalBridge } from '../../mcp/services/money/bridge/devnet.ts'
import { setUpGasChain } from '../../mcp/services/money/gas/devnet.ts'
import { openLocalBasket } from '../../mcp/services/money/vault/devnet.ts'
import type { openTestDevnet } from '../payment/evm-chain.ts'

/** Chainlink's feed ETH / USD on Base, and the contract of the OP stack that tells the fee of data. */
const etherFeed: Hex = '0x71041dddad3595F9CEd3DcCFBe3D1F4b0a16Bb70'
const dataFees: Hex = '0x420000000000000000000000000000000000000F'

/** Describes itself as ETH / USD, and answers everything else with a round of now at 3,000 dollars, in eight digits. */
const etherFeedCode: Hex =
  '0x60003560e01c637284e41614602f5760086000526445d964b8006020524260405242606052600860805260a06000f35b602060005260096020527f455448202f20555344000000000000000000000000000000000000000000000060405260606000f3'
const answersZero: Hex = '0x60206000f3'

const newAddress = () => privateKeyToAccount(generatePrivateKey()).address

/** Puts on local chains what others have deployed on Base and Arc, and opens a server that attests as Circle's does. */
export const openRealChains = async ({ devnet }: Awaited<ReturnType<typeof openTestDevnet>>) => {
  const keys = await devnet.keys()
  const chains = openChains({
    devnet,
    node: () => undefined,
    shared: () => undefined,
    relayerKey: async () => keys.facilitator,
  })
  const base = devnet.chain('base')
  const { rpc } = await devnet.network('base')
  const anvil = createTestClient({ mode: 'anvil', transport: http(rpc) })
  await setUpGasChain(await base.reader(), { signer: newAddress(), submitter: newAddress() })
  await anvil.setCode({ address: etherFeed, bytecode: etherFeedCode })
  await anvil.setCode({ address: dataFees, bytecode: answersZero })
  const evm = openEvm({
    rpc: { eth: [], base: [], arbitrum: [], optimism: [], polygon: [] },
    local: chain => (chain === 'base' ? () => devnet.network('base') : undefined),
  })
  const local = evm.local?.('base')
  const route = routeNamed('base-arc')
  if (!local || !route) throw new Error('no local chain')
  const basket = await openLocalBasket(local, base.network.token.address)
  const bridge = await openLocalBridge(chains)
  // With its first lane Circle's contracts are there.
  await bridge.lane(route)
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const body = text === '' ? undefined : (JSON.parse(text) as object)
    const answer = await bridge.ask(request.method as 'GET' | 'POST', request.url ?? '', body)
    response.writeHead(answer.status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer.body))
  })
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  return {
    arc: (await devnet.network('arc')).rpc,
    /** Settings of the places that are others' here. */
    environment: {
      MONEY_STOCKS: JSON.stringify(basket.stocks),
      MONEY_BRIDGE_ATTESTATIONS: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    },
    /** Parameters of the vaults whose defaults are those of the real Base. */
    vaultParameters: { router: basket.router, sequencer: zeroAddress, stablecoinFeed: basket.stablecoinFeed },
    /** What the document asks people to send. */
    async fund(gas: Hex, submitter: Hex) {
      await anvil.setBalance({ address: gas, value: parseEther('0.05') })
      await anvil.setBalance({ address: submitter, value: parseEther('0.001') })
      const arc = createTestClient({ mode: 'anvil', transport: http((await devnet.network('arc')).rpc) })
      await arc.setBalance({ address: gas, value: parseEther('1') })
    },
    close: () => new Promise(closed => server.close(closed)),
  }
}
