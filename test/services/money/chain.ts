import { fileURLToPath } from 'node:url'
import {
  concatHex,
  createWalletClient,
  custom,
  encodeAbiParameters,
  encodeFunctionData,
  getAddress,
  getContractAddress,
  type Hex,
  type PrivateKeyAccount,
  pad,
  serializeErc6492Signature,
  type TypedDataDomain,
  toHex,
} from 'viem'
import { testUsdc } from '../../../contracts/test-usdc.ts'
import { authorizationFields } from '../../../mcp/lib/evm-abi.ts'
import { openEvm } from '../../../mcp/ports/evm/evm.ts'
import { compile } from '../../payment/compile.ts'
import { anvilClient, makePayer, openTestDevnet } from '../../payment/evm-chain.ts'
import { startMoney } from './run.ts'

const accounts = fileURLToPath(new URL('../../payment/Accounts.sol', import.meta.url))
const blocking = fileURLToPath(new URL('./Blocking.sol', import.meta.url))

export const { abi } = testUsdc
export const payee: Hex = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C'
export const blockedAccount = getAddress('0x000000000000000000000000000000000b10cced')
const tokenCode: Hex = '0x00000000000000000000000000000000000c014e'

const types = {
  TransferWithAuthorization: authorizationFields,
  ReceiveWithAuthorization: authorizationFields,
} as const

export type Terms = { to: Hex; value: bigint; validAfter: bigint; validBefore: bigint; nonce: Hex }

/** Base on a local chain, whose USDC has a block list, and the money service that reads it. */
export const startBase = async () => {
  const net = await openTestDevnet()
  const chain = net.devnet.chain('base')
  const [reader, anvil, account, block] = await Promise.all([
    chain.reader(),
    anvilClient(chain),
    compile(accounts),
    compile(blocking),
  ])
  const { rpc } = await net.devnet.network('base')
  const payer = await makePayer(chain, 5_000_000n)
  const wallet = createWalletClient({ account: payer.account, transport: custom(reader) })
  const usdc = chain.network.token.address

  const mined = async (sent: Promise<Hex>): Promise<Hex> => {
    const hash = await sent
    await reader.waitForTransactionReceipt({ hash })
    return hash
  }
  const deploy = async (contract: ReturnType<typeof account>, args: unknown[] = []): Promise<Hex> => {
    const hash = await wallet.deployContract({ ...contract, args, chain: null })
    const { contractAddress } = await reader.waitForTransactionReceipt({ hash })
    if (!contractAddress) throw new Error('nothing was deployed')
    return contractAddress
  }
  await anvil.setCode({ address: tokenCode, bytecode: testUsdc.deployedBytecode as Hex })
  const front = await reader.getCode({ address: await deploy(block('Blocking')) })
  await anvil.setCode({ address: usdc, bytecode: front ?? '0x' })

  const evm = openEvm({
    rpc: { eth: [], base: [{ reveal: () => rpc }], arbitrum: [], optimism: [], polygon: [] },
  })
  const money = await startMoney({ evm, clock: { now: () => new Date() } })

  const seconds = () => BigInt(Math.floor(Date.now() / 1_000))
  const domain = { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: usdc }

  const sign = async (
    signer: PrivateKeyAccount,
    terms: Partial<Terms & { from: Hex }> = {},
    as: { domain?: TypedDataDomain; primaryType?: keyof typeof types } = {},
  ) => {
    const message = {
      from: signer.address,
      to: payee,
      value: 10_000n,
      validAfter: seconds() - 60n,
      validBefore: seconds() + 300n,
      nonce: toHex(crypto.getRandomValues(new Uint8Array(32))),
      ...terms,
    }
    const primaryType = as.primaryType ?? 'TransferWithAuthorization'
    const signature = await signer.signTypedData({ domain: as.domain ?? domain, types, primaryType, message })
    const { value, validAfter, validBefore, ...rest } = message
    const authorization = {
      ...rest,
      value: String(value),
      validAfter: String(validAfter),
      validBefore: String(validBefore),
    }
    return { chainId: 8453, authorization, signature }
  }

  type Signed = Awaited<ReturnType<typeof sign>>

  const settle = ({ authorization, signature }: Signed): Promise<Hex> => {
    const { from, to, value, validAfter, validBefore, nonce } = authorization
    const args = [from, to, BigInt(value), BigInt(validAfter), BigInt(validBefore), nonce, signature] as const
    return mined(
      payer.send(encodeFunctionData({ abi, functionName: 'transferWithAuthorization', args }), usdc),
    )
  }

  const cancel = async (signer: PrivateKeyAccount, nonce: Hex): Promise<Hex> => {
    const signature = await signer.signTypedData({
      domain,
      types: {
        CancelAuthorization: [
          { name: 'authorizer', type: 'address' },
          { name: 'nonce', type: 'bytes32' },
        ],
      },
      primaryType: 'CancelAuthorization',
      message: { authorizer: signer.address, nonce },
    })
    const args = [signer.address, nonce, signature] as const
    return mined(payer.send(encodeFunctionData({ abi, functionName: 'cancelAuthorization', args }), usdc))
  }

  /** A smart account of the payer, with money: deployed, or one that a factory would deploy. */
  const openAccount = async (deployed: boolean) => {
    const owner = payer.account.address
    const factory = await deploy(account('Factory'))
    const argument = encodeAbiParameters([{ type: 'address' }], [owner])
    const counterfactual = getContractAddress({
      opcode: 'CREATE2',
      from: factory,
      salt: pad('0x00', { size: 32 }),
      bytecode: concatHex([account('Account').bytecode, argument]),
    })
    const address = deployed ? await deploy(account('Account'), [owner]) : counterfactual
    await mined(payer.transfer(address, 500_000n))
    const data = encodeFunctionData({ abi: account('Factory').abi, functionName: 'deploy', args: [owner] })
    const wrap = (signature: Hex) => serializeErc6492Signature({ address: factory, data, signature })
    return { address, wrap }
  }

  /** Code for an account to delegate to (EIP-7702). */
  const openDelegate = () => deploy(account('Account'), [payee])

  const delegateTo = (account: Hex, delegate: Hex) =>
    anvil.setCode({ address: account, bytecode: concatHex(['0xef0100', delegate]) })

  return {
    chain,
    reader,
    anvil,
    payer,
    usdc,
    domain,
    seconds,
    sign,
    settle,
    cancel,
    mined,
    openAccount,
    openDelegate,
    delegateTo,
    deploy,
    makePayer: (amount: bigint) => makePayer(chain, amount),
    money,
    ask: money.ask,
    async stop() {
      await money.stop()
      await net.close()
    },
  }
}
