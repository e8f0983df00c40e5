import { fileURLToPath } from 'node:url'
import {
  concatHex,
  createWalletClient,
  custom,
  encodeAbiParameters,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  pad,
  serializeErc6492Signature,
} from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openX402EvmDevnet } from '../../mcp/payment/methods/x402-evm/devnet.ts'
import { compile } from './compile.ts'
import { anvilClient, balanceOf, makePayer, onAnvil, openTestDevnet, signTerms } from './evm-chain.ts'
import { overX402 } from './x402.ts'

const source = fileURLToPath(new URL('./Accounts.sol', import.meta.url))
const multicall3 = '0xcA11bde05977b3631167028862bE2a173976CA11'

onAnvil('a smart account that is not deployed yet', () => {
  let net: Awaited<ReturnType<typeof openTestDevnet>>
  let contract: Awaited<ReturnType<typeof compile>>
  beforeAll(async () => {
    net = await openTestDevnet()
    contract = await compile(source)
  })
  afterAll(() => net.close())

  /** A payer whose account the factory would deploy; the money is there already. */
  const openCounterfactual = async () => {
    const chain = net.devnet.chain('base')
    const reader = await chain.reader()
    const owner = await makePayer(chain, 1_000_000n)
    const wallet = createWalletClient({ account: owner.account, transport: custom(reader) })
    const deploy = async (name: string): Promise<Hex> => {
      const hash = await wallet.deployContract({ ...contract(name), chain: null })
      const { contractAddress } = await reader.waitForTransactionReceipt({ hash })
      if (!contractAddress) throw new Error(`${name} was not deployed`)
      return contractAddress
    }
    const [factory, multicall] = [await deploy('Factory'), await deploy('Multicall')]
    const bytecode = await reader.getCode({ address: multicall })
    await (await anvilClient(chain)).setCode({ address: multicall3, bytecode: bytecode ?? '0x' })
    const argument = encodeAbiParameters([{ type: 'address' }], [owner.address])
    const address = getContractAddress({
      opcode: 'CREATE2',
      from: factory,
      salt: pad('0x00', { size: 32 }),
      bytecode: concatHex([contract('Account').bytecode, argument]),
    })
    await reader.waitForTransactionReceipt({ hash: await owner.transfer(address, 500_000n) })
    const pay = async (offer: Parameters<typeof signTerms>[2]) => {
      const original = await signTerms(chain, { ...owner.account, address }, offer)
      const data = encodeFunctionData({
        abi: contract('Factory').abi,
        functionName: 'deploy',
        args: [owner.address],
      })
      const signature = serializeErc6492Signature({
        address: factory,
        data,
        signature: original.payload.signature as Hex,
      })
      return { ...original, payload: { ...original.payload, signature } }
    }
    const signText = (message: string) => owner.account.signMessage({ message })
    return { chain, reader, address, factory, pay, signText }
  }

  test('is refused with the reason unless its factory is on the list, and deployed and charged where it is', async () => {
    const { chain, reader, address, factory, pay, signText } = await openCounterfactual()
    const strictMethod = overX402(openX402EvmDevnet(net.devnet, 'base'))
    const offer = await strictMethod.offer('0.50', 'before')
    const payload = await pay(offer)
    expect(await strictMethod.verify(payload, offer)).toEqual({ ok: false, reason: 'factory_not_allowed' })
    const other = overX402(openX402EvmDevnet(net.devnet, 'base', undefined, [multicall3]))
    expect(await other.verify(payload, offer)).toEqual({ ok: false, reason: 'factory_not_allowed' })
    expect(await reader.getCode({ address })).toBeUndefined()

    const open = overX402(openX402EvmDevnet(net.devnet, 'base', undefined, [factory]))
    const before = await balanceOf(chain, offer.payTo)
    expect(await open.verify(payload, offer)).toEqual({ ok: true, payer: address.toLowerCase() })
    expect(await open.settle(payload, offer)).toMatchObject({
      state: 'settled',
      payer: address.toLowerCase(),
    })
    expect(await balanceOf(chain, address)).toBe(0n)
    expect((await balanceOf(chain, offer.payTo)) - before).toBe(500_000n)
    expect((await reader.getCode({ address }))?.length).toBeGreaterThan(2)
    // Its owner signs for it (ERC-1271), as for a claim.
    const isSigned = async (text: string) => open.method.isSignedBy?.(address, 'text', await signText(text))
    expect([await isSigned('text'), await isSigned('other')]).toEqual([true, false])
  })
})
