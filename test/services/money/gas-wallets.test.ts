import { createRequire } from 'node:module'
import { x402Client } from '@x402/core/client'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import {
  type Abi,
  concatHex,
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  http,
  zeroHash,
} from 'viem'
import {
  createPaymasterClient,
  entryPoint08Address,
  prepareUserOperation,
  toSimple7702SmartAccount,
} from 'viem/account-abstraction'
import { expect, test } from 'vitest'
import { opened } from '../../opened.ts'
import { abi, onAnvil } from '../../payment/evm-chain.ts'
import { shop, signSold, startGas, twoTransfers } from './gas.ts'

const gas = opened(startGas)

const artifact = (name: string): { abi: Abi; bytecode: Hex } =>
  createRequire(import.meta.url)(`@account-abstraction/contracts/artifacts/${name}.json`)

type Prepared = { id: string }

onAnvil('gas for the wallets of others', () => {
  test("viem's own paymaster client and account run a batch with a wallet of 0 ETH (ERC-7677)", async () => {
    const user = await gas.makeUser()
    const { reader, usdc, url } = gas
    const account = await toSimple7702SmartAccount({ client: reader, owner: user.account })
    const transport = http(`${url}/v1/gas`, { fetchFn: user.fetch, retryCount: 0 })
    const paymaster = createPaymasterClient({ transport })
    const authorization = await user.account.signAuthorization({
      address: account.authorization.address,
      chainId: 8453,
      nonce: 0,
    })
    const operation = await prepareUserOperation(reader, {
      account,
      calls: twoTransfers(usdc),
      paymaster,
      authorization,
      callGasLimit: 70_000n,
      verificationGasLimit: 60_000n,
      preVerificationGas: 90_000n,
      maxFeePerGas: 40_000_000n,
      maxPriorityFeePerGas: 1_000_000n,
      paymasterVerificationGasLimit: 60_000n,
      paymasterPostOpGasLimit: 0n,
    })
    expect(await gas.balance(user.address)).toBe(20_000_000n - 43_680n)

    const before = await gas.balance(shop)
    const { id } = operation as unknown as Prepared
    const signature = await account.signUserOperation(operation)
    const done = await gas.post({ id, signature, authorization })
    expect(done.body).toMatchObject({ state: 'mined', success: true })
    expect(await gas.balance(shop)).toBe(before + 3_000_000n)
    expect(await reader.getBalance({ address: user.address })).toBe(0n)
  })

  test('a wallet that sees no headers is told the price in a JSON-RPC error and pays in the context', async () => {
    const user = await gas.makeUser()
    const { reader, usdc } = gas
    const account = await toSimple7702SmartAccount({ client: reader, owner: user.account })
    const operation = {
      sender: user.address,
      nonce: '0x0',
      factory: '0x7702',
      callData: await account.encodeCalls(twoTransfers(usdc)),
      callGasLimit: '0x11170',
      verificationGasLimit: '0xea60',
      preVerificationGas: '0x15f90',
      maxFeePerGas: '0x2625a00',
      maxPriorityFeePerGas: '0xf4240',
    }
    const ask = (method: string, context: object = {}) =>
      gas.post({
        jsonrpc: '2.0',
        id: 7,
        method,
        params: [operation, entryPoint08Address, '0x2105', context],
      })

    const stub = await ask('pm_getPaymasterStubData')
    expect(stub.body).toMatchObject({
      jsonrpc: '2.0',
      id: 7,
      result: { isFinal: false, paymasterPostOpGasLimit: '0x0' },
    })

    // 280,000 gas at 0.04 gwei and 3,000 USD, and 30 % above.
    const quote = await ask('pm_getPaymasterData')
    expect(quote.status).toBe(402)
    expect(quote.headers.get('payment-required')).toBeTruthy()
    expect(quote.body).toMatchObject({
      id: 7,
      error: { code: 402, data: { x402Version: 2, accepts: [{ amount: '43680' }] } },
    })

    const client = new x402Client().register('eip155:*', new ExactEvmScheme(user.account))
    const { data } = quote.body.error as { data: Parameters<typeof client.createPaymentPayload>[0] }
    const x402 = await client.createPaymentPayload(data)
    const paid = await ask('pm_getPaymasterData', { x402 })
    expect(paid.body).toMatchObject({ id: 7, result: { id: expect.stringMatching(/^gas_/) } })
    expect(paid.status).toBe(200)
    // The same payment once more is the same answer.
    expect((await ask('pm_getPaymasterData', { x402 })).body).toEqual(paid.body)
    expect(await gas.balance(user.address)).toBe(20_000_000n - 43_680n)
  })

  test('an account that is not there yet is made and pays from its own dollars, with the payment of somebody else', async () => {
    const { reader, usdc, facilitator } = gas
    const [owner, payer] = [await gas.makeUser(0n), await gas.makeUser()]
    const factory = artifact('SimpleAccountFactory')
    const deployer = '0x4e59b44847b379578588920cA78FbF26c0B4956C'
    const code = encodeDeployData({ ...factory, args: [entryPoint08Address] })
    const hash = await facilitator.send({ to: deployer, data: concatHex([zeroHash, code]) })
    await reader.waitForTransactionReceipt({ hash })
    const factoryAddress = getContractAddress({
      opcode: 'CREATE2',
      from: deployer,
      salt: zeroHash,
      bytecode: code,
    })
    const sender = (await reader.readContract({
      address: factoryAddress,
      abi: factory.abi,
      functionName: 'getAddress',
      args: [owner.address, 0n],
    })) as Hex
    await gas.mint(sender, 5_000_000n)
    const transfer = encodeFunctionData({ abi, functionName: 'transfer', args: [shop, 4_000_000n] })
    const request = {
      userOperation: {
        sender,
        factory: factoryAddress,
        factoryData: encodeFunctionData({
          abi: factory.abi,
          functionName: 'createAccount',
          args: [owner.address, 0n],
        }),
        callData: encodeFunctionData({
          abi: artifact('SimpleAccount').abi,
          functionName: 'execute',
          args: [usdc, 0n, transfer],
        }),
      },
    }
    const sold = await gas.post(request, payer.fetch)
    expect(sold.body).toMatchObject({ state: 'paid', authorization: null })
    const done = await gas.post(await signSold(owner.account, sold.body))
    expect(done.body).toMatchObject({ state: 'mined', success: true })
    expect(await gas.balance(sender)).toBe(1_000_000n)
    const { gasUsed } = await reader.getTransactionReceipt({ hash: done.body.transaction_hash as Hex })
    expect(BigInt(String(done.body.gas_used))).toBeGreaterThanOrEqual(gasUsed)
  })
})
